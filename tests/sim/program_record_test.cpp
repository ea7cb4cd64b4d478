// mxgold run over records: programs and the reference, every operation and every make of block.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "sim/record/reference.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test::program_record_test {
namespace {

const std::string kPipe = std::string(MX_PYTHON) + " " MX_ANSWERS " ";

/// A device that answers as the file says, with a lie.
std::string pipe(const std::string& file, const std::string& lie = "") {
  return " --dut process:'" + kPipe + file + (lie.empty() ? "" : " " + lie) + "' ";
}

struct Set {
  const char* name;
  const char* options;  ///< of gen and run alike
  bool has_scale;
};

void PrintTo(const Set& set, std::ostream* out) { *out << set.name; }

class EverySet : public ProgramTest, public testing::WithParamInterface<Set> {
 protected:
  [[nodiscard]] static std::string options() { return std::string(GetParam().options) + " "; }
};

// run makes the same records as gen, or the device would not know them.
TEST_P(EverySet, ProgramThatIsRightPasses) {
  const std::string path = gen(options());
  const ProgramEnd suite = expect("run" + pipe(path) + options(), 0, "PASS ");
  const ProgramEnd vectors = expect("run" + pipe(path) + "--vectors " + path, 0, "PASS ");
  EXPECT_EQ(suite.digest(), vectors.digest());
  EXPECT_FALSE(suite.says("PASS 0/"));
  const ProgramEnd reference = expect("run --dut reference:record_code " + options(), 1, "FAIL ");
  EXPECT_TRUE(reference.says("MISMATCH"));
}

TEST_P(EverySet, ReferencePassesAndItsFaultsFail) {
  const std::string path = gen(options());
  expect("run --dut reference --vectors " + path, 0, "PASS ");
  for (const RecordFault& fault : record_faults()) {
    std::string dut = "run --errors 1 --dut reference:";
    dut += fault.token;
    const int exit = fault.breaks_protocol() ? 4 : 1;
    expect(dut + " --vectors " + path, exit, "FAIL ");
    expect(dut + " " + options(), exit, "FAIL ");
  }
}

TEST_P(EverySet, ProgramThatLiesFails) {
  const std::string path = gen(options());
  std::vector<std::string> lies = {"code",         "last_code",  "flags", "flags:first",
                                   "flags:middle", "flags:last", "swap"};
  if (GetParam().has_scale) {
    for (const char* lie : {"scale", "scale:first", "scale:middle", "scale:last"}) {
      lies.emplace_back(lie);
    }
  }
  for (const std::string& lie : lies) {
    const ProgramEnd outcome = mxgold("run --errors 1" + pipe(path, lie) + options());
    EXPECT_EQ(outcome.exit, 1) << lie << '\n' << outcome.tail();
    const ProgramEnd file = mxgold("run --errors 1" + pipe(path, lie) + "--vectors " + path);
    EXPECT_EQ(file.exit, 1) << lie << '\n' << file.tail();
  }
  expect("run" + pipe(path, "drop") + options(), 4, "FAIL protocol");
  expect("run" + pipe(path, "extra") + options(), 4, "FAIL protocol");
}

// The command that a mismatch prints shows it again, alone.
TEST_P(EverySet, ReplayFailsAgain) {
  const std::string path = gen(options());
  for (const std::string& command : {"run --errors 1" + pipe(path, "flags") + options(),
                                     "run --errors 1" + pipe(path, "flags") + "--vectors " + path,
                                     "run --errors 1 --dut reference:record_flags " + options()}) {
    const ProgramEnd outcome = mxgold(command);
    ASSERT_EQ(outcome.exit, 1) << command;
    const std::string replay = replay_in(outcome);
    ASSERT_NE(replay.find("--only "), std::string::npos) << outcome.tail();
    const ProgramEnd again = mxgold(replay);
    EXPECT_EQ(again.exit, 1) << replay << '\n' << again.tail();
    EXPECT_TRUE(again.says("MISMATCH record")) << again.tail();
  }
}

constexpr Set kSets[] = {
    {"Cvt", "--op cvt --format e5m2 --source bf16", false},
    {"CvtStochastic", "--op cvt --format e4m3fn --source fp16 --rounding stochastic_a", false},
    {"Mxfp8", "--format mxfp8_e4m3", true},
    {"Mxfp4Bf16", "--format mxfp4 --source bf16 --rounding ties_to_away --rule rceil", true},
    {"MxBlocksOf16", "--format mxfp6_e2m3 --block-size 16", true},
    {"Nvfp4", "--format nvfp4", true},
    {"Nvfp4FourOverSix", "--format nvfp4 --rule nvfp4_4over6", true},
    {"Bfp", "--format bfp16_16", true},
    {"Fp32Scaled", "--format fp8_e4m3_fp32_row --lanes 24", true},
    {"Fp32Blocks", "--format fp8_e4m3_fp32_1x128", true},
    {"Hifx4", "--format hifx4", true},
    {"Tenstorrent", "--format tt_bfp8", true},
    {"Defined", "--define 'name=mine, element=e2m3fn, block_size=7' --format mine", true},
    {"Dot", "--op dot --format mxfp8_e4m3,mxfp4", false},
    {"DotAddend", "--op dot --format mxfp4 --addend fp32", false},
    {"Add", "--op arith --operation add --format e4m3fn", false},
    {"Fma", "--op arith --operation fma --format fp16", false},
    {"Sqrt", "--op arith --operation sqrt --format bf16", false}};

INSTANTIATE_TEST_SUITE_P(Sets, EverySet, testing::ValuesIn(kSets),
                         [](const auto& set) { return std::string(set.param.name); });

class RunRecords : public ProgramTest {};

TEST_F(RunRecords, SeveralConfigurationsAtOnce) {
  const std::string two = "--format mxfp4,mxfp8_e5m2 --rule floor,rceil --shard 0/20 ";
  const std::string path = gen(two);
  expect("run" + pipe(path) + two, 0, "4 configurations");
  expect("run" + pipe(path, "flags:last") + two, 1, "FAIL ");
}

// --time-limit is of the whole run, whoever answers, and ends it when it is over.
TEST_F(RunRecords, TimeLimitActs) {
  const std::string slow = "run --op cvt --dut process:'sleep 30; cat' ";
  expect(slow + "--time-limit 0.5", 4, "the time limit is over");
  expect("run --op cvt --dut reference --time-limit 0.000001", 4, "the time limit is over");
  expect("run --format mxfp4 --dut reference --time-limit 0.000001", 4, "the time limit is over");
  expect("run --op cvt --dut reference --time-limit 60.5", 0, "PASS ");
}

// The oracle's part in a verdict is told.
TEST_F(RunRecords, TheJudgeIsNamed) {
  const std::string run = "run --op cvt --dut reference --judge oracle ";
  expect(run, 0, "judged by the reference and the oracle");
  expect(run + "--json", 0, "\"judge\": \"oracle\"");
  EXPECT_FALSE(mxgold("run --op cvt --dut reference").says("oracle"));
}

TEST_F(RunRecords, ShardsAreThoseOfGen) {
  const std::string set = "--format nvfp4 --shard 7/8 ";
  const std::string path = gen(set);
  expect("run" + pipe(path) + set, 0, "PASS ");
  EXPECT_EQ(mxgold("run" + pipe(path) + "--format nvfp4 --shard 6/8").exit, 4)
      << "the device does not know these records";
}

// Tensors along either axis, short tails included; the replay is the same tensor's.
TEST_F(RunRecords, Tensors) {
  for (const char* options : {"--format nvfp4", "--format nvfp4 --axis 0", "--format bfp16_16",
                              "--op cvt --format e5m2", "--format fp8_e4m3_fp32_row"}) {
    const std::string set = std::string(options) + " --input " + tensor_file() + " ";
    const std::string path = gen(set);
    expect("run" + pipe(path) + set, 0, "PASS ");
    const ProgramEnd wrong = expect("run --errors 1" + pipe(path, "flags:last") + set, 1, "FAIL ");
    const ProgramEnd every = expect("run --errors 1" + pipe(path, "flags") + set, 1, "FAIL ");
    EXPECT_TRUE(wrong.says("MISMATCH record")) << wrong.tail();
    expect(replay_in(every), 1, "MISMATCH record 0");
  }
}

TEST_F(RunRecords, BothJudges) {
  const std::string set = "--format nvfp4 --shard 0/50 --judge oracle ";
  expect("run --dut reference " + set, 0, "PASS ");
  expect("run --dut reference:record_scale " + set, 1, "FAIL ");
}

TEST_F(RunRecords, CertificatesJudgeToo) {
  const std::string records = "run --log - --dut reference --op cvt --format e5m2 ";
  EXPECT_TRUE(expect(records, 0, "PASS ").says("0 scales compared with certificates, 0 elements"));
  EXPECT_FALSE(expect(records + "--judge reference", 0, "PASS ").says("certificates"));
  EXPECT_TRUE(expect(records + "--judge certificate", 0, "PASS ").says("certificates alone"));
  EXPECT_TRUE(mxgold("run --dut reference --op cvt --format e5m2 --judge certificate")
                  .says("open (no certificate says which bits are right)"));
  const auto faulty_record = [](const std::string& fault) {
    return "run --log - --dut reference:" + fault + " --op cvt --format e5m2 --judge certificate";
  };
  expect(faulty_record("record_code"), 1, "FAIL ");
  expect(faulty_record("record_flags"), 0, "PASS ");  // certificates say nothing of flags
  const std::string set =
      " --suite smoke --format e2m1fn --rounding ties_to_even --rule floor --source fp32 ";
  EXPECT_TRUE(
      expect("run --log - --dut reference" + set, 0, "PASS ").says("compared with certificates"));
  EXPECT_TRUE(expect("run --log - --dut reference" + set + "--judge certificate", 0, "PASS ")
                  .says("judged by certificates alone"));
  const std::string faulty = "run --log - --dut reference:ties_to_away_for_even" + set;
  const ProgramEnd wrong = expect(faulty + "--judge certificate --errors 1", 1, "FAIL ");
  EXPECT_TRUE(wrong.says("--judge certificate")) << "the replay asks the same judge";
  expect(replay_in(wrong), 1, "MISMATCH block");
  expect("run --log - --dut reference" + set + "--judge nobody", 2, "--judge");
  const ProgramEnd by_oracle =
      expect("run --log - --dut reference" + set + "--judge oracle --only 0:300", 0, "PASS ");
  EXPECT_TRUE(by_oracle.says("judged by the reference and the oracle")) << by_oracle.tail();
  expect(faulty + "--judge oracle --only 0:300", 1, "FAIL ");
  expect("run --log - --dut reference" + set + "--judge certificate --cover c.json", 2, "--cover");
}

TEST_F(RunRecords, OnlyOneRecord) {
  const std::string set = "--op cvt --format e5m2 ";
  expect("run --dut reference --only 17 " + set, 0, "PASS 1/1");
  expect("run --dut reference --only 10:15 " + set, 0, "PASS 5/5");
  expect("run --dut reference --only 999999999 " + set, 2, "--only");
}

TEST_F(RunRecords, ReportsCountWhatWasNotCompared) {
  const std::string set =
      "--format mxfp8_e4m3 --profile intel-fp8et --blocks-as mxgold-default --shard 0/20 ";
  const std::string path = gen(set);
  const std::string junit = file("report.xml");
  const ProgramEnd outcome =
      mxgold("run --json --junit " + junit + pipe(path) + set + "2>/dev/null; true");
  const std::string text = outcome.text.substr(0, outcome.text.rfind('}') + 1);
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["verdict"], "PASS");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_EQ(json["records"], json["declared"]);
  EXPECT_GT(json["words_compared"], 0);
  EXPECT_GT(json["words_open"], 0);
  EXPECT_GT(json["words_dont_care"], 0);
  EXPECT_EQ(json["words_waived"], 0);
  const std::uint64_t sum = json["words_compared"].get<std::uint64_t>() +
                            json["words_open"].get<std::uint64_t>() +
                            json["words_dont_care"].get<std::uint64_t>();
  EXPECT_EQ(sum, json["records"].get<std::uint64_t>() * 34) << "scale, 32 codes and flags each";
  ASSERT_EQ(json["cells"].size(), 1U);
  EXPECT_EQ(json["cells"][0]["configuration"]["profile"], "intel-fp8et:blocks-as=mxgold-default");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(junit.c_str()));
  const pugi::xml_node suite = document.child("testsuite");
  EXPECT_EQ(suite.attribute("failures").as_int(), 0);
  const pugi::xml_node counts = document.select_node("//testcase/properties").node();
  for (const char* name :
       {"words_compared", "words_dont_care", "words_open", "words_unobserved", "words_waived"}) {
    const pugi::xml_node property = counts.find_child_by_attribute("name", name);
    ASSERT_TRUE(property) << name;
    EXPECT_EQ(property.attribute("value").as_ullong(), json[name].get<std::uint64_t>()) << name;
  }
}

