#include "tests/fast/scaled/judge.hpp"

#include <fmt/format.h>

#include "fast/candidates/candidate_plan.hpp"
#include "golden/config_word/config_word.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

template <class Plan>
Checked<QuantizeCall> call_of(const Checked<Plan>& plan) {
  if (!plan) return Problem{std::string(plan.problem())};
  return QuantizeCall([plan = *plan](const BlockLayout& layout, std::span<const std::byte> source,
                                     std::span<std::byte> codes, std::span<std::byte> scales,
                                     std::span<std::uint16_t> status, int threads) {
    return plan.quantize(layout, source, codes, scales, status, threads);
  });
}

}  // namespace

Checked<QuantizeCall> make_call(const ScaledBlockJob& job) {
  return job.blocks.block.rule == ScaleRule::kNvfp44over6 ? call_of(CandidatePlan::make(job))
                                                          : call_of(ScaledBlockPlan::make(job));
}

std::uint16_t scaled_status_of(const BlockResult& result) {
  const bool has_codes = (result.flags & kBlockNanScale) == 0;
  const bool saturates = has_codes && (result.flags & kFlagSaturated) != 0;
  return static_cast<std::uint16_t>(golden::status_of(result) | (saturates ? 1U << 13 : 0U));
}

std::vector<ScaleRule> scaled_rules() {
  return {ScaleRule::kNvfp4Exact,    ScaleRule::kNvfp4Te,   ScaleRule::kNvfp4Torchao,
          ScaleRule::kNvfp4Cublas,   ScaleRule::kNvfp4Ggml, ScaleRule::kNvfp44over6,
          ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Ct};
}

std::vector<Rounding> roundings_of(ScaleRule rule) {
  if (rule == ScaleRule::kNvfp4Ggml) return {Rounding::kTiesToZero};
  if (rule == ScaleRule::kNvfp44over6) return {Rounding::kTiesToEven};
  return deterministic_roundings();
}

std::string name_of_case(const ::testing::TestParamInfo<ScaledCase>& each) {
  std::string rule(token_of(std::get<1>(each.param)));
  std::erase(rule, '_');
  return fmt::format("{}{}", std::get<0>(each.param).name, rule);
}

std::vector<std::string_view> empty_classes(const CpuTally& tally, ScaleRule rule) {
  std::vector<std::string_view> empty;
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    const auto one = static_cast<Class>(i);
    if (one == Class::kSaturated && rule == ScaleRule::kNvfp4Ggml) continue;
    if (tally[one] == 0) empty.push_back(name_of(one));
  }
  return empty;
}

std::uint32_t seeded_amax(std::uint64_t seed) {
  const auto exponent = static_cast<std::uint32_t>(20 + seed * 37 % 230);
  const auto significand = static_cast<std::uint32_t>(seed * 0x9E3779B97F4A7C15 >> 41);
  return exponent << 23 | significand;
}

std::string name_of(const ScaledBlockJob& job) {
  const BlockJob& b = job.blocks;
  return fmt::format("{} to {} in {}, {}, {}, amax {:08X}, scale {:08X}", b.source.name,
                     b.format.element.name, b.format.scale.name, token_of(b.block.rule),
                     token_of(b.element.rounding), job.tensor.amax, job.tensor.scale);
}

ScaledBlockJob nvfp4_job(const ElementFormat& source, ScaleRule rule) {
  BlockJob job{.source = source, .format = *find_block_format("nvfp4"), .element = {}, .block = {}};
  job.block.rule = rule;
  switch (rule) {
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6:
      job.block.amax_over = AmaxOver::kIgnoreNan;
      job.element.nan = NanPolicy::kToPositiveMax;
      break;
    case ScaleRule::kNvfp4Torchao:
      job.block.inf_block = InfBlock::kAsE255;
      break;
    case ScaleRule::kNvfp4Modelopt:
    case ScaleRule::kNvfp4Ct:
      job.block.inf_block = InfBlock::kAsE255;
      job.element.zero_sign = ZeroSign::kFlushInput;
      break;
    case ScaleRule::kNvfp4Cublas:
      job.element.nan = NanPolicy::kToPositiveMax;
      break;
    case ScaleRule::kNvfp4Ggml:
      job.block.amax_over = AmaxOver::kIgnoreNan;
      job.element.rounding = Rounding::kTiesToZero;
      job.element.zero_sign = ZeroSign::kFlushPositive;
      break;
    default:
      break;
  }
  return {.blocks = job};
}

ScaledBlockJob at_amax(ScaledBlockJob job, std::uint32_t amax) {
  const TensorLevel level = tensor_level(config_of(job), decode(formats::fp32, amax));
  job.tensor = {level.amax, level.scale};
  return job;
}

QuantizerConfig config_of(const ScaledBlockJob& job) {
  QuantizerConfig config = config_of(job.blocks);
  config.tensor = {job.tensor.amax, job.tensor.scale};
  return config;
}

void compare_line(const ScaledBlockJob& job, std::span<const std::byte> words, CpuTally& tally) {
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  compare_line(reference, make_call(job).value(), scaled_status_of, name_of(job), words, tally);
}

void compare_line(const ScaledBlockJob& job, std::span<const std::uint32_t> codes,
                  CpuTally& tally) {
  compare_line(job, to_bytes(job.blocks.source, codes), tally);
}

void compare_tensor(const ScaledBlockJob& job, const BlockLayout& layout,
                    std::span<const std::byte> words, CpuTally& tally, int threads) {
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  compare_tensor(reference, make_call(job).value(), name_of(job), layout, words, tally, threads);
}

}  // namespace mx::fast::test
