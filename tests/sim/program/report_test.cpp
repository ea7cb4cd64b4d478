// Reports: what was not offered, one case for each configuration with its mismatch and its replay,
// outputs that cannot be written, colours.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

nlohmann::json json_of(const std::string& arguments) {
  return nlohmann::json::parse(mxgold("run --json " + arguments + " 2>/dev/null #").text);
}

class Reports : public ProgramTest {};

// What a restricted run leaves out of the suite is counted, and adds up to the whole.
TEST_F(Reports, WhatWasNotOfferedIsCounted) {
  const nlohmann::json whole = json_of("--dut reference");
  EXPECT_TRUE(whole["not_offered"].empty());
  const std::uint64_t blocks = whole["blocks"]["declared"];
  const std::size_t configurations = whole["cells"].size();
  for (const char* option : {"--source bf16", "--format mxfp4", "--rounding to_odd,toward_zero",
                             "--rule floor --source fp32"}) {
    const nlohmann::json part = json_of(std::string("--dut reference ") + option);
    ASSERT_EQ(part["not_offered"].size(), 1U) << option;
    const nlohmann::json& left_out = part["not_offered"][0];
    EXPECT_EQ(
        left_out["blocks"].get<std::uint64_t>() + part["blocks"]["declared"].get<std::uint64_t>(),
        blocks)
        << option;
    EXPECT_EQ(left_out["configurations"].get<std::size_t>() + part["cells"].size(), configurations)
        << option;
    EXPECT_NE(left_out["why"].get<std::string>().find("left out by --"), std::string::npos);
  }
  EXPECT_FALSE(mxgold("run --dut reference").says("not offered"));
  const ProgramEnd bf16 = mxgold("run --dut reference --source bf16 --junit " + file("r.xml"));
  EXPECT_TRUE(bf16.says("configurations not offered: left out by --source bf16\n")) << bf16.tail();
  EXPECT_NE(read(file("r.xml")).find("blocks_not_offered"), std::string::npos);
}

// A shard, and what --only cuts, are named with what they leave, however the run is told.
TEST_F(Reports, WhatIsLeftToOtherRunsIsCounted) {
  const std::string streams = "--dut reference --format mxfp4 ";
  const std::string records = "--dut reference --op cvt ";
  for (const std::string& run : {streams + "--shard 0/2", streams + "--only 3:9",
                                 records + "--shard 1/2", records + "--only 3:9"}) {
    const ProgramEnd end =
        mxgold("run " + run + " --junit " + file("p.xml") + " --html " + file("p.html"));
    EXPECT_EQ(end.exit, 0) << end.tail();
    const std::string left = " left to other runs";
    const std::size_t first = end.text.find(left);
    EXPECT_NE(first, std::string::npos) << "the first line: " << end.tail();
    EXPECT_NE(end.text.find(left, first + 1), std::string::npos) << "the verdict: " << end.tail();
    EXPECT_NE(read(file("p.xml")).find(left), std::string::npos) << run;
    EXPECT_NE(read(file("p.html")).find(left), std::string::npos) << run;
    const nlohmann::json part = json_of(run)["part"];
    EXPECT_GT(part["left_to_other_runs"].get<std::uint64_t>(), 0U) << run;
    EXPECT_GT(part["whole"].get<std::uint64_t>(), part["left_to_other_runs"].get<std::uint64_t>());
  }
  for (const std::string& run : {streams, records}) {
    EXPECT_FALSE(mxgold("run " + run).says("left to other runs")) << run;
    EXPECT_EQ(json_of(run)["part"]["left_to_other_runs"], 0) << run;
  }
}

// A device that refuses configurations: its reason and the option's, each with its count.
TEST_F(Reports, WhatADeviceRefusesIsCounted) {
  const std::string rules = "--dut cuda-host --rule floor,nearest_log";
  const nlohmann::json all = json_of(rules);
  ASSERT_EQ(all["not_offered"].size(), 2U);
  EXPECT_NE(all["not_offered"][0]["why"].get<std::string>().find("the device refuses them"),
            std::string::npos);
  const nlohmann::json bf16 = json_of(rules + " --source bf16");
  ASSERT_EQ(bf16["not_offered"].size(), 2U);
  const std::uint64_t whole = json_of("--dut reference")["blocks"]["declared"];
  for (const nlohmann::json& json : {all, bf16}) {
    std::uint64_t sum = json["blocks"]["declared"];
    for (const nlohmann::json& each : json["not_offered"])
      sum += each["blocks"].get<std::uint64_t>();
    EXPECT_EQ(sum, whole);
  }
  const ProgramEnd tensor = mxgold("run " + rules + " --input " + tensor_file());
  EXPECT_TRUE(tensor.says("not offered: the device refuses them")) << tensor.tail();
}

// Every configuration is a case; each wrong one has its own mismatch and a command that fails.
void expect_cases(const std::string& run, const std::string& path, std::size_t wrong) {
  EXPECT_EQ(mxgold(run + " --junit " + path).exit, 1) << run;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(path.c_str()));
  const pugi::xml_node suite = document.child("testsuite");
  std::size_t failures = 0;
  for (const pugi::xml_node test : suite.children("testcase")) {
    if (std::string(test.attribute("name").value()) == "protocol") continue;
    const pugi::xml_node properties = test.child("properties");
    for (const char* name :
         {"words_compared", "words_dont_care", "words_open", "words_unobserved", "words_waived"}) {
      EXPECT_TRUE(properties.find_child_by_attribute("name", name)) << name;
    }
    const pugi::xml_node failure = test.child("failure");
    if (!failure) continue;
    ++failures;
    const ProgramEnd text{1, failure.text().get()};
    EXPECT_TRUE(text.says("MISMATCH ")) << text.text;
    if (failures > 3) continue;
    EXPECT_EQ(mxgold(replay_in(text)).exit, 1) << replay_in(text);
  }
  EXPECT_EQ(failures, suite.attribute("failures").as_ullong());
  EXPECT_GE(failures, wrong) << run;  // a suite adds other policies
}

