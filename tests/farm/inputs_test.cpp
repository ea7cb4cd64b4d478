// SPDX-License-Identifier: Apache-2.0
// Everything that a campaign's command reads is watched: files, folders, programs that PATH has.
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/parts/inputs.hpp"
#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;

/// A program that answers as the reference does, `said` in a comment.
void write_program(const std::string& path, const std::string& said) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << "#!/bin/sh\n# " << said << "\nexec " MX_PROGRAM " answer\n";
  ::chmod(path.c_str(), 0755);
}

/// A PATH with one more folder at its front, put back at the end.
class PathWith {
 public:
  explicit PathWith(const std::string& folder) : before_(::getenv("PATH")) {
    ::setenv("PATH", (folder + ":" + before_).c_str(), 1);
  }
  ~PathWith() { ::setenv("PATH", before_.c_str(), 1); }
  PathWith(const PathWith&) = delete;
  PathWith& operator=(const PathWith&) = delete;

 private:
  std::string before_;
};

Words run_by(const std::string& dut) {
  return {"run",      "--dut", dut,       "--op", "cvt",     "--format", "e4m3fn",
          "--source", "bf16",  "--suite", "rnd",  "--count", "2"};
}

/// Does the command read the file? Its digest has to follow what the file holds.
void expect_watched(const Scratch& scratch, const Words& command, const std::string& file,
                    const Words& reads = {}) {
  const InputDigests before = inputs_of(command, reads, scratch.path(""));
  std::ofstream(scratch.path(file), std::ios::app) << "\n";
  EXPECT_NE(inputs_of(command, reads, scratch.path("")), before) << command[2] << ": " << file;
}

TEST(FarmInputs, EveryWayToAFileIsWatched) {
  const Scratch scratch;
  const PathWith path(scratch.path("bin"));
  const std::string here = scratch.path("");
  write_program(scratch.path("bin/mydut"), "one");
  write_program(scratch.path("own/theirdut"), "one");
  write_program(scratch.path("sub/dut"), "one");
  for (const char* name : {"data.txt", "my data.txt", "a=b,c:d.txt", "sub/two.txt", "p.so"}) {
    std::ofstream(scratch.path(name)) << "one";
  }
  ::setenv("MX_TEST_FOLDER", here.c_str(), 1);
  const auto process = [&](const std::string& command, const std::string& file) {
    expect_watched(scratch, run_by("process:" + command), file);
    expect_watched(scratch, {"run", "x", "--dut=process:" + command}, file);
  };
  for (const char* command :
       {"mydut", "exec mydut --fast", "A=1 mydut", "env A=1 mydut", "nice -n 3 mydut",
        "true && mydut", "true;mydut", "{ mydut; }", "(mydut)", "cat x | mydut", "\"mydut\"",
        "my\\dut", "sh -c 'exec mydut --fast'", "x=\"$(mydut)\"", "`mydut`", "mydut 2>&1 'a;b'"}) {
    process(command, "bin/mydut");
  }
  process("PATH=" + here + "/own:$PATH theirdut", "own/theirdut");
  process("PATH=own; theirdut", "own/theirdut");
  process("export PATH=own:$PATH; exec theirdut", "own/theirdut");
  for (const char* command : {"sub/dut", "./sub/dut", "cd sub && ./dut", "cd sub; exec ./dut",
                              "$MX_TEST_FOLDER/sub/dut", "${MX_TEST_FOLDER}/sub/dut", "s*b/dut"}) {
    process(command, "sub/dut");
  }
  process("cat data.txt", "data.txt");
  process("cat <data.txt", "data.txt");
  process("./x --data=data.txt", "data.txt");
  process("cat 'my data.txt'", "my data.txt");
  process("cat my\\ data.txt", "my data.txt");
  process("cat a=b,c:d.txt", "a=b,c:d.txt");
  process("LD_PRELOAD=./p.so /bin/true", "p.so");
  expect_watched(scratch, run_by("plugin:./p.so"), "p.so");
  expect_watched(scratch, run_by("plugin:./p.so:my data.txt"), "my data.txt");
  expect_watched(scratch, run_by("device:my data.txt"), "my data.txt");
  for (const char* option : {"--input", "--vectors", "--waivers", "--format-file"}) {
    expect_watched(scratch, {"run", option, "my data.txt"}, "my data.txt");
    expect_watched(scratch, {"run", "x", std::string(option) + "=my data.txt"}, "my data.txt");
  }
  // What the command says of itself.
  expect_watched(scratch, run_by("device:x.json"), "sub/two.txt", {"sub/two.txt"});
  expect_watched(scratch, run_by("device:x.json"), "not_yet.sv", {"not_yet.sv"});
  ::unsetenv("MX_TEST_FOLDER");
}

