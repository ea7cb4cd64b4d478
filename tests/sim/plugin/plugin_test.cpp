// Devices as shared libraries: right ones pass with every option, wrong ones fail with a printed
// replay that fails again in a process of its own, and what is no plugin or breaks its rules is
// said with file, function and remedy.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

const std::string kExample = "run --dut plugin:" MX_EXAMPLE_PLUGIN;
const std::string kReference = "run --dut plugin:" MX_REFERENCE_PLUGIN;

class Plugin : public ProgramTest {};

TEST_F(Plugin, TheExampleInCPasses) {
  const ProgramEnd records = expect(kExample, 0, " records, ");
  EXPECT_FALSE(records.says("PASS 0/0")) << records.tail();
  const ProgramEnd clocked = expect(kExample + ":clocked --log -", 0, " resets, stalls in 1 of 1");
  EXPECT_FALSE(clocked.says("PASS 0/0") || clocked.says(" 0 resets")) << clocked.tail();
  EXPECT_TRUE(clocked.says("not offered")) << clocked.tail();
  expect(kExample + ": --format mxfp8_e4m3", 2, "the device does mxfp4 (configuration.format)");
  expect(kExample + ":clocked --op cvt", 2, "has a clock and takes blocks");
  expect(kExample + ":clocked --block-size 16", 2, "clocked plugins take blocks of 32");
  expect(kExample + " --op cvt", 2, "--op cvt: ");
  expect(kExample + " --stall heavy", 2, "--stall: ");
  expect(kExample + ":sideways", 2, "arguments 'sideways': give clocked, away");
}

/// Every command after `replay` fails with this exit code, and there are some.
void expect_replays(const ProgramEnd& end, int exit) {
  std::istringstream text(end.text);
  int replays = 0;
  for (std::string line; std::getline(text, line);) {
    const std::size_t word = line.find("replay");
    const std::size_t at = word == std::string::npos ? word : line.find("mxgold ", word);
    if (at == std::string::npos) continue;
    ++replays;
    const ProgramEnd again = mxgold(line.substr(at + 7));
    EXPECT_EQ(again.exit, exit) << line << '\n' << again.tail();
  }
  EXPECT_GE(replays, 2) << end.tail();
}

TEST_F(Plugin, ADefectOfTheExampleIsFoundNamedShrunkAndShownAgain) {
  for (const std::string arguments : {":away", ":clocked,away"}) {
    const std::string small = file("small.json");
    std::string run = kExample + arguments;
    run += " --errors 2 --shrink " + small;
    const ProgramEnd end = expect(run, 1, "as with rounding ties_to_away for ties_to_even");
    expect_replays(end, 1);
    EXPECT_NE(read(small).find("plugin:" MX_EXAMPLE_PLUGIN + arguments), std::string::npos);
    // The device mended.
    std::string mended = "replay " + small + " --dut plugin:" MX_EXAMPLE_PLUGIN;
    if (arguments != ":away") mended += ":clocked";
    const ProgramEnd right = mxgold(mended);
    EXPECT_EQ(right.exit, 0) << right.tail();
  }
}

TEST_F(Plugin, EveryOptionOfARunReachesIt) {
  const std::string clocked = kExample + ":clocked ";
  for (const char* const options :
       {"--stall heavy --reset sweep", "--stall random --reset 5,40",
        "--suite full --elements 4096", "--judge certificate", "--judge reference",
        "--compare strict", "--threads 2 --seed 9", "--observe scale,code", "--shard 0/2",
        "--source fp32 --format e2m1fn --only 3:90"}) {
    expect(clocked + options, 0, "PASS");
  }
  for (const char* const options : {"--suite rnd --count 500", "--judge oracle", "--observe scale",
                                    "--lengths full", "--time-out 3"}) {
    expect(kExample + " " + options, 0, "PASS");
  }
  expect(clocked + "--input " + tensor_file(), 0, "PASS");
  expect(clocked + "--cover " + file("cover.json") + " --html " + file("run.html") + " --junit " +
             file("run.xml") + " --json",
         0, "\"device\": \"plugin ");
  for (const char* const report : {"cover.json", "run.html", "run.xml"}) {
    EXPECT_FALSE(read(file(report)).empty()) << report;
  }
  const std::string vectors =
      gen("--format mxfp4 --source fp32 --rounding ties_to_even --rule floor");
  expect(clocked + "--vectors " + vectors, 0, "PASS");
  expect(kExample + " --vectors " + vectors, 0, "PASS");
}

