// The protocol coverage of devices that files describe (spec V10): the schedules of the bench hit
// every bin that the description leaves open, none that it rules out, and a schedule that leaves
// something out is seen to.
#include <algorithm>

#include "golden/coverage/database.hpp"
#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

using golden::Bin;
using golden::Covergroup;
using golden::Coverpoint;
using golden::Reach;

class DeviceCoverage : public DeviceTest {
 protected:
  /// The protocol of a run that passes.
  [[nodiscard]] Covergroup protocol_of(const std::string& arguments) {
    const std::string path = file("cover.json");
    expect("run " + arguments + " --cover " + path, 0, "and the protocol");
    std::vector<Covergroup> groups = golden::read_coverage(path);
    EXPECT_GE(groups.size(), 2U) << "the records are measured, too";
    EXPECT_TRUE(groups.back().configuration.starts_with("protocol;"));
    EXPECT_GT(groups.back().samples, 100U);
    return groups.back();
  }
  static std::string wrong_bins(const Covergroup& group) {
    std::string text;
    for (const Coverpoint& point : group.points) {
      for (const Bin& bin : point.bins) {
        if ((bin.hits == 0) != (bin.reach == Reach::kOpen)) continue;
        text += point.name + ": " + bin.name + "\n";
      }
    }
    return text;
  }
  static const Bin* bin_of(const Covergroup& group, std::string_view point, std::string_view bin) {
    const auto p = std::ranges::find(group.points, point, &Coverpoint::name);
    if (p == group.points.end()) return nullptr;
    const auto b = std::ranges::find(p->bins, bin, &Bin::name);
    return b == p->bins.end() ? nullptr : &*b;
  }
};

/// Property: mixed schedules close the protocol of each style of ports.
TEST_F(DeviceCoverage, IsClosedByMixedSchedules) {
  for (const std::string& run : {device("fp32_to_e4m3") + " --suite rnd --count 6000",
                                 device("dot_fp4") + " --suite rnd --count 6000",
                                 device("narrow_fp32") + " --suite rnd --count 40000",
                                 device("widen_bf16") + " --suite rnd --count 40000"}) {
    const Covergroup group = protocol_of(run);
    EXPECT_TRUE(group.score().complete()) << run << "\n" << wrong_bins(group);
    EXPECT_GT(group.score().bins, 6U) << run;
  }
}

/// Property: no schedule hits what the description rules out.
TEST_F(DeviceCoverage, NoScheduleContradictsTheDescription) {
  for (const char* const stall : {"none", "heavy", "random"}) {
    // A module without a reset.
    const Covergroup whole =
        protocol_of(fmt::format("{} --suite smoke --stall {}", device("dot_fp4"), stall));
    EXPECT_EQ(whole.score().contradicted, 0U) << stall << "\n" << wrong_bins(whole);
    for (const char* const name : {"narrow_fp32", "widen_bf16"}) {
      for (const char* const reset : {"none", "sweep", "random"}) {
        const Covergroup group = protocol_of(
            fmt::format("{} --suite smoke --stall {} --reset {}", device(name), stall, reset));
        EXPECT_EQ(group.score().contradicted, 0U) << name << ' ' << stall << ' ' << reset << "\n"
                                                  << wrong_bins(group);
      }
    }
  }
}

/// Control: without stalls and resets the bins that need them stay open, and the gate sees it.
TEST_F(DeviceCoverage, WithoutStallsAndResetsBinsStayOpen) {
  const Covergroup group =
      protocol_of(device("narrow_fp32") + " --suite rnd --count 40000 --stall none --reset none");
  for (const char* bin : {"1", "2-3", "4-15", "16+"}) {
    EXPECT_EQ(bin_of(group, "input_stall", bin)->hits, 0U) << bin;
    EXPECT_EQ(bin_of(group, "bubble", bin)->hits, 0U) << bin;
  }
  EXPECT_EQ(bin_of(group, "idle", "inside_block")->hits, 0U);
  EXPECT_EQ(bin_of(group, "reset_input_beat", "1")->hits, 0U);
  EXPECT_GT(bin_of(group, "bubble", "0")->hits, 0U);
  expect("cover " + file("cover.json") + " --gate 100", 5, "reset_input_beat");
}

/// The description says what cannot be: a device without ready has no stalls of its output, one
/// without a clock no reset.
TEST_F(DeviceCoverage, TheDescriptionRulesOutWhatItsPortsCannot) {
  const Covergroup narrow = protocol_of(device("narrow_fp32") + " --suite smoke");
  EXPECT_EQ(bin_of(narrow, "output_stall", "1")->reach, Reach::kUnreachable);
  EXPECT_EQ(bin_of(narrow, "reset_pulse", "0 edges, valid 0")->reach, Reach::kUnreachable);
  const Covergroup widen = protocol_of(device("widen_bf16") + " --suite smoke");
  EXPECT_EQ(bin_of(widen, "output_stall", "1")->reach, Reach::kOpen);
  EXPECT_EQ(bin_of(widen, "bubble", "0"), nullptr) << "its blocks have one beat";
  const Covergroup converter = protocol_of(device("fp32_to_e4m3") + " --suite smoke");
  EXPECT_EQ(bin_of(converter, "reset_pulse", "1 edges, valid 0"), nullptr);
  EXPECT_EQ(bin_of(converter, "idle", "between_blocks")->reach, Reach::kUnreachable);
}

/// Shards of a run add up, and a run that fails is not measured.
TEST_F(DeviceCoverage, ShardsMergeAndFailuresAreNotMeasured) {
  const std::string run = "run " + device("widen_bf16") + " --suite rnd --count 4000";
  expect(run + " --shard 0/2 --cover " + file("0.json"), 0, "PASS ");
  expect(run + " --shard 1/2 --cover " + file("1.json"), 0, "PASS ");
  expect("cover " + file("0.json") + " " + file("1.json") + " --html " + file("c.html") +
             " --ucis " + file("c.xml") + " -o " + file("both.json"),
         0, "protocol of device:");
  const auto cycles = [&](const char* name) {
    return golden::read_coverage(file(name)).back().samples;
  };
  EXPECT_EQ(cycles("both.json"), cycles("0.json") + cycles("1.json"));
  const std::string late = variant("dot_fp4", {{"\"latency\": 2", "\"latency\": 1"}});
  expect("run --dut device:" + late + " --suite smoke --cover " + file("late.json"), 1,
         "coverage ");
}

}  // namespace
}  // namespace mx::sim::test
