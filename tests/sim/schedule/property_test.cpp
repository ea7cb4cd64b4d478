// Stalls and resets as a property: any schedule, cycle by cycle, of any clocked device, and the
// schedule of a counterexample shrinks.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "sim/dut/kind.hpp"
#include "sim/shrink/stream_case.hpp"
#include "tests/sim/sim_fixture.hpp"
#include "tests/support/property.hpp"
#include "tests/support/sample.hpp"

namespace mx::sim {
namespace {

/// Blocks of the smoke suite, and what happens in which cycle.
struct Plan {
  std::uint64_t first = 0, blocks = 0;
  std::vector<std::uint64_t> withheld, not_ready, resets;

  [[nodiscard]] std::size_t events() const {
    return withheld.size() + not_ready.size() + resets.size();
  }
};

std::ostream& operator<<(std::ostream& out, const Plan& plan) {
  const auto list = [&](const char* name, const std::vector<std::uint64_t>& cycles) {
    out << ' ' << name;
    for (const std::uint64_t cycle : cycles) out << ' ' << cycle;
  };
  out << plan.blocks << " blocks from " << plan.first << ';';
  list("withheld", plan.withheld);
  list("; not ready", plan.not_ready);
  list("; resets", plan.resets);
  return out;
}

/// Cycles below 400, in bursts: none, few or most of them.
std::vector<std::uint64_t> some_cycles(oracle::Stream& stream) {
  const std::uint64_t density = stream.next() % 4;
  std::vector<std::uint64_t> cycles;
  for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
    const std::uint64_t draw = stream.next() % 100;
    const std::uint64_t limit = density == 0 ? 0 : density == 1 ? 2 : density == 2 ? 30 : 80;
    if (draw < limit) cycles.push_back(cycle);
  }
  return cycles;
}

Plan make_plan(oracle::Stream& stream) {
  Plan plan;
  plan.blocks = 1 + stream.next() % 60;
  plan.first = stream.next() % (test::smoke().size() - plan.blocks);
  if (stream.next() % 20 == 0) return plan;
  plan.withheld = some_cycles(stream);
  plan.not_ready = some_cycles(stream);
  plan.resets = some_cycles(stream);
  // A device that is reset in most cycles has nothing to answer.
  if (plan.resets.size() > 40) plan.resets.resize(40);
  return plan;
}

/// A cycle at half its time, or one cycle earlier, where none is there.
void add_earlier(const Plan& plan, std::vector<std::uint64_t> Plan::*member,
                 std::vector<Plan>& smaller) {
  const std::vector<std::uint64_t>& cycles = plan.*member;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const std::uint64_t before = i == 0 ? 0 : cycles[i - 1] + 1;
    for (const std::uint64_t cycle : {(before + cycles[i]) / 2, cycles[i] - 1}) {
      if (cycles[i] == 0 || cycle < before || cycle >= cycles[i]) continue;
      smaller.push_back(plan);
      (smaller.back().*member)[i] = cycle;
    }
  }
}

/// Halves and single cycles left out, fewer blocks, cycles earlier.
rc::Seq<Plan> smaller_plans(const Plan& plan) {
  std::vector<Plan> smaller;
  for (const auto member : {&Plan::resets, &Plan::withheld, &Plan::not_ready}) {
    const std::vector<std::uint64_t>& cycles = plan.*member;
    for (std::size_t chunk = cycles.size(); chunk != 0; chunk /= 2) {
      for (std::size_t at = 0; at < cycles.size(); at += chunk) {
        Plan less = plan;
        const auto first = (less.*member).begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t last = std::min(chunk, cycles.size() - at);
        (less.*member).erase(first, first + static_cast<std::ptrdiff_t>(last));
        smaller.push_back(std::move(less));
      }
    }
  }
  add_earlier(plan, &Plan::resets, smaller);
  add_earlier(plan, &Plan::not_ready, smaller);
  for (const std::uint64_t blocks : {plan.blocks / 2, plan.blocks - 1}) {
    if (blocks == 0) continue;
    smaller.push_back(plan);
    smaller.back().blocks = blocks;
  }
  return rc::seq::fromContainer(std::move(smaller));
}