TEST(FarmInputs, FoldersOfVerilogAndOfGoldensAreWatched) {
  const Scratch scratch;
  fs::create_directories(scratch.path("my rtl"));
  fs::create_directories(scratch.path("goldens"));
  std::ofstream(scratch.path("my rtl/mx_round.sv")) << "one";
  std::ofstream(scratch.path("goldens/a.tv")) << "one";
  for (const char* dut : {"rtl:my rtl", "rtl:./my rtl/", "netlist:my rtl"}) {
    expect_watched(scratch, run_by(dut), "my rtl/mx_round.sv");
    expect_watched(scratch, {"sweep", "x", std::string("--dut=") + dut}, "my rtl/mx_new.sv");
    fs::remove(scratch.path("my rtl/mx_new.sv"));
  }
  expect_watched(scratch, {"mutate", "--rtl", "my rtl"}, "my rtl/mx_round.sv");
  expect_watched(scratch, {"mutate", "--quick", "x"}, "my rtl/mx_new.svh", {"my rtl"});
  expect_watched(scratch, {"verify-goldens", "x", "goldens"}, "goldens/a.tv");
  expect_watched(scratch, {"verify-goldens", "x", "goldens"}, "goldens/b.tv");
  // A manifest beside a file is read too.
  expect_watched(scratch, {"verify-goldens", "x", "goldens/a.tv"}, "goldens/a.tv.json");
  // Negative control: what no word leads to is not watched, or no campaign could be told.
  std::ofstream(scratch.path("notes.txt")) << "one";
  const Words command = run_by("process:cat goldens");
  const InputDigests before = inputs_of(command, {}, scratch.path(""));
  std::ofstream(scratch.path("notes.txt")) << "two";
  std::ofstream(scratch.path("goldens/c.tv")) << "two";
  EXPECT_EQ(inputs_of(command, {}, scratch.path("")), before);
}

/// Exit 3 naming the file, by every way in.
void expect_changed(const std::string& folder, const std::string& name) {
  for (const Words& way : {Words{}, Words{"--merge"}, Words{"--status"}}) {
    const ProgramEnd end = farm(folder, way);
    EXPECT_EQ(end.status, 3) << end.out << end.err;
    EXPECT_TRUE(has(end.err, name + ": has changed since the campaign began")) << end.err;
  }
}

TEST(FarmInputs, AnotherProgramInPathIsNoPass) {
  const Scratch scratch;
  const PathWith path(scratch.path("bin"));
  write_program(scratch.path("bin/mydut"), "one");
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "1", "--local", "1"}, run_by("process:mydut")).status, 0);
  EXPECT_EQ(farm(folder, {}).status, 0) << "what is unchanged passes";
  write_program(scratch.path("bin/mydut"), "two");
  expect_changed(folder, "mydut (by PATH)");
  write_program(scratch.path("bin/mydut"), "one");
  EXPECT_EQ(farm(folder, {}).status, 0);
  // Another one in front of it is another program too.
  write_program(scratch.path("front/mydut"), "two");
  const PathWith front(scratch.path("front"));
  expect_changed(folder, "mydut (by PATH)");
}

TEST(FarmInputs, ANameThatIsNoUtf8IsRefused) {
  const Scratch scratch;
  const std::string program = scratch.path("d\xff") + "/mydut";
  write_program(program, "one");
  const ProgramEnd end =
      farm(scratch.path("c"), {"--shards", "1", "--local", "1"}, run_by("process:" + program));
  EXPECT_EQ(end.status, 2) << end.out << end.err;
  EXPECT_TRUE(has(end.err, "d\\xFF/mydut': is no UTF-8")) << end.err;
  EXPECT_FALSE(fs::exists(scratch.path("c")));
}

}  // namespace
}  // namespace mx::cli::test
