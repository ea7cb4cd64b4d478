#include "mx/tensor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "mx/philox.hpp"

namespace mx {
namespace {

constexpr std::size_t kMaxBlock = 1024;

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
  std::uint64_t start = 0;  ///< position along the axis
  std::uint64_t count = 0;
};

BlockPlace place_of(const BlockedShape& shape, std::uint64_t block, std::uint64_t block_size) {
  BlockPlace place;
  place.inner = block % shape.inner;
  place.start = (block / shape.inner) % shape.blocks * block_size;
  place.outer = block / shape.inner / shape.blocks;
  place.count = std::min(block_size, shape.length - place.start);
  return place;
}

std::uint64_t element_index(const BlockedShape& shape, std::uint64_t length,
                            const BlockPlace& place, std::uint64_t i) {
  return (place.outer * length + place.start + i) * shape.inner + place.inner;
}

std::uint64_t stored_length(const BlockedShape& shape, Tail tail, std::uint64_t block_size) {
  return tail == Tail::kShort ? shape.length : shape.blocks * block_size;
}

}  // namespace

std::optional<BlockedShape> BlockedShape::make(std::span<const std::uint64_t> shape,
                                               std::int64_t axis, int block_size) {
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(shape.size(), 1));
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || block_size < 1) return std::nullopt;
  constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max() / 8;
  BlockedShape result;
  std::uint64_t nonzero_elements =
      1;  // the product without zero lengths, so that order is no matter
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::uint64_t size = shape[d];
    if (size > kLimit || (size != 0 && nonzero_elements > kLimit / size)) return std::nullopt;
    if (size != 0) nonzero_elements *= size;
    const auto dimension = static_cast<std::int64_t>(d);
    (dimension < axis ? result.outer : dimension == axis ? result.length : result.inner) *= size;
  }
  const auto k = static_cast<std::uint64_t>(block_size);
  result.blocks = (result.length + k - 1) / k;
  result.elements = result.outer * result.length * result.inner;
  if (result.blocks > kLimit / k ||
      result.outer * result.inner > kLimit / (result.blocks * k + 1)) {
    return std::nullopt;  // zero padding may exceed what the elements themselves need
  }
  result.scales = result.outer * result.blocks * result.inner;
  return result;
}

TensorSummary quantize_tensor(const Quantizer& quantizer, const BlockedShape& shape, Tail tail,
                              std::span<const std::byte> source, CounterRandom random,
                              std::span<std::byte> codes, std::span<std::byte> scales,
                              std::uint64_t first_block, std::uint64_t last_block) {
  const QuantizerConfig& c = quantizer.config();
  const auto k = static_cast<std::uint64_t>(c.format.block_size);
  const std::size_t source_size = storage_bytes(c.source);
  const std::size_t code_size = storage_bytes(c.format.element);
  const std::size_t scale_size = storage_bytes(c.format.scale);
  const std::uint64_t code_length = stored_length(shape, tail, k);
  const bool stochastic = is_stochastic(c.element.rounding);
  std::array<std::uint64_t, kMaxBlock> words;
  std::array<std::uint64_t, kMaxBlock> out;
  std::array<std::uint32_t, kMaxBlock> bits;
  TensorSummary summary;
  for (std::uint64_t b = first_block; b < std::min(last_block, shape.scales); ++b) {
    const BlockPlace place = place_of(shape, b, k);
    for (std::uint64_t i = 0; i < place.count; ++i) {
      const std::uint64_t index = element_index(shape, shape.length, place, i);
      words[i] = load_word(source, index, source_size);
      if (stochastic) {
        bits[i] = counter_random(random.seed, random.tensor, index, c.element.random_bits);
      }
    }
    const BlockResult result = quantizer.quantize_block(
        std::span(words).first(place.count),
        std::span<const std::uint32_t>(bits).first(stochastic ? place.count : 0),
        std::span(out).first(place.count));
    const std::uint64_t stored = tail == Tail::kShort ? place.count : k;
    for (std::uint64_t i = 0; i < stored; ++i) {
      store_word(codes, element_index(shape, code_length, place, i), code_size,
                 i < place.count ? out[i] : 0);
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
  const auto k = static_cast<std::uint64_t>(c.format.block_size);
  const std::uint64_t code_length = stored_length(shape, tail, k);
  std::array<std::uint64_t, kMaxBlock> words;
  std::array<std::uint64_t, kMaxBlock> out;
  for (std::uint64_t b = first_block; b < std::min(last_block, shape.scales); ++b) {
    const BlockPlace place = place_of(shape, b, k);
    for (std::uint64_t i = 0; i < place.count; ++i) {
      words[i] = load_word(codes, element_index(shape, code_length, place, i),
                           storage_bytes(c.format.element)) &
                 c.format.element.code_mask();
    }
    quantizer.dequantize_block(load_word(scales, b, storage_bytes(c.format.scale)),
                               std::span<const std::uint64_t>(words).first(place.count), output,
                               std::span(out).first(place.count));
    for (std::uint64_t i = 0; i < place.count; ++i) {
      store_word(values, element_index(shape, shape.length, place, i), storage_bytes(output),
                 out[i]);
    }
  }
}

}  // namespace mx
