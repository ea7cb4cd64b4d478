// Known deviations: a device that has them and nothing else passes, any other word is a mismatch,
// and waivers that are expired, unused or badly written are told.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test::waiver_test {
namespace {

const std::string kSet = "--format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";

class Waivers : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    path_ = gen(kSet);
  }
  /// A device that answers as the file says, but for a lie.
  [[nodiscard]] std::string run(const std::string& lie, const std::string& waivers) const {
    return "run --errors 1 --dut process:'" + std::string(MX_PYTHON) + " " MX_ANSWERS " " + path_ +
           " " + lie + "' --vectors " + path_ + (waivers.empty() ? "" : " --waivers " + waivers);
  }
  /// A file of one waiver: flags until a day, and other members.
  [[nodiscard]] std::string waiver(const std::string& members,
                                   const std::string& expires = "9999-12-31") const {
    return raw(R"({"schema": 1, "waivers": [{"id": "W1", "reason": "a known one", "op": "block", )"
               R"("expires": ")" +
               expires + "\", " + members + "}]}");
  }
  [[nodiscard]] std::string raw(const std::string& text) const {
    std::ofstream(file("waivers.json")) << text;
    return file("waivers.json");
  }
  std::string path_;
};

TEST_F(Waivers, AKnownDeviceIsGreenAndSaysSo) {
  EXPECT_EQ(mxgold(run("flags", "")).exit, 1);
  const ProgramEnd end = mxgold(run("flags", waiver(R"("fields": ["flags"])")));
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(end.says("PASS ")) << end.tail();
  EXPECT_TRUE(end.says(" waived (")) << end.tail();
  EXPECT_TRUE(end.says("waiver W1: ")) << end.tail();
  const nlohmann::json json = nlohmann::json::parse(
      mxgold(run("flags", waiver(R"("fields": ["flags"])")) + " --json 2>/dev/null #").text);
  EXPECT_EQ(json["words_waived"], json["records"]);
  EXPECT_EQ(json["waivers"][0]["words"], json["records"]);
  EXPECT_EQ(json["mismatches"], 0);
}

TEST_F(Waivers, ANewFaultIsRed) {
  for (const char* lie : {"code", "last_code", "scale", "scale:middle"}) {
    EXPECT_EQ(mxgold(run(lie, waiver(R"("fields": ["flags"])"))).exit, 1) << lie;
  }
  // Right field, other vector.
  EXPECT_EQ(mxgold(run("flags:first", waiver(R"("vectors": [0])"))).exit, 0);
  EXPECT_EQ(mxgold(run("flags:first", waiver(R"("vectors": [[0, 3]])"))).exit, 0);
  const ProgramEnd other = mxgold(run("flags:first", waiver(R"("vectors": [1, [5, 9]])")));
  EXPECT_EQ(other.exit, 1) << other.tail();
  EXPECT_TRUE(replay_in(other).find("--waivers ") != std::string::npos) << other.tail();
  EXPECT_EQ(mxgold(replay_in(other)).exit, 1);
  EXPECT_EQ(mxgold(run("flags", waiver(R"("vectors": [[0, 3]])"))).exit, 1);
}

TEST_F(Waivers, ConfigurationAndCauseMustFit) {
  const std::string flags = R"("fields": ["flags"])";
  const auto exit = [&](const std::string& more) {
    return mxgold(run("flags", waiver(flags + more))).exit;
  };
  EXPECT_EQ(exit(R"(, "configuration": {"rounding": "ties_to_even", "format": "mxfp4"})"), 0);
  EXPECT_EQ(exit(R"(, "configuration": {"rounding": "to_odd"})"), 1);
  // Only where the block has a NaN: not enough for a device that is wrong everywhere.
  EXPECT_EQ(exit(R"(, "expected_flags": "08")"), 1);
  const ProgramEnd nan = mxgold(run("flags", waiver(flags + R"(, "expected_flags": "08")")));
  EXPECT_TRUE(nan.says(" waived (")) << nan.tail();
}