TEST_F(Reports, JUnitHasACaseForEachConfiguration) {
  const std::string xml = file("r.xml");
  expect_cases(
      "run --errors 1 --dut reference:ties_to_away_for_even --format mxfp4,mxfp8_e4m3 "
      "--source fp32 --rule floor,ceil --rounding ties_to_even,to_odd",
      xml, 4);
  expect_cases(
      "run --errors 1 --dut reference:record_code --op cvt --format e4m3fn,e5m2 "
      "--rounding ties_to_even,to_odd",
      xml, 4);
}

TEST_F(Reports, JsonHasTheSame) {
  for (const char* run :
       {"--errors 0 --dut reference:ties_to_away_for_even --format mxfp4 --source "
        "fp32 --rule floor --rounding ties_to_even",
        "--errors 0 --dut reference:record_code --op cvt --format e4m3fn"}) {
    const nlohmann::json json = json_of(run);
    std::size_t wrong = 0;
    for (const nlohmann::json& cell : json["cells"]) {
      for (const char* name : {"words_compared", "words_dont_care", "words_open",
                               "words_unobserved", "words_waived"}) {
        EXPECT_TRUE(cell.contains(name)) << name;
      }
      if (!cell.contains("first_mismatch")) continue;
      ++wrong;
      const std::string replay = cell["first_mismatch"]["replay"];
      EXPECT_EQ(mxgold(replay.substr(replay.find(' ') + 1)).exit, 1) << replay;
    }
    EXPECT_GT(wrong, 0U) << run;
  }
}

// Exit 3, and before the run where the file cannot even be opened; a verdict that was reached is
// told all the same.
TEST_F(Reports, UnwritableReportsAreThree) {
  const std::string golden = gen("--op cvt --format e4m3fn");
  for (const char* dut : {"reference", "reference:record_code", "process:'exit 1'"}) {
    const std::string run = std::string("run --dut ") + dut + " --vectors " + golden;
    const ProgramEnd full = mxgold(run + " --junit /dev/full");
    EXPECT_EQ(full.exit, 3) << full.tail();
    EXPECT_TRUE(full.says("PASS ") || full.says("FAIL ")) << full.tail();
    EXPECT_EQ(mxgold(run + " --json --junit /dev/full").exit, 3);
    const ProgramEnd nowhere = mxgold(run + " --junit /no/such/folder/x.xml");
    EXPECT_EQ(nowhere.exit, 3) << nowhere.tail();
    EXPECT_FALSE(nowhere.says("PASS ") || nowhere.says("FAIL ")) << nowhere.tail();
    EXPECT_EQ(mxgold(run + " >/dev/full #").exit, 3);
    EXPECT_EQ(mxgold(run + " --json >/dev/full #").exit, 3);
  }
  for (const char* dut : {"reference", "reference:ties_to_away_for_even"}) {
    const std::string run = std::string("run --format mxfp4 --source fp32 --dut ") + dut;
    const ProgramEnd full = mxgold(run + " --junit /dev/full");
    EXPECT_EQ(full.exit, 3) << full.tail();
    EXPECT_TRUE(full.says("PASS ") || full.says("FAIL ")) << full.tail();
    EXPECT_EQ(mxgold(run + " --junit /no/such/folder/x.xml").exit, 3);
    EXPECT_EQ(mxgold(run + " --json >/dev/full #").exit, 3);
  }
  for (const char* command : {"check ", "verify-goldens "}) {
    for (const char* json : {"", " --json"}) {
      EXPECT_EQ(mxgold(command + golden + json + " >/dev/full #").exit, 3) << command << json;
    }
  }
}

// On a terminal the verdict has a colour, elsewhere it has none.
TEST_F(Reports, ColoursAreForTerminals) {
  const std::string golden = gen("--op cvt --format e4m3fn");
  const std::string script = file("terminal.py");
  std::ofstream(script) << "import pty, sys\nsys.exit(pty.spawn(sys.argv[1:]) >> 8)\n";
  const auto on_terminal = [&](const std::string& before, const std::string& arguments) {
    return mxgold(arguments, before + " " + MX_PYTHON + " " + script + " ");
  };
  const std::string green = "\033[32mPASS";
  const std::string red = "\033[31mFAIL";
  const std::string wrong = "run --dut reference:record_code --vectors " + golden;
  const std::string blocks = "run --dut reference --format mxfp4 --source fp32";
  for (const std::string& right :
       {"run --dut reference --vectors " + golden, "check " + golden, blocks}) {
    EXPECT_TRUE(on_terminal("env -u NO_COLOR TERM=xterm", right).says(green)) << right;
    EXPECT_FALSE(on_terminal("NO_COLOR=1 TERM=xterm", right).says(green)) << right;
    EXPECT_FALSE(on_terminal("env -u NO_COLOR TERM=dumb", right).says(green)) << right;
    EXPECT_FALSE(mxgold(right, "TERM=xterm ").says("\033[3")) << right;
  }
  EXPECT_TRUE(on_terminal("env -u NO_COLOR TERM=xterm", wrong).says(red));
  EXPECT_FALSE(mxgold(wrong, "TERM=xterm ").says("\033[3"));
}

}  // namespace
}  // namespace mx::sim::test
