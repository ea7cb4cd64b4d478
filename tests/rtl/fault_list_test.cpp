// The fault list in our RTL (spec V8.2): each fault of sim/rtl/faults.txt that 32 lanes show is
// caught by the smoke suite, named with the clause that it breaks, and shrunk to a case that a
// fresh process shows again and the right RTL passes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "sim/block/fault.hpp"
#include "sim/causes/causes.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/rtl/faults.hpp"
#include "sim/rtl/load.hpp"
#include "sim/shrink/replay_file.hpp"
#include "sim/shrink/shrink_run.hpp"
#include "tests/sim/program.hpp"
#include "tests/sim/shrink/lanes_in_use.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

/// Where rtl.faults.build has left its build.
class Cache : public testing::Environment {
 public:
  void SetUp() override { setenv("MXGOLD_CACHE", MX_CACHE, 1); }
};
const testing::Environment* const kCache = testing::AddGlobalTestEnvironment(new Cache);

DutFactory device_of(const RtlBuild& build) {
  return [build] { return make_loaded_rtl_dut("rtl", *build.functions, build.fault, nullptr); };
}

/// Faults whose line says something else than their clause, and why. Of wrong blocks the line is
/// the cause that explains most.
struct Otherwise {
  std::string says, why;
};
constexpr const char* kNextUnseen = "no judge sees the block after";
constexpr const char* kBitNamed = "the status bit is named, not when it has to be 0";
constexpr const char* kNoWord = "the block that nobody sent has no random word";
const std::map<std::string, Otherwise, std::less<>> kOtherwise = {
    {"carry_left_out_of_maximum",
     {"scale code off by -1; codes agree with the device's own scale",
      "which block it is depends on pairs of lanes, which the reference's maximum has not"}},
    {"nan_flag_of_next_block", {"broken: status bit 11 (spec R6)", kNextUnseen}},
    {"lane_data_of_next_block", {"only the code of lane ", kNextUnseen}},
    {"scale_configuration_of_next_block", {"scale code off by ", kNextUnseen}},
    {"infinity_called_clamped", {"broken: status bit 8 (spec R6)", kBitNamed}},
    {"nan_block_called_zero", {"broken: status bit 9 (spec R6)", kBitNamed}},
    {"underflow_before_rounding", {"broken: status bit 12 (spec R6)", kBitNamed}},
    {"format_top_bit_ignored", {"scale code off by ", "two formats at once are none"}},
    {"keep_of_wrong_byte", {"keep or last is not the input's", "keep is wrong before it is used"}},
    {"code_bit_stuck", {"only the code of lane 7", "a stuck bit breaks no clause of its own"}},
    {"last_without_valid_taken", {"random word k belongs to block k (spec R5.5)", kNoWord}},
    {"block_taken_in_reset", {"random word k belongs to block k (spec R5.5)", kNoWord}},
    {"stage_moves_in_stall",
     {"keep or last is not the input's", "the block that is lost shows as the next one"}},
    {"drop_on_stall",
     {"the payload is stable while it waits (spec R6)", "the next block shows in its place first"}},
    {"hang", {"(spec R6)", "the watchdog cannot tell a block that is lost from one that waits"}},
};

/// Not at rest in what a failure shrinks to (spec V11).
constexpr std::size_t kMostLanes = 2, kMostWords = 3;

class RtlFault : public testing::TestWithParam<std::string> {};

/// The line that a person reads first.
std::string first_line(const RunResult& result) {
  if (!result.failures.empty()) return result.failures[0].what;
  const std::vector<Cause> causes = causes_of(result.mismatches, result.right, result.configs);
  return causes.empty() ? "no cause" : causes[0].text;
}

/// The case in a file, shown again by processes of their own.
void expect_replays(const SmallStream& small, const std::string& token) {
  ReplayFile replay;
  replay.device = "rtl:" + token;  // what a run writes
  replay.failure = small.shrunk.failure;
  replay.compare = small.setting.compare;
  replay.seed = small.setting.seed;
  replay.segment = small.setting.segment;
  const std::string path =
      fmt::format("{}mxgold_rtl_{}_{}.json", testing::TempDir(), token, ::getpid());
  golden::write_file(path, replay_json(replay));
  expect("replay " + path, small.failure.protocol.empty() ? 1 : 4, "FAIL replay of");
  expect("replay " + path + " --dut rtl", 0, "PASS replay of");
  std::filesystem::remove(path);
}

