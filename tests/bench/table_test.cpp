// Lines of the table as they are printed, and what the program's exit status says of them.
#include "bench/measure/table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mx::goals {
namespace {

Outcome measured(Verdict verdict) {
  return {.id = "T1",
          .what = "work, 2^18",
          .goal = 4,
          .verdict = verdict,
          .note = "a mask",
          .peer = "peer 1",
          .our_rate = 5e9,
          .peer_rate = 1e9,
          .ratio = Spread{4.9, 5, 5.1}};
}

Outcome unmeasured(Verdict verdict) {
  return {.id = "T2", .what = "work", .goal = 2, .verdict = verdict, .note = "why"};
}

TEST(Table, AMeasuredLine) {
  EXPECT_EQ(
      table_line(measured(Verdict::kMet)),
      "| T1 | work, 2^18 | 5000.0 M/s | 1000.0 M/s, peer 1 | 5.00 (4.90 .. 5.10) | 4.00 | met "
      "| a mask |\n");
}

TEST(Table, OtherBuildsAndThirdDigits) {
  Outcome outcome = measured(Verdict::kReported);
  outcome.goal = 0;
  outcome.ratio = Spread{0.891, 0.896, 0.9};
  outcome.others = {{"peer 2", 5e8}};
  EXPECT_EQ(table_line(outcome),
            "| T1 | work, 2^18 | 5000.0 M/s | 1000.0 M/s, peer 1 | 0.896 (0.891 .. 0.900) | - | "
            "reported | a mask; slower: peer 2 500.0 M/s |\n");
}

TEST(Table, AnInvalidLineSaysWhy) {
  Outcome outcome = measured(Verdict::kUnsteady);
  outcome.ratio = Spread{4, 5, 6};
  EXPECT_NE(table_line(outcome).find("| INVALID | p25 to p75 is 40 % of the median; a mask |"),
            std::string::npos);
  outcome.ratio = Spread{5, 5, 5};
  EXPECT_NE(table_line(outcome).find("| INVALID | fewer rounds than 15; a mask |"),
            std::string::npos);
}

TEST(Table, NoRatioWhereNothingWasMeasured) {
  EXPECT_EQ(table_line(unmeasured(Verdict::kMismatch)),
            "| T2 | work | - | - | - | 2.00 | MISMATCH | why |\n");
  EXPECT_EQ(table_line(unmeasured(Verdict::kSkipped)),
            "| T2 | work | - | - | - | 2.00 | SKIPPED | why |\n");
}

TEST(Table, SummaryCountsEveryVerdict) {
  const std::vector<Outcome> all = {measured(Verdict::kMet), measured(Verdict::kMet),
                                    unmeasured(Verdict::kSkipped)};
  EXPECT_EQ(summary(all), "2 met, 0 NOT MET, 0 reported, 0 INVALID, 0 MISMATCH, 1 SKIPPED");
}

TEST(Table, ExitStatusTellsSkippedFromMeasured) {
  using Outcomes = std::vector<Outcome>;
  const auto status = [](const Outcomes& all, bool strict) { return exit_status(all, strict); };
  EXPECT_EQ(status({}, false), 77);
  EXPECT_EQ(status({unmeasured(Verdict::kSkipped)}, false), 77);
  EXPECT_EQ(status({unmeasured(Verdict::kSkipped)}, true), 77);
  EXPECT_EQ(status({measured(Verdict::kMet), unmeasured(Verdict::kSkipped)}, false), 0);
  EXPECT_EQ(status({measured(Verdict::kMet), unmeasured(Verdict::kSkipped)}, true), 1);
  EXPECT_EQ(status({measured(Verdict::kMet)}, true), 0);
  EXPECT_EQ(status({measured(Verdict::kNotMet)}, false), 0);
  EXPECT_EQ(status({measured(Verdict::kNotMet)}, true), 1);
  EXPECT_EQ(status({measured(Verdict::kUnsteady)}, true), 1);
  EXPECT_EQ(status({measured(Verdict::kMet), unmeasured(Verdict::kMismatch)}, false), 1);
}

}  // namespace
}  // namespace mx::goals
