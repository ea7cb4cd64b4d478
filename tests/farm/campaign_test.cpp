// Campaigns: the same result for any number of shards and workers, mismatches that fail, and what
// is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/bytes/sha256.hpp"
#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;

/// Of 4 parts.
const Words kSuite = {"run",
                      "--dut",
                      "reference",
                      "--suite",
                      "smoke",
                      "--format",
                      "e2m1fn",
                      "--source",
                      "bf16",
                      "--rule",
                      "floor,rceil",
                      "--rounding",
                      "ties_to_even,toward_zero"};

TEST(Farm, ShardsAndWorkersLeaveNoTraceInTheResult) {
  const Scratch scratch;
  std::string first;
  for (const char* shards : {"1", "7", "64"}) {
    const std::string folder = scratch.path(shards);
    const ProgramEnd end = farm(folder, {"--local", shards, "--shards", shards}, small_sweep());
    ASSERT_EQ(end.status, 0) << end.err;
    EXPECT_TRUE(has(end.out, "PASS: " + std::string(shards) + " of " + shards)) << end.out;
    EXPECT_EQ(receipts_in(folder).size(), std::stoul(shards));
    const std::string result = text_of(folder + "/result.json");
    EXPECT_TRUE(has(result, "\"digest\": \"")) << result;
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << shards;
  }
}

TEST(Farm, ASweepsDigestIsThatOfMerge) {
  const Scratch scratch;
  const Words sweep = {"sweep", "--source", "bf16,fp16", "--format", "e2m1fn"};
  ASSERT_EQ(farm(scratch.path("c"), {"--shards", "2"}, sweep).status, 0);
  const ProgramEnd merged = run_program(
      {"merge", scratch.path("c") + "/receipts/0.json", scratch.path("c") + "/receipts/1.json"});
  EXPECT_EQ(merged.status, 0) << merged.err;
  Words whole = sweep;
  whole.insert(whole.end(), {"-o", scratch.path("whole.json")});
  ASSERT_EQ(run_program(whole).status, 0);
  const ProgramEnd alone = run_program({"merge", "--json", scratch.path("whole.json")});
  const auto json = nlohmann::json::parse(text_of(scratch.path("c") + "/result.json"));
  for (const auto& each : nlohmann::json::parse(alone.out).at("sweeps")) {
    EXPECT_TRUE(has(merged.out, each.at("sha256").get<std::string>())) << merged.out;
    EXPECT_TRUE(has(json.dump(), each.at("sha256").get<std::string>())) << json;
  }
}

TEST(Farm, SuitesAreFarmedByPartsOfAnyShards) {
  const Scratch scratch;
  std::string first;
  for (const char* shards : {"1", "4"}) {
    const ProgramEnd end = farm(scratch.path(shards), {"--shards", shards}, kSuite);
    ASSERT_EQ(end.status, 0) << end.err;
    const std::string result = text_of(scratch.path(shards) + "/result.json");
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << shards;
  }
  EXPECT_TRUE(has(first, "\"cases\": 7485")) << first;
}

TEST(Farm, APlantedMismatchFailsTheCampaign) {
  const Scratch scratch;
  Words wrong = kSuite;
  wrong[2] = "reference:minus_zero_lost";
  const ProgramEnd end = farm(scratch.path("c"), {"--shards", "3"}, wrong);
  EXPECT_EQ(end.status, 1) << end.err;
  EXPECT_TRUE(has(end.err, "FAIL shard 0: ")) << end.err;
  EXPECT_TRUE(has(end.out, "replay: mxgold run --dut reference:minus_zero_lost")) << end.out;
  EXPECT_TRUE(has(end.out, "FAIL: 3 of 3 shards")) << end.out;
  EXPECT_EQ(farm(scratch.path("c"), {}).status, 1) << "the same folder again";
  EXPECT_EQ(farm(scratch.path("c"), {"--status"}).status, 1);
}

