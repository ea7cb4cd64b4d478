// The functions that a specification drives, and which of its keys each tensor of a linear layer
// or a matrix product takes. spec S7.2, S7.5.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulators/common/interface.hpp"
#include "emulators/microxcaling/specs/specs.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// quantize_elemwise_op: bfloat or fp of the specification, with a rounding by name. On a CUDA
/// platform compat casts bfloat 16 "even" natively: the result is a bf16 tensor.
[[nodiscard]] Checked<Tensor> quantize_elemwise_op(const TensorView& tensor, const MxSpecs& specs,
                                                   std::string_view round, const Setting& setting);

/// What quantize_mx_op is given beside the specification.
struct MxOperation {
  std::string elem_format = {};  ///< "": the tensor stays as it is
  std::optional<std::int64_t> block_size = {};
  std::vector<std::int64_t> axes = {};
  std::string round = "nearest";
};

/// quantize_mx_op: everything but the format, the axes and the rounding comes from the
/// specification; scale_bits 0 counts as 8.
[[nodiscard]] Checked<Tensor> quantize_mx_op(const TensorView& tensor, const MxSpecs& specs,
                                             const MxOperation& operation, const Setting& setting);

/// One quantization of an operation. Without a format key it is quantize_elemwise_op.
struct Step {
  std::string_view tensor;      ///< "input", "weight", "bias", "output", "grad_output", ...
  std::string_view use;         ///< "forward", "grad_weight", "grad_input", ...
  std::string_view format_key;  ///< of the specification
  int axis = 0;
  std::string_view round_key;

  [[nodiscard]] constexpr bool is_mx() const { return !format_key.empty(); }
};

/// linear(input (..., in), weight (out, in), bias).
[[nodiscard]] std::span<const Step> linear_steps();

/// matmul(in1 (..., m, k), in2 (..., k, n), bias) in a mode_config "aa", "aw" or "wa"; an
/// AssertionError for another. bmm is "aa" without a bias.
[[nodiscard]] Checked<std::vector<Step>> matmul_steps(std::string_view mode_config);

/// A step under a specification.
[[nodiscard]] Checked<Tensor> apply_step(const TensorView& tensor, const Step& step,
                                         const MxSpecs& specs, const Setting& setting);

}  // namespace mx::emulators::microxcaling
