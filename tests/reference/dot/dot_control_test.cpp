// Negative controls of dot_test.cpp: dot products that are wrong in one way each, under the same
// comparison. Each must be seen; the reference itself must pass.
#include <gtest/gtest.h>

#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/dot/dot_sweep.hpp"

namespace mx::oracle {
namespace {

struct Mutant {
  const char* name;
  DotMode mode;
  void (*damage)(DotConfig&);                       ///< what is computed instead
  void (*disturb)(DotOperands&);                    ///< or of what
  void (*spoil)(Encoded&);                          ///< or what is answered
  void (*prepare)(DotConfig&) = [](DotConfig&) {};  ///< policies both sides share
};
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

void as_is(DotConfig&) {}
void same(DotOperands&) {}
void untouched(Encoded&) {}

const Mutant kMutants[] = {
    {"result_truncated", DotMode::kExactOnce,
     [](DotConfig& c) { c.rounding = Rounding::kTowardZero; }, same, untouched},
    {"ties_away", DotMode::kExactOnce, [](DotConfig& c) { c.rounding = Rounding::kTiesToAway; },
     same, untouched},
    {"sums_rounded_on_the_way", DotMode::kExactOnce,
     [](DotConfig& c) { c.mode = DotMode::kFp32Seq; }, same, untouched},
    {"blocks_rounded_on_the_way", DotMode::kExactOnce,
     [](DotConfig& c) { c.mode = DotMode::kBlockExactFp32Seq; }, same, untouched},
    {"overflow_saturates", DotMode::kExactOnce,
     [](DotConfig& c) { c.overflow = Overflow::kSatFinite; }, same, untouched},
    {"last_product_lost", DotMode::kExactOnce, as_is, [](DotOperands& o) { o.b_codes.back() = 0; },
     untouched},
    {"second_scale_forgotten", DotMode::kExactOnce, as_is,
     [](DotOperands& o) { o.b_scales.assign(o.b_scales.size(), 0x7F); }, untouched},
    {"nan_scale_is_a_number", DotMode::kExactOnce, as_is,
     [](DotOperands& o) {
       for (std::uint64_t& scale : o.a_scales) scale = scale == 0xFF ? 0xFE : scale;
     },
     untouched},
    {"addend_forgotten", DotMode::kExactOnce, as_is, [](DotOperands& o) { o.addend.reset(); },
     untouched},
    {"zero_keeps_a_sign", DotMode::kExactOnce, as_is, same,
     [](Encoded& out) {
       if (out.code == 0) out.code = 0x80000000;
     }},
    {"nan_with_a_sign", DotMode::kExactOnce, as_is, same,
     [](Encoded& out) {
       if (out.code == 0x7FC00000) out.code = 0xFFC00000;
     }},
    {"invalid_forgotten", DotMode::kExactOnce, as_is, same,
     [](Encoded& out) { out.flags &= static_cast<std::uint8_t>(~kFlagInvalid); }},
    {"tree_for_sequence", DotMode::kFp32Seq, [](DotConfig& c) { c.mode = DotMode::kFp32Tree; },
     same, untouched},
    {"sequence_for_tree", DotMode::kFp32Tree, [](DotConfig& c) { c.mode = DotMode::kFp32Seq; },
     same, untouched},
    {"exact_for_blocks", DotMode::kBlockExactFp32Seq,
     [](DotConfig& c) { c.mode = DotMode::kExactOnce; }, same, untouched},
    {"one_bit_more", DotMode::kAccumulator, [](DotConfig& c) { ++c.accumulator.alignment_bits; },
     same, untouched},
    {"terms_rounded", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.align_rounding = Rounding::kTiesToEven; }, same, untouched},
    {"twos_complement_cut", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.align_rounding = Rounding::kTowardNegative; }, same,
     untouched},
    {"sticky_bit_kept", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.align_rounding = Rounding::kToOdd; }, same, untouched},
    {"strided", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.order = DotOrder::kStrided; }, same, untouched},
    {"reversed", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.order = DotOrder::kReversed; }, same, untouched},
    {"sum_added_afterwards", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.carry = DotCarry::kAfterwards; }, same, untouched},
    {"not_normalized_products", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.align = DotAlign::kExponentSum; }, same, untouched},
    {"rounded_at_the_end", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.normalize = DotNormalize::kAtEnd; }, same, untouched,
     [](DotConfig& c) { c.accumulator.format = formats::fp16; }},
    {"accumulator_saturates", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.overflow = Overflow::kSatFinite; }, same, untouched},
    {"subnormal_sums_flushed", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.ftz = ResultSubnormals::kFlushAfterRounding; }, same,
     untouched},
    {"tiny_sums_flushed", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.ftz = ResultSubnormals::kFlushAfterUnboundedRounding; }, same,
     untouched,
     [](DotConfig& c) {
       c.accumulator.group = 16;
       c.accumulator.format = *make_format("e8m1");
       c.accumulator.rounding = Rounding::kAwayFromZero;
       c.accumulator.ftz = ResultSubnormals::kFlushAfterRounding;
     }},
    {"accumulator_stays_inside", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.overflow = Overflow::kNoneInfOrNan; }, same, untouched,
     [](DotConfig& c) {
       c.accumulator.rounding = Rounding::kTowardZero;
       c.accumulator.overflow = Overflow::kAlwaysInfOrNan;
     }},
    {"zero_sum_positive", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.zero_sign = DotZeroSign::kPositive; }, same, untouched,
     [](DotConfig& c) {
       c.accumulator.rounding = Rounding::kTowardNegative;
       c.accumulator.zero_sign = DotZeroSign::kIeee;
     }},
    {"zero_sum_without_its_rounding", DotMode::kAccumulator,
     [](DotConfig& c) { c.accumulator.rounding = Rounding::kTowardZero; }, same, untouched,
     [](DotConfig& c) {
       c.accumulator.rounding = Rounding::kTowardNegative;
       c.accumulator.zero_sign = DotZeroSign::kIeee;
     }},
    {"another_group", DotMode::kAccumulator, [](DotConfig& c) { ++c.accumulator.group; }, same,
     untouched},
};

