// microxcaling's element formats, roundings and paths under their names, and the numbers that its
// functions derive from them. spec S7.1 and S7.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/policy/checked.hpp"
#include "reference/policy/token.hpp"

namespace mx {

#define MX_MICROXCALING_FORMAT(X) \
  X(kInt8, "int8")                \
  X(kInt4, "int4")                \
  X(kInt2, "int2")                \
  X(kFp8E5m2, "fp8_e5m2")         \
  X(kFp8E4m3, "fp8_e4m3")         \
  X(kFp6E3m2, "fp6_e3m2")         \
  X(kFp6E2m3, "fp6_e2m3")         \
  X(kFp4, "fp4")                  \
  X(kFloat16, "float16")          \
  X(kBfloat16, "bfloat16")
MX_POLICY(MicroxcalingFormat, MX_MICROXCALING_FORMAT);

/// nearest: half away from zero; floor: toward zero; even: half to even; dither: a random number
/// of [0, 1) is added, then floor.
#define MX_MICROXCALING_ROUNDING(X) \
  X(kNearest, "nearest")            \
  X(kFloor, "floor")                \
  X(kEven, "even")                  \
  X(kDither, "dither")
MX_POLICY(MicroxcalingRounding, MX_MICROXCALING_ROUNDING);

/// Which of its programs computes: PyTorch operations on the tensor's type, the C++ functions
/// (custom_cuda on a CPU tensor) or the CUDA kernels (custom_cuda on a CUDA tensor).
#define MX_MICROXCALING_PATH(X) \
  X(kPython, "python")          \
  X(kCpp, "cpp")                \
  X(kCuda, "cuda")
MX_POLICY(MicroxcalingPath, MX_MICROXCALING_PATH);

#define MX_SHARED_EXPONENT_METHOD(X) \
  X(kMax, "max")                     \
  X(kNone, "none")
MX_POLICY(SharedExponentMethod, MX_SHARED_EXPONENT_METHOD);

}  // namespace mx

namespace mx::emulators::microxcaling {

using ElemFormat = MicroxcalingFormat;
using RoundingMode = MicroxcalingRounding;
using Path = MicroxcalingPath;

/// What _get_format_params() tells of a format. The numbers are binary64 patterns, as Python's.
struct FormatParams {
  int ebits = 0;  ///< exponent bits, 0 for integers
  int mbits = 0;  ///< sign, hidden bit and stored significand bits; all bits of an integer
  int emax = 0;
  std::uint64_t max_norm = 0;
  std::uint64_t min_norm = 0;  ///< 0 for integers
  constexpr bool operator==(const FormatParams&) const = default;
};

/// ElemFormat.from_str: case-insensitive, aliases fp4_e2m1, fp16 and bf16; an Exception otherwise.
[[nodiscard]] Checked<ElemFormat> elem_format_from_str(std::string_view name);

/// RoundingMode and "dither" by name; an Exception otherwise.
[[nodiscard]] Checked<RoundingMode> rounding_from_str(std::string_view name);

[[nodiscard]] FormatParams get_format_params(ElemFormat format);

/// 2^(2 - 2^(ebits - 1)) as a binary64 pattern, 0 for integers and below binary64's range.
[[nodiscard]] std::uint64_t get_min_norm(int ebits);

/// The largest number of an IEEE-like format; AssertionError below 5 exponent bits, OverflowError
/// from 12.
[[nodiscard]] Checked<std::uint64_t> get_max_norm(int ebits, int mbits);

}  // namespace mx::emulators::microxcaling
