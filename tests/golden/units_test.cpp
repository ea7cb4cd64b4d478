// D = A * B + C on named matrix units as an operation of vectors: the oracle's answers, what no
// source settles, numbers of products that a unit does not sum.
#include <gtest/gtest.h>

#include <set>

#include "golden/answers/verdict.hpp"
#include "golden/vectors/operand_check.hpp"
#include "golden/vectors/unit_sides.hpp"
#include "oracle/unit/unit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

const UnitConfig& unit_of(const GoldenSet& set) {
  return std::get<UnitCase>(set.header.configs[0].what).on;
}

std::uint64_t oracle_code(const GoldenSet& set, std::size_t i) {
  const auto [a, b] = sides_of<oracle::DotSide>(unit_of(set), set.records, i);
  return oracle::unit_dot(unit_of(set), a, b, set.records.word(Field::kC, i));
}

/// Property: the answers of every unit, result and scale are the oracle's, in every class of
/// stimulus.
TEST(UnitVectors, AreWhatTheOracleSays) {
  std::size_t compared = 0;
  std::set<std::string_view> names;
  for (const Configuration& each : every_unit()) {
    const GoldenSet set = golden_set({each}, SuiteKind::kSmoke);
    names.insert(unit_of(set).unit.name);
    for (std::size_t i = 0; i < set.records.size(); i += 3) {
      ASSERT_EQ(set.records.word(Field::kCode, i), oracle_code(set, i))
          << name_of(each) << " record " << i;
      ++compared;
    }
  }
  EXPECT_EQ(names.size(), matrix_units().size());
  EXPECT_GT(compared, 10000U);
}

/// Property: another unit's answers are seen, whichever field of its row they come from.
TEST(UnitVectors, TellUnitsApart) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"h100_f16", "a100_f16"},   {"a100_f16", "v100_f16"},      {"t4_f16", "h100_f16"},
      {"a100_tf32", "h100_tf32"}, {"h100_wgmma_fp8", "ada_fp8"}, {"h100_mma_fp8", "b200_f8f6f4"},
      {"mi100_f16", "mi200_f16"}, {"mi300_f16", "mi100_f16"},    {"mi200_bf16", "mi100_bf16"},
      {"mi300_xf32", "a100_tf32"}};
  for (const auto& [right, wrong] : kPairs) {
    const GoldenSet set = golden_set({mma(right)}, SuiteKind::kSmoke);
    GoldenSet other = set;
    std::get<UnitCase>(other.header.configs[0].what).on.unit = *find_unit(wrong);
    ASSERT_EQ(problem_of(other.header.configs[0]), "") << wrong;
    ReferenceAnswerer(other.header).answer(other.records, 0, other.records.size());
    const ReferenceAnswerer reference(set.header);
    Verdict verdict;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      compare_answer(set.records, other.records, i, reference.open(set.records, i), verdict);
    }
    EXPECT_GT(verdict.mismatches, 20U) << right << " by " << wrong;
  }
}

/// Of an answer whose NaN code or sign of zero no source settles, that it is a NaN or a zero is
/// compared all the same; of NVIDIA's every bit is.
TEST(UnitVectors, OpenAnswersStayNanOrZero) {
  for (const char* name : {"mi300_f16", "h100_f16"}) {
    const GoldenSet set = golden_set({mma(name)}, SuiteKind::kSmoke);
    const bool is_open = unit_of(set).unit.open != UnitOpen::kNothing;
    EXPECT_EQ(set.records.has(Field::kOpen), is_open) << name;
    const ReferenceAnswerer reference(set.header);
    const ElementFormat& result = unit_of(set).result;
    std::size_t nans = 0, zeros = 0;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const std::uint64_t code = set.records.word(Field::kCode, i);
      const ValueClass cls = decode(result, code).cls;
      const OpenAnswer open = reference.open(set.records, i);
      const bool may_differ = is_open && (cls == ValueClass::kNan || cls == ValueClass::kZero);
      EXPECT_EQ(open.by_profile(), may_differ) << name << " record " << i;
      if (is_open) {
        EXPECT_EQ(set.records.word(Field::kOpen, i) != 0, may_differ);
      }
      const auto agrees = [&](std::uint64_t given) {
        RecordBatch actual = set.records;
        actual.word(Field::kCode, i) = given;
        Verdict verdict;
        const bool is_right = compare_answer(set.records, actual, i, open, verdict);
        EXPECT_EQ(is_right, !is_wrong(open, Field::kCode, 0, code, given));
        EXPECT_EQ(verdict.open, may_differ ? 1U : 0U);
        EXPECT_EQ(verdict.mismatches, is_right ? 0U : 1U);
        return is_right;
      };
      if (cls != ValueClass::kNan && cls != ValueClass::kZero) {
        if (i % 50 == 0) {
          EXPECT_FALSE(agrees(code ^ 1));
        }
        continue;
      }
      ++(cls == ValueClass::kNan ? nans : zeros);
      EXPECT_TRUE(agrees(code));
      EXPECT_EQ(agrees(code ^ result.sign_bit()), is_open);
      EXPECT_EQ(agrees(code ^ 1), is_open && cls == ValueClass::kNan);
      EXPECT_FALSE(agrees(result.inf_code()));
      EXPECT_FALSE(agrees(0x3F800000));
      EXPECT_FALSE(agrees(code | std::uint64_t{1} << 32)) << "no code of the format";
    }
    EXPECT_GT(nans, 20U) << name;
    EXPECT_GT(zeros, 20U) << name;
  }
}

/// Records hold what the unit sums: whole groups of a tree, and no others.
TEST(UnitVectors, HoldWholeGroups) {
  GoldenSet set = golden_set({mma("mi200_f16")}, SuiteKind::kSmoke);
  for (const std::uint64_t n : set.records.all(Field::kElements)) EXPECT_EQ(n % 4, 0U);
  set.records.word(Field::kElements, 5) = 39;
  const auto wrong = OperandCheck(set.header).find(set.records, 0, set.records.size());
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->record, 5U);
  EXPECT_NE(wrong->what.find("whole groups of 4"), std::string::npos) << wrong->what;
  set.header.lanes = 38;
  EXPECT_NE(set.header.problem().find("whole groups of 4"), std::string::npos);
}

/// Refused: formats and scales that a unit has not, sides with scales of their own.
TEST(UnitVectors, RefuseWhatCannotBe) {
  EXPECT_NE(problem_of(mma("h100_f16", formats::e4m3fn, formats::e4m3fn)), "");
  EXPECT_NE(problem_of(mma("h100_f16", formats::fp16, formats::bf16)), "");
  EXPECT_NE(problem_of(mma("h100_f16", formats::bf16, formats::bf16, formats::fp16)), "");
  Configuration configuration = mma("b200_mxf4");
  std::get<UnitCase>(configuration.what).on.a.scale->block_size = 8;
  EXPECT_NE(problem_of(configuration), "");
}

}  // namespace
}  // namespace mx::golden
