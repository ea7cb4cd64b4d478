// The full suite closes the coverage of every configuration (spec V10); a minute and more.
#include <gtest/gtest.h>

#include "tests/sim/coverage/coverage_kit.hpp"

namespace mx::sim {
namespace {

/// Every format x rounding x rule x source that the RTL's default build computes.
TEST(EveryFullSuite, ClosesCoverage) {
  int count = 0;
  for (const std::string_view format :
       {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4", "mxint8"}) {
    for (const Rounding rounding :
         {Rounding::kTiesToEven, Rounding::kTiesToAway, Rounding::kTiesToZero,
          Rounding::kTiesTowardPositive, Rounding::kTowardZero, Rounding::kTowardNegative,
          Rounding::kTowardPositive, Rounding::kAwayFromZero, Rounding::kToOdd,
          Rounding::kStochasticA}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                                   ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
        for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
          expect_closed({format, rounding, rule, source});
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(count, 900);
}

}  // namespace
}  // namespace mx::sim
