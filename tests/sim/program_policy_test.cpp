// What a run may not lose: policies that a device cannot be told, what a profile leaves open, and
// options that contradict a file.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/policy/fields.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

const std::string kPipe = std::string(MX_PYTHON) + " " MX_ANSWERS " ";
const std::string kBlocks = " --suite smoke --elements 64 --format mxfp8_e4m3 --source fp32 ";

std::string option_of(std::string_view field) {
  std::string text = "--" + std::string(field);
  std::ranges::replace(text, '_', '-');
  return text;
}

bool has_rtl() { return !mxgold("run --dut rtl --only 0" + kBlocks).says("no Verilated RTL"); }

class RunPolicies : public ProgramTest {};

// Every value of every policy: the RTL's answers are the reference's, or the program refuses and
// says which policy it is.
TEST_F(RunPolicies, RtlAnswersOrRefusesByName) {
  if (!has_rtl()) GTEST_SKIP() << "no Verilated RTL";
  std::size_t passed = 0;
  std::size_t refused = 0;
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "random_bits") continue;
    for (const std::string_view value : field.values()) {
      std::string options = kBlocks;
      if (field.name != "rounding") options += "--rounding ties_to_even ";
      if (field.name != "rule") options += "--rule rceil ";
      options += option_of(field.name) + " " + std::string(value);
      const ProgramEnd rtl = mxgold("run --dut rtl" + options);
      if (rtl.exit == 0) {
        ++passed;
        EXPECT_EQ(rtl.digest(), mxgold("run --dut reference --random-bits 8" + options).digest())
            << options;
        continue;
      }
      ++refused;
      EXPECT_EQ(rtl.exit, 2) << options << '\n' << rtl.text;
      EXPECT_TRUE(rtl.says(field.name) || rtl.says(value)) << options << '\n' << rtl.text;
    }
  }
  EXPECT_GT(passed, 30U);
  EXPECT_GT(refused, 20U);
}

TEST_F(RunPolicies, RtlRefusesWhatItsWordWouldLose) {
  if (!has_rtl()) GTEST_SKIP() << "no Verilated RTL";
  expect("run --dut rtl --ratio-op fp32_div --rule rceil", 2, "ratio_op");
  expect("run --dut rtl --src-daz-block flush", 2, "src_daz_block");
  expect("run --dut rtl --elem-scaling fp32_div_normal", 2, "elem_scaling");
  expect("run --dut rtl --dst-ftz flush_after_rounding", 2, "dst_ftz");
  expect("run --dut rtl --block-size 16 --format mxfp4", 2, "blocks of 16");
  EXPECT_EQ(mxgold("run --dut rtl --profile cublas-13").exit, 2);
  expect("run --dut rtl --vectors " + gen("--suite smoke --src-daz-block flush"), 2,
         "src_daz_block");
}

// The same on the way through a vector file, and the answers differ where the policy decides.
TEST_F(RunPolicies, PoliciesReachTheDevice) {
  const std::string standard = mxgold("run --dut reference" + kBlocks + "--rule rceil").digest();
  std::map<std::string, std::string> digests;
  for (const char* policy :
       {"--src-daz-block flush", "--elem-scaling fp32_div_normal", "--overflow none_inf_or_nan",
        "--zero-sign flush_positive", "--inf-block scale_max", "--amax-over finite_only",
        "--scale-sat to_nan", "--zero-block-scale one", "--nan-scale-codes nan"}) {
    const std::string options = kBlocks + "--rule rceil " + policy;
    const ProgramEnd outcome = expect("run --dut reference" + options, 0, "PASS ");
    EXPECT_NE(outcome.digest(), standard) << policy << " changes nothing";
    EXPECT_TRUE(digests.emplace(outcome.digest(), policy).second) << policy;
  }
}

struct Masked {
  const char* profile;
  const char* options;
};

// Words that the profile leaves open are counted and may be anything; any other may not.
TEST_F(RunPolicies, RunMasksWhatTheProfileLeavesOpen) {
  for (const auto& [profile, options] :
       {Masked{"intel-fp8et", "--format mxfp8_e4m3"}, Masked{"ocp-mx-1.0", "--format mxfp8_e4m3"},
        Masked{"ocp-mx-1.0", "--format mxint8"},
        Masked{"qtorch-0.3.0/cpu", "--op cvt --format e4m3fn"},
        Masked{"ocp-mx-1.0", "--op cvt --format e5m2"}}) {
    const std::string set =
        std::string(options) + " --source fp32 --profile " + profile + " --lengths full ";
    const std::string path = gen(set);
    const auto dut = [&](const std::string& lie) {
      return "run --errors 1 --dut process:'" + kPipe + path + lie + "' ";
    };
    const ProgramEnd right = mxgold(dut("") + set);
    EXPECT_EQ(right.exit, 0) << set << '\n' << right.text;
    EXPECT_FALSE(right.says(", 0 open,")) << set << '\n' << right.text;
    const ProgramEnd open = mxgold(dut(" open") + set);
    EXPECT_EQ(open.exit, 0) << set << '\n' << open.text;
    EXPECT_NE(open.digest(), right.digest()) << "the lie changed nothing";
    EXPECT_EQ(mxgold(dut(" open") + "--vectors " + path).exit, 0) << set;
    EXPECT_EQ(mxgold(dut(" closed") + set).exit, 1) << set;
    EXPECT_EQ(mxgold(dut(" closed") + "--vectors " + path).exit, 1) << set;
    // Without the profile the same answers are compared in full.
    const ProgramEnd check = mxgold("check --profile " + std::string(profile) + " " + path);
    EXPECT_EQ(check.exit, 0) << check.text;
  }
}

