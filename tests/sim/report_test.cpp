// What people and machines read at the end.
#include "sim/report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "sim/judge/explain.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

ReportFacts facts() {
  ReportFacts facts;
  facts.dut = "reference";
  facts.input = "given <\"&\">";
  facts.seed = 9;
  facts.describe = [](std::uint64_t i) { return "block " + std::to_string(i); };
  facts.replay = [](std::uint64_t first, std::uint64_t) {
    return "mxgold run --only " + std::to_string(first);
  };
  return facts;
}

// 2.125 to e4m3fn under scale 7F: a tie that stays at 40 and that ties_to_away moves to 41.
test::GivenBlocks tie() {
  BlockIn block;
  block.source[0] = 0x43800000;  // 256 fixes the scale at 7F
  block.source[1] = 0x40080000;
  return test::GivenBlocks({block});
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, MismatchExplainsItself) {
  const auto source = tie();
  const RunResult result =
      run(source, test::reference_with(find_fault("ties_to_away_for_even")), test::plain_options());
  ASSERT_EQ(result.exit_code(), 1);
  const std::string text = failures_text(result, facts());
  for (const char* part :
       {"fp32 -> e4m3fn, ties_to_even, floor", "40080000", "2.125", "scale 7F (2^0)",
        "largest magnitude 256 (lane 0)", "between 40 = 2 and 41 = 2.25",
        "lsb 0, guard 1, sticky 0", "ties_to_even goes down",
        "expected 40 = 2; device gave 41 = 2.25", "replay     mxgold run --only 0"}) {
    EXPECT_TRUE(contains(text, part)) << part << " is missing in\n" << text;
  }
  EXPECT_TRUE(
      contains(verdict_line(result, facts()), "FAIL 0/1 blocks: 1 differ, 1 of 32 elements"));
}

TEST(Report, VerdictCarriesTheCounts) {
  const auto source = tie();
  const RunResult result = run(source, test::reference_with(), test::plain_options());
  const std::string line = verdict_line(result, facts());
  EXPECT_TRUE(
      line.starts_with("PASS 1/1 blocks, 32 elements, 34 words compared, 0 don't-care, "
                       "0 open, 0 unobserved, 0 waived; 0 of 1 blocks without a compared word"))
      << line;
  EXPECT_TRUE(contains(line, "1 configurations"));
  EXPECT_TRUE(contains(line, "sha256:" + result.digest));
  EXPECT_TRUE(contains(table_text(result), "e4m3fn   ties_to_even"));
}

// Policies that are not their defaults, and several values of one: never the rounding and the rule.
TEST(Report, NamesWhosePoliciesTheyAre) {
  golden::Configuration plain = test::told(0);
  golden::Configuration other = plain;
  std::get<QuantizerConfig>(other.what).element.nan = NanPolicy::kKeepSign;
  std::get<QuantizerConfig>(other.what).element.rounding = Rounding::kToOdd;
  EXPECT_EQ(golden::judged_by(std::vector{plain}).text(), "profile mxgold-default");
  EXPECT_EQ(golden::judged_by(std::vector{other}).text(),
            "profile mxgold-default with nan keep_sign");
  const golden::JudgedBy both = golden::judged_by(std::vector{other, plain});
  ASSERT_EQ(both.policies.size(), 1U);
  EXPECT_TRUE(both.policies[0].second.starts_with("keep_sign|")) << both.text();
  other.origin.profile = "te";
  EXPECT_EQ(golden::judged_by(std::vector{plain, other}).profile, "mxgold-default, te");
  golden::ArithmeticCase add{ArithmeticOperation::kAdd, Arithmetic::ieee(formats::fp32)};
  EXPECT_EQ(golden::judged_by(std::vector{golden::Configuration{add, {}}}).text(), "");
  add.arithmetic.policy.overflow = Overflow::kSatFinite;
  EXPECT_EQ(golden::judged_by(std::vector{golden::Configuration{add, {}}}).text(),
            "policies overflow sat_finite");
}

// The default of a conversion is that of its destination, so neither of the two is named.
TEST(Report, DefaultsAreThoseOfTheDestination) {
  const auto to = [](const ElementFormat& destination, Overflow overflow) {
    return golden::Configuration{
        ConversionConfig{formats::fp32, destination, {.overflow = overflow}}, {}};
  };
  const auto of = [](const auto&... configurations) {
    return golden::judged_by(std::vector<golden::Configuration>{configurations...}).text();
  };
  const auto ieee = to(formats::e5m2, Overflow::kNoneInfOrNan);
  const auto saturating = to(formats::e4m3fn, Overflow::kSatFinite);
  EXPECT_EQ(of(ieee), "profile mxgold-default");
  EXPECT_EQ(of(saturating), "profile mxgold-default");
  EXPECT_EQ(of(ieee, saturating), "profile mxgold-default");
  EXPECT_EQ(of(to(formats::e5m2, Overflow::kSatFinite)),
            "profile mxgold-default with overflow sat_finite");
  EXPECT_EQ(of(ieee, to(formats::e4m3fn, Overflow::kNoneInfOrNan)),
            "profile mxgold-default with overflow none_inf_or_nan");
}

