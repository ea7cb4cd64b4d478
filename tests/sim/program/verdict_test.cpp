// What a verdict carries, so that a run can be repeated and told from another: seed and digest in
// the last lines, profile and policies, what options hold a suite to. In text, JSON, JUnit XML and
// HTML alike, for devices with a clock and for records.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include "reference/policy/fields.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test::verdict_test {
namespace {

using nlohmann::json;

std::string option_of(std::string_view field) {
  std::string text = "--" + std::string(field);
  std::ranges::replace(text, '_', '-');
  return text;
}

/// The last three.
std::string last_lines(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  std::size_t first = end;
  for (int i = 0; i < 3; ++i) first = text.find_last_of('\n', first - 1);
  return text.substr(first + 1, end - first);
}

/// A run in all its reports.
struct Reported {
  ProgramEnd end;
  json report;
  pugi::xml_document xml;
  std::string page;

  [[nodiscard]] std::string verdict() const { return last_lines(end.text); }
  [[nodiscard]] std::string property(const char* name) const {
    return xml.child("testsuite")
        .child("properties")
        .find_child_by_attribute("name", name)
        .attribute("value")
        .value();
  }
  [[nodiscard]] bool page_says(const std::string& words) const {
    return page.find(words) != std::string::npos;
  }
};

class Verdicts : public ProgramTest {
 protected:
  void report(const std::string& run, Reported& reported) {
    const std::string xml = file("r.xml");
    const std::string html = file("r.html");
    reported.end = mxgold("run " + run + " --junit " + xml + " --html " + html);
    const ProgramEnd machine = mxgold("run --json " + run + " 2>/dev/null #");
    reported.report = json::parse(machine.text, nullptr, false);
    ASSERT_FALSE(reported.report.is_discarded()) << run << '\n' << reported.end.tail();
    ASSERT_TRUE(reported.xml.load_file(xml.c_str())) << run;
    reported.page = read(html);
  }
};

const std::string kSuite = " --format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";
const std::string kAnswer = "--dut \"process:" MXGOLD " answer\" --suite smoke ";

bool has_rtl() { return !mxgold("run --dut rtl --only 0" + kSuite).says("no Verilated RTL"); }

// --- seed and digest ---

std::vector<std::string> devices() {
  std::vector<std::string> list = {
      "--dut reference" + kSuite,
      "--dut cpu" + kSuite,
      "--dut reference:ties_to_away_for_even" + kSuite,
      "--dut reference --op cvt --format e4m3fn --suite smoke",
      "--dut reference:record_code --op cvt --format e4m3fn --suite smoke",
      kAnswer + "--format mxfp4 --source bf16",
      kAnswer + "--op dot --format mxfp4",
  };
  if (has_rtl()) list.push_back("--dut rtl" + kSuite);
  return list;
}

TEST_F(Verdicts, CarrySeedAndDigest) {
  for (const std::string& device : devices()) {
    const std::string run = device + " --seed 20261125 --shrink " + file("small.json");
    Reported all;
    report(run, all);
    const std::string line = all.verdict();
    EXPECT_TRUE(line.starts_with("PASS ") || line.starts_with("FAIL ")) << run << '\n' << line;
    const std::string digest = all.report["digest"];
    ASSERT_EQ(digest.size(), 64U) << run;
    EXPECT_NE(line.find(", seed 20261125, dut "), std::string::npos) << run << '\n' << line;
    EXPECT_TRUE(line.ends_with("sha256:" + digest)) << run << '\n' << line;
    EXPECT_EQ(all.report["seed"], 20261125) << run;
    EXPECT_EQ(all.property("seed"), "20261125") << run;
    EXPECT_EQ(all.property("digest"), digest) << run;
    EXPECT_TRUE(all.page_says("<dt>seed</dt><dd>20261125</dd>")) << run;
    EXPECT_TRUE(all.page_says(digest)) << run;
    const std::string other = mxgold("run " + device + " --seed 20261126").text;
    EXPECT_EQ(other.find("20261125"), std::string::npos) << run;
  }
}

// Vectors of a file may have been drawn by another seed than the run's.
TEST_F(Verdicts, NameTheSeedOfAFilesSet) {
  const std::string path = gen("--suite rnd --count 50 --format mxfp4 --seed 7");
  Reported all;
  report("--dut \"process:" MXGOLD " answer\" --vectors " + path, all);
  EXPECT_NE(all.verdict().find(", seed 0 (the set's: 7), dut "), std::string::npos)
      << all.verdict();
  EXPECT_EQ(all.report["set_seed"], 7);
  EXPECT_EQ(all.property("set_seed"), "7");
  EXPECT_TRUE(all.page_says("<dt>seed of the set</dt><dd>7</dd>"));
}

// Also where the file of another report cannot be written.
TEST_F(Verdicts, AreToldBeforeWhatCannotBeWritten) {
  for (const char* output : {"--cover /dev/full", "--junit /dev/full"}) {
    const ProgramEnd end =
        mxgold("run " + kAnswer + "--format mxfp4 --source bf16 " + std::string(output));
    EXPECT_EQ(end.exit, 3) << end.tail();
    EXPECT_TRUE(end.says("\nPASS ")) << end.tail();
  }
}

// Three lines for people: the result; what was compared and what was not, and why, without counts
// of zero; how to repeat it. Every count is in one line of JSON and of --log.
TEST_F(Verdicts, AreThreeLines) {
  for (const std::string& run :
       {"--dut reference" + kSuite, kAnswer + "--format mxfp4 --source bf16",
        "--dut reference:ties_to_away_for_even" + kSuite,
        std::string("--dut reference:record_code --op cvt --format e4m3fn --suite smoke")}) {
    const std::string log = file("verdict.log");
    const ProgramEnd end = mxgold(fmt::format("run {} --log {}", run, log));
    const std::string three = last_lines(end.text);
    const std::size_t second = three.find('\n') + 1;
    const std::size_t third = three.find('\n', second) + 1;
    EXPECT_TRUE(three.starts_with(end.exit == 0 ? "PASS " : "FAIL ")) << three;
    EXPECT_GT(three.find(" words compared"), second) << three;
    EXPECT_EQ(three.substr(second, third - second).find(" 0 "), std::string::npos) << three;
    const std::string words = "  repeat: mxgold ";
    ASSERT_EQ(three.find(words), third) << three;
    const std::string again = three.substr(third + words.size());
    EXPECT_EQ(mxgold(again).exit, end.exit) << again;  // the digest is a comment of the shell
    const std::string line = read(log);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
    EXPECT_NE(line.find(" 0 waived"), std::string::npos) << line;
    const json report = json::parse(mxgold("run --json " + run + " 2>/dev/null #").text);
    // But for the time that it took.
    const std::string counts = line.substr(0, line.find(" waived"));
    EXPECT_TRUE(report["line"].get<std::string>().starts_with(counts)) << report["line"];
  }
}

/// What a command ends with: three lines without a zero, of which the last repeats it.
void expect_three_lines(const std::string& command, int exit) {
  const ProgramEnd end = mxgold(command);
  EXPECT_EQ(end.exit, exit) << command << '\n' << end.tail();
  const std::string three = last_lines(end.text);
  EXPECT_TRUE(three.starts_with(exit == 0 ? "PASS " : "FAIL ")) << three;
  EXPECT_NE(three.find("\n  "), std::string::npos) << three;
  EXPECT_NE(three.find(" words compared"), std::string::npos) << three;
  EXPECT_EQ(three.find(" 0 "), std::string::npos) << three;
  const std::string words = "\n  repeat: mxgold ";
  const std::size_t at = three.find(words);
  ASSERT_NE(at, std::string::npos) << three;
  const std::string again = three.substr(at + words.size());
  EXPECT_EQ(last_lines(mxgold(again).text), three) << again;
}

TEST_F(Verdicts, OfOtherCommandsAreThreeLinesToo) {
  const std::string vectors = gen("--suite smoke --format mxfp4");
  expect_three_lines("check " + vectors, 0);
  expect_three_lines("check --observe scale,code --profile te " + gen("--suite smoke"), 1);
  expect_three_lines("sweep --source bf16 --format e4m3fn,e5m2 --shard 0/2", 0);
  const std::string failure = file("a failure.json");
  expect("run --dut reference:record_code --op cvt --format e4m3fn --suite smoke --shrink '" +
             failure + "'",
         1, "FAIL ");
  expect_three_lines("replay '" + failure + "'", 1);
}

TEST_F(Verdicts, OfOtherCommandsAreInALogWithEveryCount) {
  const std::string vectors = gen("--suite smoke --format mxfp4");
  const std::string log = file("verdict.log");
  expect("check --log " + log + " " + vectors, 0, "PASS ");
  EXPECT_NE(read(log).find(" 0 unobserved, 0 waived"), std::string::npos) << read(log);
  expect("sweep --source bf16 --format e4m3fn,e5m2 --log " + log, 0, "PASS 2/2 conversions");
  const std::string lines = read(log);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << lines;
  EXPECT_NE(lines.find(", 0 mismatches, all sha256:"), std::string::npos) << lines;
  // Standard output is the log's alone where it is asked for.
  const ProgramEnd piped = mxgold("check --log - " + vectors + " 2>/dev/null #");
  EXPECT_EQ(std::ranges::count(piped.text, '\n'), 1) << piped.text;
}

// --- profile and policies ---

struct Judged {
  const char* options;
  const char* profile;
  const char* policies;  ///< a part of what is said
};

TEST_F(Verdicts, NameProfileAndPolicies) {
  const std::string records = kAnswer + "--source fp32 --format mxfp8_e4m3 ";
  const std::string conversions = kAnswer + "--op cvt --source fp32 --format e4m3fn ";
  const std::string streams = "--dut reference --source fp32 --format mxfp8_e4m3 ";
  std::set<std::string> seen;
  for (const auto& [base, judged] : std::vector<std::pair<std::string, Judged>>{
           {streams, {"", "mxgold-default", ""}},
           {streams, {"--nan keep_sign", "mxgold-default", "nan keep_sign"}},
           {streams, {"--inf-block scale_max", "mxgold-default", "inf_block scale_max"}},
           {streams, {"--profile ocp-mx-1.0", "ocp-mx-1.0", ""}},
           {streams,
            {"--blocks-as mxgold-default --profile intel-fp8et",
             "intel-fp8et:blocks-as=mxgold-default", ""}},
           {records, {"", "mxgold-default", ""}},
           {records, {"--inf-block scale_max", "mxgold-default", "inf_block scale_max"}},
           {records, {"--profile ocp-mx-1.0", "ocp-mx-1.0", ""}},
           {conversions, {"", "mxgold-default", ""}},
           {conversions, {"--profile te", "te", ""}},
           {conversions, {"--profile ml_dtypes-0.6", "ml_dtypes-0.6", ""}},
           {conversions, {"--nan keep_sign --src-ftz keep", "mxgold-default", "nan keep_sign"}}}) {
    const std::string run = base + judged.options;
    Reported all;
    report(run, all);
    const std::string line = all.verdict();
    const std::string profile = judged.profile;
    const std::string policies = judged.policies;
    EXPECT_NE(line.find("; profile " + profile), std::string::npos) << run << '\n' << line;
    EXPECT_NE(line.find(policies), std::string::npos) << run << '\n' << line;
    EXPECT_EQ(all.report["profile"], profile) << run;
    EXPECT_EQ(all.property("profile"), profile) << run;
    EXPECT_NE(all.property("policies").find(policies), std::string::npos) << run;
    EXPECT_TRUE(all.page_says("<dt>judged by</dt><dd>profile " + profile)) << run;
    if (!policies.empty()) {
      const std::size_t blank = policies.find(' ');
      EXPECT_EQ(all.report["policies"][policies.substr(0, blank)], policies.substr(blank + 1));
    }
    EXPECT_TRUE(
        seen.insert(all.report["profile"].dump() + all.report["policies"].dump() + base).second)
        << run << " reads as another run";
  }
}

TEST_F(Verdicts, OfSweepsNameTheProfile) {
  const std::string sweep = "sweep --source bf16 --format e4m3fn ";
  const std::string receipt = file("s.json");
  const ProgramEnd end = expect(sweep + "--profile te -o " + receipt, 0, ", profile te, ");
  const json swept = json::parse(read(receipt))["sweeps"][0];
  EXPECT_EQ(swept["configuration"]["profile"], "te") << end.tail();
  expect("merge " + receipt, 0, "");
  EXPECT_FALSE(mxgold(sweep).says(", profile "));
}

// --- what a suite is held to ---

// What runs and what is left out are the whole suite, whichever profile was named, the default too.
TEST_F(Verdicts, AProfileLeavesOutTheRestOfTheWholeSuite) {
  const auto whole = [](const std::string& options) {
    const json report =
        json::parse(mxgold("run --json --dut reference" + kSuite + options + " 2>/dev/null #").text,
                    nullptr, false);
    std::uint64_t configurations = report["cells"].size();
    for (const json& each : report["not_offered"]) {
      configurations += each["configurations"].get<std::uint64_t>();
    }
    return configurations;
  };
  const std::uint64_t all = whole("");
  EXPECT_GT(all, 1000U);
  EXPECT_EQ(whole("--profile mxgold-default"), all);
  EXPECT_EQ(whole("--profile ocp-mx-1.0"), all);
}

// Of every policy the default value and another one: the suite keeps what it varies beside that
// policy, and says what it was held to. (Every value: SuiteSource.ToldPoliciesHoldFor...)
TEST_F(Verdicts, SayWhatASuiteIsNarrowedTo) {
  const json whole =
      json::parse(mxgold("run --json --dut reference 2>/dev/null #").text, nullptr, false);
  const std::uint64_t blocks = whole["blocks"]["declared"];
  const std::size_t configurations = whole["cells"].size();
  EXPECT_EQ(whole["narrowed"]["by"], "");
  const std::size_t plain =
      json::parse(mxgold("run --json --dut reference" + kSuite + " 2>/dev/null #").text)["cells"]
          .size();
  std::size_t tried = 0;
  for (const PolicyField& field : policy_fields()) {
    const std::string name(field.name);
    if (name == "random_bits" || name == "rounding" || name == "rule") continue;
    std::size_t others = 0;
    for (const std::string_view value : field.values()) {
      const bool is_default = field.read({}) == value;
      if (!is_default && others != 0) continue;
      const std::string option = option_of(name) + " " + std::string(value);
      const std::string run = fmt::format("--dut reference{}{}", kSuite, option);
      if (mxgold("run --dry-run " + run).exit != 0) continue;  // nothing reads it
      ++tried;
      others += is_default ? 0 : 1;
      const json told = json::parse(mxgold("run --json " + run + " 2>/dev/null #").text);
      EXPECT_EQ(told["narrowed"]["by"], option);
      EXPECT_GT(told["cells"].size(), plain / 2) << option;
      for (const json& cell : told["cells"]) {
        EXPECT_EQ(cell["configuration"][name], value) << option;
      }
      // What is left out adds up, here too.
      ASSERT_EQ(told["not_offered"].size(), 1U) << option;
      const json& left = told["not_offered"][0];
      EXPECT_EQ(
          left["blocks"].get<std::uint64_t>() + told["blocks"]["declared"].get<std::uint64_t>(),
          blocks)
          << option;
      EXPECT_EQ(left["configurations"].get<std::size_t>() + told["cells"].size(), configurations)
          << option;
      const std::string why = left["why"];
      EXPECT_NE(why.find(option), std::string::npos) << why;
      const std::uint64_t otherwise = told["narrowed"]["configurations_with_other_values"];
      EXPECT_LE(otherwise, configurations) << option;
      EXPECT_TRUE(is_default || otherwise > configurations / 2) << option;
    }
  }
  EXPECT_GT(tried, 20U);
}

TEST_F(Verdicts, SayItInEveryReport) {
  Reported all;
  report("--dut reference" + kSuite + "--src-ftz keep", all);
  const json& narrowed = all.report["narrowed"];
  const std::string words = "narrowed to --src-ftz keep: ";
  EXPECT_NE(all.verdict().find("; " + words), std::string::npos) << all.verdict();
  EXPECT_TRUE(all.page_says(words));
  EXPECT_EQ(all.property("narrowed_by"), "--src-ftz keep");
  EXPECT_EQ(all.property("configurations_with_other_values"),
            std::to_string(narrowed["configurations_with_other_values"].get<std::uint64_t>()));
  EXPECT_GT(narrowed["configurations_with_other_values"].get<std::uint64_t>(), 0U);
  Reported none;
  report("--dut reference" + kSuite, none);
  EXPECT_EQ(none.end.text.find("narrowed"), std::string::npos);
  EXPECT_FALSE(none.page_says("narrowed"));
  EXPECT_EQ(none.property("narrowed_by"), "");
}

// A profile's configurations are a suite by themselves, beside which the rest is counted.
TEST_F(Verdicts, CountWhatAProfileLeavesOut) {
  Reported all;
  report("--dut reference --profile ocp-mx-1.0" + kSuite, all);
  ASSERT_EQ(all.report["not_offered"].size(), 1U);
  EXPECT_GT(all.report["not_offered"][0]["configurations"].get<std::uint64_t>(), 1000U);
  EXPECT_NE(all.verdict().find("left out by --profile ocp-mx-1.0 --format mxfp4"),
            std::string::npos)
      << all.verdict();
}

}  // namespace
}  // namespace mx::sim::test::verdict_test
