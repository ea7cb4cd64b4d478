#include "backend/tensor/self_check.hpp"

#include <algorithm>
#include <array>

#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::backend {
namespace {

/// Source words, one after the other.
class Words {
 public:
  explicit Words(const ElementFormat& source) : f_(source), size_(storage_bytes(source)) {}

  void add(std::uint64_t word) {
    bytes_.resize(bytes_.size() + size_);
    store_word(bytes_.data() + bytes_.size() - size_, size_, word & f_.code_mask());
  }

  /// A significand with a random number of trailing zeros, so that ties of every precision come up,
  /// and their neighbours.
  void add_near_tie(std::uint64_t exponent) {
    const std::uint32_t draw = next();
    const auto zeros = draw % static_cast<unsigned>(f_.man_bits + 1);
    std::uint64_t significand = std::uint64_t{next()} << zeros & f_.man_mask();
    if ((draw >> 16 & 3) == 1) ++significand;
    if ((draw >> 16 & 3) == 2) --significand;
    const std::uint64_t sign = (draw >> 24 & 1) != 0 ? f_.sign_bit() : 0;
    add(sign | exponent << f_.man_bits | (significand & f_.man_mask()));
  }

  std::uint32_t next() { return counter_random(kKey, 0, drawn_++, 32); }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  static constexpr std::uint64_t kKey = 0x6D78676F6C64;

