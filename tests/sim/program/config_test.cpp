// Options in a file: what goes before what, what a file may not say, and what it makes the program
// execute.
#include <filesystem>
#include <fstream>
#include <string>

#include "golden/names/config_file.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

class ConfigFiles : public ProgramTest {
 protected:
  /// The option that names a file of this text.
  std::string config(const std::string& text, const std::string& name = "my_accel.toml") {
    std::ofstream(file(name)) << text;
    return " -c " + file(name) + " ";
  }
};

/// In the middle of two codes of e2m1fn: RTZ takes the lower one, RNE the even one, which is 1.
const std::string kTie = "explain 0.75 --json";

TEST_F(ConfigFiles, GiveWhatTheCommandLineDoesNot) {
  const std::string with = config("format = 'e2m1fn'\nrounding = 'RTZ'\n");
  EXPECT_EQ(mxgold(kTie + with).text, mxgold(kTie + " --format e2m1fn --rounding RTZ").text);
  // The control: another rounding gives another answer.
  EXPECT_NE(mxgold(kTie + with).text, mxgold(kTie + " --format e2m1fn --rounding RNE").text);
  // In front of the command as well.
  EXPECT_EQ(mxgold(with + kTie).text, mxgold(kTie + with).text);
}

TEST_F(ConfigFiles, AnOptionGoesBeforeTheFile) {
  const std::string with = config("format = 'e2m1fn'\nrounding = 'RTZ'\n");
  EXPECT_EQ(mxgold(kTie + with + "--rounding RNE").text,
            mxgold(kTie + " --format e2m1fn --rounding RNE").text);
  // A list takes the place of the file's.
  const std::string lists = config("format = ['e2m1fn', 'e4m3fn']\nrounding = ['RNE', 'RTZ']\n");
  EXPECT_EQ(mxgold("gen --op cvt --suite smoke" + lists + "--rounding RUP").text,
            mxgold("gen --op cvt --suite smoke --format e2m1fn,e4m3fn --rounding RUP").text);
}

TEST_F(ConfigFiles, TheFileGoesBeforeTheProfile) {
  const std::string typed = " --format mxfp8_e4m3 --rule floor --profile te";
  for (const std::string& said :
       {config("rule = 'floor'") + "--format mxfp8_e4m3 --profile te",
        config("rule = 'floor'\nprofile = 'te'\nformat = 'mxfp8_e4m3'", "whole.toml")}) {
    EXPECT_EQ(mxgold("explain 480 --json " + said).text, mxgold("explain 480 --json" + typed).text);
  }
  EXPECT_NE(mxgold("explain 480 --json" + typed).text,
            mxgold("explain 480 --json --format mxfp8_e4m3 --profile te").text);
}

TEST_F(ConfigFiles, TheProfileGoesBeforeDefaults) {
  const std::string with = config("profile = 'te'\nformat = 'mxfp8_e4m3'");
  EXPECT_EQ(mxgold("explain 480 --json" + with).text,
            mxgold("explain 480 --json --format mxfp8_e4m3 --profile te").text);
  EXPECT_NE(mxgold("explain 480 --json" + with).text,
            mxgold("explain 480 --json --format mxfp8_e4m3").text);
}

TEST_F(ConfigFiles, OptionsOfOtherCommandsAreLeftOut) {
  expect("explain 1" + config("format = 'mxfp4'\nlanes = 8\nstall = 'heavy'\n"), 0, "code");
}

TEST_F(ConfigFiles, WhatIsNoFileIsRefusedByItsPlace) {
  const std::string explain = "explain 1 --format mxfp4 ";
  expect(explain + config("# mine\nronding = 'RNE'\n"), 3,
         "my_accel.toml:2: unknown key 'ronding'; did you mean 'rounding'?");
  expect(explain + config("trust = true\n"), 3, "unknown key 'trust'");
  expect(explain + config("output = 'x.safetensors'\n"), 3, "unknown key 'output'");
  expect(explain + config("src_ftz = 'keep'\nsrc-ftz = 'flush'\n"), 3, ":2: src-ftz stands twice");
  expect(explain + config("rounding = ['RNE', 'RTZ']\n"), 2,
         ":1: rounding: has 2 values; mxgold explain takes one");
  expect(explain + config("rounding = 'RNX'\n"), 2, "unknown value of --rounding 'RNX'");
  expect(explain + config("[block]\n"), 3, ":1: tables are not used here");
  expect(explain + " -c " + file("none.toml"), 3, "cannot read the configuration file");
  expect("help run -c x", 2, "-c");
}

