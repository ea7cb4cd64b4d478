#include "backend/tensor/tensor_dequantizer.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "reference/tensor/layout.hpp"

namespace mx::backend {
namespace {

std::uint64_t nan_scales(const ScaleFormat& format, std::span<const std::byte> scales) {
  if (!format.has_nan()) return 0;
  return static_cast<std::uint64_t>(
      std::ranges::count(scales, static_cast<std::byte>(format.canonical_nan)));
}

}  // namespace

Checked<TensorDequantizer> TensorDequantizer::make(const QuantizerConfig& config,
                                                   const ElementFormat& output, Choice choice) {
  Checked<Quantizer> reference = Quantizer::make(config);
  if (!reference) return Problem{std::string(reference.problem())};
  TensorDequantizer made(std::move(reference).value(), output);
  if (choice == Choice::kReference) return made;
  const fast::DequantizeJob job{config.format, output, config.block};
  if (is_cuda(choice)) {
    made.chosen_.take(CudaDequantizer::make(config, output, choice));
  } else if (is_nvfp4(config.format)) {
    made.chosen_.take(fast::ScaledDequantizePlan::make({job, config.tensor.scale}));
  } else {
    made.chosen_.take(fast::DequantizePlan::make(job));
  }
  if (insists(choice) && !made.is_fast()) return Problem{made.chosen_.why_reference()};
  return made;
}

std::string TensorDequantizer::compute(const Run& run, std::span<const std::byte> codes,
                                       std::span<const std::byte> scales,
                                       std::span<std::byte> values) const {
  if (const auto* const cuda = chosen_.plan<CudaDequantizer>()) {
    return cuda->dequantize(run.layout.as_lines(), codes, scales, values);
  }
  const auto* const scaled = chosen_.plan<fast::ScaledDequantizePlan>();
  const bool is_taken = scaled != nullptr
                            ? scaled->dequantize_tiles(run.layout, codes, scales, values)
                            : chosen_.plan<fast::DequantizePlan>()->dequantize(
                                  run.layout.as_lines(), codes, scales, values);
  return is_taken ? "" : "the fast path refused what the reference takes";
}

Portions TensorDequantizer::portions(const BlockedShape& shape) const {
  return portions_of(shape, is_fast());
}

std::string TensorDequantizer::self_check() const {
  if (!is_fast()) return {};
  const BlockFormat& format = reference_.config().format;
  const std::uint64_t codes_of_format = format.element.code_mask() + 1;
  const std::uint64_t scales_of_format = format.scale.code_mask() + 1;
  const auto block = static_cast<std::uint64_t>(format.block_size);
  // A row of each scale holds every code, or as many rows as a tile has; the last block of a row is
  // short where the block size says so.
  const auto lines = static_cast<std::uint64_t>(format.tile_lines);
  const auto shape =
      BlockedShape::make(std::array{scales_of_format * lines, codes_of_format}, 1, format).value();
  std::vector<std::byte> codes(shape.elements);
  std::vector<std::byte> scales(shape.scales);
  for (std::uint64_t i = 0; i < shape.elements; ++i) {
    codes[i] = static_cast<std::byte>(i % codes_of_format);
  }
  const std::uint64_t of_row = (codes_of_format + block - 1) / block;
  for (std::uint64_t i = 0; i < shape.scales; ++i) scales[i] = static_cast<std::byte>(i / of_row);
  const std::size_t word = storage_bytes(output_);
  std::vector<std::byte> expected(shape.elements * word);
  std::vector<std::byte> values(expected.size());
  const auto model =
      dequantize_tensor(reference_, shape, Tail::kShort, codes, scales, output_, expected);
  if (!model) return std::string(model.problem());
  const auto fast = dequantize(shape, codes, scales, values, 0, portions(shape).count);
  if (!fast) return std::string(fast.problem());
  const auto found = std::ranges::mismatch(expected, values);
  if (found.in1 == expected.end()) return {};
  const auto at = static_cast<std::uint64_t>(found.in1 - expected.begin()) / word;
  return "the fast path's word of code " + std::to_string(at % codes_of_format) + " under scale " +
         std::to_string(at / codes_of_format / lines) + " differs from the reference's";
}

Checked<TensorSummary> TensorDequantizer::dequantize(
    const BlockedShape& shape, std::span<const std::byte> codes, std::span<const std::byte> scales,
    std::span<std::byte> values, std::uint64_t first, std::uint64_t last, int threads) const {
  if (!is_fast()) {
    return dequantize_tensor(reference_, shape, Tail::kShort, codes, scales, output_, values, first,
                             last, threads);
  }
  const BlockFormat& format = reference_.config().format;
  const std::size_t word = storage_bytes(output_);
  TensorSummary summary;
  while (first < last) {
    const Run run = next_run(shape, first, last);
    const std::uint64_t elements = run.layout.elements();
    const std::uint64_t blocks = run.blocks;
    const auto scales_here = scales.subspan(run.block, blocks);
    const auto codes_here = codes.subspan(run.element, elements);
    const auto values_here = values.subspan(run.element * word, elements * word);
    std::string problem = compute(run, codes_here, scales_here, values_here);
    if (!problem.empty()) {
      // The reference names what is wrong with it.
      const auto model = dequantize_tensor(reference_, shape, Tail::kShort, codes, scales, output_,
                                           values, run.block, run.block + blocks);
      return model ? Problem{std::move(problem)} : Problem{std::string(model.problem())};
    }
    summary.elements += elements;
    summary.blocks += blocks;
    summary.nan_scales += nan_scales(format.scale, scales_here);
    first += run.portions;
  }
  return summary;
}

Checked<TensorSummary> TensorDequantizer::dequantize_all(const BlockedShape& shape,
                                                         std::span<const std::byte> codes,
                                                         std::span<const std::byte> scales,
                                                         std::span<std::byte> values,
                                                         int threads) const {
  const Portions all = portions(shape);
  if (!is_fast()) return dequantize(shape, codes, scales, values, 0, all.count, threads);
  const BlockFormat& format = reference_.config().format;
  std::string stray = stray_word(format.element, codes, threads);
  if (stray.empty()) stray = layout::stray_scale(format, {0, shape.scales}, scales);
  if (!stray.empty()) return Problem{std::move(stray)};
  return share_portions(all, threads, [&](std::uint64_t first, std::uint64_t last) {
    return dequantize(shape, codes, scales, values, first, last);
  });
}

}  // namespace mx::backend
