#include "reference/tensor/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/number/philox.hpp"

namespace mx {
namespace {

/// Little-endian words of 1, 2, 4 or 8 bytes.
template <typename Word>
std::uint64_t load(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

template <typename Word>
void store(std::byte* at, std::uint64_t value) {
  const auto word = static_cast<Word>(value);
  std::memcpy(at, &word, sizeof word);
}

std::uint64_t load_word(std::span<const std::byte> bytes, std::uint64_t index, std::size_t size) {
  const std::byte* const at = bytes.data() + index * size;
  switch (size) {
    case 1:
      return load<std::uint8_t>(at);
    case 2:
      return load<std::uint16_t>(at);
    case 4:
      return load<std::uint32_t>(at);
    default:
      return load<std::uint64_t>(at);
  }
}

void store_word(std::span<std::byte> bytes, std::uint64_t index, std::size_t size,
                std::uint64_t word) {
  std::byte* const at = bytes.data() + index * size;
  switch (size) {
    case 1:
      return store<std::uint8_t>(at, word);
    case 2:
      return store<std::uint16_t>(at, word);
    case 4:
      return store<std::uint32_t>(at, word);
    default:
      return store<std::uint64_t>(at, word);
  }
}

/// Where block b (C order of the scale tensor) lies: its first element and how many it has.
struct BlockPlace {
  std::uint64_t outer = 0;
  std::uint64_t inner = 0;
  std::uint64_t start = 0;       ///< position along the axis
  std::uint64_t start_line = 0;  ///< of a tile
  std::uint64_t width = 0;       ///< elements in each line
  std::uint64_t count = 0;       ///< elements in all lines
};

BlockPlace place_of(const BlockedShape& shape, std::uint64_t block) {
  BlockPlace place;
  place.inner = block % shape.inner;
  block /= shape.inner;
  place.start = block % shape.blocks * shape.block_size;
  block /= shape.blocks;
  place.start_line = block % shape.line_blocks * shape.tile_lines;
  place.outer = block / shape.line_blocks;
  place.width = std::min(shape.block_size, shape.length - place.start);
  place.count = place.width * std::min(shape.tile_lines, shape.lines - place.start_line);
  return place;
}

/// The index of element i of a place whose lines hold `width` elements, in a tensor whose axis is
/// `length` long.
std::uint64_t element_index(const BlockedShape& shape, std::uint64_t length,
                            const BlockPlace& place, std::uint64_t width, std::uint64_t i) {
  const std::uint64_t line = shape.tile_lines == 1 ? 0 : i / width;
  const std::uint64_t position = place.start + i - line * width;
  const std::uint64_t row = place.outer * shape.lines + place.start_line + line;
  return (row * length + position) * shape.inner + place.inner;
}

std::uint64_t stored_length(const BlockedShape& shape, Tail tail) {
  return tail == Tail::kShort ? shape.length : shape.blocks * shape.block_size;
}

std::size_t block_capacity(const BlockedShape& shape) {
  return shape.block_size * shape.tile_lines;
}

/// a + b - 1 over b, for b > 0.
std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Zero codes where a short block is padded to its full width.
void pad_lines(const BlockedShape& shape, const BlockPlace& place, std::uint64_t code_length,
               std::span<std::byte> codes, std::size_t code_size) {
  const std::uint64_t lines = place.width == 0 ? 0 : place.count / place.width;
  for (std::uint64_t line = 0; line < lines; ++line) {
    for (std::uint64_t i = place.width; i < shape.block_size; ++i) {
      const std::uint64_t lane = line * shape.block_size + i;
      store_word(codes, element_index(shape, code_length, place, shape.block_size, lane), code_size,
                 0);
    }
  }
}

constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max() / 8;

/// The four lengths of a shape around its axis, without blocks.
std::optional<BlockedShape> collapse(std::span<const std::uint64_t> shape, std::int64_t axis,
                                     bool has_lines) {
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(shape.size(), 1));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  BlockedShape result;
  // The product without zero lengths, so that their order is no matter.
  std::uint64_t nonzero_elements = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::uint64_t size = shape[d];
    if (size > kLimit || (size != 0 && nonzero_elements > kLimit / size)) return std::nullopt;
    if (size != 0) nonzero_elements *= size;
    const auto dimension = static_cast<std::int64_t>(d);
    std::uint64_t& part = dimension == axis                    ? result.length
                          : dimension > axis                   ? result.inner
                          : has_lines && dimension == axis - 1 ? result.lines
                                                               : result.outer;
    part *= size;
  }
  result.elements = result.outer * result.lines * result.length * result.inner;
  return result;
}

/// Adds the blocks; nothing where padding to whole blocks would not fit.
std::optional<BlockedShape> with_blocks(BlockedShape shape, std::uint64_t block_size,
                                        std::uint64_t tile_lines) {
  shape.block_size = block_size;
  shape.tile_lines = tile_lines;
  shape.blocks = divide_up(shape.length, block_size);
  shape.line_blocks = divide_up(shape.lines, tile_lines);
  const std::uint64_t rows = shape.outer * shape.lines * shape.inner;
  if (shape.blocks > kLimit / block_size || rows > kLimit / (shape.blocks * block_size + 1)) {
    return std::nullopt;
  }
  shape.scales = shape.outer * shape.line_blocks * shape.blocks * shape.inner;
  return shape;
}

}  // namespace

