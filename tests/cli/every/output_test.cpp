// Output that cannot be written is a failure with one exit code, whatever subcommand it is of; an
// output never takes the place of an input or of a device, and "-" is standard output.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <thread>

#include "cli/files/tensor_file.hpp"
#include "tests/cli/every/every_command.hpp"
#include "tests/cli/program/program.hpp"
#include "tests/support/sample.hpp"

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
      const bool is_output = help.starts_with("  -") && help.find(" OUT ") != std::string::npos;
      if (!is_output) continue;
      const std::string option = help.substr(2, help.find_first_of(", ", 2) - 2);
      // Written where a run fails, or by devices that have to be compiled first:
      // sim_program.ShrunkFile, sim_device.WavesTest.
      if (option == "--shrink" || option == "--waves") continue;
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
    for (const Stdout to : {Stdout::kFullDisk, Stdout::kClosed}) {
      const ProgramEnd outcome = run_program(arguments, "", to);
      EXPECT_EQ(outcome.status, 3) << text_of(line) << " " << static_cast<int>(to) << "\n"
                                   << outcome.err;
      EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << text_of(line) << "\n"
                                                                        << outcome.err;
    }
  }
}

// As `mxgold list | head -n 1` does: quietly, and never as a pass.
TEST(Output, AReaderThatLeftEndsTheProgramBySigpipe) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : all_printing_commands()) {
    const ProgramEnd end = run_program(in_place(line, scratch), "", Stdout::kClosedPipe);
    EXPECT_EQ(end.status, 128 + SIGPIPE) << text_of(line) << "\n" << end.err;
    EXPECT_EQ(end.err.find("cannot write"), std::string::npos) << text_of(line) << "\n" << end.err;
  }
  // Control: what is wrong before anything is printed is said.
  const ProgramEnd bad = run_program({"check", scratch.path("none.tv")}, "", Stdout::kClosedPipe);
  EXPECT_EQ(bad.status, 3);
  EXPECT_NE(bad.err.find("none.tv"), std::string::npos) << bad.err;
}

TEST(Output, WhatCannotBeWrittenGoesBeforeAMismatch) {
  const CommandLine line = {"diff-profile", "ggml", "cuda-13.0-host", "--format", "e2m1fn"};
  EXPECT_EQ(run_program(line).status, 1);
  EXPECT_EQ(run_program(line, "", Stdout::kFullDisk).status, 3);
}

TEST(Output, AUsageErrorStaysOneWhereStandardOutputCannotBeWritten) {
  EXPECT_EQ(run_program({"list", "formts"}, "", Stdout::kFullDisk).status, 2);
}

/// By default each way of writing meets one of two commands, another half each.
std::vector<CommandLine> some_of(const std::vector<CommandLine>& lines, std::uint64_t way) {
  return mx::test::one_in(2, lines, way);
}

/// Is it a report that says how long the run took?
bool says_seconds(const CommandLine& line) {
  return (line.front() == "run" || line.front() == "check") &&
         std::ranges::any_of(
             line, [](const std::string& word) { return word == "--junit" || word == "--html"; });
}