TEST_F(Plugin, AKnownDeviationIsWaived) {
  std::ofstream(file("known.json")) << R"({"schema": 1, "waivers": [{"id": "W-1",
    "reason": "ties go away from zero", "expires": "2999-01-01", "op": "block",
    "fields": ["code", "flags"]}]})";
  const ProgramEnd end = mxgold(kExample + ":away --waivers " + file("known.json"));
  EXPECT_EQ(end.exit, 0) << end.tail();
}

TEST_F(Plugin, AllThatTheReferenceComputesGoesThrough) {
  for (const char* const run :
       {":cvt --op cvt --format e4m3fn,e2m1fn", ":arith --op arith --format fp16 --operation fma",
        ":dot --op dot --format mxfp4", ":block --format nvfp4",
        ":block --format mxint8 --suite policy",
        ":cvt --op cvt --format e4m3fn --rounding stochastic_a",
        ":cvt --op cvt --define 'name=mine, exp_bits=3, man_bits=4' --format mine",
        ":cast --op cast --format 'dmx:MXINT8{32}'",
        ":dequantize --op dequantize --format mxfp4 --result bf16"}) {
    expect(kReference + run, 0, "PASS");
  }
  expect(kReference + ":clocked", 0, "PASS");
}

TEST_F(Plugin, WrongWordsOfRecordsAreSeen) {
  for (const char* const run :
       {":cvt,1,code --op cvt --format e4m3fn", ":cvt,1,flags --op cvt --format e4m3fn",
        ":block,0,scale --format nvfp4", ":block,0,code --format nvfp4"}) {
    const ProgramEnd end = mxgold(kReference + run + " --errors 1 --shrink " + file("s.json"));
    EXPECT_EQ(end.exit, 1) << run << end.tail();
    expect_replays(end, 1);
  }
  // Right alone: the replay has what came before.
  const ProgramEnd late = mxgold(kReference + ":cvt,1,late --op cvt --format e4m3fn --errors 1");
  EXPECT_EQ(late.exit, 1) << late.tail();
  EXPECT_EQ(mxgold(replay_in(late)).exit, 1) << late.tail();
}

TEST_F(Plugin, BrokenPortsAreFound) {
  for (const std::string fault : {"hang", "drop_on_stall", "duplicate", "valid_falls",
                                  "payload_changes", "extra_at_end", "stale_after_reset"}) {
    std::string rest = fault;
    rest += " --errors 1 --format e2m1fn --source bf16 --rounding ties_to_even --rule floor";
    const ProgramEnd end = mxgold("run --dut plugin:" MX_REFERENCE_PLUGIN ":clocked," + rest);
    const ProgramEnd same = mxgold("run --dut reference:" + rest);
    EXPECT_EQ(end.exit, same.exit) << fault << end.tail();
    EXPECT_EQ(end.exit, 4) << fault << end.tail();
  }
}

// A bus that is quiet while nothing is offered would hide it.
TEST_F(Plugin, IdlePinsShowNoise) {
  const std::string kSmall = ":clocked,idle --errors 1 --format e2m1fn --source bf16 --stall heavy";
  EXPECT_EQ(mxgold(kReference + kSmall).exit, 1);
}

// Many threads, and one: the same answers; the plugin says where two calls of one device meet.
TEST_F(Plugin, AnInstanceForEachThread) {
  const std::string run = kReference + ":clocked --format e2m1fn,e4m3fn --source bf16,fp32 ";
  const ProgramEnd one = expect(run + "--threads 1", 0, "PASS");
  const ProgramEnd many = expect(run + "--threads 8", 0, "PASS");
  EXPECT_EQ(one.digest(), many.digest());
}

