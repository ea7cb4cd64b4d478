// quantizer() and the module Quantizer: different quantisation of values and gradients. spec S4.7
// (rule QP-G), ST12.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "emulators/qtorch/quantize.hpp"

namespace mx::emulators::qtorch {

/// A function that is applied to gradients: scaling, for example.
using Hook = std::function<Tensor(Tensor)>;

struct QuantizerConfig {
  Number forward_number = {};
  Number backward_number = {};
  Rounding forward_rounding = Rounding::kStochastic;
  Rounding backward_rounding = Rounding::kStochastic;
  bool clamping_grad_zero = false;  ///< needs a clamping FixedPoint forward, or None
  std::vector<Hook> backward_hooks = {};
};

struct Forward {
  Tensor values;
  std::optional<Tensor> mask;  ///< with clamping_grad_zero: uint8, 1 where the value was clamped
};

class Quantizer {
 public:
  /// "ValueError: ..." or "AssertionError: ..." where clamping_grad_zero does not fit the number.
  [[nodiscard]] static Checked<Quantizer> make(QuantizerConfig config, const Setting& setting);

  [[nodiscard]] const QuantizerConfig& config() const { return config_; }

  /// Random words that forward() and backward() read for a tensor of `size` elements.
  [[nodiscard]] std::size_t forward_words(std::size_t size) const;
  [[nodiscard]] std::size_t backward_words(std::size_t size) const;

  [[nodiscard]] Checked<Forward> forward(const TensorView& x, RandomWords random) const;

  /// The gradient of the input. Strict: hooks in sequence, the backward number, +0 where the mask
  /// is set. Compat: without clamping_grad_zero the hooks are not called, without a backward number
  /// neither hooks nor mask act.
  [[nodiscard]] Checked<Tensor> backward(const TensorView& gradient, const Tensor* mask,
                                         RandomWords random) const;

 private:
  Quantizer(QuantizerConfig config, const Setting& setting)
      : config_(std::move(config)), setting_(setting) {}

  QuantizerConfig config_;
  Setting setting_;
};

}  // namespace mx::emulators::qtorch
