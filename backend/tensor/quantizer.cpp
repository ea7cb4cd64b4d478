#include "backend/tensor/quantizer.hpp"

#include <algorithm>
#include <vector>

#include "backend/tensor/self_check.hpp"

namespace mx::backend {
namespace {

/// Blocks that lie together in memory, as one call of the plan takes them.
struct Run {
  fast::BlockLayout layout;
  std::uint64_t element = 0;  ///< the first
  std::uint64_t block = 0;    ///< the first, in C order of the scales
};

/// The next run of portions [first, last), a portion being one block of every column.
Run next_run(const BlockedShape& shape, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t line = first / shape.blocks;
  const std::uint64_t start = first % shape.blocks;
  Run run{{}, line * shape.length * shape.inner, first * shape.inner};
  if (start == 0 && last - first >= shape.blocks) {
    run.layout = {(last - first) / shape.blocks, shape.length, shape.inner};
    return run;
  }
  const std::uint64_t stop = std::min(start + (last - first), shape.blocks);
  const std::uint64_t from = start * shape.block_size;
  run.layout = {1, std::min(stop * shape.block_size, shape.length) - from, shape.inner};
  run.element += from * shape.inner;
  return run;
}

std::uint8_t nan_code(const ScaleFormat& format) {
  return static_cast<std::uint8_t>(format.canonical_nan);
}

/// Flags of a tensor as the reference gives them. The fast path's status words bound what a block
/// can add; the reference answers the blocks that may add something new, which soon are few.
class FlagCensus {
 public:
  FlagCensus(const Quantizer& reference, const BlockedShape& shape,
             std::span<const std::byte> source, CounterRandom random, std::span<std::byte> codes,
             std::span<std::byte> scales)
      : reference_(reference),
        shape_(shape),
        source_(source),
        random_(random),
        codes_(codes),
        scales_(scales) {}

  void add(std::uint64_t block, std::uint16_t status) {
    if ((possible(status) & ~seen_) == 0) return;
    const Checked<TensorSummary> answer = quantize_tensor(
        reference_, shape_, Tail::kShort, source_, random_, codes_, scales_, block, block + 1);
    seen_ |= answer.value().flags;
  }

  [[nodiscard]] std::uint16_t seen() const { return seen_; }

 private:
  /// Every flag that a block of this status may raise, or more.
  [[nodiscard]] std::uint16_t possible(std::uint16_t status) const {
    constexpr std::uint16_t kToZero = 1 << 12;     // of a status word: spec R6
    constexpr std::uint16_t kSaturated = 1 << 13;  // the same
    constexpr std::uint16_t kPlain = kToZero | kSaturated | 0xFF;
    const BlockFormat& format = reference_.config().format;
    if ((status & ~0xFF) == kBlockZero) return kBlockZero;
    const bool is_nan = format.scale.has_nan() && (status & 0xFF) == nan_code(format.scale);
    if (is_nan || (status & ~kPlain) != 0) return 0xFFFF;
    unsigned flags = kFlagInexact;
    if (!format.element.is_fixed()) flags |= kFlagUnderflow;
    if ((status & kToZero) != 0) flags |= kFlagToZero;
    if ((status & kSaturated) != 0) flags |= unsigned{kFlagOverflow} | kFlagSaturated;
    return static_cast<std::uint16_t>(flags);
  }

  const Quantizer& reference_;
  const BlockedShape& shape_;
  std::span<const std::byte> source_;
  CounterRandom random_;
  std::span<std::byte> codes_;
  std::span<std::byte> scales_;
  std::uint16_t seen_ = 0;
};

/// Blocks with a NaN scale. A scale format without NaN has no code that tells: its status words do.
std::uint64_t nan_scales(const ScaleFormat& format, std::span<const std::byte> scales,
                         std::span<const std::uint16_t> status) {
  if (format.has_nan()) {
    return static_cast<std::uint64_t>(std::ranges::count(scales, std::byte{nan_code(format)}));
  }
  return static_cast<std::uint64_t>(std::ranges::count_if(
      status, [](std::uint16_t word) { return (word & (kBlockHasInf | kBlockHasNan)) != 0; }));
}

}  // namespace

Checked<TensorQuantizer> TensorQuantizer::make(const QuantizerConfig& config, Choice choice) {
  Checked<Quantizer> reference = Quantizer::make(config);
  if (!reference) return Problem{std::string(reference.problem())};
  TensorQuantizer made(std::move(reference).value());
  if (choice == Choice::kReference) return made;
  Checked<fast::BlockPlan> plan =
      fast::BlockPlan::make({config.source, config.format, config.element, config.block});
  if (plan) {
    made.plan_ = std::move(plan).value();
  } else if (choice == Choice::kCpu) {
    return Problem{std::string(plan.problem())};
  } else {
    made.why_reference_ = plan.problem();
  }
  return made;
}

std::string TensorQuantizer::path() const {
  if (!is_fast()) return "reference";
  return "cpu (" + std::string(fast::cpu_target()) + ")";
}

std::string TensorQuantizer::self_check() const {
  if (!is_fast()) return {};
  return backend::self_check(
      reference_, [&](const BlockedShape& shape, std::span<const std::byte> source,
                      std::span<std::byte> codes, std::span<std::byte> scales) {
        const fast::BlockLayout layout{shape.outer, shape.length, shape.inner};
        return plan_->quantize(layout, source, codes, scales);
      });
}

TensorQuantizer::Portions TensorQuantizer::portions(const BlockedShape& shape) const {
  if (!is_fast()) return {shape.scales, shape.block_size * shape.tile_lines};
  if (shape.scales == 0) return {};
  return {shape.outer * shape.blocks, shape.block_size * shape.inner};
}

Checked<TensorSummary> TensorQuantizer::quantize(const BlockedShape& shape,
                                                 std::span<const std::byte> source,
                                                 CounterRandom random, std::span<std::byte> codes,
                                                 std::span<std::byte> scales, Wanted wanted,
                                                 std::uint64_t first, std::uint64_t last,
                                                 int threads) const {
  if (!is_fast()) {
    return quantize_tensor(reference_, shape, Tail::kShort, source, random, codes, scales, first,
                           last, threads);
  }
  const ScaleFormat& scale = reference_.config().format.scale;
  const std::size_t word = storage_bytes(reference_.config().source);
  TensorSummary summary;
  std::vector<std::uint16_t> status;
  FlagCensus census(reference_, shape, source, random, codes, scales);
  while (first < last) {
    const Run run = next_run(shape, first, last);
    const std::uint64_t elements = run.layout.elements();
    const std::uint64_t blocks = run.layout.blocks(shape.block_size);
    const std::span<std::byte> made = scales.subspan(run.block, blocks);
    status.resize(wanted == Wanted::kFlags || !scale.has_nan() ? blocks : 0);
    if (!plan_->quantize(run.layout, source.subspan(run.element * word, elements * word),
                         codes.subspan(run.element, elements), made, status, threads)) {
      return Problem{"the fast path refused the shape of the tensor"};
    }
    for (std::uint64_t b = 0; wanted == Wanted::kFlags && b < blocks; ++b) {
      census.add(run.block + b, status[b]);
    }
    summary.elements += elements;
    summary.blocks += blocks;
    summary.nan_scales += nan_scales(scale, made, status);
    first += blocks / shape.inner;
  }
  summary.flags = census.seen();
  return summary;
}

}  // namespace mx::backend
