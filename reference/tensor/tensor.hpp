// Tensors: blocks of an array of any shape along any axis, C order, little-endian words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/block/quantizer.hpp"

namespace mx {

/// What is stored where the axis length is no multiple of the block size.
enum class Tail : std::uint8_t {
  kShort,   ///< codes have the tensor's shape; the last block is short
  kZeroPad  ///< codes are padded with zero codes to a multiple of the block size
};

/// The shape of a blocked tensor: `outer` x `lines` x `length` x `inner`, blocks along `length`
/// and, where tiles are two-dimensional, along `lines` (the dimension before the axis; 1
/// otherwise).
struct BlockedShape {
  std::uint64_t outer = 1;
  std::uint64_t lines = 1;
  std::uint64_t length = 1;
  std::uint64_t inner = 1;
  std::uint64_t block_size = 1;   ///< elements of a block along the axis
  std::uint64_t tile_lines = 1;   ///< lines of a block
  std::uint64_t blocks = 1;       ///< ceil(length / block_size)
  std::uint64_t line_blocks = 1;  ///< ceil(lines / tile_lines)
  std::uint64_t elements = 1;
  std::uint64_t scales = 1;  ///< outer * line_blocks * blocks * inner

  /// Collapses a shape around an axis (negative counts from the end; a 0-dimensional tensor counts
  /// as shape [1]). Nothing if the axis is out of range, block_size or tile_lines < 1, or the
  /// element count in bytes (8 a element) does not fit 63 bits.
  [[nodiscard]] static std::optional<BlockedShape> make(std::span<const std::uint64_t> shape,
                                                        std::int64_t axis, int block_size,
                                                        int tile_lines = 1);
  /// The same for a block format: its block size and lines, a block for the whole axis, or one for
  /// the whole tensor.
  [[nodiscard]] static std::optional<BlockedShape> make(std::span<const std::uint64_t> shape,
                                                        std::int64_t axis,
                                                        const BlockFormat& format);
};

/// Where the random bits of a stochastic rounding come from: spec F9.4, `counter`.
struct CounterRandom {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0;  ///< index of the tensor in name order
};

/// The elements of a block, by their places in the tensor, in the order of the block's lanes.
/// `block` counts in C order of the scale tensor.
void block_indices(const BlockedShape& shape, std::uint64_t block,
                   std::vector<std::uint64_t>& indices);

/// Bytes of one stored code of a format.
[[nodiscard]] constexpr std::size_t storage_bytes(const ElementFormat& format) {
  return static_cast<std::size_t>(format.storage_bits) / 8;
}

/// Bytes of one stored scale of a block format.
[[nodiscard]] constexpr std::size_t scale_bytes(const BlockFormat& format) {
  return static_cast<std::size_t>(format.scale_bytes());
}

/// The largest finite magnitude among source words as the element policy sees them (zero if there
/// is none), for tensor_level(). Parts of a tensor can be scanned on their own: the larger one
/// counts.
[[nodiscard]] Unpacked tensor_amax(const ElementFormat& source, const ElementPolicy& policy,
                                   std::span<const std::byte> words, int threads = 1);

/// "element 7: 1FF has bits above the 8 of e4m3fn" for the first word that is no code of the
/// format; "" if there is none.
[[nodiscard]] std::string stray_word(const ElementFormat& format, std::span<const std::byte> words,
                                     int threads = 1);

struct TensorSummary {
  std::uint64_t blocks = 0;
  std::uint64_t elements = 0;
  std::uint64_t nan_scales = 0;
  std::uint16_t flags = 0;  ///< OR over the blocks

  TensorSummary& operator+=(const TensorSummary& part) {
    blocks += part.blocks;
    elements += part.elements;
    nan_scales += part.nan_scales;
    flags |= part.flags;
    return *this;
  }
};

/// Quantizes source words into codes and scales, each in its format's storage width.
/// Sizes: source = elements * storage_bytes(source), codes = elements (or the padded count) *
/// storage_bytes(element), scales = shape.scales * scale_bytes(format). The caller guarantees
/// them, and that the configuration's block size is the shape's. The rule stoch_exp draws 32 bits
/// for each element where the element rounding draws none. Only blocks [first_block, last_block) of
/// the shape.scales blocks in C order of the scale tensor are touched, so that callers can split
/// the work; the default is all of them. `threads` share it, elements of a long block too. Beside
/// the buffers it needs a piece of 2^14 elements, or a block of up to 2^20, for each thread.
///
/// The problem is a source word with bits above its format's width: nothing was written then.
Checked<TensorSummary> quantize_tensor(const Quantizer& quantizer, const BlockedShape& shape,
                                       Tail tail, std::span<const std::byte> source,
                                       CounterRandom random, std::span<std::byte> codes,
                                       std::span<std::byte> scales, std::uint64_t first_block = 0,
                                       std::uint64_t last_block = ~std::uint64_t{0},
                                       int threads = 1);

/// The way back: codes and scales to words of `output`, for the same range of blocks. The problem
/// is a code or a scale with bits above its format's width: nothing was written then.
Checked<TensorSummary> dequantize_tensor(const Quantizer& quantizer, const BlockedShape& shape,
                                         Tail tail, std::span<const std::byte> codes,
                                         std::span<const std::byte> scales,
                                         const ElementFormat& output, std::span<std::byte> values,
                                         std::uint64_t first_block = 0,
                                         std::uint64_t last_block = ~std::uint64_t{0},
                                         int threads = 1);

}  // namespace mx
