// Help in layers: a first look fits a screen, and the rest is one word away.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/every/every_command.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

constexpr std::size_t kLines = 40, kColumns = 100;

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What of a help is too long: "41 lines", or the line itself; "" for nothing.
std::string too_long(const std::string& text, std::size_t most) {
  const std::vector<std::string> lines = split(text);
  if (lines.size() > most) return std::to_string(lines.size()) + " lines";
  for (const std::string& line : lines) {
    if (line.size() > kColumns) return line;
  }
  return "";
}

std::vector<std::string> topics() {
  const std::string text = run_program({"help"}).out;
  const std::string before = "help TOPIC explains: ";
  std::istringstream stream(text.substr(text.find(before) + before.size()));
  std::vector<std::string> names;
  for (std::string name; stream >> name;) names.push_back(name.substr(0, name.find_first_of(",.")));
  return names;
}

TEST(Layers, TheProgramAloneShowsItsFirstVerbs) {
  const ProgramEnd end = run_program({});
  EXPECT_EQ(end.status, 2);
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(too_long(end.err, 25), "");
  for (const char* verb :
       {"gen", "check", "run", "explain", "identify", "diff-profile", "quantize", "dpi"}) {
    EXPECT_NE(end.err.find("\n  " + std::string(verb) + " "), std::string::npos) << verb;
  }
  const std::vector<std::string> lines = split(end.err);
  EXPECT_EQ(std::ranges::count_if(lines,
                                  [](const std::string& line) {
                                    return line.starts_with("  ") && !line.starts_with("  mxgold");
                                  }),
            8);
}

TEST(Layers, TheProgramsHelpNamesEveryCommand) {
  const std::string help = run_program({"--help"}).out;
  EXPECT_EQ(help, run_program({"help"}).out);
  EXPECT_EQ(too_long(help, kLines), "");
  for (const std::string& name : subcommands()) {
    EXPECT_NE(help.find("\n  " + name + " "), std::string::npos) << name;
  }
}

TEST(Layers, TheHelpOfEveryCommandFitsAScreen) {
  for (const std::string& name : subcommands()) {
    const ProgramEnd end = run_program({name, "--help"});
    EXPECT_EQ(end.status, 0) << name;
    EXPECT_EQ(too_long(end.out, kLines), "") << name << "\n" << end.out;
    EXPECT_EQ(end.out, run_program({"help", name}).out) << name;
    EXPECT_NE(end.out.find("mxgold " + name + " --help-all"), std::string::npos) << name;
    EXPECT_NE(end.out.find("Usage: mxgold " + name), std::string::npos) << name;
  }
  // Control: what is too long is seen.
  EXPECT_EQ(too_long(std::string(kColumns + 1, 'x'), kLines), std::string(kColumns + 1, 'x'));
  EXPECT_EQ(too_long(std::string(kLines + 1, '\n'), kLines), "41 lines");
  EXPECT_NE(too_long(run_program({"run", "--help-all"}).out, kLines), "");
}

// Every option of the first layer is one that the command has, and the second has them all.
TEST(Layers, TheFirstIsAPartOfTheSecond) {
  for (const std::string& name : subcommands()) {
    const std::vector<std::string> all = help_lines(name);
    EXPECT_EQ(too_long(run_program({name, "--help-all"}).out, 1000), "") << name;
    std::size_t count = 0;
    for (const std::string& line : split(run_program({name, "--help"}).out)) {
      if (!line.starts_with("  -")) continue;
      const std::string option = line.substr(0, line.find(' ', 2));
      EXPECT_TRUE(std::ranges::any_of(all,
                                      [&](const std::string& each) {
                                        return each == option || each.starts_with(option + " ");
                                      }))
          << name << option;
      ++count;
    }
    EXPECT_LE(count, all.size());
  }
}

TEST(Layers, EveryTopicFitsAScreen) {
  const std::vector<std::string> names = topics();
  EXPECT_GE(names.size(), 7U);
  for (const std::string& name : names) {
    const ProgramEnd end = run_program({"help", name});
    EXPECT_EQ(end.status, 0) << name;
    EXPECT_EQ(too_long(end.out, kLines), "") << name << "\n" << end.out;
    EXPECT_GE(split(end.out).size(), 5U) << name;
  }
  const ProgramEnd end = run_program({"help", "roundings"});
  EXPECT_EQ(end.status, 2);
  EXPECT_NE(end.err.find("did you mean 'rounding'?"), std::string::npos) << end.err;
}

// A machine without any tool is told so, and that is no error.
TEST(Doctor, SaysWhatAPathLacks) {
  const Scratch scratch;
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", scratch.path("").c_str(), 1);
  const ProgramEnd text = run_program({"doctor"});
  const ProgramEnd end = run_program({"doctor", "--json"});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("to get it: apt install verilator"), std::string::npos) << text.out;
  EXPECT_EQ(end.status, 0) << end.err;
  const auto report = nlohmann::json::parse(end.out);
  std::size_t looked_for = 0;
  for (const auto& tool : report.at("tools")) {
    const auto& name = tool.at("name");
    if (name == "SystemC" || name == "zlib.h") continue;  // headers, which no PATH leads to
    EXPECT_FALSE(tool.at("found").get<bool>()) << tool;
    ++looked_for;
  }
  EXPECT_GE(looked_for, 12U);
}

TEST(Doctor, FindsAToolThatIsThere) {
  const Scratch scratch;
  const std::string tool =
      scratch.write("verilator", "#!/bin/sh\necho Verilator 9.876 2099-01-01\n");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (scratch.path("") + ":/bin:/usr/bin").c_str(), 1);
  const ProgramEnd end = run_program({"doctor", "--json"});
  ::setenv("PATH", path.c_str(), 1);
  const auto report = nlohmann::json::parse(end.out);
  const auto& tools = report.at("tools");
  const auto found =
      std::ranges::find(tools, "verilator", [](const auto& each) { return each.at("name"); });
  ASSERT_NE(found, tools.end());
  EXPECT_TRUE(found->at("found").template get<bool>());
  EXPECT_EQ(found->at("version"), "9.876");
}

TEST(Layers, ASectionThatAMessageCitesIsFound) {
  EXPECT_EQ(run_program({"help", "spec", "F15"}).out,
            "specification F15: docs/spec/formats.md#F15\n");
  EXPECT_EQ(run_program({"help", "spec", "r5.6"}).out,
            "specification R5.6: docs/spec/rtl.md#R5.6\n");
  for (const char* wrong : {"F", "X1", "F15.", "F1.2.3", "15", "F-1"}) {
    EXPECT_EQ(run_program({"help", "spec", wrong}).status, 2) << wrong;
  }
  EXPECT_EQ(run_program({"help", "rounding", "F15"}).status, 2);
}

}  // namespace
}  // namespace mx::cli::test
