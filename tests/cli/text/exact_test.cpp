#include "golden/text/exact.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"

namespace mx::cli {
namespace {

std::uint64_t code_of(const ElementFormat& format, std::string_view text) {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.nan = NanPolicy::kKeepSign;
  const auto number = golden::parse_number(text);
  EXPECT_TRUE(number.has_value()) << text;
  return number ? encode(*number, format, policy, 0).code : ~std::uint64_t{0};
}

TEST(ExactText, PrintsEveryDigitOfDyadicNumbers) {
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 0x3F880000)), "1.0625");
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 0xBA800000)), "-0.0009765625");
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 0x40490FDB)), "3.1415927410125732421875");
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 0x7F7FFFFF)),
            "340282346638528859811704183484516925440");
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 0x4E6E6B28)), "1000000000");
  EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, 1)).size(), 151U);  // 0. and 149 digits
  EXPECT_EQ(golden::short_decimal(decode(formats::fp32, 1)), "1.4012984643248170709...e-45");
  EXPECT_EQ(golden::short_decimal(decode(formats::fp64, 0x7FEFFFFFFFFFFFFF)),
            "1.7976931348623157081...e308");
  EXPECT_EQ(golden::short_decimal(decode(formats::fp32, 0x80000001)),
            "-1.4012984643248170709...e-45");
}

TEST(ExactText, PrintsHexFloatsAndSpecials) {
  EXPECT_EQ(golden::hex_float(decode(formats::fp32, 0x40490FDB)), "0x1.921fb6p+1");
  EXPECT_EQ(golden::hex_float(decode(formats::fp32, 0xBF800000)), "-0x1p+0");
  EXPECT_EQ(golden::hex_float(decode(formats::fp64, 1)), "0x1p-1074");
  for (const auto& [code, text] : {std::pair{0x00000000U, "0"},
                                   {0x80000000U, "-0"},
                                   {0x7F800000U, "inf"},
                                   {0xFF800000U, "-inf"},
                                   {0x7FC00000U, "nan"},
                                   {0xFFC00000U, "-nan"}}) {
    EXPECT_EQ(golden::hex_float(decode(formats::fp32, code)), text);
    EXPECT_EQ(golden::exact_decimal(decode(formats::fp32, code)), text);
    EXPECT_EQ(golden::short_decimal(decode(formats::fp32, code)), text);
  }
}

TEST(ExactText, PrintsWhatTheHostPrints) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t bits =
        std::uint64_t{counter_random(7, 0, 2 * i, 32)} << 32 | counter_random(7, 0, 2 * i + 1, 32);
    const auto value = std::bit_cast<double>(bits);
    if (!(value - value == 0)) continue;  // Inf and NaN
    char text[2048];
    std::snprintf(text, sizeof text, "%.1100f", value);
    std::string host = text;
    host.erase(host.find_last_not_of('0') + 1);
    if (host.back() == '.') host.pop_back();
    EXPECT_EQ(golden::exact_decimal(decode(formats::fp64, bits)), host) << std::hex << bits;
  }
}

TEST(NumberText, RoundsDecimalsOnceIntoTheSource) {
  EXPECT_EQ(code_of(formats::fp32, "1.0625"), 0x3F880000U);
  EXPECT_EQ(code_of(formats::fp32, "0.1"), 0x3DCCCCCDU);
  EXPECT_EQ(code_of(formats::fp32, "-3e-5"), 0xB7FBA882U);
  EXPECT_EQ(code_of(formats::fp32, "1e400"), 0x7F800000U);
  EXPECT_EQ(code_of(formats::fp32, "1e-400"), 0U);
  EXPECT_EQ(code_of(formats::fp32, "-0"), 0x80000000U);
  EXPECT_EQ(code_of(formats::fp32, "0e9999"), 0U);
  // Half of the smallest subnormal: even, and a hair more: up.
  const std::string half = golden::exact_decimal(unpack_integer(false, 1, -150));
  EXPECT_EQ(code_of(formats::fp32, half), 0U);
  EXPECT_EQ(code_of(formats::fp32, half + "0000000000000000001"), 1U);
  // 1 + 2^-24 is a tie; a digit 60 places further down breaks it. Through binary64 it would not.
  const std::string tie = "1.000000059604644775390625";
  EXPECT_EQ(code_of(formats::fp32, tie), 0x3F800000U);
  EXPECT_EQ(code_of(formats::fp32, tie + std::string(60, '0') + "1"), 0x3F800001U);
}

TEST(NumberText, ReadsHexFloatsAndSpecials) {
  EXPECT_EQ(code_of(formats::fp32, "0x1.921fb6p+1"), 0x40490FDBU);
  EXPECT_EQ(code_of(formats::fp32, "-0X.8P-3"), 0xBD800000U);
  EXPECT_EQ(code_of(formats::fp32, "0x10000010p0"), 0x4D800000U);  // tie to even at 2^28 + 16
  EXPECT_EQ(code_of(formats::fp32, "0x100000100000000000000001p0"), 0x6D800001U);
  EXPECT_EQ(code_of(formats::fp32, "inf"), 0x7F800000U);
  EXPECT_EQ(code_of(formats::fp32, "-Infinity"), 0xFF800000U);
  EXPECT_EQ(code_of(formats::fp32, "-nan"), 0xFFC00000U);
}

TEST(NumberText, AgreesWithTheHostOnRandomDecimals) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::string text = i % 2 == 0 ? "" : "-";
    for (std::uint64_t d = 0; d < 1 + i % 25; ++d) {
      text += static_cast<char>('0' + counter_random(9, 1, 32 * i + d, 16) % 10);
      if (d == i % 7) text += '.';
    }
    const int exponent = static_cast<int>(counter_random(9, 2, i, 16) % 640) - 320;
    text.append("e").append(std::to_string(exponent));
    EXPECT_EQ(code_of(formats::fp64, text),
              std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
}

TEST(NumberText, RefusesWhatIsNoNumber) {
  for (const char* text : {"",        "-",    ".",       "e5",        "1e",   "1e+", "1e+-5",
                           "1.2.3",   "0x",   "0x1",     "0x1p",      "0xp3", "1p3", "abc",
                           "infinit", "nanx", "1e10000", "0x1p99999", "1 ",   "1,5", "--1"}) {
    EXPECT_FALSE(golden::parse_number(text).has_value()) << text;
  }
  EXPECT_FALSE(golden::parse_number(std::string(5000, '1')).has_value());
}

TEST(NumberText, CodesHaveTheWidthOfTheirFormat) {
  EXPECT_EQ(golden::hex_code(formats::e2m1fn, 7), "7");
  EXPECT_EQ(golden::hex_code(formats::e3m2fn, 7), "07");
  EXPECT_EQ(golden::hex_code(formats::fp64, 7), "0000000000000007");
}

}  // namespace
}  // namespace mx::cli
