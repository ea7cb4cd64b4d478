// Known deviations by cause and by input, through the program: what the verdict prints is copied
// into the file, the device is green and one more fault red; run of streams and records, and check.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "golden/answers/answers.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/files/vector_file.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

using nlohmann::json;

const std::string kSet = "--format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";

class CauseWaivers : public ProgramTest {
 protected:
  /// A file of one waiver with these members.
  [[nodiscard]] std::string waiver(const std::string& members, const std::string& op = "block",
                                   const std::string& expires = "9999-12-31") const {
    const std::string path = file("waivers.json");
    std::ofstream(path) << R"({"schema": 1, "waivers": [{"id": "W1", "reason": "a known one", )"
                        << R"("op": ")" << op << R"(", "expires": ")" << expires << "\", "
                        << members << "}]}";
    return " --waivers " + path;
  }
  /// The operands of a file with the answers under another policy, in records [0, last).
  [[nodiscard]] std::string otherwise(const std::string& path, const std::string& field,
                                      const std::string& value,
                                      std::size_t last = ~std::size_t{0}) const {
    golden::VectorHeader header;
    golden::RecordBatch records = golden::read_records(path, header);
    golden::VectorHeader other = header;
    for (golden::Configuration& each : other.configs) {
      Policies policies = golden::policies_of(each).value();
      EXPECT_EQ(set_policy(policies, field, value), FieldError::kNone);
      each = golden::with_policies(each, policies);
    }
    golden::ReferenceAnswerer(other).answer(records, 0, std::min(last, records.size()));
    golden::VectorWriter writer(file("other.tv"), golden::FileKind::kTv, header);
    writer.write(records);
    writer.finish();
    return file("other.tv");
  }
  /// A run of a device that answers as a file says, but for a lie.
  [[nodiscard]] static std::string run(const std::string& answers, const std::string& lie,
                                       const std::string& vectors) {
    return "run --errors 1 --dut process:'" + std::string(MX_PYTHON) + " " MX_ANSWERS " " +
           answers + " " + lie + "' --vectors " + vectors;
  }
};

TEST_F(CauseWaivers, OfAStreamAreCopiedFromItsVerdict) {
  for (const std::string fault :
       {"ties_to_away_for_even", "sources_flushed", "results_flushed", "minus_zero_lost",
        "ceil_for_floor", "inf_bit_missing", "clamped_bit_missing"}) {
    std::string device = "run --errors 1 --dut reference:" + fault;
    device += " --suite smoke " + kSet;
    const ProgramEnd plain = mxgold(device + " --json 2>/dev/null #");
    EXPECT_EQ(plain.exit, 1) << fault;
    const json cause = json::parse(plain.text)["causes"][0];
    ASSERT_TRUE(cause.contains("waiver")) << fault << cause;
    const std::string text = cause["waiver"].dump();
    const std::string members = text.substr(1, text.size() - 2);
    const std::string report = file("report.xml");
    const ProgramEnd end = mxgold(fmt::format("{}{} --junit {}", device, waiver(members), report));
    EXPECT_EQ(end.exit, 0) << fault << end.tail();
    EXPECT_TRUE(end.says("  waiver W1: ")) << fault << end.tail();
    // The same in the text and in the JUnit report, as one member to be copied.
    const ProgramEnd said = mxgold(fmt::format("{} --junit {}", device, report));
    const std::size_t at = said.text.find("to waive it: ");
    ASSERT_NE(at, std::string::npos) << said.tail();
    const std::string line = said.text.substr(at + 13, said.text.find('\n', at) - at - 13);
    EXPECT_EQ(json::parse("{" + line + "}"), cause["waiver"]) << fault;
    EXPECT_NE(read(report).find("to waive it: "), std::string::npos) << fault;
    // Another device under the same waiver.
    std::string other = "run --errors 1 --dut reference:nan_left_out_of_maximum --suite smoke ";
    other += kSet;
    EXPECT_EQ(mxgold(other + waiver(members)).exit, 1) << fault;
  }
}