// What a shard or --only leaves to others stands in every report of the run.
TEST(Report, SaysWhatPartItIsOf) {
  const auto source = tie();
  const RunResult result = run(source, test::reference_with(), test::plain_options());
  ReportFacts part = facts();
  EXPECT_FALSE(contains(verdict_line(result, part), "left to other runs"));
  part.part = {1, 2, "", 1235, 1};
  const std::string text = "shard 1/2: 1 of 1,235 blocks, 1,234 left to other runs";
  EXPECT_TRUE(contains(verdict_line(result, part), text)) << verdict_line(result, part);
  const nlohmann::json json = nlohmann::json::parse(report_json(report_of(result, part)))["part"];
  EXPECT_EQ(json["shard"], "1/2");
  EXPECT_EQ(json["whole"], 1235);
  EXPECT_EQ(json["left_to_other_runs"], 1234);
  const std::string xml = report_junit(report_of(result, part));
  EXPECT_TRUE(contains(xml, text)) << xml;
  EXPECT_TRUE(contains(xml, "name=\"blocks_left_to_other_runs\" value=\"1234\"")) << xml;
  part.part.only = "5:6";
  EXPECT_EQ(part_text(part.part, "records"),
            "shard 1/2, --only 5:6: 1 of 1,235 records, 1,234 left to other runs");
  part.part.shards = 1;
  EXPECT_TRUE(part_text(part.part, "blocks").starts_with("--only 5:6: 1 of"));
}

nlohmann::json json_of(const RunResult& result) {
  return nlohmann::json::parse(report_json(report_of(result, facts())));
}

/// The sum of a property over the cases of a JUnit report.
std::uint64_t junit_sum(const RunResult& result, const std::string& property) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(report_junit(report_of(result, facts())).c_str()));
  std::uint64_t sum = 0;
  for (const auto& node :
       document.select_nodes(("//testcase//property[@name='" + property + "']").c_str())) {
    sum += node.node().attribute("value").as_ullong();
  }
  return sum;
}

// An element that intel-fp8et leaves open, and beside it a block that it does not.
test::GivenBlocks partly_open() {
  BlockIn block;
  block.source[0] = 0x43800000;
  BlockIn opened = block;
  opened.source[7] = 0x3B900000;
  return test::GivenBlocks({block, opened}, {},
                           {test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3")});
}

TEST(Report, CountsWhatWasNotCompared) {
  const auto source = partly_open();
  const RunResult result = run(source, test::reference_with(), test::plain_options());
  ASSERT_EQ(result.exit_code(), 0);
  const nlohmann::json words = json_of(result)["words"];
  EXPECT_EQ(words["compared"], 66);
  EXPECT_EQ(words["dont_care"], 0);
  EXPECT_EQ(words["open"], 2);
  EXPECT_EQ(words["waived"], 0);
  EXPECT_EQ(json_of(result)["blocks_without_compared_word"], 0);
  EXPECT_TRUE(contains(verdict_line(result, facts()),
                       "66 words compared, 0 don't-care, 2 open, 0 unobserved, 0 waived"));
  EXPECT_EQ(junit_sum(result, "words_compared"), 66U);
  EXPECT_EQ(junit_sum(result, "words_open"), 2U);
  EXPECT_EQ(junit_sum(result, "words_dont_care"), 0U);
  EXPECT_EQ(junit_sum(result, "words_waived"), 0U);
}

TEST(Report, CountsCodesThatThePolicyFrees) {
  BlockIn nan;
  nan.source[0] = 0x7FC00000;
  const test::GivenBlocks source({nan});
  RunOptions options = test::plain_options();
  options.compare = Compare::kNormative;
  const RunResult result = run(source, test::reference_with(), options);
  ASSERT_EQ(result.exit_code(), 0);
  EXPECT_EQ(json_of(result)["words"]["dont_care"], 32);
  EXPECT_EQ(json_of(result)["words"]["compared"], 2);
  EXPECT_EQ(junit_sum(result, "words_dont_care"), 32U);
}

// ocp-mx-1.0 leaves a block with a NaN open altogether: no verdict.
TEST(Report, NothingComparedIsNoPass) {
  BlockIn nan;
  nan.source[0] = 0x7FC00000;
  golden::Configuration config = test::told(0);
  config.origin = {"ocp-mx-1.0", "", kMaskNanBlock};
  const test::GivenBlocks source({nan}, {}, {config});
  const RunResult result = run(source, test::reference_with(), test::plain_options());
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_TRUE(verdict_line(result, facts()).starts_with("NOTHING COMPARED in 1 blocks"));
  EXPECT_NE(json_of(result)["verdict"], "PASS");
  EXPECT_EQ(json_of(result)["exit_code"], 3);
  EXPECT_EQ(json_of(result)["blocks_without_compared_word"], 1);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(report_junit(report_of(result, facts())).c_str()));
  const pugi::xml_node suite = document.child("testsuite");
  EXPECT_GT(suite.attribute("failures").as_int() + suite.attribute("errors").as_int(), 0)
      << "a report of no comparison must not read as passed";
}

// Open codes that differ are no differences: neither counted nor listed.
TEST(Report, OpenLanesAreNotListed) {
  const Configurations configs{
      test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3")};
  ReferenceModel model(configs);
  Mismatch mismatch;
  mismatch.block.source[0] = 0x43800000;
  mismatch.block.source[7] = 0x3B900000;
  model.answer(mismatch.block, mismatch.expected);
  mismatch.open = model.open(mismatch.block, mismatch.expected);
  mismatch.actual = mismatch.expected;
  mismatch.actual.codes[7] ^= 1;
  mismatch.actual.codes[3] ^= 1;
  const std::string text = explain(mismatch, model);
  EXPECT_TRUE(contains(text, "lane 3")) << text;
  EXPECT_FALSE(contains(text, "lane 7")) << text;
}

// Under a NaN scale a strict run compares codes, a normative one does not.
TEST(Report, CodesUnderNanAreListedWhereTheyAreCompared) {
  const Configurations configs{test::told(0)};
  ReferenceModel model(configs);
  BlockIn nan;
  nan.source[4] = 0x7FC00000;
  BlockOut right;
  model.answer(nan, right);
  BlockOut wrong = right;
  wrong.codes[9] = 0x11;
  for (const auto& [compare, flag] :
       {std::pair{Compare::kStrict, 0}, std::pair{Compare::kNormative, 1}}) {
    wrong.status = static_cast<std::uint16_t>(right.status ^ flag << 9);
    const std::string text =
        explain({0, nan, right, model.open(nan, right), wrong, compare, {}}, model);
    EXPECT_EQ(contains(text, "lane 9"), compare == Compare::kStrict) << text;
  }
}

// "tests failures errors" of the suite, each as its attribute says and as the cases of a parser
// say.
void expect_junit(const std::string& text, int failures, int errors) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str())) << text;
  const pugi::xml_node suite = document.child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "given <\"&\">");
  EXPECT_EQ(suite.attribute("tests").as_int(),
            static_cast<int>(document.select_nodes("//testcase").size()));
  EXPECT_EQ(suite.attribute("failures").as_int(), failures);
  EXPECT_EQ(suite.attribute("errors").as_int(), errors);
  EXPECT_EQ(static_cast<int>(document.select_nodes("//testcase/failure[@message]").size()),
            failures);
  EXPECT_EQ(static_cast<int>(
                document.select_nodes("//testcase[@name='protocol']/error[@message]").size()),
            errors);
  EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite ")) << text;
  EXPECT_TRUE(text.ends_with("</testsuite>\n")) << text;
}

