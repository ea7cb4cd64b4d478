// What the conformance tests share: numbers and formats by name, conversions asked of both judges.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string_view>

#include "reference/catalog/catalog.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {

/// A format of the table, of a family or of the guests; an unknown name fails the test.
[[nodiscard]] inline ElementFormat format_named(std::string_view name) {
  if (const auto format = make_format(name)) return *format;
  for (const ElementFormat& guest : guest_formats()) {
    if (guest.name == name) return guest;
  }
  ADD_FAILURE() << "no format " << name;
  return formats::fp32;
}

/// The fp32 pattern of a value that fp32 holds exactly.
[[nodiscard]] inline std::uint64_t fp32(double value) {
  const auto bits = static_cast<float>(value);
  EXPECT_EQ(static_cast<double>(bits), value);
  return std::bit_cast<std::uint32_t>(bits);
}

[[nodiscard]] inline ElementPolicy with(Rounding rounding,
                                        Overflow overflow = Overflow::kSatFinite) {
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.overflow = overflow;
  return policy;
}

/// The code of one conversion; reference and oracle must agree on code and flags.
inline std::uint64_t convert(const ElementFormat& source, std::string_view destination,
                             const ElementPolicy& policy, std::uint64_t input,
                             std::uint32_t random = 0) {
  const ConversionConfig conversion{source, format_named(destination), policy};
  const Encoded got = made(conversion)(input, random);
  const ElementOracle<WideTickField> judge(conversion.destination);
  const Outcome want =
      judge.encode(source_value(source, conversion.destination, policy, input), policy, random);
  EXPECT_EQ(got.code, want.code) << describe_mismatch(conversion, input, random, got, want);
  EXPECT_EQ(got.flags, want.flags) << describe_mismatch(conversion, input, random, got, want);
  return got.code;
}

}  // namespace mx::oracle
