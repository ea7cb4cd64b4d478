// The functions of Berkeley TestFloat that mxgold has, how to say them to testfloat_gen, and what
// mxgold answers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/arithmetic/arithmetic.hpp"

namespace mx::external {

/// A rounding of TestFloat.
struct TestfloatMode {
  std::string_view option;  ///< "near_even", as in the generator's -rnear_even
  Rounding rounding;
};

struct TestfloatFunction {
  std::string name;  ///< "f32_mulAdd", "ui64_to_f16", "f64_to_f32"
  ArithmeticOperation operation = ArithmeticOperation::kAdd;
  ArithmeticOperation wrong =
      ArithmeticOperation::kAdd;  ///< of the control; where it is the same, another rounding
  const ElementFormat* format = nullptr;
  const ElementFormat* destination = nullptr;  ///< of a conversion between floats, else nullptr
  IntegerConversion integer = {};
  bool has_tininess = false;  ///< asked under both rules of when a result is tiny
  bool is_rounded = true;     ///< asked in every rounding
};

/// The functions of a format, "f16", "f32" or "f64", those between it and integers, and those from
/// it to other floats, bfloat16 included.
[[nodiscard]] std::vector<TestfloatFunction> testfloat_functions(std::string_view name,
                                                                 const ElementFormat& format);

/// The roundings in which a function is asked: all, or one where none has a say.
[[nodiscard]] std::vector<TestfloatMode> testfloat_modes(const TestfloatFunction& function);

/// The rules of tininess under which a function is asked: both, or one where none has a say.
[[nodiscard]] std::vector<Tininess> testfloat_tininess(const TestfloatFunction& function);

/// Arguments of testfloat_gen.
[[nodiscard]] std::string testfloat_arguments(const TestfloatFunction& function,
                                              const TestfloatMode& mode, Tininess tininess,
                                              int level, std::uint64_t seed);

/// mxgold's answers to a function in one rounding under one rule of tininess. TestFloat's reference
/// overflows to the largest finite number in round-to-odd; mxgold's ieee() policy to Inf (spec
/// F10.1).
class TestfloatModel {
 public:
  /// `is_wrong`: the control, which has to differ somewhere.
  TestfloatModel(const TestfloatFunction& function, Rounding rounding, Tininess tininess,
                 OutOfRange out_of_range, bool is_wrong);

  [[nodiscard]] const ElementFormat& from() const;
  [[nodiscard]] const ElementFormat& to() const;
  [[nodiscard]] std::size_t operands() const;
  /// Of every function but the conversions between floats.
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }
  [[nodiscard]] Encoded operator()(std::span<const std::uint64_t> operands) const;

 private:
  Arithmetic arithmetic_;
  ArithmeticOperation operation_;
  std::optional<Conversion> conversion_;  ///< in place of the operation
};

}  // namespace mx::external