std::optional<BlockedShape> BlockedShape::make(std::span<const std::uint64_t> shape,
                                               std::int64_t axis, int block_size, int tile_lines) {
  if (block_size < 1 || tile_lines < 1) return std::nullopt;
  const auto collapsed = collapse(shape, axis, tile_lines > 1);
  if (!collapsed) return std::nullopt;
  return with_blocks(*collapsed, static_cast<std::uint64_t>(block_size),
                     static_cast<std::uint64_t>(tile_lines));
}

std::optional<BlockedShape> BlockedShape::make(std::span<const std::uint64_t> shape,
                                               std::int64_t axis, const BlockFormat& format) {
  if (format.extent == BlockExtent::kElements) {
    return make(shape, axis, format.block_size, format.tile_lines);
  }
  auto collapsed = collapse(shape, axis, false);
  if (!collapsed) return std::nullopt;
  if (format.extent == BlockExtent::kTensor) {
    collapsed->length = collapsed->elements;
    collapsed->outer = collapsed->inner = 1;
  }
  return with_blocks(*collapsed, std::max<std::uint64_t>(collapsed->length, 1), 1);
}

void block_indices(const BlockedShape& shape, std::uint64_t block,
                   std::vector<std::uint64_t>& indices) {
  const BlockPlace place = place_of(shape, block);
  indices.resize(place.count);
  for (std::uint64_t i = 0; i < place.count; ++i) {
    indices[i] = element_index(shape, shape.length, place, place.width, i);
  }
}

Unpacked tensor_amax(const ElementFormat& source, const ElementPolicy& policy,
                     std::span<const std::byte> words) {
  const std::size_t size = storage_bytes(source);
  Unpacked amax;
  for (std::uint64_t i = 0; i < words.size() / size; ++i) {
    const Unpacked x = decode_source(source, policy, load_word(words, i, size));
    if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  return amax;
}

TensorSummary quantize_tensor(const Quantizer& quantizer, const BlockedShape& shape, Tail tail,
                              std::span<const std::byte> source, CounterRandom random,
                              std::span<std::byte> codes, std::span<std::byte> scales,
                              std::uint64_t first_block, std::uint64_t last_block) {
  const QuantizerConfig& c = quantizer.config();
  const std::size_t source_size = storage_bytes(c.source);
  const std::size_t code_size = storage_bytes(c.format.element);
  const std::size_t scale_size = scale_bytes(c.format);
  const std::uint64_t code_length = stored_length(shape, tail);
  const bool stochastic = is_stochastic(c.element.rounding);
  const bool draws = stochastic || facts_of(c.block.rule).draws;
  const int random_bits = stochastic ? c.element.random_bits : 32;
  std::vector<std::uint64_t> words(block_capacity(shape));
  std::vector<std::uint64_t> out(words.size());
  std::vector<std::uint32_t> bits(words.size());
  TensorSummary summary;
  for (std::uint64_t b = first_block; b < std::min(last_block, shape.scales); ++b) {
    const BlockPlace place = place_of(shape, b);
    for (std::uint64_t i = 0; i < place.count; ++i) {
      const std::uint64_t index = element_index(shape, shape.length, place, place.width, i);
      words[i] = load_word(source, index, source_size);
      if (draws) bits[i] = counter_random(random.seed, random.tensor, index, random_bits);
    }
    const BlockResult result = quantizer.quantize_block(
        std::span<const std::uint64_t>(words).first(place.count),
        std::span<const std::uint32_t>(bits).first(draws ? place.count : 0),
        std::span(out).first(place.count));
    for (std::uint64_t i = 0; i < place.count; ++i) {
      store_word(codes, element_index(shape, code_length, place, place.width, i), code_size,
                 out[i]);
    }
    if (tail == Tail::kZeroPad && place.width < shape.block_size) {
      pad_lines(shape, place, code_length, codes, code_size);
    }
    store_word(scales, b, scale_size, result.scale_code);
    ++summary.blocks;
    summary.elements += place.count;
    summary.nan_scales += (result.flags & kBlockNanScale) != 0 ? 1 : 0;
    summary.flags |= result.flags;
  }
  return summary;
}

void dequantize_tensor(const Quantizer& quantizer, const BlockedShape& shape, Tail tail,
                       std::span<const std::byte> codes, std::span<const std::byte> scales,
                       const ElementFormat& output, std::span<std::byte> values,
                       std::uint64_t first_block, std::uint64_t last_block) {
  const QuantizerConfig& c = quantizer.config();
  const std::size_t code_size = storage_bytes(c.format.element);
  const std::uint64_t code_length = stored_length(shape, tail);
  std::vector<std::uint64_t> words(block_capacity(shape));
  std::vector<std::uint64_t> out(words.size());
  for (std::uint64_t b = first_block; b < std::min(last_block, shape.scales); ++b) {
    const BlockPlace place = place_of(shape, b);
    for (std::uint64_t i = 0; i < place.count; ++i) {
      const std::uint64_t index = element_index(shape, code_length, place, place.width, i);
      words[i] = load_word(codes, index, code_size) & c.format.element.code_mask();
    }
    quantizer.dequantize_block(load_word(scales, b, scale_bytes(c.format)),
                               std::span<const std::uint64_t>(words).first(place.count), output,
                               std::span(out).first(place.count));
    for (std::uint64_t i = 0; i < place.count; ++i) {
      store_word(values, element_index(shape, shape.length, place, place.width, i),
                 storage_bytes(output), out[i]);
    }
  }
}

}  // namespace mx
