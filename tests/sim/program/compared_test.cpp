// Every report counts what was compared, and apart from it what was not: for each choice of
// --observe and under profiles that leave words open, the counts add up to all there is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "golden/bytes/number_text.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test::compared_test {
namespace {

using golden::with_commas;
using nlohmann::json;

/// Counts of elements, of words or of blocks, as a report gives them.
struct Counts {
  std::uint64_t all = 0;
  std::uint64_t compared = 0;
  std::uint64_t not_compared = 0;
  [[nodiscard]] bool add_up() const { return compared + not_compared == all; }
  bool operator==(const Counts&) const = default;
};

Counts elements_of(const json& report) {
  const json& e = report["elements"];
  const auto count = [&](const char* name) { return e[name].get<std::uint64_t>(); };
  return {count("all"), count("checked"),
          count("dont_care") + count("open") + count("unobserved") + count("waived")};
}

/// A scale, status bits and a code for each element.
Counts words_of(const json& report) {
  const json& w = report["words"];
  const auto count = [&](const char* name) { return w[name].get<std::uint64_t>(); };
  return {2 * report["blocks"]["checked"].get<std::uint64_t>() + elements_of(report).all,
          count("compared"),
          count("dont_care") + count("open") + count("unobserved") + count("waived")};
}

Counts blocks_of(const json& report) {
  return {report["blocks"]["checked"], report["blocks"]["compared"],
          report["blocks_without_compared_word"]};
}

/// The same of the sums over cells; `thing`: elements, words.
Counts cells_of(const json& report, const std::string& thing) {
  Counts sum;
  for (const json& cell : report["cells"]) {
    const auto count = [&](const std::string& name) {
      return cell[fmt::format("{}_{}", thing, name)].get<std::uint64_t>();
    };
    const std::uint64_t elements = cell["elements"];
    sum.all += thing == "words" ? 2 * cell["blocks"].get<std::uint64_t>() + elements : elements;
    sum.compared += count("compared");
    sum.not_compared += count("dont_care") + count("open") + count("unobserved") + count("waived");
  }
  return sum;
}

Counts junit_of(const pugi::xml_node& node, const std::string& thing) {
  const auto count = [&](const std::string& name) {
    return node.child("properties")
        .find_child_by_attribute("name", name.c_str())
        .attribute("value")
        .as_ullong();
  };
  const std::uint64_t elements = count("elements");
  return {thing == "words" ? 2 * count("blocks") + elements : elements, count(thing + "_compared"),
          count(thing + "_dont_care") + count(thing + "_open") + count(thing + "_unobserved") +
              count(thing + "_waived")};
}

/// The number before `words` in the text, commas left out; the largest for none.
std::uint64_t number_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  if (end == std::string::npos) return ~std::uint64_t{0};
  const std::size_t first = text.find_last_not_of("0123456789,", end - 1) + 1;
  std::string digits;
  for (std::size_t i = first; i < end; ++i) {
    if (text[i] != ',') digits += text[i];
  }
  return std::strtoull(digits.c_str(), nullptr, 10);
}

/// The sum of the column `elements` of a scoreboard with one rule.
std::uint64_t elements_of_table(const std::string& text) {
  // Format, rounding, the rule, elements: each with a space before it but the first.
  constexpr std::size_t kFirst = 8 + 1 + 20 + 15, kWidth = 15;
  std::uint64_t sum = 0;
  std::size_t at = text.find('\n', text.find("format   rounding")) + 1;
  while (at < text.size() && text.compare(at, 10, "by source:") != 0) {
    const std::size_t end = text.find('\n', at);
    sum += number_before(text.substr(at, end - at).substr(kFirst, kWidth) + "|", "|");
    at = end + 1;
  }
  return sum;
}

