// mxgold run --html: what stands on the page.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

using Line = std::vector<std::string>;

struct Page {
  int status = 0;
  std::string html;
  std::string err;

  [[nodiscard]] bool has(const std::string& part) const {
    return html.find(part) != std::string::npos;
  }
  [[nodiscard]] std::size_t count(const std::string& part) const {
    std::size_t count = 0;
    for (std::size_t at = html.find(part); at != std::string::npos; at = html.find(part, at + 1)) {
      ++count;
    }
    return count;
  }
};

Page page_of(const Scratch& scratch, Line line) {
  const std::string file = scratch.path("run.html");
  line.insert(line.begin(), "run");
  line.insert(line.end(), {"--threads", "1", "--html", file});
  const ProgramEnd end = run_program(line);
  return {end.status, std::filesystem::exists(file) ? read_file(file) : "", end.err};
}

Line blocks(const std::string& dut) {
  return {"--dut",        dut,      "--suite", "smoke",    "--format", "e2m1fn", "--rounding",
          "ties_to_even", "--rule", "floor",   "--source", "fp32"};
}

/// Elements that are opened are closed, innermost first.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find_first_of(" >\n", at);
    const std::string name = html.substr(at + 1, end - at - 1);
    if (name == "!doctype" || name == "meta" || name == "br") continue;
    if (html[html.find('>', at) - 1] == '/') continue;  // of a picture: <line .../>
    if (name.starts_with("/")) {
      ASSERT_FALSE(open.empty()) << name;
      ASSERT_EQ(open.back(), name.substr(1)) << html.substr(at, 80);
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

TEST(RunPage, AFailureShowsItsBitsAndItsReplay) {
  const Scratch scratch;
  const Page page = page_of(scratch, blocks("reference:ties_to_away_for_even"));
  EXPECT_EQ(page.status, 1);
  EXPECT_TRUE(page.has("<title>FAIL - mxgold run</title>"));
  EXPECT_TRUE(page.has("verdict fail"));
  EXPECT_GE(page.count("<b class=d>"), 10U);
  EXPECT_TRUE(page.has("<td class=\"wrong w"));
  EXPECT_TRUE(page.has("FAIL: "));
  EXPECT_TRUE(page.has("<button type=button hidden>copy</button>"));
  EXPECT_GE(page.count("role=\"img\" aria-label=\"lane "), 5U);  // a number line each
  EXPECT_TRUE(page.has(" right answers looked at"));
  EXPECT_TRUE(page.has("--only "));
  EXPECT_TRUE(page.has("as with rounding ties_to_away for ties_to_even"));
  EXPECT_TRUE(page.has("blocks: left out by --format e2m1fn"));
  EXPECT_EQ(page.count("<details open>"), 5U);
  EXPECT_TRUE(page.has("more, counted and not shown"));
  expect_balanced(page.html);
}

TEST(RunPage, APassShowsNoFailureAndWithCoverItsHeatMaps) {
  const Scratch scratch;
  Line line = blocks("reference");
  const Page plain = page_of(scratch, line);
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_TRUE(plain.has("<title>PASS - mxgold run</title>"));
  EXPECT_EQ(plain.count("<b class=d>") + plain.count("<td class=\"wrong"), 0U);
  EXPECT_FALSE(plain.has("class=\"map\""));
  EXPECT_TRUE(plain.has("PASS: all "));
  EXPECT_FALSE(plain.has("<svg"));
  expect_balanced(plain.html);
  line.insert(line.end(), {"--cover", scratch.path("run.json")});
  const Page covered = page_of(scratch, line);
  EXPECT_TRUE(covered.has("class=\"map\""));
  EXPECT_TRUE(covered.has("<span class=bar>"));
  expect_balanced(covered.html);
}

TEST(RunPage, RecordsHaveAPageToo) {
  const Scratch scratch;
  const Page page = page_of(scratch, {"--dut", "reference:record_code", "--op", "cvt", "--format",
                                      "e4m3fn", "--source", "bf16", "--errors", "2"});
  EXPECT_EQ(page.status, 1) << page.err;
  EXPECT_EQ(page.count("<details open>"), 2U);
  EXPECT_EQ(page.count("<b class=d>"), 4U);  // a bit of each code, on both sides
  EXPECT_TRUE(page.has("<dt>operation</dt><dd>cvt</dd>"));
  expect_balanced(page.html);
}

TEST(RunPage, WhatIsNotComparedIsNoFailureBit) {
  const Scratch scratch;
  Line line = blocks("reference:ties_to_away_for_even");
  line.insert(line.end(), {"--observe", "scale,flags"});
  const Page page = page_of(scratch, line);
  EXPECT_FALSE(page.has("<th>lane "));
  EXPECT_FALSE(page.has("<dt>unobserved</dt><dd>0</dd>"));
}

TEST(RunPage, APageThatCannotBeWrittenEndsWith3) {
  const Scratch scratch;
  Line line = blocks("reference");
  line.insert(line.begin(), "run");
  line.insert(line.end(), {"--html", scratch.path("none/run.html")});
  EXPECT_EQ(run_program(line).status, 3);
  line.back() = scratch.path("run.xml");
  EXPECT_EQ(run_program(line).status, 2);
}

}  // namespace
}  // namespace mx::cli::test
