// Stimulus has teeth: a device that runs another rounding, rule, format or policy than it was told
// answers at least one vector of the suite wrong.
#include <gtest/gtest.h>

#include "golden/answers/verdict.hpp"
#include "golden/config_word/table.hpp"
#include "golden/points/random_configs.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

/// Vectors whose answer changes when the device runs `taken` for the set's configurations.
std::size_t differing(const GoldenSet& right, const std::vector<Configuration>& taken) {
  VectorHeader header = right.header;
  header.configs = taken;
  RecordBatch wrong = right.records;
  ReferenceAnswerer(header).answer(wrong, 0, wrong.size());
  const ReferenceAnswerer reference(right.header);
  Verdict verdict;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    compare_answer(right.records, wrong, i, reference.open(right.records, i), verdict);
  }
  return verdict.mismatches;
}

/// The same set with a change to every configuration.
template <typename Change>
std::vector<Configuration> changed(const GoldenSet& set, Change change) {
  std::vector<Configuration> configs = set.header.configs;
  for (Configuration& each : configs) change(std::get<QuantizerConfig>(each.what));
  return configs;
}

class Distinguish : public ::testing::TestWithParam<std::string_view> {
 protected:
  static GoldenSet smoke(const ElementFormat& source, Rounding rounding, ScaleRule rule) {
    return golden_set({block(source, *find_block_format(GetParam()), rounding, rule)},
                      SuiteKind::kSmoke, 0, 2);
  }
};

TEST_P(Distinguish, SmokeTellsRoundingsApart) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    for (const Rounding rounding : kRoundingCodes) {
      const GoldenSet set = smoke(source, rounding, ScaleRule::kFloor);
      for (const Rounding other : kRoundingCodes) {
        if (other == rounding) continue;
        EXPECT_GT(differing(set, changed(set, [&](auto& c) { c.element.rounding = other; })), 0U)
            << source.name << ": " << token_of(rounding) << " taken for " << token_of(other);
      }
    }
  }
}

TEST_P(Distinguish, SmokeTellsRulesApart) {
  for (const ScaleRule rule : kRuleCodes) {
    const GoldenSet set = smoke(formats::fp32, Rounding::kTiesToEven, rule);
    for (const ScaleRule other : kRuleCodes) {
      if (other == rule) continue;
      EXPECT_GT(differing(set, changed(set, [&](auto& c) { c.block.rule = other; })), 0U)
          << token_of(rule) << " taken for " << token_of(other);
    }
  }
}

TEST_P(Distinguish, SmokeTellsFormatsApart) {
  const GoldenSet set = smoke(formats::fp32, Rounding::kTiesToEven, ScaleRule::kFloor);
  for (const BlockFormat& format : mx_block_formats()) {
    if (format.name == GetParam()) continue;
    EXPECT_GT(differing(set, changed(set, [&](auto& c) { c.format = format; })), 0U) << format.name;
  }
}

/// A stochastic device with its random words off by one, or exchanged with its neighbour's.
TEST_P(Distinguish, SmokeTellsRandomWordsApart) {
  const GoldenSet set = smoke(formats::fp32, Rounding::kStochasticA, ScaleRule::kFloor);
  const auto differs = [&](auto change) {
    RecordBatch wrong = set.records;
    change(wrong.all(Field::kRandom));
    ReferenceAnswerer(set.header).answer(wrong, 0, wrong.size());
    return !std::ranges::equal(wrong.all(Field::kCode), set.records.all(Field::kCode));
  };
  EXPECT_TRUE(differs([](auto random) {
    for (std::uint64_t& word : random) word = word == 0 ? 0 : word - 1;
  }));
  EXPECT_TRUE(differs([](auto random) {
    for (std::uint64_t& word : random) word = word == 255 ? 255 : word + 1;
  }));
  EXPECT_TRUE(differs([](auto random) {
    for (std::size_t i = 0; i + 1 < random.size(); i += 2) std::swap(random[i], random[i + 1]);
  }));
}

/// A device that takes missing elements for something else than +0 is a matter of its own; one that
/// quantizes them with what the bus held before is seen.
TEST_P(Distinguish, SmokeHasShortBlocks) {
  const GoldenSet set = smoke(formats::fp32, Rounding::kTiesToEven, ScaleRule::kFloor);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const std::size_t n = set.records.elements(Field::kSource, i);
    if (n == 32) continue;
    RecordBatch stale = set.records;
    for (std::uint64_t& code : stale.of(Field::kSource, i).subspan(n)) code = 0x7F7FFFFF;
    stale.word(Field::kElements, i) = 32;
    ReferenceAnswerer(set.header).answer(stale, i, i + 1);
    differ += same_answer(stale, set.records, i) ? 0U : 1U;
  }
  EXPECT_GT(differ, 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, Distinguish,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                           "mxfp4", "mxint8"),
                         [](const auto& param) { return std::string(param.param); });