TEST_F(CauseWaivers, OfRecordsCoverTheCauseAlone) {
  const std::string path = gen(kSet);
  const std::string away = otherwise(path, "rounding", "ties_to_away");
  const std::string as = R"("as": {"rounding": "ties_to_away"})";
  EXPECT_EQ(mxgold(run(away, "", path)).exit, 1);
  const ProgramEnd end = mxgold(run(away, "", path) + waiver(as));
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(end.says("  waiver W1: ")) << end.tail();
  EXPECT_EQ(mxgold(run(away, "", path) + waiver(R"("as": {"rounding": {"RNE": "RNA"}})")).exit, 0);
  EXPECT_EQ(
      mxgold(run(away, "", path) + waiver(R"("as": {"rounding": {"to_odd": "ties_to_away"}})"))
          .exit,
      1);
  for (const char* lie : {"code", "code:first", "last_code:middle", "scale:last", "flags:last"}) {
    const ProgramEnd more = mxgold(run(away, lie, path) + waiver(as));
    EXPECT_EQ(more.exit, 1) << lie << more.tail();
    EXPECT_EQ(mxgold(replay_in(more)).exit, 1) << lie;
  }
  // Another cause, and the cause in fewer fields than it has.
  EXPECT_EQ(mxgold(run(away, "", path) + waiver(R"("as": {"rounding": "toward_zero"})")).exit, 1);
  EXPECT_EQ(mxgold(run(away, "", path) + waiver(as + R"(, "fields": ["flags"])")).exit, 1);
  // Another device, of which many an answer is the same.
  const std::string zero = otherwise(path, "rounding", "ties_toward_positive");
  EXPECT_EQ(mxgold(run(zero, "", path) + waiver(as)).exit, 1);
}

TEST_F(CauseWaivers, ADeviceThatDoesSoNowAndThenContradictsThem) {
  const std::string path = gen(kSet);
  const std::string as = R"("as": {"rounding": "ties_to_away"})";
  const std::string some = otherwise(path, "rounding", "ties_to_away", 100);
  const ProgramEnd end = mxgold(run(some, "", path) + waiver(as));
  EXPECT_EQ(end.exit, 1) << end.tail();
  EXPECT_TRUE(end.says("FAIL contradicted waivers, ")) << end.tail();
  EXPECT_TRUE(end.says("CONTRADICTED waiver W1: ")) << end.tail();
  EXPECT_TRUE(end.says(" would be wrong by its cause, the first is ")) << end.tail();
  const json report = json::parse(
      mxgold(run(some, "", path) + waiver(as) + " --json 2>/dev/null #").text)["waivers"][0];
  EXPECT_EQ(report["is_contradicted"], true);
  EXPECT_GE(report["first_against_cause"], 100);
  const std::string xml = file("report.xml");
  EXPECT_EQ(mxgold(run(some, "", path) + waiver(as) + " --junit " + xml).exit, 1);
  EXPECT_NE(read(xml).find("right answers would be wrong by its cause"), std::string::npos);
  // Told when it does so.
  const ProgramEnd told = mxgold(run(some, "", path) + waiver(as + R"(, "vectors": [[0, 99]])"));
  EXPECT_EQ(told.exit, 0) << told.tail();
}

TEST_F(CauseWaivers, ExpiredAndUnusedOnesAreTold) {
  const std::string path = gen(kSet);
  const std::string away = otherwise(path, "rounding", "ties_to_away");
  const std::string as = R"("as": {"rounding": "ties_to_away"})";
  const ProgramEnd expired = mxgold(run(away, "", path) + waiver(as, "block", "2020-02-29"));
  EXPECT_EQ(expired.exit, 1) << expired.tail();
  EXPECT_TRUE(expired.says("EXPIRED waiver W1")) << expired.tail();
  const ProgramEnd unused = mxgold(run(path, "", path) + waiver(as));
  EXPECT_EQ(unused.exit, 0) << "a right device\n" << unused.tail();
  EXPECT_TRUE(unused.says("note: waiver W1 was never used")) << unused.tail();
}

TEST_F(CauseWaivers, CheckHeedsThemToo) {
  const std::string path = gen(kSet);
  const std::string as = R"("as": {"rounding": "ties_to_away"})";
  const std::string away = otherwise(path, "rounding", "ties_to_away");
  expect("check " + away, 1, "FAIL ");
  expect("check " + away + waiver(as), 0, "  waiver W1: ");
  expect("check " + away + waiver(R"("as": {"rounding": "toward_zero"})"), 1, "FAIL ");
  expect("check " + away + waiver(as, "block", "2020-02-29"), 1, "EXPIRED waiver W1");
  expect("check " + path + waiver(as), 0, "never used");
  expect("check " + otherwise(path, "rounding", "ties_to_away", 100) + waiver(as), 1,
         "CONTRADICTED waiver W1");
  expect("check " + otherwise(path, "src_ftz", "flush") + waiver(as), 1, "FAIL ");
  expect("check " + otherwise(path, "src_ftz", "flush") +
             waiver(R"("as": {"src_ftz": "flush"}, "where": {"has": ["subnormal"]})"),
         0, "PASS");
}

