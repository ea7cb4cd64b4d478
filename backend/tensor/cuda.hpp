// Blocks by the CUDA path (fast/cuda, fast/cuda_dequantize, fast/cuda_nvfp4): on the current
// device, or by the same arithmetic on the host, where nobody needs a device to look at its bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "backend/tensor/choice.hpp"
#include "fast/cuda_nvfp4/stream.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// FP4 under real-valued scales, which has plans of its own on every path.
[[nodiscard]] constexpr bool is_nvfp4(const BlockFormat& format) {
  return format.scale.man_bits != 0 && format.element.bits == 4;
}

/// By Choice::kCuda, memory of the host copied there and back, or Choice::kCudaHost, on one thread.
/// A value type; the calls are const and may run side by side.
class CudaQuantizer {
 public:
  /// The problem: the configuration has no plan, or there is no device.
  [[nodiscard]] static Checked<CudaQuantizer> make(const QuantizerConfig& config, Choice place);

  [[nodiscard]] std::string path() const { return std::string(name_of(place_)); }

  /// Codes, scales and, unless its span is empty, status words (spec R6) of a part of a tensor,
  /// whose first element has the number `first`. "" or what went wrong.
  [[nodiscard]] std::string quantize(const fast::BlockLayout& layout, CounterRandom random,
                                     std::uint64_t first, std::span<const std::byte> source,
                                     const fast::HostResults& results) const;

 private:
  using Plan = std::variant<fast::StreamPlan, fast::Nvfp4Plan>;
  CudaQuantizer(Plan plan, Choice place, int random_bits)
      : plan_(std::move(plan)), place_(place), random_bits_(random_bits) {}

  Plan plan_;
  Choice place_;
  int random_bits_;  ///< 0: nothing is drawn
};

/// The way back.
class CudaDequantizer {
 public:
  [[nodiscard]] static Checked<CudaDequantizer> make(const QuantizerConfig& config,
                                                     const ElementFormat& output, Choice place);

  [[nodiscard]] std::string path() const { return std::string(name_of(place_)); }

  /// "" or what went wrong. Nothing tells of bits above the width of codes and scales: they must
  /// have been looked at.
  [[nodiscard]] std::string dequantize(const fast::BlockLayout& layout,
                                       std::span<const std::byte> codes,
                                       std::span<const std::byte> scales,
                                       std::span<std::byte> words) const;

 private:
  using Plan = std::variant<fast::StreamDequantizePlan, fast::Nvfp4Plan>;
  CudaDequantizer(Plan plan, Choice place) : plan_(std::move(plan)), place_(place) {}

  Plan plan_;
  Choice place_;
};

}  // namespace mx::backend
