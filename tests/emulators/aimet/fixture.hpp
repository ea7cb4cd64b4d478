// Casts of the emulated AIMET on literal values.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/number_type.hpp"
#include "emulators/common/tensor.hpp"

namespace mx::emulators::aimet {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

inline Tensor tensor_of(const std::vector<float>& values, Shape shape,
                        TensorType type = TensorType::kFp32, std::string name = "values") {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return from_fp32(std::move(name), type, std::move(shape), bits);
}

inline Tensor tensor_of(const std::vector<float>& values, TensorType type = TensorType::kFp32) {
  return tensor_of(values, Shape{values.size()}, type);
}

inline Tensor scale_of(const std::vector<float>& values, Shape shape = {}) {
  return tensor_of(values, std::move(shape), TensorType::kFp32, "scale");
}

inline std::vector<float> floats_of(const Tensor& tensor) {
  std::vector<float> values;
  for (const std::uint32_t bits : to_fp32(tensor)) values.push_back(std::bit_cast<float>(bits));
  return values;
}

/// The result of a name, or what kept the cast from being made or applied.
inline Checked<Tensor> applied(const std::string& text, Mode mode, const Tensor& values,
                               const std::vector<Tensor>& operands = {},
                               std::string_view name = "values") {
  const Checked<CastPointer> cast = make_cast("aimet:" + text, {mode, Platform::kX86});
  if (!cast) return Problem{std::string(cast.problem())};
  CastInput input{.tensor = values};
  for (const Tensor& operand : operands) input.operands.emplace_back(operand);
  const auto results = (*cast)->apply(input);
  if (!results) return Problem{std::string(results.problem())};
  for (const Tensor& result : *results) {
    if (result.name == name) return result;
  }
  return Problem{"no result of that name"};
}

inline std::vector<float> values_of(const std::string& text, Mode mode, const Tensor& values,
                                    const std::vector<Tensor>& operands = {},
                                    std::string_view name = "values") {
  const Checked<Tensor> result = applied(text, mode, values, operands, name);
  EXPECT_EQ(result.problem(), "") << text;
  return result ? floats_of(*result) : std::vector<float>{};
}

/// The exception's class with which a cast is refused, "" where it is not.
inline std::string refusal_of(const std::string& text, Mode mode, const Tensor& values,
                              const std::vector<Tensor>& operands = {}) {
  const Checked<Tensor> result = applied(text, mode, values, operands);
  const std::string problem(result.problem());
  return problem.substr(0, problem.find(':'));
}

/// Patterns, every NaN as 0x7FC00000: values compare with their signs of zero.
inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) {
    bits.push_back(value != value ? 0x7FC00000 : std::bit_cast<std::uint32_t>(value));
  }
  return bits;
}

}  // namespace mx::emulators::aimet

/// Values equal bit by bit, zeros' signs included.
#define MX_EXPECT_VALUES(actual, ...)                \
  EXPECT_EQ(::mx::emulators::aimet::bits_of(actual), \
            ::mx::emulators::aimet::bits_of(std::vector<float>(__VA_ARGS__)))
