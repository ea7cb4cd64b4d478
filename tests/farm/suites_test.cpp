// Golden files, mutants and proofs in farms: parts, what they say of themselves, how a wrong one is
// shown again.
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

constexpr const char* kRtl = MX_SOURCE_DIR "/rtl";

namespace fs = std::filesystem;

/// Copies of the golden files of the tree, to be damaged.
std::string copied_goldens(const Scratch& scratch) {
  std::string folder = scratch.path("goldens");
  fs::copy(MX_SOURCE_DIR "/golden/data/smoke", folder);
  return folder;
}

/// The first block of a file has another scale.
void change_an_answer(const std::string& path) {
  std::string text = text_of(path);
  const std::size_t line = text.find('\n', text.find('\n') + 1);
  const std::size_t digit =
      text.find_last_of("0123456789ABCDEF", text.rfind('\n', text.size() - 2));
  ASSERT_GT(digit, line);
  text[digit] = text[digit] == '0' ? '1' : '0';
  std::ofstream(path, std::ios::binary) << text;
}

TEST(FarmGoldens, AFileIsAPartWhateverTheShards) {
  const Scratch scratch;
  const Words command = {"verify-goldens", copied_goldens(scratch)};
  std::string first;
  for (const char* shards : {"1", "4"}) {
    const ProgramEnd end = farm(scratch.path(shards), {"--shards", shards}, command);
    ASSERT_EQ(end.status, 0) << end.err;
    const std::string result = text_of(scratch.path(shards) + "/result.json");
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << shards;
  }
  const auto json = nlohmann::json::parse(first);
  const ProgramEnd alone = run_program({"verify-goldens", command[1], "--json"});
  std::uint64_t vectors = 0;
  const auto files = nlohmann::json::parse(alone.out);
  for (const auto& file : files) vectors += file.at("count").get<std::uint64_t>();
  EXPECT_GT(vectors, 7000U);
  EXPECT_EQ(json.at("compared"), vectors);
  EXPECT_EQ(json.at("result").at("counts").at("files"), files.size());
}

TEST(FarmGoldens, ADamagedFileIsToldWithTheCommandThatShowsIt) {
  const Scratch scratch;
  const std::string goldens = copied_goldens(scratch);
  std::string damaged;
  for (const fs::directory_entry& each : fs::directory_iterator(goldens)) {
    const std::string path = each.path().string();
    if (path.ends_with(".tv") && path.find("block.fp32") != std::string::npos) damaged = path;
  }
  ASSERT_FALSE(damaged.empty());
  change_an_answer(damaged);
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "3"},
                              {"verify-goldens", goldens, "--judge", "oracle", "--no-manifest"});
  EXPECT_EQ(end.status, 1) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "FAIL: 3 of 3 shards")) << end.out;
  EXPECT_TRUE(has(end.out, "1 wrong; replay: mxgold verify-goldens")) << end.out;
  EXPECT_TRUE(has(end.out, "--judge oracle --no-manifest --shard ")) << end.out;
  EXPECT_TRUE(has(text_of(scratch.path("c") + "/result.json"), damaged));
}

// A file that no judge can judge is neither right nor wrong: the exit code and the reason are those
// of the command alone.
TEST(FarmGoldens, AFileThatIsNotJudgedIsNotWrong) {
  const Scratch scratch;
  const std::string goldens = scratch.path("goldens");
  fs::create_directory(goldens);
  const auto gen = [&](const char* name, const char* format, const char* profile) {
    return run_program({"gen", "--op", "cvt", "--format", format, "--profile", profile, "-o",
                        goldens + "/" + name})
        .status;
  };
  ASSERT_EQ(gen("a.tv", "e4m3fn", "mxgold-default"), 0);
  ASSERT_EQ(gen("b.tv", "e8m0", "onnx-ref"), 0);
  const ProgramEnd alone = run_program({"verify-goldens", goldens});
  EXPECT_EQ(alone.status, 3);
  EXPECT_TRUE(has(alone.out, "NOT JUDGED " + goldens + "/b.tv 0 ")) << alone.out;
  EXPECT_TRUE(has(alone.out, "the oracle computes no conversion with e8m0_quirk")) << alone.out;
  EXPECT_TRUE(has(alone.out, "--judge reference judges it")) << alone.out;
  EXPECT_TRUE(has(alone.out, "NOT ALL JUDGED 2 files, 2,264 vectors, 1 files not judged"))
      << alone.out;
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "2"}, {"verify-goldens", goldens});
  EXPECT_EQ(end.status, 3) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "NOT ALL JUDGED: 2 of 2 shards, 2,264 vectors, 0 wrong")) << end.out;
  EXPECT_TRUE(has(end.out, "NOT JUDGED " + goldens + "/b.tv: the oracle computes no")) << end.out;
  const Words by_reference = {"verify-goldens", goldens, "--judge", "reference"};
  EXPECT_EQ(run_program(by_reference).status, 0);
  EXPECT_EQ(farm(scratch.path("r"), {"--shards", "2"}, by_reference).status, 0);
}

