// The power of the smoke suite: every named fault is caught, with the right exit code.
#include "sim/block/fault.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.token; }

namespace {

class EveryFault : public testing::TestWithParam<Fault> {};

TEST_P(EveryFault, IsCaughtBySmoke) {
  const Fault& fault = GetParam();
  const bool breaks_ports = fault.port != PortFault::kNone;
  RunOptions options;
  if (!breaks_ports) options.stop_after = 1;  // one wrong block will do
  const RunResult result = run(test::smoke(), test::reference_with(&fault), options);
  EXPECT_EQ(result.exit_code(), breaks_ports ? 4 : 1)
      << fault.token << " survives; it breaks: " << fault.breaks
      << (result.failures.empty() ? "" : "; " + result.failures[0].what);
  EXPECT_TRUE(breaks_ports || !result.mismatches.empty());
  if (!breaks_ports) return;
  // What is said names the clause; that of the fault, where nothing else looks the same.
  ASSERT_FALSE(result.failures.empty());
  const std::string& what = result.failures[0].what;
  constexpr PortFault kAlike[] = {PortFault::kDropOnStall, PortFault::kHang, PortFault::kNeverReady,
                                  PortFault::kStaleAfterReset};
  const bool is_alike = std::ranges::find(kAlike, fault.port) != std::end(kAlike);
  const std::string clause = is_alike ? "(spec R6)" : std::string(fault.breaks);
  EXPECT_NE(what.find("; broken: "), std::string::npos) << what;
  EXPECT_NE(what.find(clause), std::string::npos) << what;
}

INSTANTIATE_TEST_SUITE_P(FaultList, EveryFault,
                         testing::ValuesIn(all_faults().begin(), all_faults().end()),
                         [](const testing::TestParamInfo<Fault>& fault) {
                           std::string name;
                           bool upper = true;
                           for (const char c : fault.param.token) {
                             if (c != '_') name += upper ? static_cast<char>(std::toupper(c)) : c;
                             upper = c == '_';
                           }
                           return name;
                         });

TEST(FaultTable, HasNamesAndReasons) {
  EXPECT_GE(all_faults().size(), 60U);
  std::vector<std::string_view> tokens;
  for (const Fault& fault : all_faults()) {
    EXPECT_FALSE(fault.breaks.empty()) << fault.token;
    EXPECT_EQ(find_fault(fault.token), &fault);
    tokens.push_back(fault.token);
  }
  std::ranges::sort(tokens);
  EXPECT_EQ(std::ranges::adjacent_find(tokens), tokens.end());
  EXPECT_EQ(find_fault("no_such_fault"), nullptr);
}

// The faults must come from the fault, not from the machinery around it.
TEST(FaultTable, NoFaultPasses) {
  const Fault harmless{.token = "none", .breaks = "nothing"};
  EXPECT_EQ(run(test::smoke(), test::reference_with(&harmless), {}).exit_code(), 0);
}

}  // namespace
}  // namespace mx::sim
