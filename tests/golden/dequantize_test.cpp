// Dequantizing as an operation of records: worked answers by hand, and the oracle's for every pair
// of a scale and a code under every policy that it has.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/block/rules.hpp"
#include "oracle/element/encode.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

/// The values of a block by the reference.
std::vector<std::uint64_t> values_of(const Configuration& configuration, std::uint64_t scale,
                                     std::vector<std::uint64_t> codes) {
  VectorHeader header;
  header.op = Operation::kDequantize;
  header.configs = {configuration};
  header.lanes = lanes_of(configuration);
  header.lengths = Lengths::kVary;
  header.count = 1;
  EXPECT_EQ(header.problem(), "");
  RecordBatch batch(header.shape(), 1);
  batch.word(Field::kElements, 0) = codes.size();
  batch.word(Field::kAScale, 0) = scale;
  std::ranges::copy(codes, batch.of(Field::kA, 0).begin());
  ReferenceAnswerer(header).answer(batch, 0, 1);
  const auto values = batch.of(Field::kCode, 0).first(codes.size());
  return {values.begin(), values.end()};
}

using Codes = std::vector<std::uint64_t>;

/// spec F12.2 by hand: e5m2 has 1.0 at 3C, its smallest number 2^-16 at 01, +-0 at 00 and 80.
TEST(Dequantizing, GivesTheWorkedAnswers) {
  const Configuration plain = dequantize("mxfp8_e5m2", formats::fp32);
  EXPECT_EQ(values_of(plain, 0x7F, {0x3C, 0xBC, 0x00, 0x80, 0x01, 0x7C, 0xFC, 0x7D}),
            (Codes{0x3F800000, 0xBF800000, 0x00000000, 0x80000000, 0x37800000, 0x7F800000,
                   0xFF800000, 0x7FC00000}));
  EXPECT_EQ(values_of(plain, 0x00, {0x3C, 0x01, 0x80}),
            (Codes{0x00400000, 0x00000040, 0x80000000}));
  EXPECT_EQ(values_of(plain, 0xFF, {0x3C, 0x00, 0x7C}),
            (Codes{0x7FC00000, 0x7FC00000, 0x7FC00000}));
  EXPECT_EQ(values_of(plain, 0xFE, {0x3C, 0x40, 0xC0, 0x7C}),
            (Codes{0x7F000000, 0x7F800000, 0xFF800000, 0x7F800000}));
}

TEST(Dequantizing, OverflowFlushAndRoundingAreItsOwn) {
  const auto with = [](Dequantizing how, DequantOverflow overflow) {
    return dequantize("mxfp8_e5m2", formats::fp32, how, overflow);
  };
  EXPECT_EQ(values_of(with({}, DequantOverflow::kSaturate), 0xFE, {0x40, 0xC0, 0x7C}),
            (Codes{0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000}));
  EXPECT_EQ(values_of(with({}, DequantOverflow::kNan), 0xFE, {0x40, 0xC0, 0x7C}),
            (Codes{0x7FC00000, 0x7FC00000, 0x7F800000}));
  const Dequantizing flushing{Rounding::kTiesToEven, ResultSubnormals::kFlushAfterRounding};
  EXPECT_EQ(values_of(with(flushing, DequantOverflow::kInf), 0x00, {0x3C, 0xBC, 0x40}),
            (Codes{0x00000000, 0x80000000, 0x00800000}));
  // 1.25 * 2^-9 in e4m3fn, whose smallest number is 2^-9: down, or up away from zero.
  const auto narrow = [](Rounding rounding) {
    return dequantize("mxfp8_e5m2", formats::e4m3fn, {rounding, ResultSubnormals::kKeep});
  };
  EXPECT_EQ(values_of(narrow(Rounding::kTiesToEven), 0x76, {0x3D}), Codes{0x01});
  EXPECT_EQ(values_of(narrow(Rounding::kAwayFromZero), 0x76, {0x3D}), Codes{0x02});
}

/// Two-level formats: the tensor scale belongs to the product, before the one rounding.
TEST(Dequantizing, HasTheTensorScaleInTheProduct) {
  Configuration configuration = dequantize("nvfp4", formats::fp32);
  std::get<DequantizeCase>(configuration.what).tensor_scale = 0x3F000000;
  EXPECT_EQ(values_of(configuration, 0x38, {0x2, 0xA, 0x8, 0x7}),
            (Codes{0x3F000000, 0xBF000000, 0x80000000, 0x40400000}));
}

/// Property: the oracle says the same of every pair under every combination of policies.
TEST(Dequantizing, IsTheOracles) {
  std::size_t compared = 0, overflowed = 0;
  for (const char* format : {"mxfp8_e5m2", "mxfp4", "nvfp4", "binary8p3se_k32"}) {
    for (const ElementFormat* result : {&formats::fp32, &formats::fp16, &formats::e4m3fn}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardNegative,
                                      Rounding::kToOdd, Rounding::kTiesToAway}) {
        for (const ResultSubnormals ftz :
             {ResultSubnormals::kKeep, ResultSubnormals::kFlushBeforeRounding,
              ResultSubnormals::kFlushAfterRounding}) {
          for (const DequantOverflow overflow :
               {DequantOverflow::kInf, DequantOverflow::kSaturate, DequantOverflow::kNan}) {
            const Configuration each = dequantize(format, *result, {rounding, ftz}, overflow);
            const auto& what = std::get<DequantizeCase>(each.what);
            const QuantizerConfig blocks = what.blocks();
            oracle::RulesCase judge;
            judge.block = {blocks.source, blocks.format, blocks.element, blocks.block};
            judge.tensor_scale =
                oracle::extended(oracle::value_of(formats::fp32, what.tensor_scale));
            const GoldenSet set = golden_set({each}, SuiteKind::kSmoke);
            for (std::size_t i = 0; i < set.records.size(); i += 3) {
              const std::size_t n = set.records.elements(Field::kA, i);
              for (std::size_t lane = 0; lane < n; lane += 5) {
                const std::uint64_t value = set.records.of(Field::kCode, i)[lane];
                ASSERT_EQ(value, oracle::dequantize_by_rules(
                                     judge, *result, set.records.word(Field::kAScale, i),
                                     set.records.of(Field::kA, i)[lane], lane, rounding, ftz))
                    << name_of(each) << " record " << i << " lane " << lane;
                ++compared;
                overflowed += value == result->max_code ? 1U : 0U;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 50000U);
  EXPECT_GT(overflowed, 100U);
}

/// Refused: random words, a rule that the formats do not fit.
TEST(Dequantizing, RefusesWhatCannotBe) {
  EXPECT_NE(problem_of(dequantize("mxfp4", formats::fp32,
                                  {Rounding::kStochasticA, ResultSubnormals::kKeep})),
            "");
  Configuration configuration = dequantize("mxfp4", formats::fp32);
  std::get<DequantizeCase>(configuration.what).rule = ScaleRule::kNvfp4Torchao;
  EXPECT_NE(problem_of(configuration), "");
}

}  // namespace
}  // namespace mx::golden
