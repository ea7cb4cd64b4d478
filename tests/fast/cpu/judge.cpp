#include "tests/fast/cpu/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fast/cpu/targets.hpp"
#include "golden/config_word/config_word.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/guarded.hpp"

namespace mx::fast::test {
namespace {

struct Answer {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;
};

std::uint64_t word_at(std::span<const std::byte> words, std::size_t index, std::size_t width) {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + index * width, width);
  return word;
}

void count_inputs(const ElementFormat& source, std::uint64_t word, CpuTally& tally) {
  const std::uint64_t magnitude = word & source.magnitude_mask();
  if (magnitude != 0 && magnitude <= source.man_mask()) {
    ++tally.classes[static_cast<std::size_t>(Class::kSubnormalInput)];
  }
  if (word == source.sign_bit()) ++tally.classes[static_cast<std::size_t>(Class::kNegativeZero)];
}

Answer reference_line(const Quantizer& quantizer, StatusOf status_of,
                      std::span<const std::byte> words, CpuTally& tally) {
  const QuantizerConfig& c = quantizer.config();
  const std::size_t width = storage_bytes(c.source);
  const std::size_t elements = words.size() / width;
  const auto block = static_cast<std::size_t>(c.format.block_size);
  Answer answer;
  answer.codes.resize(elements);
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
  for (std::size_t first = 0; first < elements; first += block) {
    in.clear();
    for (std::size_t i = first; i < std::min(first + block, elements); ++i) {
      in.push_back(word_at(words, i, width));
      count_inputs(c.source, in.back(), tally);
    }
    out.resize(in.size());
    const BlockResult result = quantizer.quantize_block(in, {}, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      answer.codes[first + i] = static_cast<std::byte>(out[i]);
    }
    answer.scales.push_back(static_cast<std::byte>(result.scale_code));
    answer.status.push_back(status_of(result));
    for (std::size_t bit = 0; bit < 6; ++bit) {
      tally.classes[bit] += answer.status.back() >> (8 + bit) & 1u;
    }
  }
  tally.elements += elements;
  return answer;
}

template <class Span>
void compare(std::string_view what, const Span& expected, const Span& got, std::size_t from,
             CpuTally& tally, std::string_view context) {
  for (std::size_t i = from; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (tally.mismatches++ == 0) {
      tally.first = fmt::format("{}: {} {}: expected {:X}, got {:X}", context, what, i,
                                static_cast<unsigned>(expected[i]), static_cast<unsigned>(got[i]));
    }
  }
}

std::string context_of(const BlockJob& job) {
  return fmt::format("{} to {}, {}, {}", job.source.name, job.format.element.name,
                     token_of(job.block.rule), token_of(job.element.rounding));
}

/// One call of the plan, compared.
void compare_call(const QuantizeCall& plan, const BlockLayout& layout,
                  std::span<const std::byte> words, const Answer& expected, int threads,
                  bool with_status, std::string_view context, CpuTally& tally) {
  Guarded codes(expected.codes.size());
  Guarded scales(expected.scales.size());
  std::vector<std::uint16_t> status(with_status ? expected.status.size() : 0, 0xA5A5);
  const bool done = plan(layout, words, codes.span(), scales.span(), status, threads);
  if (!done || !codes.guards_hold() || !scales.guards_hold()) {
    ++tally.mismatches;
    tally.first = std::string(context) + (done ? ": wrote outside its spans" : ": refused");
    return;
  }
  compare("code", std::span<const std::byte>(expected.codes),
          std::span<const std::byte>(codes.span()), 0, tally, context);
  compare("scale", std::span<const std::byte>(expected.scales),
          std::span<const std::byte>(scales.span()), 0, tally, context);
  if (with_status) {
    compare("status", std::span<const std::uint16_t>(expected.status),
            std::span<const std::uint16_t>(status), 0, tally, context);
  }
}

void compare_on_targets(const QuantizeCall& plan, std::string_view context,
                        const BlockLayout& layout, std::span<const std::byte> words,
                        const Answer& expected, int threads, CpuTally& tally) {
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    const std::string here = fmt::format("{}, {}", context, target);
    compare_call(plan, layout, words, expected, threads, false, here, tally);
    if (!expected.status.empty()) {
      compare_call(plan, layout, words, expected, threads, true, here, tally);
    }
  }
}

