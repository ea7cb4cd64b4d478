#include "tests/fast/scaled/stochastic_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fast/cpu/targets.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

template <class Values>
void count_differences(std::string_view what, const Values& expected, const Values& got,
                       std::string_view context, CpuTally& tally) {
  if (expected.size() != got.size()) {
    if (tally.mismatches++ == 0) tally.first = fmt::format("{}: no {}", context, what);
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (tally.mismatches++ != 0) continue;
    tally.first = fmt::format("{}: {} {}: expected {:X}, got {:X}", context, what, i,
                              static_cast<unsigned>(expected[i]), static_cast<unsigned>(got[i]));
  }
}

void count_classes(const ElementFormat& source, std::span<const std::uint64_t> words,
                   std::uint16_t status, CpuTally& tally) {
  const auto add = [&](Class one, bool holds) {
    tally.classes[static_cast<std::size_t>(one)] += holds ? 1 : 0;
  };
  for (std::size_t bit = 0; bit < 6; ++bit) tally.classes[bit] += status >> (8 + bit) & 1u;
  for (const std::uint64_t word : words) {
    const std::uint64_t magnitude = word & source.magnitude_mask();
    add(Class::kSubnormalInput, magnitude != 0 && magnitude <= source.man_mask());
    add(Class::kNegativeZero, word == source.sign_bit());
  }
}

}  // namespace

std::vector<ScaleRule> stochastic_rules() {
  std::vector<ScaleRule> rules = scaled_rules();
  std::erase(rules, ScaleRule::kNvfp4Ggml);
  std::erase(rules, ScaleRule::kNvfp44over6);
  std::erase_if(rules, divides_in_fp32);
  return rules;
}

ScaledBlockJob stochastic_job(const ElementFormat& source, ScaleRule rule, std::uint32_t amax,
                              Rounding rounding, int random_bits) {
  ScaledBlockJob job = at_amax(nvfp4_job(source, rule), amax);
  job.blocks.element.rounding = rounding;
  job.blocks.element.random_bits = random_bits;
  return job;
}

StochasticAnswer reference_line(const ScaledBlockJob& job, std::span<const std::byte> words,
                                std::uint64_t first, CpuTally& tally) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const ElementFormat& source = job.blocks.source;
  const std::size_t width = storage_bytes(source);
  const std::size_t elements = words.size() / width;
  const auto block = static_cast<std::size_t>(job.blocks.format.block_size);
  StochasticAnswer answer;
  std::vector<std::uint64_t> in;
  std::vector<std::uint32_t> random;
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < elements; i += block) {
    in.clear();
    random.clear();
    for (std::size_t k = i; k < std::min(i + block, elements); ++k) {
      in.push_back(word_at(words, k, width));
      random.push_back(random_at(job.blocks.element, first + k));
    }
    out.resize(in.size());
    const BlockResult result = quantizer.quantize_block(in, random, out);
    for (const std::uint64_t code : out) answer.codes.push_back(static_cast<std::byte>(code));
    answer.scales.push_back(static_cast<std::byte>(result.scale_code));
    answer.status.push_back(scaled_status_of(result));
    count_classes(source, in, answer.status.back(), tally);
  }
  tally.elements += elements;
  return answer;
}

StochasticAnswer plan_blocks(const ScaledBlockJob& job, const BlockLayout& layout,
                             std::span<const std::byte> words, const Draws& draws,
                             std::uint64_t first, int threads, bool with_status) {
  const ScaledStochasticPlan plan = ScaledStochasticPlan::make(job).value();
  const std::size_t blocks = layout.blocks(static_cast<std::size_t>(plan.block_size()));
  Guarded codes(layout.elements());
  Guarded scales(blocks);
  StochasticAnswer answer;
  answer.status.resize(with_status ? blocks : 0);
  if (!plan.quantize(layout, draws, words, codes.span(), scales.span(), answer.status, threads,
                     first) ||
      !codes.guards_hold() || !scales.guards_hold()) {
    return {};
  }
  answer.codes.assign(codes.span().begin(), codes.span().end());
  answer.scales.assign(scales.span().begin(), scales.span().end());
  return answer;
}

void compare_stochastic(const ScaledBlockJob& job, std::span<const std::byte> words,
                        std::uint64_t first, CpuTally& tally) {
  StochasticAnswer expected = reference_line(job, words, first, tally);
  const BlockLayout layout{1, expected.codes.size(), 1};
  const GivenWords given(job.blocks.element, first, expected.codes.size());
  for (const bool with_status : {true, false}) {
    if (!with_status) expected.status.clear();
    for (const std::string_view target : cpu_targets()) {
      const OnlyCpuTarget only(target);
      const std::string context = fmt::format("{}, N = {}, from {}, {}", name_of(job),
                                              job.blocks.element.random_bits, first, target);
      const auto compare = [&](const Draws& draws, std::uint64_t place) {
        const StochasticAnswer got = plan_blocks(job, layout, words, draws, place, 1, with_status);
        count_differences("code", expected.codes, got.codes, context, tally);
        count_differences("scale", expected.scales, got.scales, context, tally);
        count_differences("status", expected.status, got.status, context, tally);
      };
      compare(kDraws, first);
      if (with_status) compare(given.draws(), given.first);
    }
  }
}

}  // namespace mx::fast::test
