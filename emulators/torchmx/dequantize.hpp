// dequantize_mx: scale bytes and codes back to floats. spec S6.4 (TX-D).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "emulators/common/tensor.hpp"
#include "emulators/torchmx/dtypes.hpp"
#include "emulators/torchmx/element/integer_simd.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::torchmx {

/// The value of a code byte. Bits above the 6 of a six-bit type (the 4 of float4_e2m1) multiply the
/// package's value by 1 - 2 * (bits above the magnitude); strict never sees them.
[[nodiscard]] Unpacked value_of_code(std::uint8_t code, const DType& elem_dtype, Mode mode);

/// Words of a target type for codes under scale bytes: the products of a scale byte are computed
/// when it is first met. compat multiplies in the target type; strict rounds the exact product
/// once. NaNs are the target's canonical one.
class ProductTable {
 public:
  using Row = std::array<std::uint64_t, 256>;

  ProductTable(const DType& elem_dtype, TensorType target, Mode mode);

  /// The words of all codes under a scale byte.
  [[nodiscard]] const Row& of(std::uint8_t scale);

  /// What gives the same words in the target's width under scale bytes that it takes; null if
  /// nothing does.
  [[nodiscard]] const IntegerSimd* lanes() const { return lanes_ ? &*lanes_ : nullptr; }

 private:
  [[nodiscard]] std::uint64_t product(const Unpacked& code, const Unpacked& scale) const;

  const DType& elem_dtype_;
  const ElementFormat& target_;
  Mode mode_;
  std::optional<IntegerSimd> lanes_;
  std::array<std::unique_ptr<Row>, 256> rows_;
};

struct Dequantization {
  std::string_view elem_dtype_name;
  std::int64_t block_size = 32;
  TensorType target_dtype = TensorType::kBf16;  ///< fp32, bf16, fp16 or fp64
  std::int64_t block_dim = -1;                  ///< -1 is the last dimension
};

/// "values" of the target type, in the shape of the codes. Problems: KeyError for an unknown
/// element type, AssertionError for data that is not uint8 (int8 for elements of int8), IndexError
/// for a dimension that is not there, RuntimeError where scales and codes do not fit. compat
/// broadcasts one to the other as torch does; strict takes exactly fitting shapes, cuts the spare
/// nibble of odd rows of float4_e2m1, and refuses codes with bits above the element's (ValueError).
[[nodiscard]] Checked<Tensor> dequantize_mx(const TensorView& data_lp,
                                            const TensorView& shared_exp_e8m0,
                                            const Dequantization& call, Mode mode);

}  // namespace mx::emulators::torchmx
