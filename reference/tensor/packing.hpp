// Layouts of element codes and scale codes in memory: spec F5. Pure functions on
// bytes; nothing here knows what a code means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mx {

/// How element codes share bytes.
enum class Packing : std::uint8_t {
  kBytePadded,       ///< a code a byte, unused high bits zero
  kNibbleLowFirst,   ///< 4-bit codes, element 2j in bits 3:0 of byte j
  kNibbleHighFirst,  ///< 4-bit codes, element 2j in bits 7:4 of byte j
  kSplitHalf,        ///< 4-bit codes of k elements, byte j holds j (low) and j + k/2 (high)
  kDense6            ///< 6-bit codes, 4 in 3 bytes, the first in the low bits
};

/// Bits a code occupies; 8 for kBytePadded.
[[nodiscard]] int packed_bits(Packing packing);
/// nibble_low_first, nibble_high_first, split_half, byte_padded, dense6.
[[nodiscard]] std::string_view packing_name(Packing packing);
[[nodiscard]] std::optional<Packing> parse_packing(std::string_view name);

/// Bytes that `count` codes take; spare bits of the last byte are zero. split_half needs an even
/// count (0 is returned for an odd one).
[[nodiscard]] std::size_t packed_bytes(Packing packing, std::size_t count);

/// One code a byte to the layout, and back. packed.size() == packed_bytes(packing, codes.size());
/// codes must fit packed_bits. split_half treats all of `codes` as one group: pack groups one by
/// one.
void pack(Packing packing, std::span<const std::uint8_t> codes, std::span<std::uint8_t> packed);
void unpack(Packing packing, std::span<const std::uint8_t> packed, std::span<std::uint8_t> codes);

/// The layout of scale codes that cuBLAS and torchao call swizzled: tiles of 128 x 4 scales.
/// `outer` counts rows of the matrix, `inner` its blocks along the reduced dimension.
struct Swizzle128x4 {
  std::size_t outer = 0;
  std::size_t inner = 0;

  /// Bytes that are allocated: both counts rounded up to whole tiles; slots beyond are zero.
  [[nodiscard]] std::size_t bytes() const;
  /// Where the scale of (row, block) lies: within a tile (row mod 32) * 16 + (row mod 128 / 32) * 4
  /// + block mod 4; tiles follow each other along `inner`, then along `outer`.
  [[nodiscard]] std::size_t offset(std::size_t row, std::size_t block) const;
  struct Place {
    std::size_t row = 0;
    std::size_t block = 0;
  };
  /// The inverse of offset(); the place may lie outside the matrix (a padding slot).
  [[nodiscard]] Place place(std::size_t offset) const;
};

/// Scales in C order (outer x inner, one byte each) to the swizzled layout, and back.
void swizzle(const Swizzle128x4& layout, std::span<const std::uint8_t> scales,
             std::span<std::uint8_t> swizzled);
void unswizzle(const Swizzle128x4& layout, std::span<const std::uint8_t> swizzled,
               std::span<std::uint8_t> scales);

}  // namespace mx