  const ElementFormat& f_;
  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::uint64_t drawn_ = 0;
};

/// A block whose largest element has this exponent field, the others up to 24 binades below.
void add_window(Words& words, std::uint64_t top, std::uint64_t block_size) {
  const std::uint64_t largest = words.next() % block_size;
  const std::uint64_t depth = words.next() % 25;
  for (std::uint64_t i = 0; i < block_size; ++i) {
    const std::uint64_t below = i == largest ? 0 : words.next() % (depth + 1);
    words.add_near_tie(top - std::min(top, below));
  }
}

/// Blocks of zeros that hold one word each: the ends of the format, and what is no number.
void add_specials(Words& words, const ElementFormat& f, std::uint64_t block_size) {
  const std::uint64_t infinity = f.magnitude_mask() & ~f.man_mask();
  const std::array<std::uint64_t, 8> kinds = {0,
                                              1,
                                              f.man_mask(),
                                              f.man_mask() + 1,
                                              infinity - 1,
                                              infinity,
                                              infinity | 1,
                                              f.magnitude_mask()};
  for (const std::uint64_t kind : kinds) {
    for (const std::uint64_t sign : {std::uint64_t{0}, f.sign_bit()}) {
      const std::uint64_t place = words.next() % block_size;
      for (std::uint64_t i = 0; i < block_size; ++i) words.add(i == place ? sign | kind : sign);
    }
  }
}

/// Exponent fields, that of infinity among them.
std::uint64_t exponents_of(const ElementFormat& source) {
  return (source.magnitude_mask() >> source.man_bits) + 1;
}

void add_structured(Words& words, const ElementFormat& source, std::uint64_t block_size) {
  add_specials(words, source, block_size);
  for (std::uint64_t top = 0; top < exponents_of(source); ++top) add_window(words, top, block_size);
  for (std::uint64_t i = 0; i < 16 * block_size; ++i) words.add(words.next());
}

/// Blocks of every binade of maxima whose scales lie inside the range of a real-valued scale
/// format, which are few beside those that lie at its ends.
void add_scales_inside(Words& words, const Quantizer& reference, std::uint64_t exponents,
                       std::uint64_t block_size) {
  const QuantizerConfig& c = reference.config();
  if (facts_of(c.block.rule).kind != RuleKind::kReal) return;
  constexpr int kBlocks = 8;
  for (std::uint64_t top = 0; top + 1 < exponents; ++top) {
    const std::array<std::uint64_t, 1> maximum = {top << c.source.man_bits | 1};
    const auto code = static_cast<std::uint64_t>(reference.explain_scale(maximum).unclamped);
    if (code == 0 || code >= c.format.scale.max_code) continue;
    for (int i = 0; i < kBlocks; ++i) {
      add_window(words, top, block_size);
    }
  }
}

/// The same words with their blocks along columns: column c holds the c-th run of `length`.
std::vector<std::byte> transposed(std::span<const std::byte> words, std::size_t size,
                                  std::uint64_t length, std::uint64_t columns) {
  std::vector<std::byte> result(length * columns * size);
  for (std::uint64_t c = 0; c < columns; ++c) {
    for (std::uint64_t i = 0; i < length; ++i) {
      std::copy_n(words.data() + (c * length + i) * size, size,
                  result.data() + (i * columns + c) * size);
    }
  }
  return result;
}

/// The same words, one tile after the other.
std::vector<std::byte> tiled(std::span<const std::byte> words, std::size_t size,
                             const BlockedShape& shape) {
  std::vector<std::byte> result(shape.elements * size);
  std::vector<std::uint64_t> places;
  const std::byte* from = words.data();
  for (std::uint64_t block = 0; block < shape.scales; ++block) {
    block_indices(shape, block, places);
    for (const std::uint64_t place : places) {
      std::copy_n(from, size, result.data() + place * size);
      from += size;
    }
  }
  return result;
}

std::string compare(const Quantizer& reference, const FastQuantize& quantize,
                    const BlockedShape& shape, std::span<const std::byte> source) {
  const QuantizerConfig& c = reference.config();
  std::vector<std::byte> codes(shape.elements * storage_bytes(c.format.element));
  std::vector<std::byte> scales(shape.scales * scale_bytes(c.format));
  std::vector<std::byte> fast_codes(codes.size());
  std::vector<std::byte> fast_scales(scales.size());
  const auto model = quantize_tensor(reference, shape, Tail::kShort, source, {}, codes, scales);
  if (!model) return std::string(model.problem());
  if (std::string problem = quantize(shape, source, fast_codes, fast_scales); !problem.empty()) {
    return problem;
  }
  const auto scale = std::ranges::mismatch(scales, fast_scales);
  if (scale.in1 != scales.end()) {
    return "the fast path's scale of block " + std::to_string(scale.in1 - scales.begin()) +
           " of the self-check differs from the reference's";
  }
  const auto code = std::ranges::mismatch(codes, fast_codes);
  if (code.in1 == codes.end()) return {};
  return "the fast path's code of element " + std::to_string(code.in1 - codes.begin()) +
         " of the self-check differs from the reference's";
}

/// Tiles along lines and down columns, three of them on top of each other, the last ones short.
std::string compare_tiles(const Quantizer& reference, const FastQuantize& quantize) {
  const QuantizerConfig& c = reference.config();
  const auto block = static_cast<std::uint64_t>(c.format.block_size);
  const auto tile_lines = static_cast<std::uint64_t>(c.format.tile_lines);
  const std::size_t size = storage_bytes(c.source);
  Words made(c.source);
  add_structured(made, c.source, block * tile_lines);
  add_scales_inside(made, reference, exponents_of(c.source), block * tile_lines);
  const std::vector<std::byte> words = std::move(made).take();
  const std::uint64_t tiles = words.size() / size / (block * tile_lines);
  for (const std::uint64_t inner : {std::uint64_t{1}, std::uint64_t{3}}) {
    const std::uint64_t across = std::max<std::uint64_t>(tiles / 3 / inner, 1);
    const std::array dims = {3 * tile_lines - 1, across * block - (block > 1 ? 1 : 0), inner};
    const auto shape = BlockedShape::make(dims, 1, c.format);
    std::string problem = compare(reference, quantize, *shape, tiled(words, size, *shape));
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace

std::vector<std::byte> structured_words(const ElementFormat& source, std::uint64_t block_size) {
  Words words(source);
  add_structured(words, source, block_size);
  return std::move(words).take();
}

std::string self_check(const Quantizer& reference, const FastQuantize& quantize) {
  const QuantizerConfig& c = reference.config();
  const std::size_t size = storage_bytes(c.source);
  const auto block = static_cast<std::uint64_t>(c.format.block_size);
  Words made(c.source);
  add_structured(made, c.source, block);
  add_scales_inside(made, reference, exponents_of(c.source), block);
  const std::vector<std::byte> words = std::move(made).take();
  const std::uint64_t missing = block > 1 ? 1 : 0;  // of the last block of a line
  const std::uint64_t elements = words.size() / size - missing;
  const auto row = BlockedShape::make(std::array{elements}, 0, c.format);
  std::string problem = compare(reference, quantize, *row, std::span(words).first(elements * size));
  if (!problem.empty()) return problem;
  const std::uint64_t length = 3 * block - missing;
  const std::uint64_t columns = elements / length;
  const auto table = BlockedShape::make(std::array{length, columns}, 0, c.format);
  problem = compare(reference, quantize, *table, transposed(words, size, length, columns));
  if (!problem.empty() || c.format.tile_lines == 1) return problem;
  return compare_tiles(reference, quantize);
}

}  // namespace mx::backend