TEST_F(CauseWaivers, OfOtherOperationsAreTheSame) {
  struct Other {
    const char *op, *set, *field, *value;
  };
  for (const Other& each :
       {Other{"cvt", "--op cvt --format e4m3fn --source fp32 --rounding ties_to_even", "overflow",
              "none_inf_or_nan"},
        Other{"arith", "--op arith --format fp16 --operation multiply", "rounding", "toward_zero"},
        Other{"dequantize", "--op dequantize --format mxfp8_e5m2 --result fp32", "dst_ftz",
              "post"}}) {
    const std::string path = gen(each.set);
    const std::string other = otherwise(path, each.field, each.value);
    const std::string as = std::string(R"("as": {")") + each.field + R"(": ")" + each.value + "\"}";
    EXPECT_EQ(mxgold(run(other, "", path)).exit, 1) << each.op;
    const ProgramEnd end = mxgold(run(other, "", path) + waiver(as, each.op));
    EXPECT_EQ(end.exit, 0) << each.op << end.tail();
    EXPECT_EQ(mxgold(run(other, "code:last", path) + waiver(as, each.op)).exit, 1) << each.op;
  }
}

TEST_F(CauseWaivers, InputsSayWhereADeviceDeviates) {
  const std::string device = "run --errors 1 --dut reference:inf_bit_missing --suite smoke " + kSet;
  const std::string flags = R"("fields": ["flags"], "where": )";
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"has": ["infinity"]})")).exit, 0);
  EXPECT_EQ(mxgold(device + waiver(R"("where": {"has": ["infinity"]})")).exit, 0);
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"has": ["infinity", "nan"]})")).exit, 1);
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"has": ["+infinity"]})")).exit, 1);
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"has": ["all_zero"]})")).exit, 1);
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"expected_scale": ["00", "FF"]})")).exit, 0);
  EXPECT_EQ(mxgold(device + waiver(flags + R"({"expected_scale": "10"})")).exit, 1);
  // Records: wrong everywhere, covered where there is a NaN.
  const std::string path = gen(kSet);
  const ProgramEnd some = mxgold(run(path, "flags", path) + waiver(flags + R"({"has": ["nan"]})"));
  EXPECT_EQ(some.exit, 1) << some.tail();
  EXPECT_TRUE(some.says(" waived (")) << some.tail();
  const std::string blocks = gen("--op dequantize --format mxfp8_e5m2 --result fp32", "d.tv");
  const auto scale = [&](const std::string& range) {
    return mxgold(run(blocks, "code", blocks) +
                  waiver(R"("where": {"scale": )" + range + "}", "dequantize"));
  };
  EXPECT_EQ(scale(R"("80")").exit, 1);
  EXPECT_TRUE(scale(R"("80")").says(" waived ("));
  // Every scale: every answer is waived, so nothing was judged.
  const ProgramEnd every = scale(R"(["00", "FF"])");
  EXPECT_EQ(every.exit, 3) << every.tail();
  EXPECT_TRUE(every.says("NOTHING COMPARED")) << every.tail();
}

TEST_F(CauseWaivers, BadMembersAreThree) {
  const std::string path = gen(kSet);
  const auto refused = [&](const std::string& members, const std::string& words) {
    const ProgramEnd end = expect("check " + path + waiver(members), 3, words);
    EXPECT_TRUE(end.says("waivers.json: waiver 0 ")) << end.tail();
  };
  refused(R"("as": {})", "has nothing in 'as'");
  refused(R"("as": "ties_to_away")", "has nothing in 'as'");
  refused(R"("as": {"roundng": "ties_to_away"})",
          "as has a member 'roundng'; known for block: rounding, ");
  refused(R"("as": {"rounding": "away"})", "as.rounding: 'away': give one of ");
  refused(R"("as": {"rounding": true})", "as.rounding true: give a text or an integer");
  refused(R"("as": {"rounding": {}})", "has nothing in as.rounding");
  refused(R"("as": {"scale_bottom": 1.5})", "as.scale_bottom 1.5: give a text or an integer");
  refused(R"("as": {"scale_bottom": "low"})", "as.scale_bottom: 'low': give an integer");
  refused(R"("as": {"codes": "7F"})", "give an object of hexadecimal codes");
  refused(R"("where": {})", "has nothing in 'where'");
  refused(R"("where": {"hass": ["nan"]})", "has a member 'where.hass'; known: has, scale");
  refused(R"("where": {"has": "nan"})", "has a 'where.has' that is no list of words");
  refused(R"("where": {"has": ["nans"]})", "where.has: 'nans': give words of zero, ");
  refused(R"("where": {"scale": "00"})", "records of block have no scale as an operand");
  refused(R"("where": {"expected_scale": 5})", "where.expected_scale 5: give a hexadecimal code");
  refused(R"("where": {"expected_scale": ["10", "0F"]})",
          "has an empty range where.expected_scale");
}

}  // namespace
}  // namespace mx::sim::test