/// Every value that the RTL can be told of every policy field matters to some block of the policy
/// suite.
TEST(DistinguishPolicies, EveryCodeOfEveryField) {
  RandomFrom from;
  from.base = std::get<QuantizerConfig>(block(formats::fp32, "mxfp8_e4m3").what);
  for (const BlockFormat& format : mx_block_formats()) from.formats.push_back(format);
  from.roundings.assign(kRoundingCodes.begin(), kRoundingCodes.end());
  from.roundings.push_back(Rounding::kStochasticA);
  from.rules.assign(kRuleCodes.begin(), kRuleCodes.end());
  std::vector<Configuration> configs;
  for (const QuantizerConfig& each : draw_configs(from, 1, 256)) configs.push_back({each, {}});
  const GoldenSet set = golden_set(configs, SuiteKind::kPolicy, 80, 1);
  EXPECT_EQ(set.records.size(), 80U * 256);
  const auto expect_seen = [&](const char* field, const auto& codes, auto change) {
    for (std::size_t code = 0; code < codes.size(); ++code) {
      EXPECT_GT(differing(set, changed(set, [&](auto& c) { change(c, codes[code]); })), 0U)
          << field << " taken for code " << code;
    }
  };
  expect_seen("format", from.formats, [](auto& c, const auto& v) { c.format = v; });
  expect_seen("rounding", from.roundings, [](auto& c, auto v) { c.element.rounding = v; });
  expect_seen("rule", kRuleCodes, [](auto& c, auto v) { c.block.rule = v; });
  expect_seen("overflow", kOverflowCodes, [](auto& c, auto v) { c.element.overflow = v; });
  expect_seen("amax_over", kAmaxOverCodes, [](auto& c, auto v) { c.block.amax_over = v; });
  expect_seen("inf_block", kInfBlockCodes, [](auto& c, auto v) { c.block.inf_block = v; });
  expect_seen("even_carry", kEvenCarryCodes, [](auto& c, auto v) { c.block.even_carry = v; });
  expect_seen("nan", kNanCodes, [](auto& c, auto v) { c.element.nan = v; });
  expect_seen("zero_block_scale", kZeroBlockScaleCodes,
              [](auto& c, auto v) { c.block.zero_block_scale = v; });
  expect_seen("scale_sat", kScaleSatCodes, [](auto& c, auto v) { c.block.scale_sat = v; });
  expect_seen("int_min", kIntMinCodes, [](auto& c, auto v) { c.element.int_min = v; });
  expect_seen("zero_sign", kZeroSignCodes, [](auto& c, auto v) { c.element.zero_sign = v; });
  expect_seen("src_ftz", kSrcFtzCodes, [](auto& c, auto v) { c.element.src_ftz = v; });
  // Where codes are don't-care any codes are right; where they are not, zeros are wrong.
  EXPECT_GT(
      differing(set,
                changed(set, [](auto& c) { c.block.nan_scale_codes = NanScaleCodes::kDontCare; })),
      0U);
}

/// Conversions, element by element, for a set beyond the hardware's.
TEST(DistinguishConversions, SmokeTellsRoundingsApart) {
  for (const ElementFormat& destination : all_formats()) {
    // An unsigned destination sees no negative value, so the directed roundings coincide.
    if (destination.bits >= 32 || !destination.is_signed) continue;
    for (const Rounding rounding : kRoundingCodes) {
      const GoldenSet set =
          golden_set({conversion(formats::fp32, destination, rounding)}, SuiteKind::kSmoke);
      for (const Rounding other : kRoundingCodes) {
        if (other == rounding) continue;
        EXPECT_GT(differing(set, {conversion(formats::fp32, destination, other)}), 0U)
            << destination.name << ": " << token_of(rounding) << " for " << token_of(other);
      }
    }
  }
}

