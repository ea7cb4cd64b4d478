#include "emulators/microxcaling/specs/operations.hpp"

#include <array>

#include "emulators/microxcaling/quantize_mx.hpp"
#include "emulators/microxcaling/text/element_cast.hpp"

namespace mx::emulators::microxcaling {
namespace {

constexpr std::array kLinear = {
    Step{"input", "forward", "", 0, "round_output"},
    Step{"weight", "forward", "", 0, "round_weight"},
    Step{"bias", "forward", "", 0, "round_weight"},
    Step{"input", "forward", "a_elem_format", -1, "round_mx_output"},
    Step{"weight", "forward", "w_elem_format", -1, "round_mx_output"},
    Step{"output", "forward", "", 0, "round_output"},
    Step{"grad_output", "backward", "", 0, "round_grad_input"},
    Step{"input", "grad_weight", "a_elem_format_bp", -2, "round_mx_input_grad_weight"},
    Step{"grad_output", "grad_weight", "a_elem_format_bp_ex", -2,
         "round_mx_grad_output_grad_weight"},
    Step{"grad_weight", "grad_weight", "", 0, "round_grad_weight"},
    Step{"weight", "grad_input", "w_elem_format_bp", 0, "round_mx_weight_grad_input"},
    Step{"grad_output", "grad_input", "a_elem_format_bp_os", -1, "round_mx_grad_output_grad_input"},
    Step{"grad_input", "grad_input", "", 0, "round_grad_input"},
    Step{"grad_bias", "grad_bias", "", 0, "round_grad_weight"}};

struct Keys {
  std::string_view forward;
  std::string_view backward;
};

constexpr Keys kActivation = {"a_elem_format", "a_elem_format_bp"};
constexpr Keys kWeight = {"w_elem_format", "w_elem_format_bp"};

Path path_of(const MxSpecs& specs, const Setting& setting) {
  if (!specs.flag("custom_cuda")) return Path::kPython;
  return setting.platform == Platform::kCuda ? Path::kCuda : Path::kCpp;
}

}  // namespace

Checked<Tensor> quantize_elemwise_op(const TensorView& tensor, const MxSpecs& specs,
                                     std::string_view round, const Setting& setting) {
  const auto mode = rounding_from_str(round);
  if (!mode) return Problem{std::string(mode.problem())};
  std::string text = "quantize_elemwise_op(bfloat=" + std::to_string(specs.number("bfloat"));
  text.append(",fp=").append(std::to_string(specs.number("fp")));
  text.append(",bfloat_subnorms=").append(specs.flag("bfloat_subnorms") ? "True" : "False");
  text.append(",round=").append(round);
  text.append(",path=").append(token_of(path_of(specs, setting))).append(")");
  Call call = *Call::read(text);
  const auto cast = quantize_elemwise_op_cast(call, setting);
  if (!cast) return Problem{std::string(cast.problem())};
  auto results = (*cast)->apply({.tensor = tensor});
  if (!results) return Problem{std::string(results.problem())};
  return std::move((*std::move(results)).front());
}

Checked<Tensor> quantize_mx_op(const TensorView& tensor, const MxSpecs& specs,
                               const MxOperation& operation, const Setting& setting) {
  if (operation.elem_format.empty()) {
    Tensor same = Tensor::zeros("values", tensor.type, tensor.shape);
    same.bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
    return same;
  }
  const auto format = elem_format_from_str(operation.elem_format);
  if (!format) return Problem{std::string(format.problem())};
  const auto round = rounding_from_str(operation.round);
  if (!round) return Problem{std::string(round.problem())};
  const std::string method = specs.name("shared_exp_method");
  const auto shared = parse_token<SharedExponentMethod>(method);
  if (!shared) {
    return Problem{"Exception: Unrecognized shared exponent selection method " + method};
  }
  const std::int64_t scale_bits = specs.number("scale_bits");
  return quantize_mx(tensor,
                     {.scale_bits = static_cast<int>(scale_bits == 0 ? 8 : scale_bits),
                      .elem_format = *format,
                      .shared_exp_method = *shared,
                      .axes = operation.axes,
                      .block_size = operation.block_size.value_or(specs.number("block_size")),
                      .round = *round,
                      .flush_fp32_subnorms = specs.flag("mx_flush_fp32_subnorms"),
                      .path = path_of(specs, setting)},
                     setting);
}

std::span<const Step> linear_steps() { return kLinear; }

Checked<std::vector<Step>> matmul_steps(std::string_view mode_config) {
  if (mode_config != "aa" && mode_config != "aw" && mode_config != "wa") {
    return Problem{"AssertionError: "};
  }
  const Keys& h1 = mode_config[0] == 'a' ? kActivation : kWeight;
  const Keys& h2 = mode_config[1] == 'a' ? kActivation : kWeight;
  constexpr std::string_view kGradient = "round_mx_grad_output_grad_input";
  return std::vector<Step>{{"in1", "forward", "", 0, "round_output"},
                           {"in2", "forward", "", 0, "round_output"},
                           {"bias", "forward", "", 0, "round_weight"},
                           {"in1", "forward", h1.forward, -1, "round_mx_output"},
                           {"in2", "forward", h2.forward, -2, "round_mx_output"},
                           {"output", "forward", "", 0, "round_output"},
                           {"grad_output", "backward", "", 0, "round_grad_input"},
                           {"in1", "grad_in2", h1.backward, -2, "round_mx_input_grad_input"},
                           {"grad_output", "grad_in2", "a_elem_format_bp_os", -2, kGradient},
                           {"grad_in2", "grad_in2", "", 0, "round_grad_input"},
                           {"in2", "grad_in1", h2.backward, -1, "round_mx_input_grad_input"},
                           {"grad_output", "grad_in1", "a_elem_format_bp_os", -1, kGradient},
                           {"grad_in1", "grad_in1", "", 0, "round_grad_input"},
                           {"grad_bias", "grad_bias", "", 0, "round_grad_weight"}};
}

Checked<Tensor> apply_step(const TensorView& tensor, const Step& step, const MxSpecs& specs,
                           const Setting& setting) {
  const std::string round = specs.name(step.round_key);
  if (!step.is_mx()) return quantize_elemwise_op(tensor, specs, round, setting);
  return quantize_mx_op(
      tensor, specs,
      {.elem_format = specs.name(step.format_key), .axes = {step.axis}, .round = round}, setting);
}

}  // namespace mx::emulators::microxcaling
