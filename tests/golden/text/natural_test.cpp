// SPDX-License-Identifier: Apache-2.0
// Natural numbers beside Boost's.
#include "golden/text/natural.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "golden/text/exact.hpp"
#include "reference/number/philox.hpp"

namespace mx::golden {
namespace {

using Whole = boost::multiprecision::cpp_int;

/// A number and its judge, through the same operations.
struct Pair {
  Natural ours;
  Whole theirs;

  void expect_same(const char* what) const {
    EXPECT_EQ(ours.decimal(), theirs.str()) << what;
    EXPECT_EQ(ours.is_zero(), theirs.is_zero()) << what;
    const int bits = theirs.is_zero() ? 0 : static_cast<int>(msb(theirs)) + 1;
    EXPECT_EQ(ours.bits(), bits) << what;
    for (const int place : {-70, -63, -1, 0, 1, 31, 32, 33, bits - 65, bits - 64, bits - 1, bits}) {
      const Whole shifted = place < 0 ? Whole(theirs << -place) : Whole(theirs >> place);
      EXPECT_EQ(ours.word_at(place), static_cast<std::uint64_t>(shifted & ~std::uint64_t{0}))
          << what << " at " << place;
      const Whole below = place <= 0 ? Whole(0) : Whole(theirs & ((Whole(1) << place) - 1));
      EXPECT_EQ(ours.has_bits_below(place), below != 0) << what << " below " << place;
    }
  }
};

TEST(Natural, ComputesAsBoostDoes) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xFFFFFFFF},
                                    std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    Pair pair{Natural(start), Whole(start)};
    pair.expect_same("start");
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto factor = static_cast<std::uint32_t>(counter_random(7, 0, i, 32));
      const auto added = static_cast<std::uint32_t>(counter_random(8, 0, i, 32));
      pair.ours.multiply(factor, added);
      pair.theirs = pair.theirs * factor + added;
      pair.expect_same("multiplied");
      const int places = static_cast<int>(factor % 70);
      pair.ours.shift_left(places);
      pair.theirs <<= places;
      pair.expect_same("shifted");
      const std::uint32_t divisor = added / 3 + 1;
      const auto rest = static_cast<std::uint32_t>(pair.theirs % divisor);
      EXPECT_EQ(pair.ours.divide(divisor), rest);
      pair.theirs /= divisor;
      pair.expect_same("divided");
    }
  }
}

TEST(Natural, PowersOf5) {
  for (int exponent = 0; exponent < 60; ++exponent) {
    const Whole power = pow(Whole(5), static_cast<unsigned>(exponent));
    Pair pair{Natural(3), Whole(3)};
    pair.ours.multiply_by_power_of_5(exponent);
    pair.theirs *= power;
    pair.expect_same("power");
    Natural exactly = pair.ours;
    EXPECT_FALSE(exactly.divide_by_power_of_5(exponent));
    EXPECT_EQ(exactly.decimal(), "3");
    pair.ours.multiply(1, 1);
    EXPECT_EQ(pair.ours.divide_by_power_of_5(exponent), exponent > 0);
    EXPECT_EQ(pair.ours.decimal(), Whole((pair.theirs + 1) / power).str());
  }
}

/// |number| = digits * 10^exponent, cut to 64 bits by Boost.
Unpacked judged(const Whole& digits, int exponent) {
  const Whole ten = pow(Whole(10), static_cast<unsigned>(exponent < 0 ? -exponent : exponent));
  const int up = 4000;  // far more bits than any quotient here needs
  const Whole scaled = exponent < 0 ? Whole((digits << up) / ten) : Whole((digits * ten) << up);
  const bool has_rest = exponent < 0 && (digits << up) % ten != 0;
  const int below = static_cast<int>(msb(scaled)) - 63;
  return {.cls = ValueClass::kFinite,
          .sticky = has_rest || static_cast<int>(lsb(scaled)) < below,
          .exponent = static_cast<int>(msb(scaled)) - up,
          .significand = static_cast<std::uint64_t>(scaled >> below)};
}

TEST(Natural, DecimalsAreReadAsBoostReadsThem) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < 600; ++i) {
    const std::uint64_t drawn =
        std::uint64_t{counter_random(9, 0, i, 32)} << 32 | counter_random(10, 0, i, 32);
    const std::uint64_t digits = (drawn >> i % 64) | 1;
    const int exponent = static_cast<int>(i) - 300;
    const auto number = parse_number(std::to_string(digits) + "e" + std::to_string(exponent));
    ASSERT_TRUE(number.has_value());
    const Unpacked wanted = judged(Whole(digits), exponent);
    EXPECT_EQ(*number, wanted) << digits << "e" << exponent;
    ++count;
  }
  EXPECT_EQ(count, 600U);
  // The limits: so many digits, such exponents, and one more.
  EXPECT_TRUE(parse_number(std::string(4096, '9') + "e9999").has_value());
  EXPECT_TRUE(parse_number(std::string(4096, '9') + "e-9999").has_value());
  EXPECT_FALSE(parse_number(std::string(4097, '9')).has_value());
  EXPECT_FALSE(parse_number("1e10000").has_value());
}

}  // namespace
}  // namespace mx::golden