DotConfig configured(const Mutant& mutant, int turn) {
  constexpr const char* kPairs[][2] = {{"e4m3fn", "e5m2"}, {"e5m2", "e5m2"}, {"e2m1fn", "e4m3fn"}};
  DotConfig config{.a = block_of(kPairs[turn % 3][0], "e8m0"),
                   .b = block_of(kPairs[turn % 3][1], "e8m0"),
                   .mode = mutant.mode};
  config.accumulator.group = 4;
  config.accumulator.alignment_bits = 12;
  mutant.prepare(config);
  return config;
}

Report run(const Mutant& mutant, const DotImplementation& implementation) {
  Stream stream(720);
  Report report;
  for (int i = 0; i < 40; ++i) {
    for (int c = 0; c < kDotClasses; ++c) {
      const DotConfig config = configured(mutant, i);
      const DotOperands operands = make_operands(static_cast<DotClass>(c), config, 16, stream);
      check_dot(config, operands, implementation, report);
    }
    if (report.mismatches() > 0) break;
  }
  return report;
}

class DotControl : public ::testing::TestWithParam<Mutant> {};

TEST_P(DotControl, IsCaught) {
  const Mutant& mutant = GetParam();
  const auto wrong = [&](const DotConfig& asked, const DotOperands& given) {
    DotConfig config = asked;
    DotOperands operands = given;
    mutant.damage(config);
    mutant.disturb(operands);
    Encoded answer = reference_dot()(config, operands);
    mutant.spoil(answer);
    return answer;
  };
  EXPECT_EQ(run(mutant, wrong).exit_code(), 6);
}

std::string mutant_name(const ::testing::TestParamInfo<Mutant>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, DotControl, ::testing::ValuesIn(kMutants), mutant_name);

TEST(DotControls, TheReferencePasses) {
  for (const Mutant& mutant : kMutants) {
    if (mutant.mode != DotMode::kExactOnce && mutant.mode != DotMode::kAccumulator) continue;
    const Report report = run(mutant, reference_dot());
    EXPECT_EQ(report.exit_code(), 0) << report.text();
    EXPECT_GT(report.cases(), 300U);
  }
  EXPECT_EQ(Report().exit_code(), 6) << "a comparison of nothing is no pass";
}

}  // namespace
}  // namespace mx::oracle
