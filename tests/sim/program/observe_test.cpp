// A device that gives only some of the result fields: the others are counted, never judged, and
// never make a run that compared nothing a pass.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test::observe_test {
namespace {

const std::string kPipe = std::string(MX_PYTHON) + " " MX_ANSWERS " ";
const std::string kBlocks = " --format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";

class Observe : public ProgramTest {
 protected:
  /// A device that answers as the file says, changed by a sed script.
  [[nodiscard]] static std::string pipe(const std::string& file, const std::string& script) {
    return " --errors 1 --dut \"process:" + kPipe + file + " | sed -u '" + script + "'\" ";
  }
  static constexpr const char* kNoFlags = "s/ ..$/ -/";
  static constexpr const char* kZeroFlags = "s/ ..$/ 00/";
};

// Every scale and code right, no flags.
TEST_F(Observe, DeviceWithoutFlagsPassesAndSaysSo) {
  const std::string path = gen(kBlocks);
  const ProgramEnd all = mxgold("run" + pipe(path, kZeroFlags) + "--vectors " + path);
  EXPECT_EQ(all.exit, 1) << all.tail();
  EXPECT_FALSE(all.says("unobserved")) << all.tail();
  for (const char* script : {kNoFlags, kZeroFlags, "s/ ..$/ 3f/"}) {
    const ProgramEnd end =
        mxgold("run --observe scale,code" + pipe(path, script) + "--vectors " + path);
    EXPECT_EQ(end.exit, 0) << script << '\n' << end.tail();
    EXPECT_TRUE(end.says("PASS ")) << end.tail();
    EXPECT_TRUE(end.says(" unobserved (")) << end.tail();
  }
  const ProgramEnd suite = mxgold("run --observe scale,code" + pipe(path, kNoFlags) + kBlocks);
  EXPECT_EQ(suite.exit, 0) << suite.tail();
}

TEST_F(Observe, WhatIsObservedIsStillJudged) {
  const std::string path = gen(kBlocks);
  const std::string vectors = "--vectors " + path;
  // A wrong last code, a wrong scale, wrong everything but the flags.
  const std::string code = "s/0 -$/1 -/";
  const ProgramEnd wrong =
      mxgold("run --observe scale,code" + pipe(path, std::string(kNoFlags) + ";" + code) + vectors);
  EXPECT_EQ(wrong.exit, 1) << wrong.tail();
  EXPECT_FALSE(wrong.says("flags: expected")) << wrong.tail();
  EXPECT_NE(replay_in(wrong).find("--observe scale,code"), std::string::npos) << wrong.tail();
  EXPECT_EQ(mxgold(replay_in(wrong)).exit, 1) << replay_in(wrong);
  const std::string scale = "s/^../-/";
  EXPECT_EQ(mxgold("run --observe code,flags" + pipe(path, scale) + vectors).exit, 0);
  EXPECT_EQ(mxgold("run --observe flags" + pipe(path, "s/^../55/") + vectors).exit, 0);
  EXPECT_EQ(mxgold("run --observe scale" + pipe(path, "s/^../55/") + vectors).exit, 1);
}

// A dash stands for an unobserved word and for nothing else.
TEST_F(Observe, ADashInAnObservedFieldIsFour) {
  const std::string path = gen(kBlocks);
  for (const char* script : {"3s/^../-/", "3s/ ..$/ --/", "3s/ ..$//", "3s/$/ -/"}) {
    const ProgramEnd end =
        mxgold("run --observe scale,code" + pipe(path, script) + "--vectors " + path);
    EXPECT_EQ(end.exit, 4) << script << '\n' << end.tail();
    EXPECT_TRUE(end.says("answer line 3")) << end.tail();
  }
  EXPECT_EQ(mxgold("run" + pipe(path, kNoFlags) + "--vectors " + path).exit, 4);
}

TEST_F(Observe, NothingObservedIsTwoAndNothingComparedThree) {
  const std::string path = gen(kBlocks);
  const std::string device = " --dut process:'" + kPipe + path + "' --vectors " + path;
  for (const char* fields : {"''", "source", "flag", "scale,nosuch", "none"}) {
    expect("run --observe " + std::string(fields) + device, 2, "--observe");
    expect("check --observe " + std::string(fields) + " " + path, 2, "--observe");
  }
  expect("run --op cvt --format e4m3fn --observe scale --dut reference", 2, "code, flags");
  // On streams keep and last are parts too, and no words.
  for (const char* parts : {"flag", "keep,last", "none"}) {
    expect("run --dut reference --suite smoke --observe " + std::string(parts), 2, "--observe");
  }
  // Codes under a NaN scale are don't-care: a record with nothing else observed is not judged.
  const std::string text = read(path);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('#')) {
      --number;
      continue;
    }
    if (line.find(" ff ") != std::string::npos) break;
  }
  const std::string only = " --only " + std::to_string(number);
  expect("run --observe code" + device + only, 3, "NOTHING COMPARED");
  expect("run --observe code,scale" + device + only, 0, "PASS 1/1");
}