TEST(Farm, AMissingShardIsNeverAPass) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "7"}, small_sweep()).status, 0);
  const std::string whole = text_of(folder + "/result.json");
  const auto before = receipts_in(folder);
  fs::remove(folder + "/receipts/3.json");
  fs::remove(folder + "/receipts/5.json");
  for (const char* way : {"--merge", "--status"}) {
    const ProgramEnd end = farm(folder, {way});
    EXPECT_EQ(end.status, 5) << way << end.out << end.err;
    EXPECT_TRUE(has(end.out, "5 of 7 shards")) << end.out;
  }
  const ProgramEnd merged = farm(folder, {"--merge"});
  EXPECT_TRUE(has(merged.err, "shards 3,5 have no receipt")) << merged.err;
  EXPECT_TRUE(has(merged.out, "no digest of the whole")) << merged.out;
  const ProgramEnd resumed = farm(folder, {});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "5 of 7 shards have receipts, 2 to do")) << resumed.err;
  EXPECT_EQ(text_of(folder + "/result.json"), whole);
  auto after = receipts_in(folder);
  int same = 0;
  for (const auto& [name, state] : before) same += after[name] == state ? 1 : 0;
  EXPECT_EQ(same, 5) << "only what is missing is written";
}

// A campaign of a folder is a stranger's until the user types its command or says otherwise.
TEST(Farm, AFoldersCommandExecutesNothingThatWasNotTyped) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  const std::string mark = scratch.path("mark");
  const Words typed = {"run",     "--dut",    "process:touch " + mark + "; " MX_PROGRAM " answer -",
                       "--op",    "cvt",      "--format",
                       "e2m1fn",  "--source", "bf16",
                       "--suite", "rnd",      "--count",
                       "2"};
  ASSERT_EQ(farm(folder, {"--shards", "2"}, typed).status, 0);
  ASSERT_TRUE(fs::remove(mark)) << "the control: its command was executed";
  EXPECT_EQ(farm(folder, {}).status, 0) << "it is done: its verdict executes nothing";
  const std::string whole = text_of(folder + "/result.json");
  fs::remove(folder + "/receipts/1.json");
  for (const Words& options : {Words{}, Words{"--task", "0", "--tasks", "1"}}) {
    const ProgramEnd end = farm(folder, options);
    EXPECT_EQ(end.status, 2) << end.err;
    EXPECT_TRUE(has(end.err, "makes this program execute the command 'touch " + mark)) << end.err;
    EXPECT_TRUE(has(end.err, "if you trust it: mxgold farm " + folder + " --trust")) << end.err;
  }
  for (const char* way : {"--merge", "--status"}) EXPECT_EQ(farm(folder, {way}).status, 5) << way;
  EXPECT_FALSE(fs::exists(mark));
  const ProgramEnd trusted = farm(folder, {"--trust"});
  EXPECT_EQ(trusted.status, 0) << trusted.err;
  EXPECT_TRUE(has(trusted.err, "execute the command 'touch ")) << trusted.err;
  EXPECT_TRUE(fs::remove(mark));
  fs::remove(folder + "/receipts/0.json");
  EXPECT_EQ(farm(folder, {"--task", "0", "--tasks", "1", "--trust"}).status, 0) << "as Slurm does";
  EXPECT_TRUE(fs::remove(mark));
  fs::remove(folder + "/receipts/0.json");
  EXPECT_EQ(farm(folder, {}, typed).status, 0) << "typed again";
  EXPECT_TRUE(fs::exists(mark));
  EXPECT_EQ(text_of(folder + "/result.json"), whole);
}

/// A manifest of another command than it was begun with, sealed anew.
void name_command(const std::string& folder, const Words& command) {
  auto json = nlohmann::ordered_json::parse(text_of(folder + "/campaign.json"));
  json["command"] = command;
  json.erase("id");
  json["id"] = golden::to_hex(golden::sha256(json.dump()));
  std::ofstream(folder + "/campaign.json") << json.dump(1) << '\n';
}

/// Of two parts.
const Words kTwo = {"run",      "--dut", "reference", "--op", "cvt",     "--format", "e2m1fn",
                    "--source", "bf16",  "--suite",   "rnd",  "--count", "2"};

TEST(Farm, EveryKindOfDeviceInAManifestIsTold) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "1"}, kTwo).status, 0);
  fs::remove(folder + "/receipts/0.json");
  struct Told {
    Words command;
    std::string says;
  };
  for (const auto& [command, says] :
       {Told{{"run", "--dut=process:./nosuch"}, "the command './nosuch'"},
        Told{{"run", "--dut", "plugin:p.so"}, "the shared library 'p.so'"},
        Told{{"run", "--dut", "device:d.json"}, "the Verilog that 'd.json' names"},
        Told{{"run", "--dut=rtl:./mine"}, "the Verilog in the folder './mine'"},
        Told{{"sweep", "--dut", "netlist:mine"}, "the Verilog in the folder 'mine'"},
        Told{{"run", "--dut", "reference", "--dut", "process:./nosuch"}, "the command './nosuch'"},
        Told{{"mutate", "--count", "1"}, "the Verilog in the folder of --rtl"},
        // What would write or is no farmed command is none of a farm's.
        Told{{"run", "--dut", "reference", "-oout"}, "-oout: not in a farm's command"},
        Told{{"run", "--dut", "reference", "--junit=x"}, "--junit=x: not in a farm's command"},
        Told{{"gen", "--op", "cvt", "x.tv"}, "cannot be farmed"}}) {
    name_command(folder, command);
    const ProgramEnd end = farm(folder, {});
    EXPECT_EQ(end.status, 2) << end.err;
    EXPECT_TRUE(has(end.err, says)) << end.err;
  }
  name_command(folder, kTwo);
  EXPECT_EQ(farm(folder, {}).status, 0) << "the program's own devices need nothing";
}