TEST_P(RtlFault, IsCaughtNamedAndSmall) {
  const std::string& token = GetParam();
  const sim::RtlFault& fault = *find_rtl_fault(token);
  const DutFactory make = device_of(load_rtl(token, Tracing::kAbsent));
  RunOptions options;
  options.keep_mismatches = 64;
  options.stop_after = 64;
  const std::clock_t start = std::clock();
  const RunResult result = run(smoke(), make, options);
  constexpr double kMostSeconds = 10;  // of a processor
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
  ASSERT_NE(result.exit_code(), 0) << token << " survives; it breaks: " << fault.breaks;

  const auto otherwise = kOtherwise.find(token);
  const std::string says = otherwise == kOtherwise.end() ? fault.breaks : otherwise->second.says;
  const std::string line = first_line(result);
  EXPECT_NE(line.find(says), std::string::npos) << line;

  const auto small = shrink_stream(smoke(), result, options, make, {});
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->shrunk.is_minimal);
  EXPECT_LE(lanes_in_use(small->shrunk.failure), kMostLanes);
  EXPECT_LE(small->words, kMostWords);
  expect_replays(*small, token);
}

std::vector<std::string> tokens_of_whole_builds() {
  std::vector<std::string> tokens;
  for (const sim::RtlFault& fault : rtl_faults()) {
    if (fault.is_whole()) tokens.push_back(fault.token);
  }
  return tokens;
}

INSTANTIATE_TEST_SUITE_P(Every, RtlFault, testing::ValuesIn(tokens_of_whole_builds()),
                         [](const auto& test) { return test.param; });

// Control: the same build without a fault is our RTL, bit for bit.
TEST(RtlFaultControl, NoFaultPassesWithTheSameDigest) {
  const RunResult none = run(smoke(), device_of(load_faulty_rtl(Tracing::kAbsent)), {});
  EXPECT_EQ(none.exit_code(), 0);
  EXPECT_EQ(none.digest, run(smoke(), make_rtl_dut, {}).digest);
}

/// The sources that the program was built from.
std::vector<RtlSource> own_sources() {
  std::vector<RtlSource> sources;
  for (const RtlFile& file : rtl_files()) {
    if (file.path.starts_with("rtl/")) {
      sources.push_back({std::filesystem::path(file.path).filename(), std::string(file.text)});
    }
  }
  return sources;
}

// A fault of the reference and one of the RTL under one name break the same clause; every module
// has a fault. mx_pkg has constants alone.
TEST(RtlFaultList, NamesEveryFaultOnceAndReachesEveryModule) {
  std::set<std::string> tokens, files;
  for (const sim::RtlFault& fault : rtl_faults()) {
    EXPECT_TRUE(tokens.insert(fault.token).second) << fault.token;
    EXPECT_EQ(find_rtl_fault(fault.token), &fault);
    const Fault* const alike = find_fault(fault.token);
    EXPECT_TRUE(alike == nullptr || fault.breaks == alike->breaks) << fault.token;
    EXPECT_NE(fault.breaks.find(fault.builds == "lfsr" ? "(" : "(spec "), std::string::npos)
        << fault.token;
    EXPECT_FALSE(fault.edits.empty()) << fault.token;
    for (const RtlEdit& edit : fault.edits) files.insert(edit.file);
  }
  EXPECT_EQ(find_rtl_fault("no_such_fault"), nullptr);
  EXPECT_GE(tokens_of_whole_builds().size(), 80U);
  for (const RtlSource& source : own_sources()) {
    EXPECT_EQ(files.contains(source.name), source.name != "mx_pkg.sv") << source.name;
  }
  for (const auto& [token, otherwise] : kOtherwise) {
    EXPECT_NE(find_rtl_fault(token), nullptr) << token << ": " << otherwise.why;
  }
}

