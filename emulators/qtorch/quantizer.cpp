#include "emulators/qtorch/quantizer.hpp"

namespace mx::emulators::qtorch {
namespace {

/// +0 where the mask is set.
Tensor masked(Tensor gradient, const Tensor& mask) {
  const std::size_t width = width_of(gradient.type);
  for (std::size_t i = 0; i < mask.bytes.size(); ++i) {
    if (mask.bytes[i] != std::byte{0}) set_word(gradient.bytes, width, i, 0);
  }
  return gradient;
}

std::size_t words(const Number& number, Rounding rounding, std::size_t size) {
  return is_none(number) || rounding != Rounding::kStochastic ? 0 : size;
}

}  // namespace

Checked<Quantizer> Quantizer::make(QuantizerConfig config, const Setting& setting) {
  if (config.clamping_grad_zero && !is_none(config.forward_number)) {
    const auto* const fixed = std::get_if<FixedPoint>(&config.forward_number);
    if (fixed == nullptr) {
      return Problem{"ValueError: zeroing clamping gradient only support fixed point."};
    }
    if (!fixed->clamp) {
      return Problem{"AssertionError: must use clamping if zeroing out clamped gradient"};
    }
  }
  for (const Rounding rounding : {config.forward_rounding, config.backward_rounding}) {
    if (rounding == Rounding::kDocLiteral && setting.mode == Mode::kCompat) {
      return Problem{"AssertionError: invalid rounding type doc_literal"};
    }
  }
  return Quantizer(std::move(config), setting);
}

std::size_t Quantizer::forward_words(std::size_t size) const {
  return words(config_.forward_number, config_.forward_rounding, size);
}

std::size_t Quantizer::backward_words(std::size_t size) const {
  return words(config_.backward_number, config_.backward_rounding, size);
}

Checked<Forward> Quantizer::forward(const TensorView& x, RandomWords random) const {
  const auto* const fixed = std::get_if<FixedPoint>(&config_.forward_number);
  if (config_.clamping_grad_zero && fixed != nullptr) {
    Checked<std::vector<Tensor>> both =
        fixed_point_quantize_mask(x, *fixed, config_.forward_rounding, random, setting_);
    if (!both) return Problem{std::string(both.problem())};
    std::vector<Tensor> tensors = std::move(both).value();
    return Forward{std::move(tensors[0]), std::move(tensors[1])};
  }
  Checked<Tensor> values =
      quantize(x, config_.forward_number, config_.forward_rounding, random, setting_);
  if (!values) return Problem{std::string(values.problem())};
  Forward result = {std::move(values).value(), std::nullopt};
  if (config_.clamping_grad_zero) {
    result.mask = Tensor::zeros("mask", TensorType::kUint8, x.shape);
  }
  return result;
}

Checked<Tensor> Quantizer::backward(const TensorView& gradient, const Tensor* mask,
                                    RandomWords random) const {
  const bool is_strict = setting_.mode == Mode::kStrict;
  const bool acts = is_strict || (config_.clamping_grad_zero && !is_none(config_.backward_number));
  if (acts && mask != nullptr && mask->shape != gradient.shape) {
    return Problem{"RuntimeError: the gradient has another shape than the input"};
  }
  Tensor current = {
      "gradient", gradient.type, gradient.shape, {gradient.bytes.begin(), gradient.bytes.end()}};
  if (acts) {
    for (const Hook& hook : config_.backward_hooks) current = hook(std::move(current));
  }
  Checked<Tensor> made =
      quantize(current, config_.backward_number, config_.backward_rounding, random, setting_);
  if (!made) return Problem{std::string(made.problem())};
  Tensor result = std::move(made).value();
  result.name = "gradient";
  return acts && mask != nullptr ? masked(std::move(result), *mask) : result;
}

}  // namespace mx::emulators::qtorch