rc::Gen<Plan> any_plan() {
  const rc::Gen<Plan> whole([](const rc::Random& random, int) {
    rc::Random source(random);
    oracle::Stream stream(701, source.next());
    return rc::shrinkable::just(make_plan(stream));
  });
  return rc::gen::shrink(rc::gen::noShrink(whole),
                         [](const Plan& plan) { return smaller_plans(plan); });
}

StreamOutcome outcome_of(const Plan& plan, const DutFactory& make) {
  std::vector<BlockIn> blocks(plan.blocks);
  test::smoke().fill(plan.first, blocks);
  const auto stalls = [](const std::vector<std::uint64_t>& cycles) {
    StallPlan at = Stall::kAt;
    at.cycles = cycles;
    return at;
  };
  DriveOptions drive;
  drive.input_stall = stalls(plan.withheld);
  drive.output_stall = stalls(plan.not_ready);
  drive.reset = {ResetPlan::Kind::kAt, plan.resets};
  StreamSetting setting;
  setting.make = make;
  return run_case(stream_case(test::smoke().configs(), blocks, drive), setting);
}

bool is_right(const Plan& plan, const DutFactory& make) {
  const StreamOutcome outcome = outcome_of(plan, make);
  return !outcome.has_failed() && outcome.total.blocks == plan.blocks;
}

/// Property: whatever the stalls and resets, every block gets its right answer, once and in order.
void expect_any_schedule(const std::string& device, const DutFactory& make, int cases) {
  int with_all = 0, with_none = 0;
  oracle::expect_property(
      "every schedule gives every block its answer once: " + device, cases, [&] {
        const Plan plan = *any_plan();
        const bool has_all =
            !plan.withheld.empty() && !plan.not_ready.empty() && !plan.resets.empty();
        with_all += has_all ? 1 : 0;
        with_none += plan.events() == 0 ? 1 : 0;
        RC_ASSERT(is_right(plan, make));
      });
  EXPECT_GT(with_all, cases / 5);
  EXPECT_GT(with_none, 0);
}

TEST(AnySchedule, GivesEveryBlockItsAnswerOnce) {
  expect_any_schedule("reference", test::reference_with(), mx::test::runs_whole() ? 1000 : 250);
}

TEST(AnySchedule, OfTheRtlToo) {
  const auto rtl = std::ranges::find(all_dut_kinds(), "rtl", &DutKind::name);
  ASSERT_NE(rtl, all_dut_kinds().end());
  if (!rtl->missing.empty()) GTEST_SKIP() << rtl->missing;
  expect_any_schedule("rtl", rtl->make({}), mx::test::runs_whole() ? 200 : 100);
}

/// Control: faults of the ports fall to some schedule, and what is left of it is what they need.
TEST(AnySchedule, ShrinksToWhatAFaultNeeds) {
  struct Needs {
    const char* fault;
    std::size_t events;
  };
  for (const Needs& each :
       {Needs{"drop_on_stall", 1}, Needs{"stale_after_reset", 1}, Needs{"payload_changes", 2},
        Needs{"valid_falls", 2}, Needs{"hang", 0}}) {
    const DutFactory make = test::reference_with(find_fault(each.fault));
    std::optional<Plan> least;
    const auto result = oracle::search_law(each.fault, 500, [&] {
      const Plan plan = *any_plan();
      if (is_right(plan, make)) return;
      if (!least || plan.events() <= least->events()) least = plan;
      RC_FAIL();
    });
    EXPECT_TRUE(result.is<rc::detail::FailureResult>()) << each.fault;
    ASSERT_TRUE(least) << each.fault;
    EXPECT_LE(least->events(), each.events) << each.fault << ": " << *least;
    EXPECT_FALSE(is_right(*least, make));
  }
}

}  // namespace
}  // namespace mx::sim