/// Block formats with scales of their own: a device that rounds otherwise, or has another level.
TEST(DistinguishBlocks, SmokeOfEveryFormatTellsRoundingsApart) {
  for (const Configuration& each : every_block()) {
    const GoldenSet set = golden_set({each}, SuiteKind::kSmoke);
    const auto& config = std::get<QuantizerConfig>(each.what);
    for (const Rounding other : {Rounding::kTiesToAway, Rounding::kTowardZero, Rounding::kToOdd}) {
      // HiF4 rounds by its own rule; where codes are cut after a rounding, ties do not show.
      if (config.block.rule == ScaleRule::kHif4) continue;
      if (config.format.cut_from != 0 && other == Rounding::kTiesToAway) continue;
      EXPECT_GT(differing(set, changed(set, [&](auto& c) { c.element.rounding = other; })), 0U)
          << name_of(each) << " taken for " << token_of(other);
    }
    if (config.format.tensor_scale == TensorScale::kNone) continue;
    EXPECT_GT(differing(set, changed(set,
                                     [](auto& c) {
                                       c.tensor = {};
                                       c.tensor = tensor_level(c, unpack_integer(false, 1, 1));
                                     })),
              0U)
        << name_of(each);
  }
}

/// Dot products: another mode, rounding, order or accumulator; an addend that is left out.
TEST(DistinguishDots, SmokeTellsModelsApart) {
  const Configuration base = dot("mxfp8_e4m3", "mxfp8_e4m3", Addend::kPresent);
  const auto with = [&](auto change) {
    Configuration other = base;
    change(std::get<DotCase>(other.what).dot);
    return other;
  };
  const GoldenSet set = golden_set({base}, SuiteKind::kSmoke);
  for (const Token<DotMode>& mode : tokens<DotMode>()) {
    if (mode.value == DotMode::kExactOnce) continue;
    EXPECT_GT(differing(set, {with([&](DotConfig& c) { c.mode = mode.value; })}), 0U) << mode.text;
  }
  for (const Rounding other :
       {Rounding::kTiesToAway, Rounding::kTowardZero, Rounding::kTowardNegative}) {
    EXPECT_GT(differing(set, {with([&](DotConfig& c) { c.rounding = other; })}), 0U)
        << token_of(other);
  }
  const Configuration hardware = with([](DotConfig& c) { c.mode = DotMode::kAccumulator; });
  const GoldenSet accumulated = golden_set({hardware}, SuiteKind::kSmoke);
  const auto expect_seen = [&](const char* what, auto change) {
    Configuration other = hardware;
    change(std::get<DotCase>(other.what).dot.accumulator);
    EXPECT_GT(differing(accumulated, {other}), 0U) << what;
  };
  expect_seen("group", [](AccumulatorModel& m) { m.group += 1; });
  expect_seen("alignment", [](AccumulatorModel& m) { m.alignment_bits -= 1; });
  expect_seen("format", [](AccumulatorModel& m) { m.format = formats::bf16; });
}

/// A remainder is a number; so are a minimum and a truth value.
bool is_rounded(ArithmeticOperation operation) {
  const OperationKind kind = kind_of(operation);
  return operation != ArithmeticOperation::kRemainder && kind != OperationKind::kSelected &&
         kind != OperationKind::kCompared;
}

TEST(DistinguishArithmetic, SmokeTellsOperationsAndRoundingsApart) {
  for (const ElementFormat& format : {formats::fp32, formats::bf16, formats::e5m2}) {
    for (const Token<ArithmeticOperation>& operation : tokens<ArithmeticOperation>()) {
      const GoldenSet set = golden_set({arith(operation.value, format)}, SuiteKind::kSmoke);
      for (const Rounding other : {Rounding::kTiesToAway, Rounding::kTowardZero,
                                   Rounding::kTowardPositive, Rounding::kTowardNegative}) {
        // A square root in the precision of its operand is no tie, nor is a quotient that is not
        // subnormal.
        if (!is_rounded(operation.value)) continue;
        const bool has_ties = operation.value != ArithmeticOperation::kSqrt &&
                              (operation.value != ArithmeticOperation::kDivide || format.bits == 8);
        if (other == Rounding::kTiesToAway && !has_ties) continue;
        const Configuration taken{ArithmeticCase{operation.value, Arithmetic::ieee(format, other)},
                                  {}};
        EXPECT_GT(differing(set, {taken}), 0U)
            << operation.text << " of " << format.name << " taken for " << token_of(other);
      }
      for (const Token<ArithmeticOperation>& other : tokens<ArithmeticOperation>()) {
        const bool is_alike = operands_of(other.value) == operands_of(operation.value) &&
                              kind_of(other.value) == kind_of(operation.value);
        if (other.value == operation.value || !is_alike) continue;
        EXPECT_GT(differing(set, {arith(other.value, format)}), 0U) << other.text;
      }
    }
  }
}

}  // namespace
}  // namespace mx::golden
