// Casts of short lists of numbers, written as binary32 patterns whatever the tensor's type.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/number_type.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

using Patterns = std::vector<std::uint32_t>;

/// significand * 2^exponent, exactly, as a binary32 pattern.
inline std::uint32_t number(std::int64_t significand, int exponent) {
  const auto magnitude = static_cast<std::uint64_t>(significand < 0 ? -significand : significand);
  const auto bits = static_cast<std::uint32_t>(Fp32::rounded({magnitude, exponent}));
  return bits | (significand < 0 ? 0x80000000U : 0U);
}

/// Integers as binary32 patterns.
inline Patterns numbers(std::initializer_list<std::int64_t> values, int exponent = 0) {
  Patterns patterns;
  for (const std::int64_t value : values) patterns.push_back(number(value, exponent));
  return patterns;
}

constexpr std::uint32_t kNan = 0x7FC00000;
constexpr std::uint32_t kInf = 0x7F800000;
constexpr std::uint32_t kMinusInf = 0xFF800000;
constexpr std::uint32_t kMinusZero = 0x80000000;

struct Call32 {
  Mode mode = Mode::kCompat;
  TensorType type = TensorType::kFp32;
  Shape shape = {};  ///< empty: one axis
  std::vector<std::uint32_t> random = {};
  Platform platform = Platform::kX86;
};

/// The result of a cast, or what it refused.
inline Checked<std::vector<Tensor>> apply_text(const std::string& text, const Patterns& inputs,
                                               const Call32& call) {
  const auto cast = make_cast("microxcaling:" + text, {call.mode, call.platform});
  if (!cast) return Problem{std::string(cast.problem())};
  const Shape shape = call.shape.empty() ? Shape{inputs.size()} : call.shape;
  const Tensor tensor = from_fp32("values", call.type, shape, inputs);
  return (*cast)->apply({.tensor = tensor, .random = call.random});
}

inline Patterns cast(const std::string& text, const Patterns& inputs, const Call32& call = {}) {
  const auto results = apply_text(text, inputs, call);
  EXPECT_TRUE(results) << text << ": " << results.problem();
  return results ? to_fp32(results->front()) : Patterns{};
}

inline std::string refusal(const std::string& text, const Patterns& inputs,
                           const Call32& call = {}) {
  return std::string(apply_text(text, inputs, call).problem());
}

inline Call32 strict(TensorType type = TensorType::kFp32) {
  return {.mode = Mode::kStrict, .type = type};
}
inline Call32 compat(TensorType type) { return {.type = type}; }

}  // namespace mx::emulators::microxcaling