TEST_F(Waivers, ExpiredIsOneAndUnusedIsANote) {
  const ProgramEnd expired = mxgold(run("flags", waiver(R"("fields": ["flags"])", "2020-02-29")));
  EXPECT_EQ(expired.exit, 1) << expired.tail();
  EXPECT_TRUE(expired.says("EXPIRED waiver W1 on 2020-02-29")) << expired.tail();
  const ProgramEnd right = mxgold(run("", waiver(R"("fields": ["flags"])", "2020-02-29")));
  EXPECT_EQ(right.exit, 1) << "a right device with an expired waiver\n" << right.tail();
  EXPECT_FALSE(right.says("PASS")) << right.tail();
  const ProgramEnd unused = mxgold(run("", waiver(R"("fields": ["flags"])")));
  EXPECT_EQ(unused.exit, 0) << unused.tail();
  EXPECT_TRUE(unused.says("note: waiver W1 was never used")) << unused.tail();
}

// Waived words are not compared ones: a run of nothing else compared nothing.
TEST_F(Waivers, NothingButWaivedIsThree) {
  const std::string all = waiver(R"("vectors": [[0, 100000]])");
  EXPECT_EQ(mxgold(run("flags", all) + " --observe flags").exit, 3);
}

// A waiver of every answer in other words: nothing could be wrong, so nothing was judged.
TEST_F(Waivers, EveryAnswerInOtherWordsIsThree) {
  const std::string end = R"([0, 18446744073709551615])";
  for (const std::string& members :
       {"\"vectors\": [" + end + "]", std::string("\"vectors\": [[0, 100], [90, 5000]]"),
        std::string(R"("vectors": [[0, 5000]], "fields": ["code", "scale", "flags"])"),
        std::string(R"("where": {"expected_scale": ["00", "ff"]})")}) {
    for (const char* const lie : {"code", "flags", ""}) {
      const ProgramEnd ended = mxgold(run(lie, waiver(members)));
      EXPECT_EQ(ended.exit, 3) << members << lie << ended.tail();
      EXPECT_TRUE(ended.says("NOTHING COMPARED")) << ended.tail();
    }
  }
  // Of several waivers together, too.
  const auto one = [](const std::string& fields) {
    return R"({"id": "W", "reason": "x", "op": "block", "expires": "9999-12-31", "fields": [)" +
           fields + R"(], "vectors": [[0, 5000]]})";
  };
  const std::string both = raw(R"({"schema": 1, "waivers": [)" + one(R"("code")") + ", " +
                               one(R"("scale", "flags")") + "]}");
  EXPECT_EQ(mxgold(run("code", both)).exit, 3);
  // A cause, some fields, or one answer that no waiver covers: there is something to judge.
  EXPECT_EQ(mxgold(run("", waiver(R"("as": {"rounding": "ties_to_away"})"))).exit, 0);
  EXPECT_EQ(mxgold(run("flags", waiver(R"("vectors": [[0, 5000]], "fields": ["flags"])"))).exit, 0);
  const ProgramEnd rest = mxgold(run("flags:first", waiver(R"("vectors": [[0, 3]])")));
  EXPECT_EQ(rest.exit, 0) << rest.tail();
  EXPECT_TRUE(rest.says("4 records without a compared word")) << rest.tail();
  // The same file by check, and a run of one block.
  expect("check " + path_ + " --waivers " + waiver("\"vectors\": [" + end + "]"), 3,
         "NOTHING COMPARED");
  EXPECT_EQ(mxgold(run("flags:first", waiver(R"("vectors": [0])")) + " --only 0:1").exit, 3);
}