// Without the standard streams the program's own files must not get their numbers.
TEST(Output, AProgramWithoutStandardStreamsWritesItsFilesAlone) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : some_of(writing_commands(), 1)) {
    const std::string wanted_path = scratch.path("wanted");
    ASSERT_EQ(run_program(in_place(line, scratch, wanted_path)).status, 0) << text_of(line);
    const std::string wanted = read_file(wanted_path);
    for (const char* closed : {"0<&-", "2>&-", "0<&- 2>&-"}) {
      const std::string output = scratch.path("out");
      std::string command = MX_PROGRAM;
      for (const std::string& word : in_place(line, scratch, output)) command += " '" + word + "'";
      EXPECT_EQ(std::system((command + " >/dev/null " + closed).c_str()), 0)
          << text_of(line) << " " << closed;
      if (line.front() != "run" && line.front() != "sweep" && !says_seconds(line)) {
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
  for (const CommandLine& line : some_of(writing_commands(), 2)) {
    for (const std::string& place :
         {std::string("/dev/full"), scratch.path("no/such/folder"), scratch.path("x.npy/below"),
          scratch.path(std::string(300, 'x'))}) {
      const ProgramEnd outcome = run_program(in_place(line, scratch, place));
      EXPECT_EQ(outcome.status, 3) << text_of(line) << " " << place << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(place), std::string::npos) << outcome.err;
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
  }
}

/// Is this what the command line writes? Reports of runs and receipts have times in them.
void expect_content(const CommandLine& line, const std::string& got, const std::string& wanted) {
  const auto has = [&](std::string_view option) {
    return std::ranges::find(line, option) != line.end();
  };
  if (has("sweep") && !has("--log")) {
    EXPECT_TRUE(got.starts_with(wanted.substr(0, 40))) << got;
    EXPECT_TRUE(got.ends_with("}\n")) << got;
    return;
  }
  if (has("--log")) {
    EXPECT_TRUE(
        got.starts_with(wanted.substr(0, wanted.find(has("sweep") ? " sha256" : " waived"))))
        << got;
    return;
  }
  if (!says_seconds(line)) {
    EXPECT_EQ(got, wanted) << text_of(line);
    return;
  }
  EXPECT_TRUE(got.starts_with(wanted.substr(0, 40))) << got;
  EXPECT_TRUE(got.ends_with(has("--html") ? "</html>\n" : "</testsuite>\n")) << got;
}

TEST(Output, APipeALinkAModeAndADeviceStayWhatTheyAre) {
  const Scratch scratch;
  write_inputs(scratch);
  ASSERT_EQ(::mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  fs::create_symlink("target", scratch.path("link"));
  for (const CommandLine& line : some_of(writing_commands(), 3)) {
    ASSERT_EQ(run_program(in_place(line, scratch, scratch.path("plain"))).status, 0);
    const std::string wanted = read_file(scratch.path("plain"));
    fs::remove(scratch.path("plain"));

    std::string got;
    std::thread reader([&] { got = read_file(scratch.path("fifo")); });
    EXPECT_EQ(run_program(in_place(line, scratch, scratch.path("fifo"))).status, 0);
    reader.join();
    expect_content(line, got, wanted);
    EXPECT_TRUE(fs::is_fifo(scratch.path("fifo")));

    (void)scratch.write("target", "old");
    ASSERT_EQ(::chmod(scratch.path("target").c_str(), 0640), 0);
    EXPECT_EQ(run_program(in_place(line, scratch, scratch.path("link"))).status, 0);
    EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
    expect_content(line, read_file(scratch.path("target")), wanted);
    EXPECT_EQ(fs::status(scratch.path("target")).permissions(), fs::perms{0640});

    EXPECT_EQ(run_program(in_place(line, scratch, "/dev/null")).status, 0);
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
  }
}

TEST(Output, ADashIsStandardOutputEverywhere) {
  const Scratch scratch;
  write_inputs(scratch);
  for (const CommandLine& line : some_of(writing_commands(), 4)) {
    const ProgramEnd file = run_program(in_place(line, scratch, scratch.path("out")));
    ASSERT_EQ(file.status, 0) << text_of(line) << "\n" << file.err;
    const std::string wanted = read_file(scratch.path("out"));
    ASSERT_FALSE(wanted.empty()) << text_of(line);
    for (const char* dash : {"-", "/dev/stdout"}) {
      const ProgramEnd outcome = run_program(in_place(line, scratch, dash));
      EXPECT_EQ(outcome.status, 0) << text_of(line) << "\n" << outcome.err;
      // These bytes and nothing else: what people read goes to stderr.
      expect_content(line, outcome.out, wanted);
      EXPECT_NE(outcome.err, "") << text_of(line);
    }
    fs::remove(scratch.path("out"));
  }
}

}  // namespace
}  // namespace mx::cli::test
