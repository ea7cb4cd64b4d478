// What a run may not lose: policies that a device cannot be told, what a profile leaves open, and
// options that contradict a file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
      // A rule that reads the policy, where rceil does not.
      if (field.name != "rule") {
        options += field.name == "even_carry" ? "--rule even_up " : "--rule rceil ";
      }
      options += option_of(field.name) + " " + std::string(value);
      const ProgramEnd rtl = mxgold("run --dut rtl" + options);
      if (rtl.exit == 0) {
        ++passed;
        // As many as the RTL draws, where anything does: beside rounding and rule the suite has
        // more.
        const bool draws = field.name == "rounding" || field.name == "rule";
        const std::string as_rtl = draws ? " --random-bits 8" : "";
        EXPECT_EQ(rtl.digest(),
                  mxgold(fmt::format("run --dut reference{}{}", as_rtl, options)).digest())
            << options;
        continue;
      }
      ++refused;
      EXPECT_EQ(rtl.exit, 2) << options << '\n' << rtl.tail();
      EXPECT_FALSE(rtl.says("unknown option")) << options << '\n' << rtl.tail();
      EXPECT_TRUE(rtl.says(field.name) || rtl.says(value) || rtl.says(option_of(field.name)))
          << options << '\n'
          << rtl.tail();
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
  expect("run --dut rtl --dst-ftz post", 2, "dst_ftz");
  expect("run --dut rtl --block-size 16 --format mxfp4", 2, "blocks of 16");
  EXPECT_EQ(mxgold("run --dut rtl --profile cublas-13").exit, 2);
  expect("run --dut rtl --vectors " + gen("--suite smoke --src-daz-block flush"), 2,
         "src_daz_block");
}

struct Flip {
  const char* base;
  const char* standard;
  const char* flipped;
};

// The answers of a suite and of a file change as the policy does: nothing is lost on the way.
TEST_F(RunPolicies, PoliciesReachTheDevice) {
  for (const auto& [base, standard, flipped] :
       {Flip{"--format mxfp8_e4m3 --rule floor --source fp32", "--overflow sat_finite",
             "--overflow none_inf_or_nan"},
        Flip{"--format mxint8 --rule ceil --source fp32", "--scale-sat clamp_254",
             "--scale-sat to_nan"},
        Flip{"--format mxint8 --rule floor --source fp32", "--int-min clamp_symmetric",
             "--int-min allow"},
        Flip{"--format mxfp4 --source fp32", "--src-daz-block keep", "--src-daz-block flush"},
        Flip{"--format mxfp4 --source fp32", "--src-ftz keep", "--src-ftz flush"},
        Flip{"--format mxfp8_e5m2 --source fp32", "--dst-ftz none", "--dst-ftz post"},
        Flip{"--format mxfp8_e4m3 --source fp32", "--elem-scaling exact",
             "--elem-scaling fp32_div_normal"},
        Flip{"--format mxfp4 --source fp32", "--zero-sign keep", "--zero-sign flush_positive"},
        Flip{"--format mxfp4 --source fp32", "--inf-block scale_nan", "--inf-block scale_max"},
        Flip{"--format mxfp4 --source fp32", "--amax-over all", "--amax-over finite_only"},
        Flip{"--format mxfp4 --source fp32", "--zero-block-scale code_00",
             "--zero-block-scale one"},
        Flip{"--format mxfp8_e4m3 --source fp32", "--elem-codes-when-nan-scale dont_care",
             "--elem-codes-when-nan-scale nan"},
        Flip{"--format nvfp4 --source fp32", "--rule nvfp4_exact", "--rule nvfp4_te"},
        Flip{"--op cvt --format e5m2", "--staging none", "--staging via_fp16"},
        Flip{"--op dot --format mxfp4", "--result fp32", "--result bf16"},
        Flip{"--op dot --format mxfp4", "--mode exact_once", "--mode fp32_seq"},
        Flip{"--op arith --operation add --format fp16", "--rounding ties_to_even",
             "--rounding to_odd"}}) {
    const std::string with_standard = std::string(base) + " " + standard;
    const std::string with_flipped = std::string(base) + " " + flipped;
    const ProgramEnd one = expect("run --dut reference " + with_standard, 0, "PASS ");
    const ProgramEnd two = expect("run --dut reference " + with_flipped, 0, "PASS ");
    EXPECT_NE(one.digest(), two.digest()) << with_flipped << " changes nothing";
    // A device that was told the one and computes the other is wrong.
    const std::string told = gen(with_flipped, "told.tv");
    expect("run --dut reference --vectors " + told, 0, "PASS ");
    const ProgramEnd check = mxgold("check " + told);
    EXPECT_EQ(check.exit, 0) << check.tail();
  }
}

struct Masked {
  const char* profile;
  const char* options;
};

