// The coverage model of matrix units (spec V10): the directed suites hit every bin that is not
// proved unreachable, random vectors hit none that is, and what a suite leaves out is missing.
#include "tests/golden/coverage/dot_coverage_kit.hpp"

namespace mx::golden::dots {
namespace {

TEST(UnitCoverage, IsClosedByDirectedVectors) {
  std::uint64_t rivals = 0;
  std::vector<Configuration> list = every_unit();
  // Products too near each other to leave the window.
  list.push_back(mma("b200_f8f6f4", formats::e2m1fn, formats::e2m1fn, formats::fp16));
  list.push_back(mma("b200_f8f6f4", formats::e3m2fn, formats::e3m2fn));
  list.push_back(mma("b200_f8f6f4", formats::e4m3fn, formats::e2m3fn));
  for (const Configuration& each : list) {
    const GoldenSet set = golden_set({each}, SuiteKind::kDirected);
    const Covergroup group = coverage_of(set);
    EXPECT_TRUE(group.score().complete()) << name_of(each) << "\n" << wrong_bins(group);
    EXPECT_GT(group.score().bins, 300U);
    for (const Coverpoint& point : group.points) {
      if (point.name == "tells_from") rivals += point.bins.size();
    }
  }
  EXPECT_GT(rivals, 50U);
}

TEST(UnitCoverage, NoRandomVectorContradictsIt) {
  std::uint64_t unreachable = 0;
  for (const Configuration& each : every_unit()) {
    const Covergroup group = coverage_of(golden_set({each}, SuiteKind::kRandom, 4000));
    EXPECT_EQ(group.score().contradicted, 0U) << name_of(each) << "\n" << contradicted_bins(group);
    unreachable += group.score().unreachable;
  }
  EXPECT_GT(unreachable, 100U);
}

const Bin& bin_of(const Covergroup& group, std::string_view point, std::string_view bin) {
  const Coverpoint& found = *std::ranges::find(group.points, point, &Coverpoint::name);
  return *std::ranges::find(found.bins, bin, &Bin::name);
}

/// Control: zeros tell no window, no group and no unit apart.
TEST(UnitCoverageControl, ZerosTellNoUnitsApart) {
  const GoldenSet set = golden_set({mma("h100_f16")}, SuiteKind::kSmoke);
  const std::unique_ptr<Collector> collector = make_collector(set.header, 0);
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const auto are_zeros = [&](Field field) {
      return std::ranges::all_of(set.records.of(field, i),
                                 [](std::uint64_t code) { return (code & 0x7FFF) == 0; });
    };
    const auto are_numbers = [&](std::size_t record) {
      return std::ranges::all_of(set.records.of(Field::kB, record),
                                 [](std::uint64_t code) { return (code & 0x7C00) != 0x7C00; });
    };
    const bool has_carry = (set.records.word(Field::kC, i) & 0x7FFFFFFF) != 0;
    if (are_zeros(Field::kA) && are_numbers(i) && !has_carry) collector->sample(set.records, i);
  }
  Covergroup group;
  group.points = collector->points();
  const auto hits = [&](std::string_view point) {
    return std::ranges::find(group.points, point, &Coverpoint::name)->score().hit;
  };
  EXPECT_EQ(hits("spread"), 1U) << "no two";
  EXPECT_EQ(hits("result"), 1U) << "+0";
  EXPECT_EQ(hits("exactness"), 1U) << "exact";
  EXPECT_EQ(hits("tells_from"), 0U);
  EXPECT_EQ(bin_of(group, "tells_from", "b200_f16").reach, Reach::kUnreachable) << "a twin";
  EXPECT_EQ(bin_of(group, "tells_from", "a100_f16").reach, Reach::kOpen);
}

/// What is open covers nothing.
TEST(UnitCoverageControl, OpenAnswersCoverNothing) {
  GoldenSet set = golden_set({mma("mi300_f16")}, SuiteKind::kSmoke);
  const std::unique_ptr<Collector> collector = make_collector(set.header, 0);
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    if (set.records.word(Field::kOpen, i) != 0) collector->sample(set.records, i);
  }
  for (const Coverpoint& point : collector->points()) {
    const bool is_of_answers =
        point.name == "result" || point.name == "exactness" || point.name == "tells_from";
    if (is_of_answers) {
      EXPECT_EQ(point.score().hit, 0U) << point.name;
    }
  }
}

}  // namespace
}  // namespace mx::golden::dots