// Codes and bits that no answer has are a mistake: the waiver would say less than it seems to.
TEST_F(Waivers, CodesBeyondTheirBitsAreThree) {
  const auto refused = [&](const std::string& members) {
    expect("check " + path_ + " --waivers " + waiver(members), 3, "beyond the bits of");
  };
  refused(R"("fields": ["flags"], "flag_bits": "fff")");
  refused(R"("fields": ["flags"], "flag_bits": "40")");
  refused(R"("expected_flags": "100")");
  refused(R"("where": {"expected_scale": "1ff"})");
  refused(R"("where": {"expected_scale": ["00", "100"]})");
  refused(R"("as": {"codes": {"1FF": "0"}})");
  refused(R"("as": {"codes": {"0": "10"}})");
  refused(R"("as": {"scale_codes": {"FF": "100"}})");
  refused(R"("as": {"flags_set": "40"})");
  for (const char* const taken :
       {R"("fields": ["flags"], "flag_bits": "3f")", R"("where": {"expected_scale": "ff"})",
        R"("as": {"codes": {"F": "0"}})", R"("as": {"scale_codes": {"FF": "FE"}})"}) {
    expect("check " + path_ + " --waivers " + waiver(taken), 0, "PASS");
  }
}

TEST_F(Waivers, CheckHeedsThemToo) {
  std::string text = read(path_);
  const std::size_t at = text.find('\n', text.find("# count"));
  const std::size_t end = text.find('\n', at + 1);
  text.replace(end - 2, 2, "3f");
  std::ofstream(file("wrong.tv")) << text;
  const std::string check = "check " + file("wrong.tv");
  EXPECT_EQ(mxgold(check).exit, 1);
  expect(check + " --waivers " + waiver(R"("vectors": [0], "fields": ["flags"])"), 0, "1 waived");
  const ProgramEnd other = expect(check + " --waivers " + waiver(R"("vectors": [1])"), 1, "FAIL ");
  EXPECT_TRUE(other.says("--waivers ")) << other.tail();
  expect(check + " --waivers " + waiver(R"("vectors": [0])", "2021-01-01"), 1, "EXPIRED waiver W1");
  expect("check " + path_ + " --waivers " + waiver(R"("vectors": [0])", "2021-01-01"), 1,
         "FAIL expired waivers");
  expect("check " + path_ + " --waivers " + waiver(R"("vectors": [0])"), 0, "never used");
}

// Nothing is printed of a word that is right.
TEST_F(Waivers, OfAConversionOnlyWhatDiffersIsPrinted) {
  const std::string golden = gen("--op cvt --source bf16 --format e4m3fn --suite smoke", "cvt.tv");
  std::string text = read(golden);
  const std::size_t at = text.find("\n0");
  ASSERT_NE(at, std::string::npos);
  char& digit = text[text.find('\n', at + 1) - 1];  // of the flags of the first record
  digit = digit == '0' ? '1' : '0';
  std::ofstream(file("wrong.tv")) << text;
  const ProgramEnd end = expect("check " + file("wrong.tv"), 1, "flags: expected ");
  EXPECT_FALSE(end.says("code: expected")) << end.tail();
}