// Words that the profile leaves open are counted and may be anything; any other may not.
TEST_F(RunPolicies, RunMasksWhatTheProfileLeavesOpen) {
  for (const auto& [profile, options] :
       {Masked{"intel-fp8et:blocks-as=mxgold-default", "--format mxfp8_e4m3"},
        Masked{"ocp-mx-1.0", "--format mxfp8_e4m3"}, Masked{"ocp-mx-1.0", "--format mxint8"},
        Masked{"qtorch-0.3.0/cpu", "--op cvt --format e3m2fn"},
        Masked{"ocp-mx-1.0", "--op cvt --format e5m2"}}) {
    std::string set = std::string(options) + " --source fp32 --profile " + profile + " ";
    if (set.find("--op cvt") == std::string::npos) set += "--lengths full ";
    const std::string path = gen(set);
    const auto dut = [&](const std::string& lie) {
      return fmt::format("run --errors 1 --dut process:'{}{}{}' ", kPipe, path, lie);
    };
    const ProgramEnd right = mxgold(dut("") + set);
    EXPECT_EQ(right.exit, 0) << set << '\n' << right.tail();
    EXPECT_TRUE(right.says(" open (")) << set << '\n' << right.tail();
    const ProgramEnd open = mxgold(dut(" open") + set);
    EXPECT_EQ(open.exit, 0) << set << '\n' << open.tail();
    EXPECT_NE(open.digest(), right.digest()) << "the lie changed nothing";
    EXPECT_EQ(mxgold(dut(" open") + "--vectors " + path).exit, 0) << set;
    EXPECT_EQ(mxgold(dut(" closed") + set).exit, 1) << set;
    EXPECT_EQ(mxgold(dut(" closed") + "--vectors " + path).exit, 1) << set;
    // Without the profile the same answers are compared in full.
    const ProgramEnd check = mxgold("check --profile " + std::string(profile) + " " + path);
    EXPECT_EQ(check.exit, 0) << check.tail();
  }
}

// Streams and records count the same words of the same file.
TEST_F(RunPolicies, StreamsMaskAsRecordsDo) {
  for (const char* profile : {"intel-fp8et:blocks-as=mxgold-default", "ocp-mx-1.0"}) {
    const std::string path =
        gen(std::string("--format mxfp8_e4m3 --lengths full --profile ") + profile);
    const ProgramEnd streams =
        expect("run --compare normative --dut reference --vectors " + path, 0, "PASS ");
    const ProgramEnd records =
        expect(fmt::format("run --dut process:'{0}{1}' --vectors {1}", kPipe, path), 0, "PASS ");
    const auto counts = [](const ProgramEnd& end) {
      const std::size_t last = end.text.find(" open (");
      const std::size_t words = end.text.rfind(" words compared", last);
      const std::size_t first = end.text.find_last_of(" \n", words - 1);
      return end.text.substr(first + 1, last - first - 1);
    };
    EXPECT_EQ(counts(streams), counts(records)) << profile;
    EXPECT_TRUE(streams.says(" open (")) << streams.tail();
    const ProgramEnd suite = expect(
        std::string("run --dut reference --format mxfp8_e4m3 --profile ") + profile, 0, "PASS ");
    EXPECT_TRUE(suite.says(" open (")) << suite.tail();
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
  // ocp-mx-1.0 leaves everything of a block with a NaN open: flags, scale and 32 codes are bits.
  const std::string path = gen("--format mxfp8_e4m3 --lengths full --profile ocp-mx-1.0");
  const std::size_t nan = record_with(read(path), " ff ff ff ff 03 ");
  ASSERT_NE(nan, ~std::size_t{0});
  const std::string only = " --only " + std::to_string(nan) + " --vectors " + path;
  expect("run --dut process:'" + kPipe + path + "'" + only, 3, "NOTHING COMPARED");
  expect("run --dut process:'" + kPipe + path + " scale'" + only, 3, "NOTHING COMPARED");
  expect("run --compare normative --dut reference" + only, 3, "NOTHING COMPARED");
  const ProgramEnd json = mxgold("run --json --dut process:'" + kPipe + path + "'" + only);
  EXPECT_EQ(json.exit, 3);
  EXPECT_FALSE(json.says("\"verdict\": \"PASS\"")) << json.tail();
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
                             "--src-daz-block flush"}) {
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    for (const char* dut : {"reference", "process:cat"}) {
      expect("run --dut " + std::string(dut) + " --vectors " + path + " " + option, 2, name);
    }
  }
  expect("run --dut reference --vectors " + path + " --input x.npy", 2, "one of");
}

// Options that the way of a run does not look at are refused, not ignored.
TEST_F(RunPolicies, OptionsThatARunCannotHeedAreTwo) {
  const auto refused = [](const std::string& command, std::vector<std::string> options) {
    for (const std::string& option : options) {
      expect(fmt::format("{} {}", command, option), 2, option.substr(0, option.find(' ')));
    }
  };
  const std::string blocks = "--format mxfp4 --source fp32 --elements 32 ";
  refused("run --dut process:'exit 1'", {"--stall heavy", "--reset sweep", "--elements 64",
                                         "--all-modes", "--tensor nosuch", "--compare loose"});
  refused("run --dut reference --op cvt", {"--stall heavy", "--reset sweep", "--elements 64"});
  refused("run --dut cuda-host " + blocks,
          {"--lanes 8", "--lengths full", "--count 3", "--axis 0", "--addend fp32",
           "--operation fma", "--tensor-amax 1", "--judge nobody", "--suite dir", "--suite rnd"});
  refused("run --dut process:'exit 1' --vectors " + gen("--format mxfp4"),
          {"--shard 1/2", "--stall heavy", "--reset sweep", "--judge nobody"});
  refused("run --dut cuda-host --format mxfp4 --input " + tensor_file(), {"--axis 0", "--lanes 8"});
  expect("run --dut reference --elements -1", 2, "--elements");
}

}  // namespace
}  // namespace mx::sim::test