// The rows of spec V8.2, in their order.
TEST(RtlFaultList, HasTheRowsOfTheSpecification) {
  const std::vector<std::vector<const char*>> rows = {
      {"ties_to_away_for_even"},
      {"sticky_cut_short", "sticky_below_kept_lost"},
      {"subnormals_zeroed"},
      {"subnormal_shift_off"},
      {"overflow_before_rounding"},
      {"overflow_ignores_mode"},
      {"saturation_lost"},
      {"top_tie_overflows"},
      {"ceil_mask_4fffff"},
      {"floor_for_ceil", "ceil_for_floor", "ceil_for_rceil"},
      {"double_rounding_bf16"},
      {"minus_zero_lost"},
      {"nan_a_number_in_maximum", "nan_left_out_of_maximum"},
      {"drop_on_stall", "stage_moves_in_stall"}};
  EXPECT_EQ(rows.size(), 14U);
  for (const auto& row : rows) {
    for (const char* const token : row) EXPECT_NE(find_rtl_fault(token), nullptr) << token;
  }
}

/// What with_faults() says of sources with one text changed everywhere; "" where it takes them.
std::string refusal_of(std::vector<RtlSource> sources, const std::string& from,
                       const std::string& to) {
  for (RtlSource& source : sources) {
    if (from.empty()) break;
    for (std::size_t at = source.text.find(from); at != std::string::npos;
         at = source.text.find(from, at + to.size())) {
      source.text.replace(at, from.size(), to);
    }
  }
  try {
    static_cast<void>(with_faults(std::move(sources), rtl_faults()));
  } catch (const golden::VectorError& error) {
    return error.what();
  }
  return {};
}

// Control: a text that no longer stands in the sources, or stands twice, is said with its fault.
TEST(RtlFaultList, RefusesTextsWithoutTheirPlace) {
  EXPECT_EQ(refusal_of(own_sources(), "", ""), "");
  const std::string gone = refusal_of(own_sources(), "tie_odd_i & lsb_i", "lsb_i & tie_odd_i");
  EXPECT_NE(
      gone.find("ties_to_away_for_even: mx_round.sv has 0 times, not once: (tie_odd_i & lsb_i)"),
      std::string::npos)
      << gone;
  const std::string twice =
      refusal_of(own_sources(), "  assign ready_o = ~full_q;\n",
                 "  assign ready_o = ~full_q;\n  assign ready_o = ~full_q;\n");
  EXPECT_NE(twice.find("skid_bypassed: mx_skid.sv has 2 times, not once"), std::string::npos)
      << twice;
  std::vector<RtlSource> few = own_sources();
  std::erase_if(few, [](const RtlSource& source) { return source.name == "mx_block_max.sv"; });
  EXPECT_NE(refusal_of(few, "", "").find("carry_left_out_of_maximum: no source mx_block_max.sv"),
            std::string::npos);
}

TEST(RtlFaultList, RefusesLinesThatAreNone) {
  const auto refusal = [](std::string_view list) -> std::string {
    try {
      return std::to_string(parse_rtl_faults(list).size());
    } catch (const golden::VectorError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("= a whole\n: b (spec R6)\n@ c.sv\n- d\n  e\n+ FAULT\n"), "1");
  EXPECT_EQ(refusal("= a whole\n"), "sim/rtl/faults.txt: a names no clause");
  EXPECT_EQ(refusal("= a\n: b\n"), "sim/rtl/faults.txt: a names no builds");
  EXPECT_EQ(refusal("= a whole\n: b\nc\n"), "sim/rtl/faults.txt:3: what is this line: c");
  EXPECT_EQ(refusal(": b\n"), "sim/rtl/faults.txt:1: what is this line: : b");
}

// A fault that 32 lanes do not show is none that passes.
TEST(RtlFaultControl, AFaultOfAnotherBuildIsRefused) {
  setenv("MXGOLD_CACHE", MX_CACHE, 1);
  expect("run --dut rtl:invalid_beats_in_maximum", 3, "does not show this fault (tests: beats)");
  expect("run --dut rtl:lfsr_no_hold", 3, "does not show this fault (tests: lfsr)");
  expect("run --dut rtl:ties_to_evem", 3, "or one of its faults (mxgold list faults)");
}

}  // namespace
}  // namespace mx::sim::test