TEST_F(Plugin, WhatIsUnobservedIsCounted) {
  const ProgramEnd end = expect(kExample + ":clocked --observe scale", 0, "PASS");
  EXPECT_TRUE(end.says(" unobserved (")) << end.tail();
  // What the plugin does not give, by its own word: three of five parts, and one of three fields.
  const ProgramEnd clocked = expect(kReference + ":clocked,partial --format e2m1fn", 0, "PASS");
  EXPECT_TRUE(clocked.says(" unobserved (")) << clocked.tail();
  expect(kReference + ":block,0,partial --format nvfp4 --suite rnd --count 100", 0,
         "500 unobserved");
  expect(kReference + ":block,0,partial --format nvfp4 --observe flags", 2, "gives scale, code");
}

struct Bad {
  std::string environment, arguments;  ///< of bad_plugin.cpp
  int exit;
  std::string words;  ///< of the message
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << (bad.environment.empty() ? bad.arguments : bad.environment);
}
std::string name_of(const testing::TestParamInfo<Bad>& info) {
  std::string name = testing::PrintToString(info.param);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

class BadPlugin : public testing::TestWithParam<Bad> {};

TEST_P(BadPlugin, IsSaidWithFileFunctionAndRemedy) {
  const Bad& bad = GetParam();
  const ProgramEnd end =
      mxgold("run --suite smoke --time-out 1 --threads 2 --dut 'plugin:" MX_BAD_PLUGIN ":" +
                 bad.arguments + "'",
             "MX_BAD_PLUGIN='" + bad.environment + "' ");
  EXPECT_EQ(end.exit, bad.exit) << bad.arguments << end.tail();
  EXPECT_TRUE(end.says(MX_BAD_PLUGIN)) << end.tail();
  EXPECT_TRUE(end.says(bad.words)) << bad.words << end.tail();
  EXPECT_FALSE(end.says("PASS")) << end.tail();
}

INSTANTIATE_TEST_SUITE_P(
    Loading, BadPlugin,
    testing::Values(
        Bad{"table", "", 3, "mxgold_device_entry() returned NULL"},
        Bad{"version", "", 3, "version 2 (abi_version), this mxgold takes 1; compile the plugin"},
        Bad{"size", "", 3, "table of 8 bytes (table_bytes)"},
        Bad{"create", "", 3, "whose create is NULL"},
        Bad{"answer", "", 4, "facts() says records, and the table's answer is NULL"},
        Bad{"tick", "clocked,", 4, "facts() says clocked, and the table's tick is NULL"},
        Bad{"entry:throw", "", 4, "mxgold_device_entry() let an exception out: out of patience"},
        Bad{"entry:segv", "", 4, "mxgold_device_entry() crashed with SIGSEGV"},
        Bad{"entry:exit", "", 4, "mxgold_device_entry() called exit()"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Device, BadPlugin,
    testing::Values(
        Bad{"", "create:null", 4, "create() succeeded and made no device"},
        Bad{"", "create:message", 2, "xxxx"}, Bad{"", "create:throw", 4, "create() let an"},
        Bad{"", "create:throw_int", 4, "one that is no std::exception"},
        Bad{"", "facts:name", 4, "facts(): name: expected a line"},
        Bad{"", "facts:kind", 4, "facts(): kind: expected MXGOLD_DEVICE_CLOCKED or"},
        Bad{"", "facts:operation", 4, "facts(): operation: expected one of cvt, block, dot"},
        Bad{"", "clocked,facts:clocked_cvt", 4, "clocked devices quantize"},
        Bad{"", "clocked,facts:lanes", 4, "facts(): lanes: expected 32"},
        Bad{"", "clocked,facts:observes", 4, "facts(): observes: "},
        Bad{"", "facts:configuration", 4, "facts(): configuration: expected a list"},
        Bad{"", "facts:value", 4, "facts(): configuration[0]: expected a name and a value"},
        Bad{"", "facts:unknown", 2, "configuration.colour is no field"},
        Bad{"", "clocked,facts:registered", 4, "ready_is_registered: expected 0, or"},
        Bad{"", "facts:hang", 4, "facts() did not return in time (--time-out)"},
        Bad{"", "configure:failed", 4, "configure() failed: no reason given"},
        Bad{"", "configure:status", 4, "configure() returned 77, which is no"},
        Bad{"", "answer:nothing", 4,
            "record 0, field code, lane 0 is FFFFFFFFFFFFFFFF: not written"},
        Bad{"", "answer:wide", 4, "lane 0 is 100: more than 1 bytes"},
        Bad{"", "answer:throw", 4, "answer() let an exception out"},
        Bad{"", "answer:null", 4, "answer() crashed with SIGSEGV"},
        Bad{"", "answer:stack", 4, "answer() crashed with SIGSEGV"},
        Bad{"", "answer:abort", 4, "answer() aborted (SIGABRT)"},
        Bad{"", "answer:exit", 4, "answer() called exit()"},
        Bad{"", "answer:quick_exit", 4, "answer() called exit()"},
        Bad{"", "answer:hang", 4, "answer() did not return in time (--time-out)"},
        Bad{"", "clocked,reset:failed", 4, "reset() failed"},
        Bad{"", "clocked,tick:ready", 4, "outputs.ready is FFFFFFFF: not set"},
        Bad{"", "clocked,tick:valid", 4, "outputs.valid is FFFFFFFF: not set"},
        Bad{"", "clocked,tick:two", 4, "outputs.valid is 2: more than 1"},
        Bad{"", "clocked,tick:codes", 4, "outputs.codes[3] is 100"},
        Bad{"", "clocked,tick:scale", 4, "outputs.scale is 1FF"},
        Bad{"", "clocked,tick:keep", 4, "outputs.keep is 100000000"},
        Bad{"", "clocked,tick:pointer", 4, "outputs.codes points elsewhere"},
        Bad{"", "clocked,tick:throw", 4, "tick() let an exception out: out of patience"},
        Bad{"", "clocked,tick:segv", 4, "tick() crashed with SIGSEGV"},
        Bad{"", "clocked,tick:hang", 4, "tick() did not return in time (--time-out)"}),
    name_of);

TEST_F(Plugin, WhatIsNoPluginIsRefused) {
  expect("run --dut plugin", 2, "write --dut plugin:FILE.so[:ARGUMENTS]");
  expect("run --dut plugin:", 2, "write --dut plugin:FILE.so[:ARGUMENTS]");
  expect("run --dut plugin:" + file("none.so"), 3, "there is no such file");
  std::ofstream(file("text.so")) << "no library";
  expect("run --dut plugin:" + file("text.so"), 3, "cannot be loaded: ");
  expect("run --dut plugin:" MX_LIBRARY, 3, "has no symbol mxgold_device_entry; export");
}

// Before anything is asked there is nothing to report, and no report that looks whole.
TEST_F(Plugin, ACrashAtTheStartLeavesNoFiles) {
  const ProgramEnd end =
      mxgold("run --dut plugin:" MX_BAD_PLUGIN ":configure:segv --op cvt --junit " +
             file("run.xml") + " --html " + file("run.html"));
  EXPECT_EQ(end.exit, 4) << end.tail();
  EXPECT_TRUE(end.says("configure() crashed with SIGSEGV; the run has no verdict")) << end.tail();
  EXPECT_TRUE(std::filesystem::is_empty(file("."))) << end.tail();
}

// The run ends with a verdict, whatever the way in which the plugin ended its process: what was
// compared before, the block, reports, and a replay that ends at the same block.
TEST_F(Plugin, ACrashIsAVerdict) {
  const std::string set = " --format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";
  // The device without the poison: all that comes before the block is right.
  const ProgramEnd whole = expect(kReference + ":clocked" + set, 0, "PASS");
  for (const auto& [how, words] : std::vector<std::pair<std::string, std::string>>{
           {"segv", "tick() crashed with SIGSEGV at block "},
           {"abort", "tick() aborted (SIGABRT) at block "},
           {"exit", "tick() called exit(), or ended its thread at block "},
           {"thread", "ended by signal 11 (Segmentation fault) at block "},
           {"_exit", "ended without a word (_exit) at block "},
           {"hang", "tick() did not return in time (--time-out) at block "}}) {
    const std::string run =
        fmt::format("{}:clocked,poison,{}{}--time-out 1 ", kReference, how, set);
    const ProgramEnd end =
        expect(run + "--junit " + file("run.xml") + " --html " + file("run.html"), 4, words);
    EXPECT_TRUE(end.says("FAIL protocol: ")) << end.tail();
    EXPECT_FALSE(end.says("; 0 of ")) << "nothing compared before\n" << end.tail();
    EXPECT_NE(read(file("run.xml")).find(words), std::string::npos) << how;
    EXPECT_FALSE(read(file("run.html")).empty()) << how;
    const std::size_t at = end.text.find(words) + words.size();
    const std::string block =
        end.text.substr(at, end.text.find_first_not_of("0123456789", at) - at);
    ASSERT_FALSE(block.empty()) << end.tail();
    const ProgramEnd again = mxgold(replay_in(end));
    EXPECT_EQ(again.exit, 4) << replay_in(end) << again.tail();
    EXPECT_TRUE(again.says(words + block)) << again.tail();
    // Every block before it, and no other, was compared.
    EXPECT_TRUE(end.says(fmt::format("; {} of ", golden::with_commas(std::stoull(block)))))
        << end.tail();
    EXPECT_EQ(
        mxgold(fmt::format("{}:clocked,poison,{}{}--only 0:{}", kReference, how, set, block)).exit,
        0);
  }
}

TEST_F(Plugin, ACrashAmongManyThreadsIsAVerdict) {
  const std::string run = kReference + ":clocked,poison,segv --format e2m1fn,e4m3fn ";
  const ProgramEnd one = expect(run + "--source bf16 --threads 1", 4, " at block ");
  const ProgramEnd many = expect(run + "--source bf16 --threads 8", 4, " at block ");
  const auto block_of = [](const ProgramEnd& end) {
    const std::size_t at = end.text.rfind(" at block ");
    return end.text.substr(at, end.text.find(';', at) - at);
  };
  EXPECT_FALSE(block_of(one).empty());
  // Another thread may end the process first, but not in a block that was compared.
  EXPECT_EQ(mxgold(replay_in(many)).exit, 4) << many.tail();
}

TEST_F(Plugin, ACrashWithinRecordsIsAVerdict) {
  const std::string run =
      kReference + ":block,0,poison,abort --format mxfp4 --source bf16 --suite dir ";
  const ProgramEnd end = expect(run + "--junit " + file("run.xml"), 4,
                                "answer() aborted (SIGABRT) when asked for records 2048 to ");
  EXPECT_TRUE(end.says("2,048 of 3,437 records checked, 0 differ")) << end.tail();
  EXPECT_NE(read(file("run.xml")).find("SIGABRT"), std::string::npos);
  const ProgramEnd again = mxgold(replay_in(end));
  EXPECT_EQ(again.exit, 4) << again.tail();
  EXPECT_TRUE(again.says("when asked for records 2048 to ")) << again.tail();
  // A wrong answer before it is shown and has its cause, but the verdict is the crash.
  const ProgramEnd wrong =
      expect(kReference +
                 ":block,0,poison,abort,flags --format mxfp4 --source bf16 --suite dir "
                 "--json 2>/dev/null #",
             4, "\"exit_code\": 4");
  EXPECT_TRUE(wrong.says("\"mismatches\": 2,")) << wrong.tail();
  EXPECT_TRUE(wrong.says("when asked for records")) << wrong.tail();
}

// A signal to the program is one to the run: it ends by it, and leaves nothing running.
TEST_F(Plugin, ASignalEndsTheRunAndItsProcess) {
  const std::string command = "timeout -s TERM 2 " MXGOLD " run --dut plugin:" MX_REFERENCE_PLUGIN
                              ":clocked,poison,hang --time-out 60 --junit " +
                              file("run.xml") + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 124) << status;
  EXPECT_TRUE(std::filesystem::is_empty(file(".")));
}

}  // namespace
}  // namespace mx::sim::test
