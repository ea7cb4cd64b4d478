// quantize_mx: bfloat16 blocks along the last dimension to scale bytes and codes. spec S6.3.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulators/common/tensor.hpp"
#include "emulators/torchmx/element/element.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::torchmx {

/// Which answer, by which of the two paths. int8 has the simulated one only; in strict the paths
/// do not differ.
struct Variant {
  Mode mode = Mode::kStrict;
  Path path = Path::kSimulated;
};

struct Quantized {
  Tensor scale;  ///< "scale", uint8, (..., n / block_size)
  Tensor data;   ///< "data", uint8 (int8: int8), (..., n); float4_e2m1: (..., n / 2)
};

/// The scale byte of a block whose largest exponent field is `max_exponent`.
[[nodiscard]] std::uint8_t shared_exponent_of(int max_exponent, const DType& elem_dtype, Mode mode);

/// The scale bytes of a bf16 or fp32 tensor whose last dimension is the block: (...,).
[[nodiscard]] Checked<Tensor> get_e8m0_shared_exponent(const TensorView& data_hp,
                                                       const DType& elem_dtype, Mode mode);

/// Problems, in the package's order: KeyError for an unknown element type, AssertionError unless
/// bf16, IndexError for a 0-dimensional tensor, ZeroDivisionError for block size 0, AssertionError
/// where the last dimension is no multiple of it, RuntimeError for negative block sizes;
/// AssertionError for float4_e2m1 with an odd last dimension and RuntimeError where another
/// dimension is 0: compat only. Strict pads the last byte of a row.
[[nodiscard]] Checked<Quantized> quantize_mx(const TensorView& data_hp,
                                             std::string_view elem_dtype_name,
                                             std::int64_t block_size, const Variant& variant = {});

/// The elements alone under scale bytes that are given, one for each row of `block_size` words of
/// bf16 (simulated in compat: fp32 too); unpacked.
[[nodiscard]] Checked<Tensor> quantize_mx_with_e8m0_shared_exponent(
    const TensorView& data_hp, const DType& elem_dtype, const TensorView& shared_exponent,
    const Variant& variant = {});

}  // namespace mx::emulators::torchmx
