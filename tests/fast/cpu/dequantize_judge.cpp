#include "tests/fast/cpu/dequantize_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fast/cpu/targets.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/fast/cpu/guarded.hpp"

namespace mx::fast::test {
namespace {

WordClass class_of(const ElementFormat& f, std::uint64_t word) {
  const std::uint64_t magnitude = word & f.magnitude_mask();
  if (magnitude == 0) return word == 0 ? WordClass::kZero : WordClass::kNegativeZero;
  if (magnitude <= f.man_mask()) return WordClass::kSubnormal;
  if (magnitude == f.inf_code()) return WordClass::kInfinity;
  if (magnitude > f.inf_code()) return WordClass::kNan;
  return magnitude == f.max_code ? WordClass::kLargest : WordClass::kCount;
}

void put(std::span<std::byte> words, std::size_t index, std::size_t width, std::uint64_t word) {
  std::memcpy(words.data() + index * width, &word, width);
}

/// Counts the words expected, and compares those of a target.
void compare_words(const ElementFormat& format, std::span<const std::byte> expected,
                   std::span<const std::byte> got, std::string_view context,
                   DequantizeTally& tally) {
  const std::size_t width = storage_bytes(format);
  if (std::ranges::equal(expected, got)) return;
  for (std::size_t i = 0; i * width < expected.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i * width);
    const auto size = static_cast<std::ptrdiff_t>(width);
    if (std::equal(expected.begin() + at, expected.begin() + at + size, got.begin() + at)) continue;
    std::uint64_t want = 0;
    std::uint64_t have = 0;
    std::memcpy(&want, expected.data() + at, width);
    std::memcpy(&have, got.data() + at, width);
    if (tally.mismatches++ == 0) {
      tally.first = fmt::format("{}: word {}: expected {:X}, got {:X}", context, i, want, have);
    }
  }
}

void count(const ElementFormat& format, std::span<const std::byte> words, DequantizeTally& tally) {
  const std::size_t width = storage_bytes(format);
  for (std::size_t i = 0; i * width < words.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + i * width, width);
    const WordClass one = class_of(format, word);
    if (one != WordClass::kCount) ++tally.classes[static_cast<std::size_t>(one)];
  }
  tally.elements += words.size() / width;
}

}  // namespace

std::string_view name_of(WordClass one) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(WordClass::kCount)> kNames = {
      "+0", "-0", "subnormal", "infinity", "NaN", "largest"};
  return kNames[static_cast<std::size_t>(one)];
}

DequantizeJob default_decoding(const ElementFormat& element, const ElementFormat& output) {
  return {.format = {.name = "judged", .element = element, .scale = formats::e8m0},
          .output = output};
}

QuantizerConfig config_of(const DequantizeJob& job) {
  return {.source = formats::fp32, .format = job.format, .element = {}, .block = job.block};
}

std::vector<std::byte> reference_words(const DequantizeJob& job, const BlockLayout& layout,
                                       std::span<const std::byte> codes,
                                       std::span<const std::byte> scales) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const std::array<std::uint64_t, 3> dims = {layout.outer, layout.length, layout.inner};
  const BlockedShape shape = BlockedShape::make(dims, 1, job.format.block_size).value();
  const std::size_t width = storage_bytes(job.output);
  std::vector<std::byte> words(shape.elements * width);
  std::vector<std::uint64_t> places;
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
  for (std::uint64_t block = 0; block < shape.scales; ++block) {
    block_indices(shape, block, places);
    in.clear();
    for (const std::uint64_t at : places) in.push_back(std::to_integer<std::uint64_t>(codes[at]));
    out.resize(in.size());
    quantizer.dequantize_block(std::to_integer<std::uint64_t>(scales[block]), in, job.output, out,
                               {job.rounding, job.dst_ftz});
    for (std::size_t i = 0; i < places.size(); ++i) put(words, places[i], width, out[i]);
  }
  return words;
}

void compare_decoding(const DequantizeJob& job, const BlockLayout& layout,
                      std::span<const std::byte> codes, std::span<const std::byte> scales,
                      DequantizeTally& tally, int threads) {
  const DequantizePlan plan = DequantizePlan::make(job).value();
  const std::vector<std::byte> expected = reference_words(job, layout, codes, scales);
  count(job.output, expected, tally);
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    Guarded words(expected.size());
    const std::string context =
        fmt::format("{} under {} to {}, {}, {}, {}, {}", job.format.element.name,
                    job.format.scale.name, job.output.name, token_of(job.rounding),
                    token_of(job.block.dequant_overflow), token_of(job.dst_ftz), target);
    if (!plan.dequantize(layout, codes, scales, words.span(), threads) || !words.guards_hold()) {
      ++tally.mismatches;
      tally.first = context + ": refused, or wrote outside its span";
    }
    compare_words(job.output, expected, words.span(), context, tally);
  }
}

void compare_widening(const WidenJob& job, std::span<const std::byte> codes,
                      DequantizeTally& tally) {
  const Conversion conversion = Conversion::make({job.source, job.destination, job.policy}).value();
  const WidenPlan plan = WidenPlan::make(job).value();
  const std::size_t width = storage_bytes(job.destination);
  std::vector<std::byte> expected(codes.size() * width);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    put(expected, i, width, conversion(std::to_integer<std::uint64_t>(codes[i])).code);
  }
  count(job.destination, expected, tally);
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    Guarded words(expected.size());
    const std::string context =
        fmt::format("{} to {}, {}, {}, {}, {}, {}", job.source.name, job.destination.name,
                    token_of(job.policy.rounding), token_of(job.policy.overflow),
                    token_of(job.policy.nan), token_of(job.policy.zero_sign), target);
    if (!plan.convert(codes, words.span()) || !words.guards_hold()) {
      ++tally.mismatches;
      tally.first = context + ": refused, or wrote outside its span";
    }
    compare_words(job.destination, expected, words.span(), context, tally);
  }
}

}  // namespace mx::fast::test
