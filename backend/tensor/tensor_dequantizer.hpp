// Tensors on their way back by the fastest path that is proven for their configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/tensor/choice.hpp"
#include "backend/tensor/chosen.hpp"
#include "backend/tensor/cuda.hpp"
#include "backend/tensor/runs.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// Tensors of one configuration and one output format. A value type; the calls are const and may
/// run side by side.
class TensorDequantizer {
 public:
  /// The problem: the configuration is none, or a path is asked for that it has not.
  [[nodiscard]] static Checked<TensorDequantizer> make(const QuantizerConfig& config,
                                                       const ElementFormat& output, Choice choice);

  [[nodiscard]] bool is_fast() const { return chosen_.is_fast(); }
  /// As TensorQuantizer has them.
  [[nodiscard]] std::string path() const { return chosen_.path(); }
  [[nodiscard]] std::string_view why_reference() const { return chosen_.why_reference(); }
  /// Every code under every scale.
  [[nodiscard]] std::string self_check() const;
  [[nodiscard]] Portions portions(const BlockedShape& shape) const;

  /// dequantize_tensor() for portions [first, last) of a tensor whose last blocks are short
  /// (Tail::kShort); sizes and problems as there, but that words of other blocks may have been
  /// written when there is one. `threads` share a long block of the reference.
  [[nodiscard]] Checked<TensorSummary> dequantize(const BlockedShape& shape,
                                                  std::span<const std::byte> codes,
                                                  std::span<const std::byte> scales,
                                                  std::span<std::byte> values, std::uint64_t first,
                                                  std::uint64_t last, int threads = 1) const;

  /// All portions, shared by `threads`. Nothing was written where there is a problem.
  [[nodiscard]] Checked<TensorSummary> dequantize_all(const BlockedShape& shape,
                                                      std::span<const std::byte> codes,
                                                      std::span<const std::byte> scales,
                                                      std::span<std::byte> values,
                                                      int threads) const;

 private:
  TensorDequantizer(Quantizer reference, const ElementFormat& output)
      : reference_(std::move(reference)), output_(output) {}

  Quantizer reference_;
  ElementFormat output_;
  /// Computes a run; "" or what went wrong.
  [[nodiscard]] std::string compute(const Run& run, std::span<const std::byte> codes,
                                    std::span<const std::byte> scales,
                                    std::span<std::byte> values) const;

  Chosen<fast::DequantizePlan, fast::ScaledDequantizePlan, CudaDequantizer> chosen_;
};

}  // namespace mx::backend
