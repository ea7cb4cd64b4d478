#include "tests/fast/cuda/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "golden/config_word/config_word.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

std::uint64_t source_word_at(std::span<const std::byte> words, std::size_t index,
                             std::size_t width) {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + index * width, width);
  return word;
}

std::uint32_t random_at(const QuantizerConfig& job, const StreamRandom& random, std::size_t index) {
  if (random.words != nullptr) return random.words[index];
  return counter_random(random.seed, random.tensor, index, job.element.random_bits);
}

std::vector<std::byte> as_bytes(const std::vector<std::uint8_t>& values) {
  const auto* const first = reinterpret_cast<const std::byte*>(values.data());
  return {first, first + values.size()};
}

Packing packing_of(const ElementFormat& element, bool packed) {
  if (!packed || element.bits == 8) return Packing::kBytePadded;
  return element.bits == 4 ? Packing::kNibbleLowFirst : Packing::kDense6;
}

template <class Values>
void compare(std::string_view what, const Values& expected, const Values& got,
             const std::string& context, StreamTally& tally) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (tally.mismatches++ != 0) continue;
    tally.first = fmt::format("{}: {} {}: expected {:X}, got {:X}", context, what, i,
                              static_cast<unsigned>(expected[i]), static_cast<unsigned>(got[i]));
  }
}

}  // namespace

Status run_on_host(const StreamPlan& plan, const StreamLayout& layout,
                   std::span<const std::byte> source, std::span<std::byte> codes,
                   std::span<std::byte> scales, std::span<std::uint16_t> status,
                   const StreamRandom& random) {
  return plan.run_on_host(layout, source.data(),
                          {codes.data(), scales.data(), status.empty() ? nullptr : status.data()},
                          random);
}

StreamAnswer reference_answer(const BlockJob& job, const StreamLayout& layout,
                              std::span<const std::byte> source, const StreamRandom& random) {
  return reference_answer(
      QuantizerConfig{
          .source = job.source, .format = job.format, .element = job.element, .block = job.block},
      layout, source, random);
}

StreamAnswer reference_answer(const QuantizerConfig& job, const StreamLayout& layout,
                              std::span<const std::byte> source, const StreamRandom& random) {
  const Quantizer quantizer = Quantizer::make(job).value();
  const BlockLayout& s = layout.shape;
  const auto size = static_cast<std::size_t>(job.format.block_size);
  const std::size_t blocks = (s.length + size - 1) / size;
  const std::size_t width = storage_bytes(job.source);
  std::vector<std::uint8_t> codes(s.elements());
  std::vector<std::uint8_t> scales(s.blocks(size));
  StreamAnswer answer;
  answer.status.resize(scales.size());
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
  std::vector<std::uint32_t> draws;
  for (std::size_t line = 0; line < s.outer * s.inner; ++line) {
    const std::size_t outer = line / s.inner;
    const std::size_t inner = line % s.inner;
    for (std::size_t along = 0; along < blocks; ++along) {
      const std::size_t count = std::min(size, s.length - along * size);
      const auto element = [&](std::size_t i) {
        return (outer * s.length + along * size + i) * s.inner + inner;
      };
      in.clear();
      draws.clear();
      for (std::size_t i = 0; i < count; ++i) {
        in.push_back(source_word_at(source, element(i), width));
        if (is_stochastic(job.element.rounding))
          draws.push_back(random_at(job, random, element(i)));
      }
      out.resize(count);
      const BlockResult result = quantizer.quantize_block(in, draws, out);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = layout.blocks_last ? line * s.length + along * size + i : element(i);
        codes[at] = static_cast<std::uint8_t>(out[i]);
      }
      const std::size_t at =
          layout.blocks_last ? line * blocks + along : (outer * blocks + along) * s.inner + inner;
      scales[at] = static_cast<std::uint8_t>(result.scale_code);
      answer.status[at] = golden::status_of(result);
    }
  }
  const Packing packing = packing_of(job.format.element, layout.packed);
  std::vector<std::uint8_t> packed(CodeLayout{packing}.bytes(codes.size()).value());
  pack({packing}, std::as_bytes(std::span(codes)), std::as_writable_bytes(std::span(packed)));
  answer.codes = as_bytes(packed);
  if (layout.swizzled) {
    const Swizzle128x4 tiles{s.outer * s.inner, blocks};
    std::vector<std::uint8_t> swizzled(tiles.bytes());
    swizzle(tiles, std::as_bytes(std::span(scales)), std::as_writable_bytes(std::span(swizzled)));
    scales = swizzled;
  }
  answer.scales = as_bytes(scales);
  return answer;
}

void compare_answers(const StreamAnswer& expected, const StreamAnswer& got,
                     const std::string& context, StreamTally& tally) {
  if (got.codes.size() != expected.codes.size() || got.scales.size() != expected.scales.size()) {
    ++tally.mismatches;
    tally.first = context + ": sizes differ";
    return;
  }
  compare("code byte", expected.codes, got.codes, context, tally);
  compare("scale byte", expected.scales, got.scales, context, tally);
  if (!got.status.empty()) compare("status", expected.status, got.status, context, tally);
}

void compare_stream(const BlockJob& job, const StreamLayout& layout,
                    std::span<const std::byte> source, const StreamRunner& runner,
                    StreamTally& tally, const StreamRandom& random) {
  const StreamPlan plan = StreamPlan::make(job).value();
  const StreamAnswer expected = reference_answer(job, layout, source, random);
  const StreamSizes sizes = plan.sizes(layout);
  const std::string context = fmt::format(
      "{} to {}, {}, {}, {} x {} x {}{}{}{}", job.source.name, job.format.element.name,
      token_of(job.block.rule), token_of(job.element.rounding), layout.shape.outer,
      layout.shape.length, layout.shape.inner, layout.blocks_last ? ", blocks last" : "",
      layout.packed ? ", packed" : "", layout.swizzled ? ", swizzled" : "");
  for (const bool with_status : {true, false}) {
    StreamAnswer got;
    got.codes.assign(sizes.code_bytes, std::byte{0xA5});
    got.scales.assign(sizes.scale_bytes, std::byte{0xA5});
    got.status.assign(with_status ? sizes.status_words : 0, 0xA5A5);
    const Status outcome = runner(plan, layout, source, got.codes, got.scales, got.status, random);
    if (!outcome) {
      ++tally.mismatches;
      tally.first = fmt::format("{}: {}", context, outcome.detail);
      return;
    }
    compare_answers(expected, got, context, tally);
  }
  tally.elements += layout.shape.elements();
  for (const std::uint16_t status : expected.status) {
    for (std::size_t bit = 0; bit < 16; ++bit) tally.status_bits[bit] += status >> bit & 1u;
  }
}

BlockJob stream_job(const ElementFormat& source, const ElementFormat& element) {
  return {.source = source,
          .format = {.name = "judged", .element = element, .scale = formats::e8m0},
          .element = {},
          .block = {}};
}

std::vector<ScaleRule> stream_rules() {
  return {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp,
          ScaleRule::kEvenDown};
}

}  // namespace mx::fast::test
