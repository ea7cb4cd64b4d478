// Causes of wrong records: the policy that a device has differently, whatever the operation, and
// what differences have in common.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/record/causes.hpp"
#include "sim/record/reference.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"
#include "tests/sim/causes/record_kit.hpp"

namespace mx::sim::test {
namespace {

using golden::Configuration;

/// Property: a device that has one policy changed is explained by one policy, all its wrong
/// answers.
TEST(RecordCauses, NameThePolicyThatADeviceHasDifferently) {
  const std::vector<Configuration> bases = {
      golden::conversion(formats::fp32, formats::e4m3fn),
      golden::conversion(formats::fp32, formats::int8),
      golden::block(formats::fp32, "nvfp4"),
      golden::block(formats::bf16, "mxfp8_e5m2"),
      golden::arith(ArithmeticOperation::kMultiply, formats::fp16),
      golden::dequantize("mxfp8_e5m2", formats::fp32),
      golden::dequantize("nvfp4", formats::e5m2)};
  std::size_t found = 0, exact = 0;
  for (const Configuration& base : bases) {
    const golden::GoldenSet set = golden::golden_set({base}, golden::SuiteKind::kSmoke);
    for (const PolicyField& field : policy_fields()) {
      for (const std::string_view value : field.values()) {
        const auto other = with_policy(base, field, value);
        if (!other) continue;
        MadeDevice device(reference_under(set.header, {*other}));
        const RecordRun run = run_set(set, device);
        if (run.mismatches.empty()) continue;
        const std::vector<Cause> causes = record_causes(set.header, run.mismatches, run.right);
        EXPECT_EQ(causes.size(), 1U) << field.name << " " << value;
        EXPECT_EQ(causes[0].count, run.mismatches.size());
        EXPECT_TRUE(causes[0].text.starts_with("as with ")) << causes[0].text;
        ++found;
        const std::string said = fmt::format("as with {} {} for", field.name, value);
        exact += causes[0].text.starts_with(said) ? 1U : 0U;
      }
    }
  }
  // Some values are the same for a set of vectors; the first of them is named.
  EXPECT_GT(found, 60U);
  EXPECT_GT(exact * 10, found * 7);
}

/// A device that mistakes one operation for another of its kind, or one rule of what an integer
/// does not hold for another, is explained by that.
TEST(RecordCauses, NameTheOperationThatADeviceTakesForAnother) {
  using Op = ArithmeticOperation;
  struct Mistaken {
    Configuration meant, taken;
    const char* says;
  };
  const IntegerConversion riscv{IntegerType::kI32, OutOfRange::kSaturateNanMax};
  const IntegerConversion x86{IntegerType::kI32, OutOfRange::kIndefinite};
  const std::vector<Mistaken> list = {
      {golden::arith(Op::kMinimumNumber, formats::fp16), golden::arith(Op::kMinNum, formats::fp16),
       "as with operation min_num (spec F1.2)"},
      {golden::arith(Op::kMaximum, formats::fp32), golden::arith(Op::kSelectMaximum, formats::fp32),
       "as with operation select_maximum (spec F1.2)"},
      {golden::arith(Op::kQuietLess, formats::e5m2),
       golden::arith(Op::kSignalingLess, formats::e5m2),
       "as with operation compare_signaling_less (spec F1.2)"},
      {golden::arith(Op::kToInteger, formats::fp32, riscv),
       golden::arith(Op::kToInteger, formats::fp32, x86),
       "as with out_of_range indefinite (spec F1.2)"}};
  for (const Mistaken& each : list) {
    const golden::GoldenSet set = golden::golden_set({each.meant}, golden::SuiteKind::kSmoke);
    MadeDevice device(reference_under(set.header, {each.taken}));
    const RecordRun run = run_set(set, device);
    ASSERT_FALSE(run.mismatches.empty()) << each.says;
    const std::vector<Cause> causes = record_causes(set.header, run.mismatches, run.right);
    ASSERT_EQ(causes.size(), 1U) << each.says;
    EXPECT_EQ(causes[0].text, each.says);
    EXPECT_EQ(causes[0].count, run.mismatches.size());
  }
}

/// A device that sums as another unit is told whose, for units that sum whole groups alone too.
TEST(RecordCauses, NameTheUnitThatADeviceSumsAs) {
  struct Mistaken {
    const char *meant, *taken, *says;
  };
  constexpr Mistaken kMistaken[] = {{"h100_f16", "a100_f16", "t4_f16, a100_f16, ada_f16"},
                                    {"mi300_f16", "mi200_f16", "mi200_f16"},
                                    {"mi200_f16", "mi100_f16", "mi100_f16"},
                                    {"h100_wgmma_fp8", "h100_mma_fp8", "h100_mma_fp8"}};
  for (const auto& [meant, taken, says] : kMistaken) {
    const ElementFormat& element = find_unit(meant)->inputs.front();
    const golden::GoldenSet set =
        golden::golden_set({golden::mma(meant, element, element)}, golden::SuiteKind::kSmoke);
    golden::GoldenSet whole = set;
    // Of a tree's groups of four alone.
    whole.header.lengths = golden::Lengths::kFull;
    whole.header.count = golden::Stimulus(whole.header).size();
    whole.records = golden::operands_of_set(whole.header);
    golden::answer(whole.header, whole.records);
    MadeDevice device(reference_under(whole.header, {golden::mma(taken, element, element)}));
    const RecordRun run = run_set(whole, device);
    ASSERT_FALSE(run.mismatches.empty()) << meant;
    const std::vector<Cause> causes = record_causes(whole.header, run.mismatches, run.right);
    ASSERT_EQ(causes.size(), 1U) << meant;
    EXPECT_TRUE(causes[0].text.starts_with(fmt::format("as with unit {} ", says)))
        << causes[0].text;
    EXPECT_EQ(causes[0].count, run.mismatches.size());
  }
}

/// A unit of nobody's row is told which number of the row differs, or which two.
TEST(RecordCauses, NameTheNumberThatAUnitHasDifferently) {
  struct Odd {
    int group, fraction_bits, zero_exponent;
    const char* says;
  };
  constexpr Odd kOdd[] = {
      {16, 24, -133, "as with fraction_bits 24 (spec U1)"},
      {32, 25, -133, "as with group 32 (spec U1)"},
      {16, 25, -126, "as with zero_exponent -126 (spec U1)"},
      {4, 23, -133, "as with group 4 (spec U1) and fraction_bits 23 (spec U1); "}};
  const golden::GoldenSet set = golden::golden_set(
      {golden::mma("h100_f16", formats::bf16, formats::bf16)}, golden::SuiteKind::kSmoke);
  for (const Odd& each : kOdd) {
    Configuration odd = set.header.configs[0];
    MatrixUnit& unit = std::get<golden::UnitCase>(odd.what).on.unit;
    unit.group = each.group;
    unit.fraction_bits = each.fraction_bits;
    unit.zero_exponent32 = each.zero_exponent;
    MadeDevice device(reference_under(set.header, {odd}));
    const RecordRun run = run_set(set, device);
    ASSERT_FALSE(run.mismatches.empty()) << each.says;
    const std::vector<Cause> causes = record_causes(set.header, run.mismatches, run.right);
    std::size_t explained = 0;
    for (const Cause& cause : causes) {
      if (cause.text.starts_with(each.says)) explained = cause.count;
    }
    EXPECT_EQ(explained, run.mismatches.size()) << each.says << " got " << causes[0].text;
  }
}

/// Several configurations: the policy is said of those that have its first value.
TEST(RecordCauses, AreOfSeveralConfigurations) {
  std::vector<Configuration> configs, others;
  for (const Rounding rounding :
       {Rounding::kTiesToEven, Rounding::kTowardZero, Rounding::kTiesToAway}) {
    configs.push_back(golden::conversion(formats::fp32, formats::e4m3fn, rounding));
    others.push_back(configs.back());
  }
  std::get<ConversionConfig>(others[0].what).policy.rounding = Rounding::kTiesToAway;
  const golden::GoldenSet set = golden::golden_set(configs, golden::SuiteKind::kSmoke);
  MadeDevice device(reference_under(set.header, others));
  const RecordRun run = run_set(set, device);
  const std::vector<Cause> causes = record_causes(set.header, run.mismatches, run.right);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].text, "as with rounding ties_to_away for ties_to_even (spec F15)");
}