class Compared : public ProgramTest {
 protected:
  /// All reports of a run of one rule say the same, and it adds up. Returns what JSON says.
  json expect_adds_up(const std::string& run) {
    const std::string xml = file("r.xml");
    const std::string html = file("r.html");
    const ProgramEnd end = mxgold("run " + run + " --junit " + xml + " --html " + html);
    const json report = json::parse(mxgold("run --json " + run + " 2>/dev/null #").text);
    EXPECT_EQ(end.exit, report["exit_code"].get<int>()) << end.tail();
    const Counts elements = elements_of(report);
    const Counts words = words_of(report);
    EXPECT_TRUE(elements.add_up()) << run << '\n' << report["elements"].dump();
    EXPECT_TRUE(words.add_up()) << run << '\n' << report["words"].dump();
    EXPECT_TRUE(blocks_of(report).add_up()) << run;
    EXPECT_EQ(cells_of(report, "elements"), elements) << run;
    EXPECT_EQ(cells_of(report, "words"), words) << run;

    pugi::xml_document document;
    EXPECT_TRUE(document.load_file(xml.c_str()));
    for (const char* thing : {"elements", "words"}) {
      const Counts suite = junit_of(document.child("testsuite"), thing);
      EXPECT_EQ(suite, std::string(thing) == "words" ? words : elements) << run;
      Counts sum;
      for (const pugi::xml_node& each : document.child("testsuite").children("testcase")) {
        // A waiver's case counts the words that it covers, which their configuration counts too.
        if (std::string_view(each.attribute("name").value()).starts_with("waiver ")) continue;
        const Counts one = junit_of(each, thing);
        EXPECT_TRUE(one.add_up()) << each.attribute("name").value();
        sum = {sum.all + one.all, sum.compared + one.compared, sum.not_compared + one.not_compared};
      }
      EXPECT_EQ(sum, suite) << run << ", " << thing;
    }

    EXPECT_EQ(elements_of_table(end.text), elements.compared) << end.text;
    const bool is_whole = elements.not_compared == 0;
    const std::string in_all = " of " + with_commas(elements.all) + " elements (";
    EXPECT_EQ(end.says(in_all), !is_whole && words.compared != 0) << end.tail();
    if (!is_whole && words.compared != 0) {
      EXPECT_EQ(number_before(end.text, in_all), elements.compared) << end.tail();
      EXPECT_TRUE(end.says("; not compared: " + with_commas(elements.not_compared) + " elements"));
    }
    const std::string page = read(html);
    const std::string compared = "<dt>elements compared</dt><dd>" + with_commas(elements.compared) +
                                 " of " + with_commas(elements.all);
    EXPECT_NE(page.find(compared), std::string::npos) << run << " page has no " << compared;
    return report;
  }
};

const std::string kSuite = " --format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";

// Every choice of what is observed, under policies that leave nothing open and under a profile
// that does, strict and normative.
TEST_F(Compared, CountsAddUpWhateverIsObservedOrOpen) {
  std::uint64_t with_open = 0;
  for (const char* observe : {"scale", "code", "flags", "scale,code", "scale,flags", "code,flags",
                              "scale,code,flags", "all", "scale,keep,last"}) {
    for (const char* what : {"--compare strict", "--compare normative", "--profile ocp-mx-1.0",
                             "--profile ocp-mx-1.0 --judge certificate"}) {
      const std::string run = "--dut reference --observe " + std::string(observe) + kSuite + what;
      const json report = expect_adds_up(run);
      const std::string fields = observe;
      const bool has_codes = fields == "all" || fields.find("code") != std::string::npos;
      const json& elements = report["elements"];
      EXPECT_EQ(elements["checked"].get<std::uint64_t>() != 0, has_codes) << run;
      EXPECT_EQ(elements["unobserved"], has_codes ? json(0) : elements["all"]) << run;
      with_open += elements["open"].get<std::uint64_t>();
    }
  }
  EXPECT_GT(with_open, 0U);
}

TEST_F(Compared, CountsAddUpBesideWrongAndWaivedElements) {
  const std::string wrong = "--dut reference:ties_to_away_for_even" + kSuite;
  const json report = expect_adds_up(wrong);
  EXPECT_GT(report["elements"]["wrong"].get<std::uint64_t>(), 0U);
  const std::string waivers = file("w.json");
  std::ofstream(waivers)
      << R"({"schema": 1, "waivers": [{"id": "W1", "reason": "known", "expires": )"
         R"("2099-12-31", "op": "block", "as": {"rounding": "ties_to_away"}}]})";
  const ProgramEnd end = mxgold("run --waivers " + waivers + " " + wrong);
  ASSERT_TRUE(end.says("PASS ")) << end.tail();
  const json waived = expect_adds_up("--waivers " + waivers + " " + wrong);
  EXPECT_EQ(waived["elements"]["waived"], report["elements"]["wrong"]);
}

// Nobody compared an element, so no report counts one, and the table has no `ok` of elements.
TEST_F(Compared, ScalesAloneAreNoElements) {
  const ProgramEnd end = mxgold("run --dut reference --observe scale" + kSuite);
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(end.says("no elements")) << end.text;
  EXPECT_TRUE(end.says("by source: bf16 0 of ")) << end.text;
  EXPECT_FALSE(end.says(" elements ok")) << end.text;
}

// What adds up no longer does when one element is counted twice, or none is left out.
TEST_F(Compared, CountsThatDoNotAddUpAreSeen) {
  const ProgramEnd end =
      mxgold("run --json --dut reference --observe scale" + kSuite + " 2>/dev/null #");
  json report = json::parse(end.text);
  ASSERT_TRUE(elements_of(report).add_up());
  report["elements"]["checked"] = report["elements"]["all"];
  EXPECT_FALSE(elements_of(report).add_up());
  report["words"]["open"] = report["words"]["open"].get<std::uint64_t>() + 1;
  EXPECT_FALSE(words_of(report).add_up());
  report["blocks_without_compared_word"] = 1;
  EXPECT_FALSE(blocks_of(report).add_up());
  report["cells"][0]["elements_compared"] = 1;
  EXPECT_FALSE(cells_of(report, "elements").add_up());
}

}  // namespace
}  // namespace mx::sim::test::compared_test
