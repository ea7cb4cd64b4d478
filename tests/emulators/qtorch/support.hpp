// Tensors of patterns and casts by text.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/tensor.hpp"

namespace mx::emulators::qtorch {

using Patterns = std::vector<std::uint32_t>;

inline constexpr Setting kStrict = {};
inline constexpr Setting kCompat = {.mode = Mode::kCompat, .platform = Platform::kX86};
inline constexpr Setting kCuda = {.mode = Mode::kCompat, .platform = Platform::kCuda};
inline constexpr Setting kAarch64 = {.mode = Mode::kCompat, .platform = Platform::kAarch64};

/// A binary32 constant of a test as its pattern: the tests, not the reference, use the host's type.
inline std::uint32_t f(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline Patterns f(const std::vector<float>& values) {
  Patterns patterns;
  for (const float value : values) patterns.push_back(f(value));
  return patterns;
}

inline Tensor tensor(const Patterns& values, Shape shape = {}, std::string name = "values") {
  if (shape.empty()) shape = {values.size()};
  return from_fp32(std::move(name), TensorType::kFp32, std::move(shape), values);
}

inline Patterns patterns(const TensorView& tensor) { return to_fp32(tensor); }

inline CastPointer cast(const std::string& text, const Setting& setting) {
  const Checked<CastPointer> made = make_cast("qtorch:" + text, setting);
  EXPECT_TRUE(made) << text << ": " << made.problem();
  return made ? *made : nullptr;
}

/// The values of a cast of patterns.
inline Patterns run(const std::string& text, const Setting& setting, const Patterns& values,
                    const Patterns& random = {}, const Shape& shape = {}) {
  const CastPointer made = cast(text, setting);
  if (made == nullptr) return {};
  const Tensor input = tensor(values, shape);
  const auto results = made->apply({.tensor = input, .random = random});
  EXPECT_TRUE(results) << text << ": " << results.problem();
  return results ? patterns((*results).front()) : Patterns{};
}

/// What a cast refuses, "" if nothing.
inline std::string refusal(const std::string& text, const Setting& setting, const Tensor& input) {
  const Checked<CastPointer> made = make_cast("qtorch:" + text, setting);
  if (!made) return std::string(made.problem());
  return std::string((*made)->apply({.tensor = input}).problem());
}

inline bool all_nan(const Patterns& values) {
  for (const std::uint32_t value : values) {
    if ((value & 0x7FFFFFFF) <= 0x7F800000) return false;
  }
  return !values.empty();
}

}  // namespace mx::emulators::qtorch
