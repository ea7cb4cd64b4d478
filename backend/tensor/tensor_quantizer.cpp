#include "backend/tensor/tensor_quantizer.hpp"

#include <algorithm>
#include <vector>

#include "backend/tensor/self_check.hpp"

namespace mx::backend {
namespace {

/// Blocks with a NaN scale. A scale format without NaN has no code that tells: its status words do.
std::uint64_t nan_scales(const ScaleFormat& format, std::span<const std::byte> scales,
                         std::span<const std::uint16_t> status) {
  if (format.has_nan()) {
    return static_cast<std::uint64_t>(
        std::ranges::count(scales, static_cast<std::byte>(format.canonical_nan)));
  }
  return static_cast<std::uint64_t>(std::ranges::count_if(
      status, [](std::uint16_t word) { return (word & (kBlockHasInf | kBlockHasNan)) != 0; }));
}

/// Rules whose kernels' status words tell of every flag.
bool has_real_scales(ScaleRule rule) {
  return fast::is_scaled_rule(rule) || facts_of(rule).reads_four_over_six;
}

}  // namespace

Checked<TensorQuantizer> TensorQuantizer::make(const QuantizerConfig& config, Choice choice) {
  Checked<Quantizer> reference = Quantizer::make(config);
  if (!reference) return Problem{std::string(reference.problem())};
  TensorQuantizer made(std::move(reference).value());
  if (choice == Choice::kReference) return made;
  if (is_cuda(choice)) {
    made.chosen_.take(CudaQuantizer::make(config, choice));
  } else {
    fast::BlockJob job{config.source, config.format, config.element, config.block};
    if (!has_real_scales(config.block.rule)) {
      made.special_ = SpecialBlocks(config);
      job = made.special_->job();
    }
    made.chosen_.take(fast::QuantizePlan::make({job, {config.tensor.amax, config.tensor.scale}}));
  }
  if (insists(choice) && !made.is_fast()) return Problem{made.chosen_.why_reference()};
  return made;
}

std::string TensorQuantizer::self_check() const {
  if (!is_fast()) return {};
  return backend::self_check(reference_,
                             [&](const BlockedShape& shape, std::span<const std::byte> source,
                                 std::span<std::byte> codes, std::span<std::byte> scales) {
                               const Run all = next_run(shape, 0, portions(shape).count);
                               return compute({shape, source, {}, codes, scales}, all, {}, nullptr);
                             });
}

std::string TensorQuantizer::compute(const QuantizedTensor& tensor, const Run& run,
                                     std::span<std::uint16_t> status, Flags* flags) const {
  std::string problem = compute_fast(tensor, run, status);
  if (!problem.empty() || !special_ || !special_->any()) return problem;
  const auto asked = flags == nullptr ? SpecialBlocks::Asked::kCodes : SpecialBlocks::Asked::kFlags;
  return special_->for_each(tensor, run, asked, [&](std::uint64_t block) {
    const Checked<TensorSummary> made =
        quantize_tensor(reference_, tensor.shape, Tail::kShort, tensor.source, tensor.random,
                        tensor.codes, tensor.scales, block, block + 1);
    if (!made) return std::string(made.problem());
    if (flags != nullptr) flags->fetch_or(made->flags, std::memory_order_relaxed);
    return std::string();
  });
}

std::string TensorQuantizer::compute_fast(const QuantizedTensor& tensor, const Run& run,
                                          std::span<std::uint16_t> status) const {
  const std::size_t word = storage_bytes(reference_.config().source);
  const std::uint64_t elements = run.layout.elements();
  const auto source = tensor.source.subspan(run.element * word, elements * word);
  const auto codes = tensor.codes.subspan(run.element, elements);
  const auto scales = tensor.scales.subspan(run.block, run.blocks);
  if (const auto* const plan = chosen_.plan<CudaQuantizer>()) {
    return plan->quantize(run.layout.as_lines(), tensor.random, run.element, source,
                          {codes, scales, status});
  }
  const bool is_taken = chosen_.plan<fast::QuantizePlan>()->quantize(
      {.layout = run.layout,
       .source = source,
       .codes = codes,
       .scales = scales,
       .status = status,
       .draws = {tensor.random.seed, tensor.random.tensor},
       .first = run.element});
  return is_taken ? "" : "the fast path refused the shape of the tensor";
}

Portions TensorQuantizer::portions(const BlockedShape& shape) const {
  return portions_of(shape, is_fast());
}

Checked<TensorSummary> TensorQuantizer::quantize(const BlockedShape& shape,
                                                 std::span<const std::byte> source,
                                                 CounterRandom random, std::span<std::byte> codes,
                                                 std::span<std::byte> scales, Flags* flags,
                                                 std::uint64_t first, std::uint64_t last,
                                                 int threads) const {
  TensorSummary summary;
  if (is_fast()) {
    const QuantizedTensor tensor{shape, source, random, codes, scales};
    while (first < last) {
      const Run run = next_run(shape, first, last);
      std::string problem = quantize_run(tensor, run, flags, summary);
      if (!problem.empty()) return Problem{std::move(problem)};
      first += run.portions;
    }
    return summary;
  }
  const Checked<TensorSummary> made = quantize_tensor(reference_, shape, Tail::kShort, source,
                                                      random, codes, scales, first, last, threads);
  if (made && flags != nullptr) flags->fetch_or(made->flags, std::memory_order_relaxed);
  return made;
}

std::string TensorQuantizer::quantize_run(const QuantizedTensor& tensor, const Run& run,
                                          Flags* flags, TensorSummary& summary) const {
  const ScaleFormat& scale = reference_.config().format.scale;
  const std::uint64_t elements = run.layout.elements();
  const std::uint64_t blocks = run.blocks;
  // Blocks that need a look are told by their scales, or by status words where these do not tell.
  const bool asks_status = flags != nullptr && has_real_scales(reference_.config().block.rule);
  std::vector<std::uint16_t> status(scale.has_nan() && !asks_status ? 0 : blocks);
  if (std::string problem = compute(tensor, run, status, flags); !problem.empty()) return problem;
  summary.elements += elements;
  summary.blocks += blocks;
  summary.nan_scales += nan_scales(scale, tensor.scales.subspan(run.block, blocks), status);
  if (flags == nullptr) return {};
  FlagCensus census(reference_, tensor, *flags);
  const std::span<const std::uint16_t> known = asks_status ? status : std::span<std::uint16_t>();
  if (!census.may_add(run.element, elements, run.block, blocks, known)) return {};
  if (!asks_status) {
    status.resize(blocks);
    if (std::string problem = compute(tensor, run, status, nullptr); !problem.empty()) {
      return problem;
    }
  }
  for (std::uint64_t b = 0; b < blocks; ++b) census.add(run.block + b, status[b]);
  return {};
}

Checked<TensorSummary> TensorQuantizer::quantize_all(
    const BlockedShape& shape, std::span<const std::byte> source, CounterRandom random,
    std::span<std::byte> codes, std::span<std::byte> scales, Flags* flags, int threads) const {
  const Portions all = portions(shape);
  if (!is_fast()) {
    return quantize(shape, source, random, codes, scales, flags, 0, all.count, threads);
  }
  return share_portions(all, threads, [&](std::uint64_t first, std::uint64_t last) {
    return quantize(shape, source, random, codes, scales, flags, first, last);
  });
}

}  // namespace mx::backend