TEST(Farm, WhatCannotBeFarmedIsSaid) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  struct Refusal {
    Words options;
    Words command;
    std::string says;
  };
  const Words few = {"sweep", "--source", "bf16", "--format", "e2m1fn"};
  for (const auto& [options, command, says] :
       {Refusal{{"--shards", "0"}, few, "--shards"}, Refusal{{"--local", "0"}, few, "--local"},
        Refusal{{"--shards", "2"}, few, "has 1 parts at most"},
        Refusal{{}, {}, "no campaign: begin one with"},
        Refusal{{}, {"identify"}, "'identify': cannot be farmed"},
        Refusal{{}, {"sweep", "--shard", "0/2"}, "--shard: not in a farm's command"},
        Refusal{{}, {"run", "--junit=x.xml"}, "--junit=x.xml: not in a farm's command"},
        Refusal{{}, {"sweep", "--format", "nosuch"}, "unknown format 'nosuch'"}}) {
    const ProgramEnd end = farm(folder, options, command);
    EXPECT_EQ(end.status, 2) << says << "\n" << end.err;
    EXPECT_TRUE(has(end.err, says)) << end.err;
  }
  ASSERT_EQ(farm(folder, {"--shards", "1"}, few).status, 0);
  const ProgramEnd other = farm(folder, {}, small_sweep());
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(has(other.err, "is the campaign of `mxgold sweep --source bf16")) << other.err;
  EXPECT_EQ(farm(folder, {"--shards", "2"}).status, 2);
}

TEST(Farm, AnotherFarmAtWorkIsSeen) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  ASSERT_EQ(farm(folder, {"--shards", "7"}, small_sweep()).status, 0);
  const int lock = ::open((folder + "/lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const ProgramEnd end = farm(folder, {});
  EXPECT_EQ(end.status, 2);
  EXPECT_TRUE(has(end.err, "another farm is at work on this campaign (process ")) << end.err;
  ::close(lock);
  EXPECT_EQ(farm(folder, {}).status, 0) << "a lock that nobody holds is none";
}

TEST(Farm, AnotherProgramOrInputIsSeen) {
  const Scratch scratch;
  const std::string formats = scratch.write("formats.json", "{}");
  const std::string folder = scratch.path("c");
  // Whatever the file is to the command: it is the campaign's, as it was.
  Words none = {"sweep", "--source", "bf16", "--format", "e2m1fn"};
  ASSERT_EQ(farm(folder, {"--shards", "1"}, none).status, 0);
  auto json = nlohmann::ordered_json::parse(text_of(folder + "/campaign.json"));
  const auto sealed = [&](nlohmann::ordered_json changed) {
    changed.erase("id");
    changed["id"] = golden::to_hex(golden::sha256(changed.dump()));
    std::ofstream(folder + "/campaign.json") << changed.dump();
  };
  auto stale = json;
  stale["sources"] = "0123456789abcdef";
  sealed(stale);
  ProgramEnd end = farm(folder, {});
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(has(end.err, "campaign.json: begun by mxgold")) << end.err;
  auto input = json;
  input["command"].push_back(formats);
  input["files"][formats] = golden::to_hex(golden::sha256("as it was"));
  sealed(input);
  end = farm(folder, {});
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(has(end.err, formats + ": has changed since the campaign began")) << end.err;
  fs::remove(formats);
  end = farm(folder, {});
  EXPECT_TRUE(has(end.err, formats + ": is gone since the campaign began")) << end.err;
  std::ofstream(folder + "/campaign.json") << stale.dump();
  end = farm(folder, {});
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(has(end.err, "field 'id': the manifest was changed or damaged")) << end.err;
}

}  // namespace
}  // namespace mx::cli::test
