// The coverage model of dot products (spec V10): the directed suites hit every bin that is not
// proved unreachable, no input hits one that is, and what a suite leaves out is missing.
#include "tests/golden/coverage/dot_coverage_kit.hpp"

namespace mx::golden::dots {
namespace {

const Coverpoint& point_of(const Covergroup& group, std::string_view name) {
  return *std::ranges::find(group.points, name, &Coverpoint::name);
}

TEST(DotCoverageIsClosed, OfEveryMode) {
  for (const DotMode each :
       {DotMode::kExactOnce, DotMode::kFp32Seq, DotMode::kFp32Tree, DotMode::kBlockExactFp32Seq}) {
    for (const char* format : {"mxfp8_e4m3", "mxfp4", "nvfp4"}) {
      for (const Addend addend : {Addend::kAbsent, Addend::kPresent}) {
        expect_closed(mode(format, format, each, addend, formats::fp32));
      }
    }
  }
}

TEST(DotCoverageIsClosed, OfUnitsOfEachKind) {
  for (const Unit& unit : units()) {
    const std::string_view name = unit.name;
    if (name != "a100" && name != "hopper_fp8" && name != "afterwards" && name != "fixed" &&
        name != "vdpbf16ps") {
      continue;
    }
    for (const Addend addend : {Addend::kAbsent, Addend::kPresent}) {
      expect_closed(unit_case(unit, "mxfp8_e4m3", addend));
    }
  }
}

/// Property: what is proved unreachable no random vector hits, of any format, mode, unit and
/// rounding.
TEST(DotCoverageProofs, NoRandomVectorContradictsThem) {
  constexpr std::uint64_t kDrawn = 1400;
  std::vector<Case> list;
  for (const char* format : {"mxfp8_e5m2", "mxfp6_e2m3", "nvfp4", "mxint8", "binary8p3se_k32"}) {
    for (const Token<DotMode>& each : tokens<DotMode>()) {
      list.push_back(mode(format, format, each.value, Addend::kPresent, formats::fp16));
      list.push_back(mode(format, format, each.value, Addend::kAbsent, formats::e4m3fn));
      dot_of(list.back().configuration).dot.rounding = Rounding::kTowardNegative;
      dot_of(list.back().configuration).dot.overflow = Overflow::kSatFinite;
    }
    for (const Unit& unit : units()) {
      list.push_back(unit_case(unit, format, Addend::kPresent));
      list.push_back(unit_case(unit, format, Addend::kAbsent));
    }
  }
  std::uint64_t unreachable = 0;
  for (const Case& each : list) {
    const Covergroup group =
        coverage_of(set_of(each.configuration, SuiteKind::kRandom, each.lanes, kDrawn));
    EXPECT_EQ(group.score().contradicted, 0U) << each.name << "\n" << contradicted_bins(group);
    unreachable += group.score().unreachable;
  }
  EXPECT_GT(unreachable, 1000U);
}

/// A format of few values, so that all operands can be tried.
constexpr ElementFormat kSmall = {.name = "small",
                                  .bits = 3,
                                  .storage_bits = 8,
                                  .kind = FormatKind::kSignMagnitude,
                                  .frac_bits = 1,
                                  .max_code = 0x3};

/// Two lanes of one block: every pair of elements on each side, some scales. Every input.
GoldenSet every_small(const Configuration& configuration) {
  GoldenSet set{header_of({configuration}, SuiteKind::kSmoke, 0, 5, Lengths::kFull), {}};
  set.header.lanes = 2;
  set.header.count = 1;
  EXPECT_EQ(set.header.problem(), "");
  constexpr std::array<std::uint64_t, 6> kScales = {0x00, 0x01, 0x36, 0x7F, 0xFE, 0xFF};
  constexpr std::size_t kPairs = 64;
  set.records = RecordBatch(set.header.shape(), kPairs * kPairs * kScales.size());
  std::size_t at = 0;
  for (std::uint64_t a = 0; a < kPairs; ++a) {
    for (std::uint64_t b = 0; b < kPairs; ++b) {
      for (const std::uint64_t scale : kScales) {
        set.records.of(Field::kA, at)[0] = a & 7;
        set.records.of(Field::kA, at)[1] = a >> 3;
        set.records.of(Field::kB, at)[0] = b & 7;
        set.records.of(Field::kB, at)[1] = b >> 3;
        set.records.word(Field::kAScale, at) = scale;
        set.records.word(Field::kBScale, at) = 0x7F;
        ++at;
      }
    }
  }
  answer(set.header, set.records);
  return set;
}

/// Property: of formats of few values no input at all hits what is proved unreachable, and where
/// bits can be lost by the bounds, they are.
TEST(DotCoverageProofs, NoInputOfSmallFormatsContradictsThem) {
  std::uint64_t unreachable = 0;
  std::size_t lossy = 0;
  for (const Token<DotMode>& each : tokens<DotMode>()) {
    for (const int bits : {2, 3, 4, 5, 6}) {
      for (const DotAlign align : {DotAlign::kLeadingOne, DotAlign::kExponentSum}) {
        for (const ElementFormat* result : {&formats::e4m3fn, &formats::fp16}) {
          Configuration configuration = dot("mxfp4", "mxfp4");
          DotConfig& config = dot_of(configuration).dot;
          config.a.element = config.b.element = kSmall;
          config.a.block_size = config.b.block_size = 2;
          config.mode = each.value;
          config.result = *result;
          config.accumulator.group = bits % 2 + 1;
          config.accumulator.alignment_bits = bits;
          config.accumulator.align = align;
          config.accumulator.format = formats::e5m2;
          const Covergroup group = coverage_of(every_small(configuration));
          EXPECT_EQ(group.score().contradicted, 0U) << token_of(each.value) << ' ' << bits << "\n"
                                                    << contradicted_bins(group);
          unreachable += group.score().unreachable;
          if (each.value != DotMode::kAccumulator) continue;
          for (const Bin& bin : point_of(group, "cut_terms").bins) {
            lossy += bin.name != "0" && bin.hits != 0 ? 1U : 0U;
          }
        }
      }
    }
  }
  EXPECT_GT(unreachable, 5000U);
  EXPECT_GT(lossy, 5U);
}

/// Control: a class of vectors left out is seen as a gap.
TEST(DotCoverageControl, WithoutCancellationsBinsAreMissing) {
  const Case each = mode("mxfp4", "mxfp4", DotMode::kExactOnce, Addend::kAbsent, formats::fp32);
  const GoldenSet set = set_of(each.configuration, SuiteKind::kDirected, each.lanes);
  GoldenSet less{set.header, RecordBatch(set.header.shape())};
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    if ((set.records.word(Field::kCode, i) & 0x7FFFFFFF) != 0) {
      less.records.append(set.records, i, i + 1);
    }
  }
  ASSERT_LT(less.records.size(), set.records.size());
  const Covergroup group = coverage_of(less);
  EXPECT_FALSE(group.score().complete());
  EXPECT_NE(wrong_bins(group).find("missing cancellation: total\n"), std::string::npos)
      << wrong_bins(group);
  EXPECT_NE(wrong_bins(group).find("missing result_class: +zero\n"), std::string::npos)
      << wrong_bins(group);
}

/// Control: a cut that no vector needs is missing.
TEST(DotCoverageControl, SmallSpreadsLeaveCutsOpen) {
  Case each =
      mode("mxfp8_e4m3", "mxfp8_e4m3", DotMode::kAccumulator, Addend::kAbsent, formats::fp32);
  GoldenSet set = set_of(each.configuration, SuiteKind::kDirected, each.lanes);
  for (const Field field : {Field::kA, Field::kB}) {
    for (std::uint64_t& code : set.records.all(field)) code = code % 2 == 0 ? 0x38 : 0xB8;
  }
  for (const Field field : {Field::kAScale, Field::kBScale}) {
    for (std::uint64_t& code : set.records.all(field)) code = 0x7F;
  }
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const std::size_t n = set.records.elements(Field::kA, i);
    for (const Field field : {Field::kA, Field::kB}) {
      std::ranges::fill(set.records.of(field, i).subspan(n), 0);
    }
  }
  answer(set.header, set.records);
  const Covergroup group = coverage_of(set);
  EXPECT_EQ(point_of(group, "cut_terms").bins[1].hits, 0U);
  EXPECT_EQ(point_of(group, "cut_decision").score().hit, 2U);
  EXPECT_FALSE(group.score().complete());
}

/// What a profile leaves open, or a device does not give, covers nothing but the operands.
TEST(DotCoverageOfOpenParts, OpenResultsCoverNothing) {
  const Case each = mode("mxfp4", "mxfp4", DotMode::kFp32Seq, Addend::kAbsent, formats::fp32);
  const GoldenSet set = set_of(each.configuration, SuiteKind::kSmoke, each.lanes);
  const std::unique_ptr<Collector> collector = make_collector(set.header, 0);
  constexpr std::array<std::uint64_t, 1> kCode = {4};
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    collector->sample(set.records, i, NotCompared(kCode));
  }
  for (const Coverpoint& point : collector->points()) {
    std::uint64_t hits = 0;
    for (const Bin& bin : point.bins) hits += bin.hits;
    const bool is_of_operands = point.name == "a_x_b" || point.name == "spread";
    const bool is_of_results = point.name.ends_with("_class") || point.name.ends_with("_decision");
    if (is_of_operands) {
      EXPECT_GT(hits, 0U) << point.name;
    } else if (is_of_results) {
      EXPECT_EQ(hits, 0U) << point.name;
    }
  }
}

}  // namespace
}  // namespace mx::golden::dots