const Words kOpenRun = {"run",   "--dut",    "reference", "--op",      "cvt",     "--suite",
                        "smoke", "--format", "e4m3fn",    "--profile", "tosa-1.1"};

// Parts of which the profile leaves everything open are done, with nothing compared: the whole is
// judged by the sum. Control: a run that is open as a whole is no pass.
TEST(FarmRuns, PartsThatAreWhollyOpenAreDone) {
  const Scratch scratch;
  Words part = kOpenRun;
  part.insert(part.end(), {"--shard", "253/256"});
  ASSERT_EQ(run_program(part).status, 3) << "the part is not wholly open any more";
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "256"}, kOpenRun);
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "PASS: 256 of 256 shards, 4,482 words compared, 0 wrong")) << end.out;
  EXPECT_TRUE(
      has(text_of(scratch.path("c") + "/receipts/253.json"), "\"verdict\": \"NOTHING COMPARED\""));
  const ProgramEnd status = farm(scratch.path("c"), {"--status"});
  EXPECT_TRUE(has(status.out, "4,482 words compared, 0 wrong")) << status.out;
}

TEST(FarmSweeps, ReceiptsAndResultCountOpenWordsApart) {
  const Scratch scratch;
  const Words command = {"sweep",    "--dut",  "reference", "--source", "bf16",
                         "--format", "e4m3fn", "--profile", "tosa-1.1"};
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "1"}, command);
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  const auto json = nlohmann::json::parse(text_of(scratch.path("c") + "/result.json"));
  EXPECT_EQ(json.at("compared"), 65536 - 15263);
  EXPECT_EQ(json.at("result").at(0).at("open"), 15263);
  const auto receipt = nlohmann::json::parse(text_of(scratch.path("c") + "/receipts/0.json"));
  const auto& of = receipt.at("result").at("sweeps").at(0).at("configuration");
  EXPECT_EQ(of.at("profile"), "tosa-1.1");
  EXPECT_EQ(of.at("open"), "negative_overflow");
}

// A command that is refused leaves nothing behind.
TEST(FarmRuns, ARefusedCommandLeavesNoFolder) {
  const Scratch scratch;
  const std::string folder = scratch.path("a") + "/b";
  EXPECT_EQ(farm(folder, {}, {"run", "--dut", "reference", "--suite", "none"}).status, 2);
  EXPECT_FALSE(fs::exists(scratch.path("a")));
  fs::create_directory(scratch.path("mine"));
  EXPECT_EQ(farm(scratch.path("mine"), {}, {"prove", "--nothing"}).status, 2);
  EXPECT_TRUE(fs::exists(scratch.path("mine")));
  EXPECT_TRUE(fs::is_empty(scratch.path("mine")));
}

TEST(FarmGoldens, AFolderWithOtherFilesIsAnotherCampaign) {
  const Scratch scratch;
  const std::string goldens = copied_goldens(scratch);
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "2"}, {"verify-goldens", goldens}).status, 0);
  std::ofstream(goldens + "/new.tv") << "#";
  const ProgramEnd more = farm(folder, {});
  EXPECT_EQ(more.status, 3);
  EXPECT_TRUE(has(more.err, "new.tv: is new since the campaign began")) << more.err;
  fs::remove(goldens + "/new.tv");
  EXPECT_EQ(farm(folder, {}).status, 0);
  const fs::path first = fs::directory_iterator(goldens)->path();
  fs::remove(first);
  const ProgramEnd less = farm(folder, {});
  EXPECT_EQ(less.status, 3);
  EXPECT_TRUE(has(less.err, first.filename().string() + ": is gone")) << less.err;
}

