// Output that cannot be written is a failure with one exit code, whatever subcommand it is of; an
// output never takes the place of an input or of a device, and "-" is standard output.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "cli/files/tensor_file.hpp"
#include "tests/cli/every/every_command.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const CommandLine& line) {
  std::string text = "mxgold";
  for (const std::string& word : line) text += " " + word;
  return text;
}

/// The command lines above, and --help of every subcommand.
std::vector<CommandLine> all_printing_commands() {
  std::vector<CommandLine> lines = printing_commands();
  for (const std::string& name : subcommands()) lines.push_back({name, "--help"});
  return lines;
}

TEST(Output, TheCommandLinesCoverEverySubcommandAndOutputOption) {
  std::set<std::string> printing;
  for (const CommandLine& line : printing_commands()) printing.insert(line.front());
  const std::vector<std::string> names = subcommands();
  EXPECT_GE(names.size(), 11U);
  for (const std::string& name : names) {
    EXPECT_TRUE(printing.contains(name)) << name;
    for (const std::string& help : help_lines(name)) {
      const bool is_output = help.starts_with("  -o,--output ") || help.starts_with("  --junit ");
      if (!is_output) continue;
      const std::string option = help.starts_with("  -o") ? "-o" : "--junit";
      EXPECT_TRUE(std::ranges::any_of(writing_commands(),
                                      [&](const CommandLine& line) {
                                        return line.front() == name &&
                                               std::ranges::find(line, option) != line.end();
                                      }))
          << name << " " << option;
    }
  }
}

TEST(Output, StandardOutputThatCannotBeWrittenIsExit3Everywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : all_printing_commands()) {
    const std::vector<std::string> arguments = in_place(line, scratch);
    const ProgramEnd fine = run_program(arguments);
    EXPECT_EQ(fine.status, 0) << text_of(line) << "\n" << fine.err;
    EXPECT_NE(fine.out, "") << text_of(line);
    for (const Stdout to : {Stdout::kFullDisk, Stdout::kClosedPipe, Stdout::kClosed}) {
      const ProgramEnd outcome = run_program(arguments, "", to);
      EXPECT_EQ(outcome.status, 3) << text_of(line) << " " << static_cast<int>(to) << "\n"
                                   << outcome.err;
      EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << text_of(line) << "\n"
                                                                        << outcome.err;
    }
  }
}

TEST(Output, WhatCannotBeWrittenGoesBeforeAMismatch) {
  const CommandLine line = {"diff-profile", "ggml", "cuda-13.0-host", "--format", "e2m1fn"};
  EXPECT_EQ(run_program(line).status, 1);
  EXPECT_EQ(run_program(line, "", Stdout::kFullDisk).status, 3);
}

TEST(Output, AUsageErrorStaysOneWhereStandardOutputCannotBeWritten) {
  EXPECT_EQ(run_program({"list", "formts"}, "", Stdout::kFullDisk).status, 2);
}

// Without the standard streams the program's own files must not get their numbers.
TEST(Output, AProgramWithoutStandardStreamsWritesItsFilesAlone) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : writing_commands()) {
    const std::string wanted_path = scratch.path("wanted");
    ASSERT_EQ(run_program(in_place(line, scratch, wanted_path)).status, 0) << text_of(line);
    const std::string wanted = read_file(wanted_path);
    for (const char* closed : {"0<&-", "2>&-", "0<&- 2>&-"}) {
      const std::string output = scratch.path("out");
      std::string command = MX_PROGRAM;
      for (const std::string& word : in_place(line, scratch, output)) command += " '" + word + "'";
      EXPECT_EQ(std::system((command + " >/dev/null " + closed).c_str()), 0)
          << text_of(line) << " " << closed;
      if (line.front() != "run") {
        EXPECT_EQ(read_file(output), wanted) << text_of(line) << " " << closed;
      }
      fs::remove(output);
    }
    fs::remove(wanted_path);
  }
}

TEST(Output, AFileThatCannotBeWrittenIsExit3Everywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : writing_commands()) {
    for (const std::string& place :
         {std::string("/dev/full"), scratch.path("no/such/folder"), scratch.path("x.npy/below")}) {
      const ProgramEnd outcome = run_program(in_place(line, scratch, place));
      EXPECT_EQ(outcome.status, 3) << text_of(line) << " " << place << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(place), std::string::npos) << outcome.err;
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
  }
}

TEST(Output, ADashIsStandardOutputEverywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : writing_commands()) {
    const ProgramEnd file = run_program(in_place(line, scratch, scratch.path("out")));
    ASSERT_EQ(file.status, 0) << text_of(line) << "\n" << file.err;
    const std::string wanted = read_file(scratch.path("out"));
    ASSERT_FALSE(wanted.empty()) << text_of(line);
    for (const char* dash : {"-", "/dev/stdout"}) {
      const ProgramEnd outcome = run_program(in_place(line, scratch, dash));
      EXPECT_EQ(outcome.status, 0) << text_of(line) << "\n" << outcome.err;
      // Times of a report aside, these bytes and nothing else: what people read goes to stderr.
      if (line.front() == "run") {
        EXPECT_TRUE(outcome.out.starts_with(wanted.substr(0, 40))) << outcome.out;
        EXPECT_TRUE(outcome.out.ends_with("</testsuite>\n")) << outcome.out;
      } else {
        EXPECT_EQ(outcome.out, wanted) << text_of(line) << " " << dash;
      }
      EXPECT_NE(outcome.err, "") << text_of(line);
    }
    fs::remove(scratch.path("out"));
  }
}

}  // namespace
}  // namespace mx::cli::test