// A device that executes something is no matter of a file.
TEST_F(ConfigFiles, WhatADeviceExecutesNeedsTrust) {
  const std::string mark = file("mark");
  const std::string with =
      config("dut = 'process:touch " + mark + "; " MXGOLD " answer'\nformat = 'mxfp4'\n");
  expect("run --suite smoke" + with + "</dev/null", 2, "--trust");
  EXPECT_FALSE(std::filesystem::exists(mark));
  expect("run --suite smoke --trust" + with, 0, "PASS ");
  EXPECT_TRUE(std::filesystem::exists(mark));
  // Where the device is typed, the file's says nothing.
  expect("run --suite smoke --dut reference" + with, 0, "dut reference");
  expect("run --suite smoke --dut reference --trust", 2, "--trust: goes with --config");
}

TEST_F(ConfigFiles, TheRepeatNeedsNoFile) {
  const ProgramEnd end =
      expect("run --dut reference --suite smoke" + config("format = 'mxfp4'\nsource = 'bf16'\n"), 0,
             "repeat: ");
  EXPECT_TRUE(end.says("--format mxfp4 --source bf16")) << end.tail();
  const std::string vectors = gen("--suite smoke --format mxfp4");
  const ProgramEnd check = expect("check " + vectors + config("errors = 3\n"), 0, "repeat: ");
  EXPECT_TRUE(check.says(vectors + " --errors 3 # sha256:")) << check.tail();
}

TEST_F(ConfigFiles, PathsStartFromTheFolderOfTheFile) {
  std::filesystem::create_directories(file("team"));
  std::ofstream(file("team/formats.json")) << R"({"name": "tiny", "exp_bits": 2, "man_bits": 1})";
  expect(
      "explain 1 " + config("format-file = 'formats.json'\nformat = 'tiny'\n", "team/accel.toml"),
      0, "to tiny");
}

TEST_F(ConfigFiles, EveryKeyIsAnOption) {
  std::string help;
  for (const char* command : {"run", "gen", "quantize", "explain"}) {
    help += mxgold(std::string(command) + " --help-all").text;
  }
  for (const golden::ConfigKey& key : golden::config_keys()) {
    EXPECT_NE(help.find("--" + std::string(key.name)), std::string::npos) << key.name;
  }
}

TEST_F(ConfigFiles, InitWritesWhatIsReadBack) {
  const std::string path = file("new.toml");
  expect("init " + path + " --format MXFP4 --rounding RNE,RTZ --lanes 8 --profile te", 0,
         "new.toml written");
  const golden::ConfigFile made = golden::ConfigFile::read_config(path);
  ASSERT_EQ(made.entries().size(), 4U);
  EXPECT_EQ(made.find("format")->values, std::vector<std::string>{"mxfp4"});
  EXPECT_EQ(made.find("rounding")->values,
            (std::vector<std::string>{"ties_to_even", "toward_zero"}));
  EXPECT_EQ(made.find("lanes")->values, std::vector<std::string>{"8"});
  const std::string before = read(path);
  expect("init " + path + " --format nvfp4", 2, "is there already");
  EXPECT_EQ(read(path), before);
  // Every line that is offered may be taken.
  std::string all = before;
  for (std::size_t at = 0; (at = all.find("\n# ", at)) != std::string::npos; ++at) {
    const std::string line = all.substr(at + 3, all.find('\n', at + 1) - at - 3);
    if (line.find(" = ") != std::string::npos) all.erase(at + 1, 2);
  }
  const golden::ConfigFile offered = golden::ConfigFile::parse_config(all, "all");
  EXPECT_GT(offered.entries().size(), 8U);
  expect("init - --rounding RNX", 2, "unknown value of --rounding 'RNX'");
  expect("init - --format fp8", 2, "may be");
  expect("init - --format nope", 2, "unknown format 'nope'");
}

}  // namespace
}  // namespace mx::sim::test
