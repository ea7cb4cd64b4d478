// NVFP4 by the CPU path, elements a second: every rule with kernels, there and back, from and to
// every source, with stochastic roundings, in tiles, what a plan costs; the reference and a plain
// narrowing loop beside them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fast/candidates/candidate_plan.hpp"
#include "fast/scaled/scaled_block_plan.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

/// Uniform signs and significands, 12 binades up to 1.0, a subnormal among every 16 elements.
std::vector<std::byte> make_input(const mx::ElementFormat& source, std::size_t elements) {
  const auto width = static_cast<std::size_t>(source.storage_bits) / 8;
  std::vector<std::byte> bytes(elements * width);
  for (std::size_t i = 0; i < elements; ++i) {
    const mx::PhiloxBlock draw = mx::philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, 1);
    std::uint64_t code = draw[0] & (source.sign_bit() | source.man_mask());
    if (i % 16 != 7) {
      code |= (static_cast<std::uint64_t>(source.bias) - draw[1] % 12) << source.man_bits;
    }
    for (std::size_t b = 0; b < width; ++b) {
      bytes[i * width + b] = static_cast<std::byte>(code >> (8 * b) & 0xFF);
    }
  }
  return bytes;
}

/// A tensor whose largest magnitude is 2: the scale fl32(2 / 2688).
mx::fast::ScaledBlockJob job_of(const mx::ElementFormat& source, mx::ScaleRule rule) {
  return {.blocks = {.source = source,
                     .format = *mx::find_block_format("nvfp4"),
                     .element = {},
                     .block = {.rule = rule}},
          .tensor = {0x40000000, 0x3A430C31}};
}

