// The functions of Berkeley TestFloat that mxgold has, and how to say them to testfloat_gen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/arithmetic/arithmetic.hpp"

namespace mx::external {

/// A rounding of TestFloat.
struct TestfloatMode {
  std::string_view option;
  Rounding rounding;
};

struct TestfloatFunction {
  std::string name;  ///< "f32_mulAdd", "ui64_to_f16"
  ArithmeticOperation operation;
  ArithmeticOperation
      wrong;  ///< what the control does instead; where it is the same, another rounding
  const ElementFormat* format;
  IntegerConversion integer = {};
  bool has_tininess = false;  ///< asked under both rules of when a result is tiny
  bool is_rounded = true;     ///< asked in every rounding
};

/// The functions of a format, "f16", "f32" or "f64", and those between it and integers.
[[nodiscard]] std::vector<TestfloatFunction> testfloat_functions(std::string_view name,
                                                                 const ElementFormat& format);

/// The roundings in which a function is asked: all, or one where none has a say.
[[nodiscard]] std::vector<TestfloatMode> testfloat_modes(const TestfloatFunction& function);

/// Arguments of testfloat_gen.
[[nodiscard]] std::string testfloat_arguments(const TestfloatFunction& function,
                                              const TestfloatMode& mode, Tininess tininess,
                                              int level);

/// The operation under the rules of TestFloat. Its reference overflows to the largest finite number
/// in round-to-odd; mxgold's ieee() policy to Inf (spec F10.1).
[[nodiscard]] Arithmetic testfloat_arithmetic(const TestfloatFunction& function, Rounding rounding,
                                              Tininess tininess, OutOfRange out_of_range,
                                              bool wrong);

}  // namespace mx::external