TEST(FarmGoldens, AFolderWithoutAnyIsRefused) {
  const Scratch scratch;
  fs::create_directory(scratch.path("none"));
  const ProgramEnd end = farm(scratch.path("c"), {}, {"verify-goldens", scratch.path("none")});
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(has(end.err, "no golden files in this directory")) << end.err;
  EXPECT_FALSE(fs::exists(scratch.path("c") + "/campaign.json"));
}

/// Skips, aloud, where the program says that a tool is not there.
#define MX_NEEDS_TOOLS(end) \
  if ((end).status == 3) GTEST_SKIP() << (end).err

const Words kMutants = {"mutate", "--rtl", kRtl, "--build", "2x16", "--count", "2"};

// Nothing is compared, so mutants are left, and each is told.
TEST(FarmMutants, ThoseThatAreLeftFailTheCampaign) {
  const Scratch scratch;
  Words blind = kMutants;
  blind.insert(blind.end(), {"--without-comparison", "--quick", "--prove-seconds", "1"});
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "1"}, blind);
  MX_NEEDS_TOOLS(end);
  EXPECT_EQ(end.status, 1) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "--without-comparison --quick --prove-seconds 1 --shard 0/1"))
      << end.out;
  const auto json = nlohmann::json::parse(text_of(scratch.path("c") + "/result.json"));
  EXPECT_EQ(json.at("unit"), "mutants");
  EXPECT_EQ(json.at("compared"), 2);
  EXPECT_EQ(json.at("wrong"), 2);
  EXPECT_EQ(json.at("result").at("wrong_parts").at(0).at("left").size(), 2U);
}

TEST(FarmMutants, WhatSaysNothingOfAPartIsRefused) {
  const Scratch scratch;
  for (const char* option : {"--gate=99", "--least-judged=5", "--prove-killed=3", "--work=x"}) {
    Words command = kMutants;
    command.emplace_back(option);
    const ProgramEnd end = farm(scratch.path("c"), {}, command);
    EXPECT_EQ(end.status, 2) << option;
    EXPECT_TRUE(has(end.err, "says nothing of a shard")) << end.err;
  }
}

// A Yosys that lists nothing leaves nothing to judge: it is named, and no part is blamed.
TEST(FarmMutants, AYosysThatListsNothingIsNamed) {
  const Scratch scratch;
  fs::create_directory(scratch.path("bin"));
  std::ofstream(scratch.path("bin/yosys")) << "#!/bin/sh\nexit 0\n";
  fs::permissions(scratch.path("bin/yosys"), fs::perms::owner_all);
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", (scratch.path("bin") + ":" + before).c_str(), 1);
  const ProgramEnd end = run_program(kMutants);
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(end.status, 3) << end.err;
  EXPECT_TRUE(has(end.err, "yosys lists no mutation of the netlist")) << end.err;
}

TEST(FarmMutants, AMutantThatIsListedTwiceIsRefused) {
  const Scratch scratch;
  const std::string line = "mutate -mode inv -module m -cell c -port A -portbit 0";
  const std::string file = scratch.write("m.txt", line + "\n# x\n" + line + " -src a\n");
  Words command = kMutants;
  command.insert(command.end(), {"--mutants", file});
  const ProgramEnd end = run_program(command);
  EXPECT_EQ(end.status, 3) << end.err;
  EXPECT_TRUE(has(end.err, "m.txt:3: is the mutant of line 1 again")) << end.err;
}

TEST(FarmProofs, AReplayHasTheFaultThatWasAskedAbout) {
  const Scratch scratch;
  const ProgramEnd end = farm(
      scratch.path("c"), {},
      {"prove", "P1.e2m1fn", "--fault", "sources_flushed", "--without-control", "--seconds", "60"});
  MX_NEEDS_TOOLS(end);
  EXPECT_EQ(end.status, 1) << end.out << end.err;
  EXPECT_TRUE(has(end.out, "replay: mxgold prove P1.e2m1fn --fault sources_flushed")) << end.out;
  EXPECT_TRUE(has(end.out, "REFUTED: 1")) << end.out;
}

}  // namespace
}  // namespace mx::cli::test
