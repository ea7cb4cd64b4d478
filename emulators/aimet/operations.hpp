// Tensors quantized, dequantized, or both, with given scales; and gradients. spec S8.3, S8.4.
#pragma once

#include "emulators/aimet/element/float_info.hpp"
#include "emulators/aimet/layout.hpp"
#include "emulators/common/interface.hpp"

namespace mx {

/// What is computed of an element and its scale.
#define MX_AIMET_OPERATION(X)                   \
  X(kQuantizeDequantize, "quantize_dequantize") \
  X(kQuantize, "quantize")                      \
  X(kDequantize, "dequantize")
MX_POLICY(AimetOperation, MX_AIMET_OPERATION);

}  // namespace mx

namespace mx::emulators::aimet {

using Operation = AimetOperation;

/// The type of results. Compat: torch's promotion of tensor and scale, where a 0-dimensional one
/// counts only if both are (KA9). Strict: the tensor's.
[[nodiscard]] TensorType result_type(const TensorView& tensor, const TensorView& scale, Mode mode);

/// Why a tensor cannot be computed on ("" if it can): 64-bit floats.
[[nodiscard]] std::string_view type_problem(TensorType type);

/// Is the type one of floats, which are quantized? Others pass through.
[[nodiscard]] constexpr bool is_float(TensorType type) {
  return type == TensorType::kFp32 || type == TensorType::kBf16 || type == TensorType::kFp16 ||
         type == TensorType::kFp64;
}

/// A tensor "values" of floats under scales. RuntimeError where shapes do not fit or, in compat,
/// where the type's maximum exceeds that of the tensor's type; strict also where a scale is 0. Long
/// tensors are shared by up to `threads` threads. On CUDA no maximum is refused: torch clamps
/// 16-bit types in binary32 there.
[[nodiscard]] Checked<Tensor> compute(Operation operation, const FloatInfo& info, Mode mode,
                                      const TensorView& tensor, const TensorView& scale,
                                      const BlockSize& block_size, int threads = 1,
                                      Platform platform = Platform::kX86);

/// The gradient with respect to the tensor, of its type, from that with respect to the results.
/// Compat: cast to the type and back, 0 where the clamp acts; 0 for types that torch does not have
/// (spec S8.3, AI-G). Strict: straight through where fl32(|x / scale|) is at most the type's
/// maximum.
[[nodiscard]] Checked<Tensor> gradient(const FloatInfo& info, Mode mode, const TensorView& tensor,
                                       const TensorView& scale, const BlockSize& block_size,
                                       const TensorView& of_results);

/// fake_cast_to_ieee_float(x, maxval, E, M, finite) for the maxval of the type (E, M), or of
/// float4_e2m1fn where `maxval_of` is that. Strict: strict_fake_cast().
[[nodiscard]] Checked<Tensor> fake_cast(const FloatInfo& maxval_of, bool finite, Mode mode,
                                        const TensorView& tensor);

/// The strict one for any maxval, which the tensor's shape broadcasts: the type's grid, IEEE's or
/// for E2M1 OCP's, scaled by maxval over its largest value, rounded once to binary32. Infinities
/// saturate. RuntimeError where a maxval is 0.
[[nodiscard]] Checked<Tensor> strict_fake_cast(const FloatInfo& type, const TensorView& tensor,
                                               const TensorView& maxval);

}  // namespace mx::emulators::aimet