/// Faults that are no policy are described, of every operation.
TEST(RecordCauses, DescribeWhatDifferencesHaveInCommon) {
  struct Expected {
    const char* fault;
    Configuration configuration;
    const char* says;
  };
  const std::vector<Expected> list = {
      {"record_scale", golden::block(formats::fp32, "nvfp4"), "only scale off by"},
      {"record_flags", golden::dot("mxfp4", "mxfp4"), "only flags:"},
      {"record_code", golden::dot("mxfp4", "mxfp4"), "only codes off by"},
      {"record_code", golden::some_casts()[1], "only "},
      {"record_last_lane", golden::block(formats::fp32, "mxfp4"), "only the code of lane"}};
  for (const Expected& each : list) {
    const golden::GoldenSet set =
        golden::golden_set({each.configuration}, golden::SuiteKind::kSmoke);
    ReferenceDevice device(find_record_fault(each.fault));
    const RecordRun run = run_set(set, device);
    const std::vector<Cause> causes = record_causes(set.header, run.mismatches, run.right);
    ASSERT_FALSE(causes.empty()) << each.fault;
    EXPECT_NE(causes[0].text.find(each.says), std::string::npos)
        << each.fault << "\n"
        << causes_text(causes, run.verdict.mismatches, "record");
  }
}

}  // namespace
}  // namespace mx::sim::test