TEST_F(Waivers, BadFilesAreThree) {
  const auto refused = [&](const std::string& path, const std::string& words) {
    expect("check " + path_ + " --waivers " + path, 3, words);
  };
  refused(file("nosuch.json"), "cannot open");
  refused(raw("{"), "waivers.json: line 1, column 2: is no JSON: unexpected end of input");
  refused(raw("{}"), "is not");
  refused(raw(R"({"schema": 2, "waivers": []})"), "is not");
  refused(raw(R"({"schema": 1, "waivers": [{"id": "x"}]})"), "lacks the text 'reason'");
  refused(waiver(R"("vektors": [1])"), "has a member 'vektors'");
  refused(waiver(R"("vectors": [-1])"), "neither numbers nor pairs");
  refused(waiver(R"("vectors": [[5, 3]])"), "empty range");
  refused(waiver(R"("fields": ["source"])"), "no result");
  refused(waiver(R"("fields": ["flag"])"), "has field 'flag'");
  refused(waiver(R"("expected_flags": "zz")"), "no hexadecimal bits");
  refused(waiver(R"("configuration": {"rounding": "to_odd"})"), "waives every answer");
  refused(waiver(R"("vectors": [1], "configuration": {"roundng": "to_odd"})"),
          "no field 'roundng'");
  refused(waiver(R"("vectors": [1])", "2023-02-29"), "no day");
  refused(waiver(R"("vectors": [1])", "soon"), "no day");
  refused(waiver(R"("flag_bits": "04")"), "waives every answer");
  // All fields that the operation has are every answer, too.
  refused(waiver(R"("fields": ["code", "scale", "flags"])"), "waives every answer");
  refused(
      waiver(R"("fields": ["code", "scale", "flags"], "configuration": {"rounding": "to_odd"})"),
      "waives every answer");
  for (const auto& [op, fields] :
       {std::pair{"cvt", R"("code", "flags")"}, std::pair{"dot", R"("flags", "code", "flags")"},
        std::pair{"arith", R"("code", "flags")"}, std::pair{"mma", R"("code")"},
        std::pair{"dequantize", R"("code")"}, std::pair{"cast", R"("scale", "code")"}}) {
    refused(raw(std::string(R"({"schema": 1, "waivers": [{"id": "W", "reason": "x", "op": ")") +
                op + R"(", "expires": "9999-12-31", "fields": [)" + fields + "]}]}"),
            "waives every answer");
  }
  refused(waiver(R"("fields": ["flags"], "flag_bits": "0")"), "no hexadecimal bits");
}

// A waiver of another operation says nothing here.
TEST_F(Waivers, OtherOperationsAreNotConcerned) {
  const ProgramEnd end =
      mxgold("run --dut reference:record_flags --op cvt --format e4m3fn --waivers " +
             waiver(R"("fields": ["flags"])"));
  EXPECT_EQ(end.exit, 1) << end.tail();
  EXPECT_FALSE(end.says("waiver W1")) << end.tail();
}

/// Devices with a clock: scale, codes and status bits of the blocks of a run.
class StreamWaivers : public ProgramTest {
 protected:
  [[nodiscard]] ProgramEnd run(const std::string& device, const std::string& members,
                               const std::string& more = "",
                               const std::string& expires = "9999-12-31") const {
    const std::string path = file("waivers.json");
    std::ofstream(path) << R"({"schema": 1, "waivers": [{"id": "W1", "reason": "a known one", )"
                        << R"("op": "block", "expires": ")" << expires << "\", " << members
                        << "}]}";
    return mxgold("run --errors 1 --dut " + device + " " + kSet + "--suite smoke --waivers " +
                  path + " " + more);
  }
};

TEST_F(StreamWaivers, AKnownDeviceIsGreenAndSaysSo) {
  const std::string device = "reference:inf_bit_missing";
  const std::string inf = R"("fields": ["flags"], "expected_flags": "04", "flag_bits": "04")";
  EXPECT_EQ(mxgold("run --dut " + device + " " + kSet + "--suite smoke").exit, 1);
  const ProgramEnd end = run(device, inf);
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(end.says("PASS ")) << end.tail();
  EXPECT_TRUE(end.says("  waiver W1: ")) << end.tail();
  EXPECT_TRUE(end.says(" waived (")) << end.tail();
  const nlohmann::json json = nlohmann::json::parse(run(device, inf, "--json 2>/dev/null #").text);
  EXPECT_GT(json["words"]["waived"], 0);
  EXPECT_EQ(json["waivers"][0]["words"], json["words"]["waived"]);
  EXPECT_EQ(json["blocks"]["wrong"], 0);
  const std::string report = file("report.xml");
  EXPECT_EQ(run(device, inf, "--junit " + report).exit, 0);
  std::ifstream xml(report);
  const std::string text((std::istreambuf_iterator<char>(xml)), {});
  EXPECT_NE(text.find("waiver W1"), std::string::npos);
  EXPECT_EQ(text.find("<failure"), std::string::npos);
}

