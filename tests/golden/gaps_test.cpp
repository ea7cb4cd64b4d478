// The thresholds that stimulus aims at, against decoded values and brute force.
#include "golden/points/gaps.hpp"

#include <gtest/gtest.h>

#include "golden/points/block_kit.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "reference/number/rounding.hpp"
#include "tests/support/made.hpp"

namespace mx::golden {
namespace {

/// The magnitude of a value as significand and exponent, so that values compare as numbers.
bool same(const Unpacked& a, const Unpacked& b) { return compare_magnitude(a, b) == 0; }

TEST(FormatGaps, GapsJoinNeighbours) {
  for (const ElementFormat& format : all_formats()) {
    const FormatGaps ladder(format);
    if (format.max_code > 2048 || format.kind == FormatKind::kTapered) continue;
    ASSERT_EQ(ladder.gaps().size(), format.max_code + 1) << format.name;
    for (std::uint64_t code = 0; code <= format.max_code; ++code) {
      const Gap& gap = ladder.gaps()[code];
      EXPECT_TRUE(same(start_of(gap), decode(format, code))) << format.name << " " << code;
      if (code == format.max_code) continue;
      EXPECT_TRUE(same(end_of(gap), decode(format, code + 1))) << format.name << " " << code;
      // The middle of the middle halves: a + (b - a) / 2 twice is b.
      EXPECT_TRUE(same(point(gap, 2, 2), midpoint(gap)));
    }
  }
}

// HiF8's codes are not in the order of its values: spec F3.3.
TEST(FormatGaps, TaperedGapsJoinInTheOrderOfTheValues) {
  const FormatGaps ladder(formats::hif8);
  const std::span<const Gap> gaps = ladder.gaps();
  ASSERT_EQ(gaps.size(), 127U);  // 128 magnitude codes less infinity
  EXPECT_TRUE(same(start_of(gaps.front()), decode(formats::hif8, 0)));
  for (std::size_t i = 1; i < gaps.size(); ++i) {
    EXPECT_TRUE(same(end_of(gaps[i - 1]), start_of(gaps[i]))) << i;
  }
  EXPECT_TRUE(same(midpoint(gaps.back()), unpack_integer(false, 5, 13)));  // 1.25 * 2^15
}

TEST(FormatGaps, ContinuesBeyondTheLargest) {
  const auto beyond = [](const ElementFormat& format) { return end_of(FormatGaps(format).last()); };
  EXPECT_TRUE(same(beyond(formats::e4m3fn), unpack_integer(false, 480, 0)));
  EXPECT_TRUE(same(beyond(formats::e5m2), unpack_integer(false, 65536, 0)));
  EXPECT_TRUE(same(beyond(formats::e3m2fn), unpack_integer(false, 32, 0)));
  EXPECT_TRUE(same(beyond(formats::e2m3fn), unpack_integer(false, 8, 0)));
  EXPECT_TRUE(same(beyond(formats::e2m1fn), unpack_integer(false, 8, 0)));
  EXPECT_TRUE(same(beyond(formats::int8), unpack_integer(false, 2, 0)));
  EXPECT_TRUE(same(beyond(formats::e8m0), unpack_integer(false, 1, 128)));
}

TEST(SourceGrid, FloorIsTheLastCodeNotAbove) {
  for (const ElementFormat& source : all_formats()) {
    const SourceGrid grid(source);
    for (const ElementFormat& format : {formats::e4m3fn, formats::int8, formats::fp16}) {
      const FormatGaps ladder(format);
      for (const Gap& gap : ladder.gaps()) {
        for (const int shift : {-140, -20, 0, 3, 110}) {
          const Unpacked at = scaled(point(gap, 21, 6), shift);
          const std::uint64_t floor = grid.floor(at);
          ASSERT_LE(floor, grid.max());
          if (floor > 0) {
            ASSERT_LE(compare_magnitude(decode(source, grid.code(false, floor)), at), 0)
                << source.name;
          }
          if (floor < grid.max()) {
            ASSERT_GT(compare_magnitude(decode(source, grid.code(false, floor + 1)), at), 0)
                << source.name;
          }
        }
      }
    }
  }
}

TEST(SourceGrid, EveryCodeFindsItself) {
  for (const ElementFormat& source : {formats::bf16, formats::fp16, formats::e5m2, formats::int8}) {
    const SourceGrid grid(source);
    for (std::uint64_t code = 0; code <= grid.max(); ++code) {
      ASSERT_EQ(grid.floor(decode(source, code)), code) << source.name;
      ASSERT_TRUE(grid.holds(decode(source, code)));
      EXPECT_EQ(decode(source, grid.code(true, code)).exponent, decode(source, code).exponent);
    }
  }
}

TEST(SourceGrid, SpecialsAreSpecial) {
  for (const ElementFormat& source : all_formats()) {
    const SourceGrid grid(source);
    EXPECT_EQ(grid.nans().empty(), !source.has_nan()) << source.name;
    EXPECT_EQ(grid.infinities().empty(), !source.has_inf()) << source.name;
    for (const std::uint64_t code : grid.nans()) {
      EXPECT_EQ(decode(source, code).cls, ValueClass::kNan) << source.name;
    }
    for (const std::uint64_t code : grid.infinities()) {
      EXPECT_EQ(decode(source, code).cls, ValueClass::kInf) << source.name;
    }
  }
}

/// R* by trying every R with the rounding kernel.
TEST(RandomWords, FirstThatMovesUpByBruteForce) {
  const SourceGrid grid(formats::fp32);
  const FormatGaps ladder(formats::e2m1fn);
  for (const Rounding variant : {Rounding::kStochasticA, Rounding::kStochasticB,
                                 Rounding::kStochasticC, Rounding::kStochasticCOdd}) {
    for (const int bits : {1, 3, 4, 7}) {
      for (const Gap& gap : ladder.gaps()) {
        for (std::uint64_t at = 0; at < 64; ++at) {
          const std::uint64_t code = grid.floor(point(gap, at, 6)) + (at % 3);
          const Unpacked value = decode(formats::fp32, code);
          if (compare_magnitude(value, end_of(gap)) >= 0) continue;
          // The fraction of the gap from the value itself: it has few bits here, so exact in 64.
          Discarded discarded;
          if (value.cls == ValueClass::kFinite) {
            unsigned __int128 units = static_cast<unsigned __int128>(value.significand) << 64;
            const int shift = 63 - (value.exponent - gap.exponent);
            units = shift >= 128 ? 0 : units >> shift;
            discarded.fraction = static_cast<std::uint64_t>(units);
          }
          std::uint64_t first = std::uint64_t{1} << bits;
          for (std::uint32_t random = 0; random < std::uint32_t{1} << bits; ++random) {
            if (!round_up(variant, false, false, discarded, bits, random)) continue;
            first = random;
            break;
          }
          ASSERT_EQ(first_random_up(variant, bits, value, gap), first)
              << token_of(variant) << " N = " << bits << " at " << at;
        }
      }
    }
  }
}

/// The pin of a scale and the next code, through the reference's scale decision.
TEST(BlockKit, PinIsTheLastOfItsScale) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    for (const std::string_view name :
         {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8"}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                                   ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
        QuantizerConfig config{source, *find_block_format(name), {}, {}};
        config.block.rule = rule;
        const Quantizer quantizer = made(config);
        const BlockKit kit(source, config.format.element);
        const auto scale = [&](std::uint64_t magnitude) {
          const std::uint64_t block[] = {magnitude};
          return quantizer.explain_scale(block).unclamped - 127;
        };
        for (int t = kit.lowest_scale(rule); t <= kit.highest_scale(rule); ++t) {
          const auto pin = kit.pin(rule, t);
          if (!pin) continue;
          ASSERT_EQ(scale(*pin), t) << source.name << " " << name << " " << token_of(rule);
          if (*pin < source.max_code) {
            ASSERT_GT(scale(*pin + 1), t) << source.name << " " << name << " " << token_of(rule);
          }
        }
      }
    }
  }
}

// 2^31 magnitudes of int32 would fill the memory: their list is thinned, that of fewer is whole.
TEST(Gaps, WideIntegersAreThinned) {
  for (const char* const name : {"int32", "uint32", "int24", "fixed32.16"}) {
    const std::optional<ElementFormat> format = make_format(name);
    ASSERT_TRUE(format) << name;
    const FormatGaps gaps(*format);
    EXPECT_LT(gaps.gaps().size(), 500U) << name;
    EXPECT_GT(gaps.gaps().size(), 100U) << name;
    EXPECT_EQ(compare_magnitude(start_of(gaps.last()), decode(*format, format->max_code)), 0)
        << name;
    EXPECT_EQ(compare_magnitude(end_of(gaps.first()), decode(*format, 1)), 0) << name;
    std::uint64_t before = 0;
    for (const Gap& gap : gaps.gaps()) {
      EXPECT_EQ(gap.exponent, gaps.first().exponent) << name;
      EXPECT_TRUE(before == 0 || gap.units > before) << name << " " << gap.units;
      before = gap.units;
    }
  }
  EXPECT_EQ(FormatGaps(*make_format("int20")).gaps().size(), (std::size_t{1} << 19));
}

}  // namespace
}  // namespace mx::golden