TEST_F(RunRecords, ReportsOfFailures) {
  const std::string set = "--op cvt --format e5m2 ";
  const std::string junit = file("report.xml");
  const auto junit_of = [&](const std::string& dut, int exit, int failures, int errors) {
    const ProgramEnd outcome = mxgold("run --json --junit " + junit + " --dut " + dut + set);
    EXPECT_EQ(outcome.exit, exit) << outcome.tail();
    EXPECT_TRUE(outcome.says("\"exit_code\": " + std::to_string(exit))) << outcome.tail();
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file(junit.c_str()));
    EXPECT_EQ(document.select_nodes("//failure").size(), static_cast<std::size_t>(failures));
    EXPECT_EQ(document.select_nodes("//error").size(), static_cast<std::size_t>(errors));
  };
  junit_of("reference ", 0, 0, 0);
  junit_of("reference:record_code ", 1, 1, 0);
  junit_of("process:'exit 1' ", 4, 0, 1);
}

// Devices with a clock take what stands on their streams; the message says what takes the rest.
TEST_F(RunRecords, ClockedDevicesRefuseTheRest) {
  for (const char* options :
       {"--op cvt", "--op dot", "--op arith", "--format nvfp4", "--format hifx4"}) {
    expect(std::string("run --dut cuda-host ") + options, 2, "");
  }
  expect("run --dut cuda-host --op cvt", 2, "plugin: and reference");
  expect("run --dut reference:sticky_cut_short --op cvt", 2, "record_code");
  expect("run --dut cuda-host --vectors " + gen("--op cvt --format e5m2"), 2, "op cvt");
}

}  // namespace
}  // namespace mx::sim::test::program_record_test