TEST_F(StreamWaivers, EveryAnswerInOtherWordsIsThree) {
  const ProgramEnd end = run("reference:inf_bit_missing", R"("vectors": [[0, 4294967295]])");
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("NOTHING COMPARED")) << end.tail();
  EXPECT_EQ(run("reference", R"("vectors": [[0, 10]])").exit, 0);
  EXPECT_EQ(run("reference", R"("vectors": [[0, 4294967295]], "fields": ["code"])").exit, 0);
}

TEST_F(StreamWaivers, ANewFaultIsRed) {
  const std::string inf = R"("fields": ["flags"], "expected_flags": "04", "flag_bits": "04")";
  for (const char* device :
       {"clamped_bit_missing", "minus_zero_lost", "ceil_for_floor", "lane_31_not_in_maximum",
        "drop_on_stall", "last_lost", "keep_ignored", "high_half_seen"}) {
    const ProgramEnd end = run(std::string("reference:") + device, inf);
    EXPECT_TRUE(end.exit == 1 || end.exit == 4) << device << '\n' << end.tail();
  }
  // Not even a waiver of every word hides what a port broke.
  const std::string words = R"("fields": ["flags", "scale", "code"], "vectors": [[0, 4294967295]])";
  for (const char* device : {"drop_on_stall", "last_lost", "payload_changes", "never_ready"}) {
    const ProgramEnd end = run(std::string("reference:") + device, words, "--time-limit 20");
    EXPECT_TRUE(end.exit == 1 || end.exit == 4) << device << '\n' << end.tail();
  }
  // Another block, another configuration, another bit.
  const std::string device = "reference:inf_bit_missing";
  EXPECT_EQ(run(device, R"("fields": ["flags"], "vectors": [0])").exit, 1);
  EXPECT_EQ(run(device, R"("fields": ["flags"], "configuration": {"rounding": "to_odd"})").exit, 1);
  EXPECT_EQ(run(device, R"("fields": ["flags"], "flag_bits": "08")").exit, 1);
  EXPECT_EQ(run(device, R"("fields": ["scale", "code"])").exit, 1);
  EXPECT_EQ(run(device, R"("fields": ["flags"], "configuration": {"nosuch": "x"})").exit, 3);
}

TEST_F(StreamWaivers, FailuresBesideThemAreShownWithoutWhatTheyCover) {
  const std::string flags = R"("fields": ["flags"])";
  const ProgramEnd end = run("reference:results_flushed", flags);
  EXPECT_EQ(end.exit, 1);
  EXPECT_TRUE(end.says("--waivers ")) << "the replay\n" << end.tail();
  const std::string small = file("small.json");
  const ProgramEnd shrunk = run("reference:minus_zero_lost", flags, "--shrink " + small);
  EXPECT_EQ(shrunk.exit, 1);
  EXPECT_EQ(mxgold("replay " + small).exit, 1);
}

TEST_F(StreamWaivers, ExpiredAndUnusedOnesAreTold) {
  const std::string flags = R"("fields": ["flags"])";
  const ProgramEnd expired = run("reference", flags, "", "2020-02-29");
  EXPECT_EQ(expired.exit, 1);
  EXPECT_TRUE(expired.says("EXPIRED waiver W1 on 2020-02-29")) << expired.tail();
  EXPECT_TRUE(expired.says("FAIL expired waivers, ")) << expired.tail();
  EXPECT_EQ(run("reference:inf_bit_missing", flags, "", "2020-02-29").exit, 1);
  const ProgramEnd unused = run("reference", flags);
  EXPECT_EQ(unused.exit, 0);
  EXPECT_TRUE(unused.says("note: waiver W1 was never used")) << unused.tail();
  const ProgramEnd covered = run("reference", flags, "--cover " + file("cover"));
  EXPECT_EQ(covered.exit, 2);
  EXPECT_TRUE(covered.says("--cover: words that --waivers covers")) << covered.tail();
}

}  // namespace
}  // namespace mx::sim::test::waiver_test
