// SPDX-License-Identifier: Apache-2.0
#include "fast/plan/plan.hpp"

#include <array>
#include <variant>

#include "fast/candidates/candidate_plan.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "fast/wide/converter.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast {

class QuantizePlan::Kernel {
 public:
  std::variant<BlockPlan, StochasticBlockPlan, ScaledBlockPlan, ScaledStochasticPlan, CandidatePlan>
      plan;
};

class ConvertPlan::Kernel {
 public:
  std::variant<ElementPlan, StochasticElementPlan, WidenPlan, WidePlan> plan;
};

namespace {

/// A row of the table of kernels: which jobs are its own, and their plan. The first row that takes
/// a job has it.
template <class Kernel, class Job>
struct Row {
  bool (*takes)(const Job& job);
  Checked<Kernel> (*make)(const Job& job);
};

template <class Kernel, class Plan>
Checked<Kernel> kernel_of(Checked<Plan> plan) {
  if (!plan) return Problem{std::string(plan.problem())};
  return Kernel{std::move(plan).value()};
}

template <class Kernel, class Job, std::size_t kRows>
Checked<Kernel> kernel_for(const std::array<Row<Kernel, Job>, kRows>& rows, const Job& job) {
  for (const auto& row : rows) {
    if (row.takes(job)) return row.make(job);
  }
  return Problem{"no fast path"};
}

ScaleRule rule_of(const QuantizeJob& job) { return job.blocks.block.rule; }

using BlockKernel = QuantizePlan::Kernel;
constexpr std::array<Row<BlockKernel, QuantizeJob>, 5> kBlockKernels = {{
    {[](const QuantizeJob& job) { return facts_of(rule_of(job)).reads_four_over_six; },
     [](const QuantizeJob& job) { return kernel_of<BlockKernel>(CandidatePlan::make(job)); }},
    // The search of nvfp4_ggml rounds nothing.
    {[](const QuantizeJob& job) {
       return is_scaled_rule(rule_of(job)) && (!is_stochastic(job.blocks.element.rounding) ||
                                               rule_of(job) == ScaleRule::kNvfp4Ggml);
     },
     [](const QuantizeJob& job) { return kernel_of<BlockKernel>(ScaledBlockPlan::make(job)); }},
    {[](const QuantizeJob& job) { return is_scaled_rule(rule_of(job)); },
     [](const QuantizeJob& job) {
       return kernel_of<BlockKernel>(ScaledStochasticPlan::make(job));
     }},
    {[](const QuantizeJob& job) { return is_stochastic(job.blocks.element.rounding); },
     [](const QuantizeJob& job) {
       return kernel_of<BlockKernel>(StochasticBlockPlan::make(job.blocks));
     }},
    {[](const QuantizeJob&) { return true; },
     [](const QuantizeJob& job) { return kernel_of<BlockKernel>(BlockPlan::make(job.blocks)); }},
}};

using ValueKernel = ConvertPlan::Kernel;
constexpr std::array<Row<ValueKernel, ElementJob>, 4> kValueKernels = {{
    {[](const ElementJob& job) { return is_stochastic(job.policy.rounding); },
     [](const ElementJob& job) {
       return kernel_of<ValueKernel>(StochasticElementPlan::make(job));
     }},
    {[](const ElementJob& job) { return job.source.bits <= 8; },
     [](const ElementJob& job) {
       return kernel_of<ValueKernel>(WidenPlan::make({job.source, job.destination, job.policy}));
     }},
    {[](const ElementJob& job) {
       return job.destination.bits > 8 || job.source == formats::fp64 ||
              job.source == formats::tf32;
     },
     [](const ElementJob& job) { return kernel_of<ValueKernel>(WidePlan::make(job)); }},
    {[](const ElementJob&) { return true; },
     [](const ElementJob& job) { return kernel_of<ValueKernel>(ElementPlan::make(job)); }},
}};

template <class Plan>
constexpr bool kDraws =
    std::is_same_v<Plan, StochasticBlockPlan> || std::is_same_v<Plan, ScaledStochasticPlan> ||
    std::is_same_v<Plan, StochasticElementPlan>;
template <class Plan>
constexpr bool kHasTiles =
    std::is_same_v<Plan, ScaledBlockPlan> || std::is_same_v<Plan, ScaledStochasticPlan>;

}  // namespace

Checked<QuantizePlan> QuantizePlan::make(const QuantizeJob& job) {
  Checked<Kernel> kernel = kernel_for(kBlockKernels, job);
  if (!kernel) return Problem{std::string(kernel.problem())};
  return QuantizePlan(std::make_shared<const Kernel>(std::move(kernel).value()));
}

bool QuantizePlan::quantize(const Call& c) const {
  return std::visit(
      [&]<class Plan>(const Plan& plan) {
        if constexpr (kDraws<Plan> && kHasTiles<Plan>) {
          return plan.quantize_tiles(c.layout, c.draws, c.source, c.codes, c.scales, c.status,
                                     c.threads, c.first);
        } else if constexpr (kDraws<Plan>) {
          return plan.quantize(c.layout.as_lines(), c.draws, c.source, c.codes, c.scales, c.status,
                               c.threads, c.first);
        } else if constexpr (kHasTiles<Plan>) {
          return plan.quantize_tiles(c.layout, c.source, c.codes, c.scales, c.status, c.threads);
        } else {
          return plan.quantize(c.layout.as_lines(), c.source, c.codes, c.scales, c.status,
                               c.threads);
        }
      },
      kernel_->plan);
}

Checked<ConvertPlan> ConvertPlan::make(const ElementJob& job) {
  Checked<Kernel> kernel = kernel_for(kValueKernels, job);
  if (!kernel) return Problem{std::string(kernel.problem())};
  return ConvertPlan(std::make_shared<const Kernel>(std::move(kernel).value()));
}

bool ConvertPlan::convert(std::span<const std::byte> source, std::span<std::byte> codes,
                          int threads, const Draws& draws, std::uint64_t first) const {
  return std::visit(
      [&]<class Plan>(const Plan& plan) {
        if constexpr (kDraws<Plan>) {
          return plan.convert(draws, source, codes, threads, first);
        } else {
          return plan.convert(source, codes, threads);
        }
      },
      kernel_->plan);
}

}  // namespace mx::fast