template <class Plan>
void quantize_by(benchmark::State& state, const mx::Checked<Plan>& plan,
                 const mx::fast::ScaledBlockJob& job, const mx::fast::BlockLayout& layout) {
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::size_t elements = layout.elements();
  const std::vector<std::byte> words = make_input(job.blocks.source, elements);
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(layout.blocks(16));
  for (auto _ : state) {
    if (!plan->quantize(layout, words, codes, scales)) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void quantize(benchmark::State& state, const mx::fast::ScaledBlockJob& job,
              const mx::fast::BlockLayout& layout) {
  if (job.blocks.block.rule == mx::ScaleRule::kNvfp44over6) {
    return quantize_by(state, mx::fast::CandidatePlan::make(job), job, layout);
  }
  quantize_by(state, mx::fast::ScaledBlockPlan::make(job), job, layout);
}

/// Variants A and C of 16 bits.
mx::fast::ScaledBlockJob stochastic_job_of(const mx::ElementFormat& source, mx::ScaleRule rule,
                                           mx::Rounding rounding) {
  mx::fast::ScaledBlockJob job = job_of(source, rule);
  job.blocks.element.rounding = rounding;
  job.blocks.element.random_bits = 16;
  return job;
}

void draw(benchmark::State& state, const mx::fast::ScaledBlockJob& job,
          const mx::fast::BlockLayout& layout) {
  const auto plan = mx::fast::ScaledStochasticPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::size_t elements = layout.elements();
  const std::vector<std::byte> words = make_input(job.blocks.source, elements);
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(layout.blocks(16));
  for (auto _ : state) {
    if (!plan->quantize(layout, {7, 1}, words, codes, scales)) {
      state.SkipWithError("the call failed");
    }
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

/// Lines of 512 elements in tiles of 16 x 16.
void quantize_tiles(benchmark::State& state, mx::fast::ScaledBlockJob job, std::size_t elements) {
  job.blocks.format = *mx::find_block_format("nvfp4_16x16");
  const bool draws = is_stochastic(job.blocks.element.rounding);
  const auto plan = mx::fast::ScaledBlockPlan::make(
      draws ? job_of(job.blocks.source, job.blocks.block.rule) : job);
  const auto drawn = draws ? mx::fast::ScaledStochasticPlan::make(job)
                           : mx::Checked<mx::fast::ScaledStochasticPlan>(mx::Problem{"none"});
  const mx::fast::TileLayout layout{1, elements / 512, 512, 1};
  const std::vector<std::byte> words = make_input(job.blocks.source, elements);
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(layout.tiles(16, 16));
  for (auto _ : state) {
    const bool done = draws ? drawn->quantize_tiles(layout, {7, 1}, words, codes, scales)
                            : plan->quantize_tiles(layout, words, codes, scales);
    if (!done) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void by_reference(benchmark::State& state, const mx::fast::ScaledBlockJob& job,
                  std::size_t elements) {
  const mx::QuantizerConfig config{.source = job.blocks.source,
                                   .format = job.blocks.format,
                                   .element = job.blocks.element,
                                   .block = job.blocks.block,
                                   .tensor = {job.tensor.amax, job.tensor.scale}};
  const mx::Quantizer quantizer = mx::Quantizer::make(config).value();
  const auto shape =
      mx::BlockedShape::make(std::array<std::uint64_t, 1>{elements}, 0, config.format).value();
  const std::vector<std::byte> words = make_input(job.blocks.source, elements);
  std::vector<std::byte> codes(shape.elements);
  std::vector<std::byte> scales(shape.scales);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        quantize_tensor(quantizer, shape, mx::Tail::kShort, words, {7, 1}, codes, scales));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void dequantize(benchmark::State& state, const mx::ElementFormat& output, std::size_t elements) {
  const mx::fast::ScaledDequantizeJob job{
      .blocks = {.format = *mx::find_block_format("nvfp4"), .output = output},
      .tensor_scale = 0x3A430C31};
  const auto plan = mx::fast::ScaledDequantizePlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(elements / 16);
  std::vector<std::byte> words(elements * static_cast<std::size_t>(output.storage_bits) / 8);
  for (std::size_t i = 0; i < elements; ++i) codes[i] = static_cast<std::byte>(i * 7 & 15);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::byte>(i % 126);
  for (auto _ : state) {
    if (!plan->dequantize({1, elements, 1}, codes, scales, words)) {
      state.SkipWithError("the call failed");
    }
    benchmark::DoNotOptimize(words.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

/// The limit: reads words of 32 bits and writes their upper bytes.
void narrow_copy(benchmark::State& state, std::size_t elements) {
  const std::vector<std::byte> bytes = make_input(mx::formats::fp32, elements);
  std::vector<std::byte> codes(elements);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(bytes.data());
  for (auto _ : state) {
    for (std::size_t i = 0; i < elements; ++i) codes[i] = static_cast<std::byte>(words[i] >> 24);
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void make_plan(benchmark::State& state, mx::ScaleRule rule) {
  const mx::fast::ScaledBlockJob job = job_of(mx::formats::fp32, rule);
  for (auto _ : state) benchmark::DoNotOptimize(mx::fast::ScaledBlockPlan::make(job));
}

void make_plan_back(benchmark::State& state) {
  const mx::fast::ScaledDequantizeJob job{
      .blocks = {.format = *mx::find_block_format("nvfp4"), .output = mx::formats::fp32},
      .tensor_scale = 0x3A430C31};
  for (auto _ : state) benchmark::DoNotOptimize(mx::fast::ScaledDequantizePlan::make(job));
}

void register_size(int log) {
  namespace formats = mx::formats;
  const std::size_t elements = std::size_t{1} << log;
  const std::string size = "/2^" + std::to_string(log);
  benchmark::RegisterBenchmark(("limit/narrow-copy-fp32" + size).c_str(), narrow_copy, elements);
  for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const std::string name(source->name);
    for (const mx::ScaleRule rule :
         {mx::ScaleRule::kNvfp4Exact, mx::ScaleRule::kNvfp4Te, mx::ScaleRule::kNvfp4Torchao,
          mx::ScaleRule::kNvfp4Cublas, mx::ScaleRule::kNvfp4Ggml, mx::ScaleRule::kNvfp44over6,
          mx::ScaleRule::kNvfp4Modelopt, mx::ScaleRule::kNvfp4Ct}) {
      const std::string which = fmt::format("nvfp4/blocks-{}-{}{}", name, token_of(rule), size);
      benchmark::RegisterBenchmark(which.c_str(), quantize, job_of(*source, rule),
                                   mx::fast::BlockLayout{1, elements, 1});
    }
    const mx::ScaleRule te = mx::ScaleRule::kNvfp4Te;
    benchmark::RegisterBenchmark(fmt::format("nvfp4/tiles-{}{}", name, size).c_str(),
                                 quantize_tiles, job_of(*source, te), elements);
    benchmark::RegisterBenchmark(
        fmt::format("nvfp4/tiles-drawn-{}{}", name, size).c_str(), quantize_tiles,
        stochastic_job_of(*source, te, mx::Rounding::kStochasticA), elements);
    const mx::fast::BlockLayout columns{1, elements / 512, 512};
    benchmark::RegisterBenchmark(fmt::format("nvfp4/columns-{}{}", name, size).c_str(), quantize,
                                 job_of(*source, mx::ScaleRule::kNvfp4Exact), columns);
    for (const mx::ScaleRule rule : {mx::ScaleRule::kNvfp4Exact, mx::ScaleRule::kNvfp4Te}) {
      for (const mx::Rounding rounding : {mx::Rounding::kStochasticA, mx::Rounding::kStochasticC}) {
        const auto job = stochastic_job_of(*source, rule, rounding);
        const std::string which =
            fmt::format("drawn-{}-{}-{}{}", name, token_of(rule), token_of(rounding), size);
        benchmark::RegisterBenchmark(("nvfp4/" + which).c_str(), draw, job,
                                     mx::fast::BlockLayout{1, elements, 1});
      }
      const auto job = stochastic_job_of(*source, rule, mx::Rounding::kStochasticA);
      benchmark::RegisterBenchmark(
          fmt::format("nvfp4/drawn-columns-{}-{}{}", name, token_of(rule), size).c_str(), draw, job,
          columns);
    }
    benchmark::RegisterBenchmark(fmt::format("nvfp4/back-{}{}", name, size).c_str(), dequantize,
                                 *source, elements);
  }
}

const int kRegistered = [] {
  register_size(18);
  register_size(24);
  for (const mx::ScaleRule rule : {mx::ScaleRule::kNvfp4Exact, mx::ScaleRule::kNvfp4Te}) {
    const std::string name(token_of(rule));
    const std::size_t elements = std::size_t{1} << 18;
    benchmark::RegisterBenchmark(("reference/blocks-fp32-" + name).c_str(), by_reference,
                                 job_of(mx::formats::fp32, rule), elements);
    benchmark::RegisterBenchmark(
        ("reference/drawn-fp32-" + name).c_str(), by_reference,
        stochastic_job_of(mx::formats::fp32, rule, mx::Rounding::kStochasticA), elements);
  }
  benchmark::RegisterBenchmark("nvfp4/plan-exact", make_plan, mx::ScaleRule::kNvfp4Exact);
  benchmark::RegisterBenchmark("nvfp4/plan-te", make_plan, mx::ScaleRule::kNvfp4Te);
  benchmark::RegisterBenchmark("nvfp4/plan-back", make_plan_back);
  return 0;
}();

}  // namespace
