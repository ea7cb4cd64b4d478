#include "sim/stream/kinds.hpp"

#include <vector>

#include "golden/config_word/config_word.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::sim {
namespace {

Kind answered(Kind kind, const Shape& shape) {
  const QuantizerConfig config =
      golden::config_of(kind.config_word, {.block_size = shape.lanes * shape.beats}).value();
  const Quantizer quantizer = Quantizer::make(config).value();
  const auto elements = static_cast<std::size_t>(kind.elements);
  std::vector<std::uint64_t> words(elements);
  std::vector<std::uint64_t> codes(elements);
  for (std::size_t i = 0; i < elements; ++i) words[i] = kind.words[i % kStreamWords];
  const std::vector<std::uint32_t> random(elements, kind.random);
  kind.status = golden::status_of(quantizer.quantize_block(words, random, codes));
  for (std::size_t i = 0; i < kStreamWords; ++i) kind.codes[i] = codes[i];
  return kind;
}

}  // namespace

Kinds deterministic_kinds(const Shape& shape) {
  return {answered({.config_word = 2U << 14 | 5U << 3 | 4U,
                    .words = {0xBFFFFFFF, 0x7FC00000, 0x7F800000, 0x3F800000},
                    .elements = shape.lanes * shape.marked_beats() - 4},
                   shape),
          answered({.config_word = 1U << 7 | 1U,
                    .words = {0x00012345, 0x80012345, 0x00000001, 0x80000000},
                    .elements = shape.lanes * shape.beats},
                   shape)};
}

Kinds stochastic_kinds(const Shape& shape) {
  return {answered({.config_word = 9U << 3,
                    .words = {0x3F808001, 0x3F908001, 0x3FA08001, 0xBFB08001},
                    .elements = shape.lanes * shape.marked_beats() - 4,
                    .random = 0xFF},
                   shape),
          answered({.config_word = 1U << 22 | 9U << 3 | 4U,
                    .words = {0, 0x80000000, 0, 0},
                    .elements = shape.lanes * shape.beats},
                   shape)};
}

}  // namespace mx::sim