// A device with a clock: right in what it gives, wrong in what it does not.
TEST_F(Observe, StreamsMayGiveLessToo) {
  const std::string device = "run --suite smoke --format e4m3fn --source fp32 --dut reference:";
  const ProgramEnd pass = mxgold(device + "clamped_bit_missing --observe scale,code,keep,last");
  EXPECT_EQ(pass.exit, 0) << pass.tail();
  EXPECT_TRUE(pass.says(" unobserved (")) << pass.tail();
  EXPECT_TRUE(pass.says("observed scale,code,keep,last")) << pass.tail();
  EXPECT_EQ(mxgold(device + "last_lost --observe scale,code,flags,keep").exit, 0);
  const std::string file =
      testing::TempDir() + "mxgold_part_" + std::to_string(::getpid()) + ".json";
  const ProgramEnd fail = mxgold(device + "clamped_bit_missing --observe flags --shrink " + file);
  EXPECT_EQ(fail.exit, 1) << fail.tail();
  EXPECT_NE(replay_in(fail).find("--observe flags"), std::string::npos) << fail.tail();
  EXPECT_EQ(mxgold(replay_in(fail)).exit, 1);
  expect("replay " + file, 1, " unobserved");
  std::filesystem::remove(file);
}

TEST_F(Observe, MachinesReadItToo) {
  const std::string path = gen(kBlocks);
  const std::string run = "run --observe scale,code --junit " + file("r.xml") +
                          pipe(path, kNoFlags) + "--vectors " + path;
  EXPECT_EQ(mxgold(run).exit, 0);
  EXPECT_NE(read(file("r.xml")).find("unobserved"), std::string::npos);
  const ProgramEnd end = mxgold("run --json --observe scale,code" + pipe(path, kNoFlags) +
                                "--vectors " + path + " 2>/dev/null #");
  const nlohmann::json json = nlohmann::json::parse(end.text);
  EXPECT_EQ(json["words_unobserved"], json["records"]);
  EXPECT_EQ(json["observed"], "scale,code");
  const nlohmann::json check =
      nlohmann::json::parse(mxgold("check --json --observe scale,code " + path).text);
  EXPECT_EQ(check["words_unobserved"], check["vectors"]);
  EXPECT_EQ(check["observed"], "scale,code");
}

// Answers in a file, of every operation.
TEST_F(Observe, CheckHeedsItForEveryOperation) {
  const char* const sets[] = {"--op cvt --format e4m3fn", "--op dot --format mxfp4",
                              "--op arith --operation add --format fp16", "--format nvfp4"};
  for (const char* set : sets) {
    const std::string path = gen(set);
    std::string text = read(path);
    // The flags stand last: 5a is never right.
    for (std::size_t at = text.find("# count");
         (at = text.find('\n', at + 1)) != std::string::npos;) {
      if (at + 1 == text.size() || text[at + 1] == '#') break;
      const std::size_t end = text.find('\n', at + 1);
      text.replace(end - 2, 2, "5a");
    }
    std::ofstream(file("wrong.tv")) << text;
    const ProgramEnd all = expect("check " + file("wrong.tv"), 1, "FAIL ");
    EXPECT_FALSE(all.says("unobserved")) << all.tail();
    const std::string fields = text.find("scale:") < text.find("# count") ? "scale,code" : "code";
    const ProgramEnd some =
        expect("check --observe " + fields + " " + file("wrong.tv"), 0, "PASS ");
    EXPECT_TRUE(some.says(" unobserved (")) << some.tail();
    const ProgramEnd flags = expect("check --observe flags " + file("wrong.tv"), 1, "FAIL ");
    EXPECT_TRUE(flags.says("--observe flags # sha256:")) << flags.tail();
  }
}

}  // namespace
}  // namespace mx::sim::test::observe_test
