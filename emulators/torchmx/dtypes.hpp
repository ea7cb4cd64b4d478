// The number types of torchmx.dtypes: spec S6.1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "emulators/common/interface.hpp"
#include "reference/format/format.hpp"

namespace mx::emulators::torchmx {

struct DType {
  std::string_view name;
  std::uint64_t max = 0;  ///< the largest value, a binary64 pattern
  int max_pow2 = 0;       ///< exponent of the largest binade
  int exponent_bias = 0;
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool has_nan = false;
  bool has_inf = false;

  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr bool operator==(const DType& other) const { return name == other.name; }
};

inline constexpr DType kFloat8E4m3 = {"float8_e4m3", 0x407C000000000000, 8, 7, 4, 3, true, false};
inline constexpr DType kFloat6E3m2 = {"float6_e3m2", 0x403C000000000000, 4, 3, 3, 2, false, false};
inline constexpr DType kFloat6E2m3 = {"float6_e2m3", 0x401E000000000000, 2, 1, 2, 3, false, false};
inline constexpr DType kFloat4E2m1 = {"float4_e2m1", 0x4018000000000000, 2, 1, 2, 1, false, false};
inline constexpr DType kInt8 = {"int8", 0x405FC00000000000, 6, 0, 0, 7, false, false};
inline constexpr DType kFloat64 = {"float64", 0x7FEFFFFFFFFFFFFF, 1023, 1023, 11, 52, true, true};
inline constexpr DType kFloat32 = {"float32", 0x47EFFFFFE0000000, 127, 127, 8, 23, true, true};
inline constexpr DType kBfloat16 = {"bfloat16", 0x47EFE00000000000, 127, 127, 8, 7, true, true};
inline constexpr DType kFloat22E8m13 = {
    "float22_e8m13", 0x47EFFF8000000000, 127, 127, 8, 13, true, true};
/// Scales: 2^(byte - 127), FF is NaN, no zero.
inline constexpr DType kE8m0 = {"e8m0", 0x47E0000000000000, 127, 127, 8, 0, true, false};

inline constexpr std::array kSupportedElemDtypes = {kFloat8E4m3, kFloat6E3m2, kFloat6E2m3,
                                                    kFloat4E2m1, kInt8};
inline constexpr std::array kSupportedFpElemDtypes = {kFloat8E4m3, kFloat6E3m2, kFloat6E2m3,
                                                      kFloat4E2m1};
inline constexpr std::uint8_t kE8m0ExponentNanVal = 255;

/// An element type by name, nullptr if there is none: float22_e8m13 and its like are none.
[[nodiscard]] const DType* find_elem_dtype(std::string_view name);

/// Is it one of the floating element types?
[[nodiscard]] constexpr bool is_float(const DType& dtype) { return dtype.exponent_bits > 0; }

/// The descriptor of an element type's codes. int8: whole numbers in compat, as the package has
/// them; MXINT8 with its six fraction bits in strict (spec S1.4, 4).
[[nodiscard]] const ElementFormat& format_of(const DType& elem_dtype, Mode mode);

/// The exponent that the shared one is lowered by: max_pow2, but 0 for int8 in strict.
[[nodiscard]] int shared_exponent_offset(const DType& elem_dtype, Mode mode);

}  // namespace mx::emulators::torchmx