/// The call of a job's plan.
QuantizeCall call_of(const BlockJob& job) {
  const BlockPlan plan = BlockPlan::make(job).value();
  return [plan](const BlockLayout& layout, std::span<const std::byte> source,
                std::span<std::byte> codes, std::span<std::byte> scales,
                std::span<std::uint16_t> status, int threads) {
    return plan.quantize(layout, source, codes, scales, status, threads);
  };
}

}  // namespace

std::string_view name_of(Class one) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Class::kCount)> kNames = {
      "clamped scale", "zero block", "block with Inf",  "block with NaN",
      "to zero",       "saturated",  "subnormal input", "-0"};
  return kNames[static_cast<std::size_t>(one)];
}

std::vector<Rounding> deterministic_roundings() {
  std::vector<Rounding> all;
  for (const auto& each : tokens<Rounding>()) {
    if (!is_stochastic(each.value)) all.push_back(each.value);
  }
  return all;
}

std::vector<ScaleRule> path_rules() {
  return {ScaleRule::kFloor,        ScaleRule::kCeil,       ScaleRule::kRceil,
          ScaleRule::kEvenUp,       ScaleRule::kEvenDown,   ScaleRule::kMidmax,
          ScaleRule::kNearestLog,   ScaleRule::kFloorLog2f, ScaleRule::kCeilLog2f,
          ScaleRule::kNearestLog2f, ScaleRule::kRceilLog2f};
}

QuantizerConfig config_of(const BlockJob& job) {
  return {.source = job.source, .format = job.format, .element = job.element, .block = job.block};
}

BlockJob default_job(const ElementFormat& source, const ElementFormat& element) {
  return {.source = source,
          .format = {.name = "judged", .element = element, .scale = formats::e8m0},
          .element = {},
          .block = {}};
}

void compare_line(const Quantizer& reference, const QuantizeCall& plan, StatusOf status_of,
                  std::string_view context, std::span<const std::byte> words, CpuTally& tally) {
  const Answer expected = reference_line(reference, status_of, words, tally);
  const BlockLayout layout{1, expected.codes.size(), 1};
  compare_on_targets(plan, context, layout, words, expected, 1, tally);
}

void compare_tensor(const Quantizer& reference, const QuantizeCall& plan, std::string_view context,
                    const BlockLayout& layout, std::span<const std::byte> words, CpuTally& tally,
                    int threads) {
  const std::array<std::uint64_t, 3> dims = {layout.outer, layout.length, layout.inner};
  const BlockedShape shape =
      BlockedShape::make(dims, 1, reference.config().format.block_size).value();
  Answer expected;
  expected.codes.resize(shape.elements);
  expected.scales.resize(shape.scales);
  static_cast<void>(
      quantize_tensor(reference, shape, Tail::kShort, words, {}, expected.codes, expected.scales)
          .value());
  tally.elements += shape.elements;
  compare_on_targets(plan, context, layout, words, expected, threads, tally);
}

void compare_line(const BlockJob& job, std::span<const std::byte> words, CpuTally& tally) {
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  compare_line(reference, call_of(job), golden::status_of, context_of(job), words, tally);
}

void compare_tensor(const BlockJob& job, const BlockLayout& layout,
                    std::span<const std::byte> words, CpuTally& tally, int threads) {
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  compare_tensor(reference, call_of(job), context_of(job), layout, words, tally, threads);
}

void compare_elements(const ElementJob& job, std::span<const std::byte> words, CpuTally& tally) {
  const Conversion conversion = Conversion::make({job.source, job.destination, job.policy}).value();
  const ElementPlan plan = ElementPlan::make(job).value();
  const std::size_t width = storage_bytes(job.source);
  const std::size_t elements = words.size() / width;
  std::vector<std::uint64_t> in(elements);
  std::vector<std::uint64_t> out(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    in[i] = word_at(words, i, width);
    count_inputs(job.source, in[i], tally);
  }
  bulk::convert(conversion, in, {}, out, {});
  std::vector<std::byte> expected(elements);
  for (std::size_t i = 0; i < elements; ++i) expected[i] = static_cast<std::byte>(out[i]);
  tally.elements += elements;
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    Guarded codes(elements);
    if (!plan.convert(words, codes.span()) || !codes.guards_hold()) ++tally.mismatches;
    compare("code of", std::span<const std::byte>(expected),
            std::span<const std::byte>(codes.span()), 0, tally,
            fmt::format("{} to {}, {}, {}, {}, {}, {}", job.source.name, job.destination.name,
                        token_of(job.policy.rounding), token_of(job.policy.overflow),
                        token_of(job.policy.nan), token_of(job.policy.zero_sign), target));
  }
}

}  // namespace mx::fast::test
