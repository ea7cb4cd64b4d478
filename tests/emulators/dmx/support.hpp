// What the tests of dmx share: casts by text, values as binary32 patterns.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/dmx/format/shorthand.hpp"

namespace mx::emulators::dmx {

using Patterns = std::vector<std::uint32_t>;

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

inline Patterns bits(std::initializer_list<float> values) {
  Patterns patterns;
  for (const float value : values) patterns.push_back(bits(value));
  return patterns;
}

inline constexpr std::uint32_t kNanBits = 0x7FC00000;
inline constexpr std::uint32_t kInfBits = 0x7F800000;
inline constexpr std::uint32_t kMinusZero = 0x80000000;

inline Setting compat() { return {.mode = Mode::kCompat}; }
inline Setting strict() { return {.mode = Mode::kStrict}; }

inline Tensor tensor_of(const Patterns& values, Shape shape, TensorType type = TensorType::kFp32,
                        std::string name = "values") {
  Tensor tensor = Tensor::zeros(std::move(name), type, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    set_word(tensor.bytes, width_of(type), i, values[i]);
  }
  return tensor;
}

inline Patterns words_of(const Tensor& tensor) {
  Patterns words;
  for (std::size_t i = 0; i < elements_of(tensor.shape); ++i) {
    words.push_back(static_cast<std::uint32_t>(word_at(TensorView(tensor), i)));
  }
  return words;
}

inline CastPointer make(const std::string& text, const Setting& setting) {
  const auto made = make_cast("dmx:" + text, setting);
  EXPECT_TRUE(made) << text << ": " << made.problem();
  return made ? *made : nullptr;
}

/// A canonical text as the format it names.
template <typename Made>
Made format_of(const std::string& text) {
  return std::get<Made>(*strict_shorthand(text));
}

/// What a cast is given besides its values.
struct Given {
  Shape shape = {};  ///< one axis of all values where it is empty
  std::optional<std::int64_t> axis = {};
  Patterns random = {};
};

/// Values after a cast; the problem's text goes to the failure.
inline Patterns cast(const std::string& text, const Setting& setting, const Patterns& values,
                     const Given& given = {}) {
  const CastPointer made = make(text, setting);
  if (made == nullptr) return {};
  const Shape shape = given.shape.empty() ? Shape{values.size()} : given.shape;
  const Tensor tensor = tensor_of(values, shape);
  const auto results = made->apply({.tensor = tensor, .axis = given.axis, .random = given.random});
  EXPECT_TRUE(results) << text << ": " << results.problem();
  return results ? words_of(results->front()) : Patterns{};
}

/// The problem of making or applying a cast, "" where there is none.
inline std::string problem(const std::string& text, const Setting& setting,
                           const Patterns& values = {}, const Given& given = {}) {
  const auto made = make_cast("dmx:" + text, setting);
  if (!made) return std::string(made.problem());
  const Shape shape = given.shape.empty() ? Shape{values.size()} : given.shape;
  const Tensor tensor = tensor_of(values, shape);
  const auto results =
      (*made)->apply({.tensor = tensor, .axis = given.axis, .random = given.random});
  return std::string(results.problem());
}

/// A property's text, or its problem.
inline std::string fact(const std::string& text, const Setting& setting, const std::string& name) {
  const CastPointer made = make(text, setting);
  if (made == nullptr) return {};
  for (const Property& each : made->properties()) {
    if (each.name == name) return each.problem.empty() ? each.text : each.problem;
  }
  return "no " + name;
}

inline void expect_cast(const std::string& text, const Patterns& values, const Patterns& compat_out,
                        const Patterns& strict_out, const Given& given = {}) {
  EXPECT_EQ(cast(text, compat(), values, given), compat_out) << text << " compat";
  EXPECT_EQ(cast(text, strict(), values, given), strict_out) << text << " strict";
}

inline void expect_fact(const std::string& text, const std::string& name,
                        const std::string& compat_text, const std::string& strict_text) {
  EXPECT_EQ(fact(text, compat(), name), compat_text) << text << " compat";
  EXPECT_EQ(fact(text, strict(), name), strict_text) << text << " strict";
}

inline void expect_problem(const std::string& text, const std::string& compat_start,
                           const std::string& strict_start) {
  EXPECT_EQ(problem(text, compat()).substr(0, compat_start.size()), compat_start) << text;
  EXPECT_EQ(problem(text, strict()).substr(0, strict_start.size()), strict_start) << text;
}

}  // namespace mx::emulators::dmx
