// The judge judged: its fast number types equal its rationals, its parts obey their definitions, it
// reads nothing of the reference but descriptors and policies.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "oracle/block/block.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

template <class Field>
void expect_same_places(const ElementFormat& destination) {
  const Ladder<RationalField> law(destination);
  const Ladder<Field> fast(destination);
  Stream stream(500);
  for (const std::uint64_t input : random_patterns(formats::fp32, destination, 3000, stream)) {
    const Real x = value_of(formats::fp32, input);
    if (!x.finite()) continue;
    for (const int random_bits : {0, 1, 3, 16, 32}) {
      const Placement a = law.place(x, random_bits);
      const Placement b = fast.place(x, random_bits);
      const auto same_gap = [](const Position& p, const Position& q) {
        return p.exact == q.exact && p.half == q.half && p.odd == q.odd && p.floor_n == q.floor_n &&
               p.floor_n1 == q.floor_n1 && p.rint_even == q.rint_even && p.rint_odd == q.rint_odd;
      };
      ASSERT_TRUE(a.lower == b.lower && a.beyond == b.beyond && same_gap(a.gap, b.gap) &&
                  a.below_normal == b.below_normal && a.last_gap == b.last_gap &&
                  same_gap(a.tiny_gap, b.tiny_gap))
          << destination.name << ' ' << hex(input, 8);
    }
  }
}

TEST(OracleNumbers, TicksEqualRationals) {
  for (const ElementFormat& destination : every_format()) {
    if (destination.bits > 16) continue;
    expect_same_places<TickField>(destination);
    expect_same_places<WideTickField>(destination);
  }
}

TEST(OracleNumbers, TicksRefuseWhatTheyCannotHold) {
  EXPECT_THROW((void)TickField::make(1, -321), std::range_error);
  EXPECT_THROW((void)TickField::make(1, -400), std::range_error);
  EXPECT_THROW((void)TickField::make(3, 300), std::overflow_error);
  EXPECT_EQ(TickField::make(6, -321), TickField::make(3, -320));
}

// The counts of the stochastic roundings, straight from their definitions in spec F9.1.
TEST(OracleGap, StochasticCountsByDefinition) {
  const Ladder<RationalField> ladder(formats::e4m3fn);
  std::uint64_t ties = 0;
  for (std::uint64_t part = 1; part < 512; ++part) {            // nu = part / 512 above 1.0
    const Real x{.significand = 4096 + part, .exponent = -12};  // 4096 = 8 * 512
    for (const int n : {1, 2, 3, 5, 9, 12}) {
      const Position gap = ladder.place(x, n).gap;
      const Rational t = Rational(part) * (1 << n) / 512;
      EXPECT_LE(Rational(gap.floor_n), t);
      EXPECT_GT(Rational(gap.floor_n + 1), t);
      EXPECT_LE(Rational(gap.floor_n1), t * 2);
      EXPECT_GT(Rational(gap.floor_n1 + 1), t * 2);
      const Rational below = t - Rational(gap.floor_n);
      if (below == Rational(1) / 2) {
        ++ties;
        EXPECT_EQ(gap.rint_even % 2, 0U);
        EXPECT_EQ(gap.rint_odd % 2, 1U);
        EXPECT_EQ(gap.rint_even + gap.rint_odd, 2 * gap.floor_n + 1);
      } else {
        const std::uint64_t nearest = gap.floor_n + (below > Rational(1) / 2 ? 1 : 0);
        EXPECT_EQ(gap.rint_even, nearest);
        EXPECT_EQ(gap.rint_odd, nearest);
      }
    }
  }
  EXPECT_GT(ties, 10U);
}

TEST(OracleLogarithms, AgreeWithTheirDefinition) {
  Stream stream(501);
  for (int i = 0; i < 2000; ++i) {
    const Rational v =
        RationalField::make(1 + stream.below(1 << 20), static_cast<int>(stream.below(600)) - 300) /
        Rational(1 + stream.below(1000));
    const int e = floor_log2(v);
    EXPECT_LE(RationalField::make(1, e), v);
    EXPECT_LT(v, RationalField::make(1, e + 1));
    const int c = ceil_log2(v);
    EXPECT_GE(RationalField::make(1, c), v);
    EXPECT_LT(RationalField::make(1, c - 1), v);
  }
}

// spec V5.3: the ladders' identities, at every fp32 threshold of every MX float format.
TEST(OracleLadders, IdentitiesBetweenRoundings) {
  for (const char* name : {"e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn"}) {
    const ElementOracle<TickField> judge(*find_format(name));
    const auto step = [&](Rounding rounding, std::uint64_t input) {
      const Placement place = judge.place(value_of(formats::fp32, input), 0);
      return place.lower + (!place.beyond && goes_up(rounding, false, place.gap, 0, 0) ? 1 : 0);
    };
    for (const std::uint64_t input : threshold_patterns(formats::fp32, *find_format(name), 1, 1)) {
      if (input >> 31 != 0) continue;
      // The upper neighbour k = lower + 1 is reached by NE as by NA if k is even, else as by NZ; by
      // OD as by TZ if k is even, else as by AZ.
      const std::uint64_t zero = step(Rounding::kTowardZero, input);
      const std::uint64_t away = step(Rounding::kAwayFromZero, input);
      const bool upper_even = zero % 2 != 0;
      EXPECT_EQ(step(Rounding::kTiesToEven, input),
                step(upper_even ? Rounding::kTiesToAway : Rounding::kTiesToZero, input));
      EXPECT_EQ(step(Rounding::kToOdd, input), upper_even ? zero : away);
      EXPECT_LE(away, zero + 1);
    }
  }
}

// Host arithmetic as one more opinion: the oracle's binary32 is the machine's.
TEST(OracleLadders, NarrowingFp64IsTheMachines) {
  const ElementOracle<WideTickField> judge(formats::fp32);
  Stream stream(502);
  ElementPolicy ieee;
  ieee.overflow = Overflow::kNoneInfOrNan;
  std::uint64_t subnormal = 0;
  for (const std::uint64_t input : random_patterns(formats::fp64, formats::fp32, 20000, stream)) {
    const auto x = std::bit_cast<double>(input);
    if (std::isnan(x)) continue;
    const auto want = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    ASSERT_EQ(judge.encode(value_of(formats::fp64, input), ieee, 0).code, want) << hex(input, 16);
    if ((want & 0x7F800000) == 0 && want << 1 != 0) ++subnormal;
  }
  EXPECT_GT(subnormal, 100U);
}

// The oracle shares the descriptors and nothing else with what it judges.
TEST(OracleLayering, IncludesDescriptorsOnly) {
  const std::set<std::string> allowed = {
      "reference/format/format.hpp",    "reference/format/table.hpp",
      "reference/policy/policy.hpp",    "reference/catalog/catalog.hpp",
      "reference/dot/model.hpp",        "reference/p3109/operation.hpp",
      "reference/policy/operation.hpp", "reference/policy/integer.hpp",
      "reference/format/integers.hpp",  "reference/unit/unit.hpp"};
  const std::regex include("#include \"([^\"]*)\"");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MX_ORACLE_DIRECTORY)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".cpp") continue;
    ++files;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      EXPECT_TRUE(allowed.contains(match[1]) || match.str(1).starts_with("oracle/"))
          << entry.path().filename() << ": " << line;
    }
  }
  EXPECT_GE(files, 8);
}

}  // namespace
}  // namespace mx::oracle
