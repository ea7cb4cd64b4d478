// The functions of qtorch.quant on tensors. spec S4.1.
//
// Tensors are fp32 of any shape, 0-dimensional and empty ones included; strict mode takes bf16 and
// fp16 too. Results are fp32 of the same shape. `random` holds a word for each element, in C order,
// where the rounding is stochastic; it is ignored elsewhere. A Problem begins with the exception
// that the original raises; "ValueError: ..." also refuses what only strict mode refuses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulators/common/interface.hpp"
#include "emulators/qtorch/number.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::qtorch {

using RandomWords = std::span<const std::uint32_t>;

/// Floats of `exp` exponent and `man` significand bits. Words: 31-bit integers.
[[nodiscard]] Checked<Tensor> float_quantize(const TensorView& x, std::int64_t exp,
                                             std::int64_t man, Rounding rounding,
                                             RandomWords random, const Setting& setting);

/// Multiples of 2^-fl in a word of `wl` bits. Words: integers whose low 24 bits are r * 2^24.
[[nodiscard]] Checked<Tensor> fixed_point_quantize(const TensorView& x, const FixedPoint& format,
                                                   Rounding rounding, RandomWords random,
                                                   const Setting& setting);

/// The same with clamping, and "mask" (uint8): 1 where the rounded value was outside the range.
[[nodiscard]] Checked<std::vector<Tensor>> fixed_point_quantize_mask(const TensorView& x,
                                                                     const FixedPoint& format,
                                                                     Rounding rounding,
                                                                     RandomWords random,
                                                                     const Setting& setting);

/// Integers of `wl` bits with a shared exponent: of the whole tensor for dim -1, otherwise of all
/// elements with the same index on axis `dim`; -2 and below count axes from the end. Words: 31-bit
/// integers.
[[nodiscard]] Checked<Tensor> block_quantize(const TensorView& x, std::int64_t wl, std::int64_t dim,
                                             Rounding rounding, RandomWords random,
                                             const Setting& setting);

/// The CUDA module's unreachable kernels: one exponent, no clipping; in strict mode
/// block_quantize() of the whole tensor. Words: as those of fixed_point_quantize().
[[nodiscard]] Checked<Tensor> block_quantize_sim(const TensorView& x, std::int64_t wl,
                                                 Rounding rounding, RandomWords random,
                                                 const Setting& setting);

/// The function of a number; x itself for None.
[[nodiscard]] Checked<Tensor> quantize(const TensorView& x, const Number& number, Rounding rounding,
                                       RandomWords random, const Setting& setting);

}  // namespace mx::emulators::qtorch
