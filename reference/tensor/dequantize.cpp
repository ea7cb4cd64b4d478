#include "reference/parallel/threads.hpp"
#include "reference/tensor/layout.hpp"

namespace mx {
namespace {

using namespace layout;

/// What is kept of some elements on their way.
struct DequantizeBuffers {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> values;
};

/// The parts of one call.
struct Decoding {
  const Quantizer& quantizer;
  const BlockedShape& shape;
  std::uint64_t code_length;  ///< of the axis, with padding
  std::span<const std::byte> codes;
  std::span<const std::byte> scales;
  const ElementFormat& output;
  std::span<std::byte> values;

  [[nodiscard]] const BlockFormat& format() const { return quantizer.config().format; }

  [[nodiscard]] std::uint64_t scale_of(std::uint64_t block) const {
    return load_word(scales, block, scale_bytes(format()));
  }

  /// Elements [first, last) of a block.
  void decode(std::uint64_t block, std::uint64_t first, std::uint64_t last,
              DequantizeBuffers& buffers) const {
    const BlockPlace place = place_of(shape, block);
    const std::size_t code_size = storage_bytes(format().element);
    const std::uint64_t mask = format().element.code_mask();
    buffers.words.resize(last - first);
    buffers.values.resize(last - first);
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t index = element_index(shape, code_length, place, place.width, i);
      buffers.words[i - first] = load_word(codes, index, code_size) & mask;
    }
    quantizer.dequantize_block(scale_of(block), buffers.words, output, buffers.values);
    for (std::uint64_t i = first; i < last; ++i) {
      store_word(values, element_index(shape, shape.length, place, place.width, i),
                 storage_bytes(output), buffers.values[i - first]);
    }
  }
};

TensorSummary summary_of(const Decoding& work, const Range& range) {
  const BlockFormat& format = work.format();
  TensorSummary summary;
  for (std::uint64_t b = range.first; b < range.last; ++b) {
    const std::uint64_t scale = work.scale_of(b) & format.scale.code_mask();
    ++summary.blocks;
    summary.elements += place_of(work.shape, b).count;
    summary.nan_scales += decode(format.scale, scale).cls == ValueClass::kNan ? 1U : 0U;
  }
  return summary;
}

}  // namespace

Checked<TensorSummary> dequantize_tensor(const Quantizer& quantizer, const BlockedShape& shape,
                                         Tail tail, std::span<const std::byte> codes,
                                         std::span<const std::byte> scales,
                                         const ElementFormat& output, std::span<std::byte> values,
                                         std::uint64_t first_block, std::uint64_t last_block,
                                         int threads) {
  const Decoding work{quantizer, shape, stored_length(shape, tail), codes, scales, output, values};
  const BlockFormat& format = work.format();
  const Range range = range_of(shape, first_block, last_block);
  std::string stray =
      stray_in_blocks(shape, work.code_length, range, format.element, codes, threads);
  if (stray.empty()) stray = stray_scale(format, range, scales);
  if (!stray.empty()) return Problem{std::move(stray)};
  // Lanes are counted from the block's first only where there are sublevels.
  if (block_capacity(shape) > kPiece && format.sublevels == std::array{0, 0}) {
    for (std::uint64_t b = range.first; b < range.last; ++b) {
      share_work(place_of(shape, b).count, kPiece, threads,
                 [&](std::uint64_t first, std::uint64_t last) {
                   DequantizeBuffers buffers;
                   work.decode(b, first, last, buffers);
                 });
    }
  } else {
    share_work(range.last - range.first, blocks_at_a_time(shape), threads,
               [&](std::uint64_t first, std::uint64_t last) {
                 DequantizeBuffers buffers;
                 for (std::uint64_t b = range.first + first; b < range.first + last; ++b) {
                   work.decode(b, 0, place_of(shape, b).count, buffers);
                 }
               });
  }
  return summary_of(work, range);
}

}  // namespace mx