TEST(Report, JsonAndJunitSayTheSame) {
  const auto source = tie();
  const RunResult good = run(source, test::reference_with(), test::plain_options());
  EXPECT_TRUE(contains(report_json(report_of(good, facts())), "\"verdict\": \"PASS\""));
  expect_junit(report_junit(report_of(good, facts())), 0, 0);
  const RunResult bad =
      run(source, test::reference_with(find_fault("ties_to_away_for_even")), test::plain_options());
  EXPECT_TRUE(contains(report_json(report_of(bad, facts())), "\"exit_code\": 1"));
  expect_junit(report_junit(report_of(bad, facts())), 1, 0);
}

TEST(Report, ProtocolFailureHasItsReplay) {
  const RunResult result =
      run(test::smoke(), test::reference_with(find_fault("hang")), test::plain_options());
  ASSERT_EQ(result.exit_code(), 4);
  const std::string text = failures_text(result, facts());
  EXPECT_TRUE(contains(text, "watchdog")) << text;
  EXPECT_TRUE(contains(text, "replay     mxgold run --only 0")) << text;
  expect_junit(report_junit(report_of(result, facts())), 0, 1);
}

TEST(Report, NumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(100663296), "100,663,296");
}

// A report exists for every kind of block that can differ.
TEST(Report, ExplainsSpecialBlocks) {
  Configurations configs;
  for (const std::uint32_t config_word : {0U, 9U << 3, 1U << 17, 5U, 4U | 2U << 12}) {
    configs.push_back(test::told(config_word));
  }
  ReferenceModel model(configs);
  for (const std::uint32_t word : {0x7FC00000U, 0x7F800000U, 0x00000000U, 0x00000001U}) {
    for (std::uint32_t config = 0; config < configs.size(); ++config) {
      Mismatch mismatch;
      mismatch.block.config = config;
      mismatch.block.source[4] = word;
      model.answer(mismatch.block, mismatch.expected);
      mismatch.actual = mismatch.expected;
      mismatch.actual.codes[4] ^= 1;
      const std::string text = explain(mismatch, model);
      EXPECT_TRUE(contains(text, "lane 4")) << text;
      EXPECT_TRUE(contains(text, "device gave")) << text;
    }
  }
}

}  // namespace
}  // namespace mx::sim
