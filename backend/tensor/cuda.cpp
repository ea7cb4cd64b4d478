#include "backend/tensor/cuda.hpp"

#include <utility>
#include <vector>

#include "reference/number/philox.hpp"

namespace mx::backend {
namespace {

/// Why nothing computes there, or "".
std::string_view place_problem(Choice place) {
  return place == Choice::kCuda ? fast::device_problem() : std::string_view{};
}

std::string words_of(const fast::Status& status) {
  return status ? std::string() : "the CUDA path: " + std::string(status.detail);
}

/// A plan of one kind as that of any.
template <class Any, class Plan>
Checked<Any> any_of(Checked<Plan> plan) {
  if (!plan) return Problem{std::string(plan.problem())};
  return Any(std::move(plan).value());
}

}  // namespace

Checked<CudaQuantizer> CudaQuantizer::make(const QuantizerConfig& config, Choice place) {
  if (const std::string_view why = place_problem(place); !why.empty()) {
    return Problem{std::string(why)};
  }
  const bool reads_amax =
      config.block.rule == ScaleRule::kNvfp4Te || config.block.rule == ScaleRule::kNvfp44over6;
  Checked<Plan> plan = is_nvfp4(config.format)
                           ? any_of<Plan>(fast::Nvfp4Plan::make(
                                 {.source = config.source,
                                  .format = config.format,
                                  .element = config.element,
                                  .block = config.block,
                                  .tensor = reads_amax ? config.tensor.amax : config.tensor.scale}))
                           : any_of<Plan>(fast::StreamPlan::make(
                                 {config.source, config.format, config.element, config.block}));
  if (!plan) return Problem{std::string(plan.problem())};
  const bool draws = is_stochastic(config.element.rounding);
  return CudaQuantizer(std::move(plan).value(), place, draws ? config.element.random_bits : 0);
}

std::string CudaQuantizer::quantize(const fast::BlockLayout& layout, CounterRandom random,
                                    std::uint64_t first, std::span<const std::byte> source,
                                    const fast::HostResults& results) const {
  const fast::StreamLayout here{.shape = layout};
  // Its own counter begins with the call.
  std::vector<std::uint32_t> words(random_bits_ != 0 && first != 0 ? layout.elements() : 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = counter_random(random.seed, random.tensor, first + i, random_bits_);
  }
  const fast::StreamRandom draws{words.empty() ? nullptr : words.data(), random.seed,
                                 random.tensor};
  const fast::StreamResults at{results.codes.data(), results.scales.data(),
                               results.status.empty() ? nullptr : results.status.data()};
  const bool on_host = place_ == Choice::kCudaHost;
  if (const auto* const plan = std::get_if<fast::StreamPlan>(&plan_)) {
    return words_of(on_host ? plan->run_on_host(here, source.data(), at, draws)
                            : plan->copy_and_run(here, source, results, draws));
  }
  const auto& plan = std::get<fast::Nvfp4Plan>(plan_);
  return words_of(on_host ? plan.quantize_on_host(here, source.data(), at, nullptr, draws)
                          : plan.copy_and_quantize(here, source, results, draws));
}

Checked<CudaDequantizer> CudaDequantizer::make(const QuantizerConfig& config,
                                               const ElementFormat& output, Choice place) {
  if (const std::string_view why = place_problem(place); !why.empty()) {
    return Problem{std::string(why)};
  }
  Checked<Plan> plan =
      is_nvfp4(config.format)
          ? any_of<Plan>(fast::Nvfp4Plan::make({.source = output,
                                                .format = config.format,
                                                .block = config.block,
                                                .tensor = config.tensor.scale}))
          : any_of<Plan>(fast::StreamDequantizePlan::make({config.format, output, config.block}));
  if (!plan) return Problem{std::string(plan.problem())};
  return CudaDequantizer(std::move(plan).value(), place);
}

std::string CudaDequantizer::dequantize(const fast::BlockLayout& layout,
                                        std::span<const std::byte> codes,
                                        std::span<const std::byte> scales,
                                        std::span<std::byte> words) const {
  const fast::StreamLayout here{.shape = layout};
  const fast::StreamCodes from{codes.data(), scales.data()};
  const bool on_host = place_ == Choice::kCudaHost;
  if (const auto* const plan = std::get_if<fast::StreamDequantizePlan>(&plan_)) {
    return words_of(on_host ? plan->run_on_host(here, from, words.data())
                            : plan->copy_and_run(here, codes, scales, words));
  }
  const auto& plan = std::get<fast::Nvfp4Plan>(plan_);
  return words_of(on_host ? plan.dequantize_on_host(here, from, words.data())
                          : plan.copy_and_dequantize(here, codes, scales, words));
}

}  // namespace mx::backend