// Streams and records count the same words of the same file.
TEST_F(RunPolicies, StreamsMaskAsRecordsDo) {
  for (const char* profile : {"intel-fp8et", "ocp-mx-1.0"}) {
    const std::string path =
        gen(std::string("--format mxfp8_e4m3 --lengths full --profile ") + profile);
    const ProgramEnd streams =
        expect("run --compare normative --dut reference --vectors " + path, 0, "PASS ");
    const ProgramEnd records =
        expect("run --dut process:'" + kPipe + path + "' --vectors " + path, 0, "PASS ");
    const auto counts = [](const ProgramEnd& end) {
      const std::size_t last = end.text.find(" open,");
      const std::size_t words = end.text.rfind(" words compared", last);
      const std::size_t first = end.text.find_last_of(" \n", words - 1);
      return end.text.substr(first + 1, last - first - 1);
    };
    EXPECT_EQ(counts(streams), counts(records)) << profile;
    EXPECT_FALSE(streams.says(", 0 open,")) << streams.text;
    const ProgramEnd suite = expect(
        std::string("run --dut reference --format mxfp8_e4m3 --profile ") + profile, 0, "PASS ");
    EXPECT_FALSE(suite.says(", 0 open,")) << suite.text;
  }
}

// The number of the first record with this word in the field `open`; both in hex, as written.
std::size_t record_with(const std::string& text, std::string_view open) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    if (line.starts_with('#')) continue;
    if (line.find(open) != std::string_view::npos) return number;
    ++number;
  }
  return ~std::size_t{0};
}

TEST_F(RunPolicies, NothingComparedIsThree) {
  // ocp-mx-1.0 leaves everything of a block with a NaN open: flags, scale, codes 0 to 31.
  const std::string path = gen("--format mxfp8_e4m3 --lengths full --profile ocp-mx-1.0");
  const std::size_t nan = record_with(read(path), "03 00 00 00 00");
  ASSERT_NE(nan, ~std::size_t{0});
  const std::string only = " --only " + std::to_string(nan) + " --vectors " + path;
  expect("run --dut process:'" + kPipe + path + "'" + only, 3, "NOTHING COMPARED");
  expect("run --dut process:'" + kPipe + path + " scale'" + only, 3, "NOTHING COMPARED");
  expect("run --compare normative --dut reference" + only, 3, "NOTHING COMPARED");
  const ProgramEnd json = mxgold("run --json --dut process:'" + kPipe + path + "'" + only);
  EXPECT_EQ(json.exit, 3);
  EXPECT_FALSE(json.says("\"verdict\": \"PASS\"")) << json.text;
}

TEST_F(RunPolicies, OptionsThatContradictAFileAreTwo) {
  const std::string path = gen("--format mxfp4 --shard 0/50");
  for (const char* option : {"--format e4m3fn",
                             "--format mxfp4",
                             "--source fp32",
                             "--profile ocp-mx-1.0",
                             "--op cvt",
                             "--operation fma",
                             "--block-size 16",
                             "--random-bits 8",
                             "--lanes 32",
                             "--lengths full",
                             "--count 5",
                             "--elements 5",
                             "--tensor nosuch",
                             "--axis 0",
                             "--all-modes",
                             "--tensor-amax 1",
                             "--addend fp32",
                             "--rounding to_odd",
                             "--rule ceil",
                             "--overflow sat_finite",
                             "--src-daz-block flush",
                             "--seed 5",
                             "--shard 1/2"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    for (const char* dut : {"reference", "process:cat"}) {
      expect("run --dut " + std::string(dut) + " --vectors " + path + " " + option, 2, name);
    }
  }
  expect("run --dut reference --vectors " + path + " --input x.npy", 2, "one of");
}

// Options that only one road knows are refused on the other.
TEST_F(RunPolicies, OptionsThatARunCannotHeedAreTwo) {
  const std::string program = "run --dut process:'exit 1' ";
  for (const char* option :
       {"--stall heavy", "--reset sweep", "--elements 64", "--all-modes", "--tensor nosuch"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    expect(program + option, 2, name);
  }
  expect("run --dut reference --judge both", 2, "--judge");
  expect("run --dut reference --suite dir", 2, "--suite dir");
  expect("run --dut reference --lanes 8", 2, "--lanes");
  expect("run --dut reference --elements -1", 2, "--elements");
}

}  // namespace
}  // namespace mx::sim::test
