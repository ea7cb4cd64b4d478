// Device files: modules of any operation and shape are judged with no C++ written for them, right
// ones pass, and a defect of each kind is seen. Compiled devices are kept below the build folder.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <thread>
#include <vector>

#include "sim/compile/cache.hpp"
#include "sim/compile/compiled.hpp"
#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

TEST_F(DeviceTest, ACombinationalConverterPasses) {
  const ProgramEnd end = expect("run " + device("fp32_to_e4m3") + " --suite smoke", 0, "PASS ");
  // It has no flags: they are not compared, and the verdict says so.
  EXPECT_TRUE(end.says("2,264 words compared; not compared: 2,264 unobserved")) << end.tail();
}

// An option goes before the configuration file, that before the profile, that before the device,
// and that before what nobody says.
TEST_F(DeviceTest, ADeviceGoesBeforeDefaultsAndBehindTheRest) {
  std::ofstream(file("to_zero.toml")) << "rounding = 'RTZ'\n";
  const std::string run = "run " + device("fp32_to_e4m3") + " --suite smoke --only 0:64";
  const std::string with = " -c " + file("to_zero.toml");
  expect(run, 0, "PASS ");  // the default operation is block
  expect(run + with, 2, "rounding toward_zero: the device does ties_to_even");
  expect(run + with + " --rounding RNE", 0, "PASS ");
  expect(run + " --profile ocp-mx-1.0 --overflow none_inf_or_nan", 2, "");
}

// A device file says by a configuration file what it leaves out itself, in names of the field.
TEST_F(DeviceTest, ADeviceFileNamesAConfigurationFile) {
  std::ofstream(file("e4m3.toml")) << "format = 'E4M3FN'\nrounding = 'RNE'\nlanes = 4\n";
  const std::string path = variant(
      "fp32_to_e4m3", {{"\"configuration\"", "\"config\": \"e4m3.toml\", \"configuration\""}});
  expect("run --dut device:" + path + " --suite smoke --only 0:64", 0, "PASS ");
}

TEST_F(DeviceTest, ADefectOfAConverterIsAMismatchThatTheReplayShowsAgain) {
  const std::string wrong =
      variant("fp32_to_e4m3", {{"\"top\"", "\"define\": {\"DEFECT\": 1}, \"top\""}});
  const ProgramEnd end =
      expect("run --dut device:" + wrong + " --suite smoke", 1, "as with rounding ties_to_away");
  const ProgramEnd again = mxgold(replay_in(end));
  EXPECT_EQ(again.exit, 1) << replay_in(end) << '\n' << again.tail();

  expect("run --dut device:" + wrong + " --suite smoke --shrink " + file("small.json"), 1, "FAIL");
  expect("replay " + file("small.json") + " --trust", 1, "FAIL");
  expect("replay " + file("small.json") + " " + device("fp32_to_e4m3"), 0, "PASS");
}

TEST_F(DeviceTest, ADotProductWithoutHandshakePassesAndItsDefectDoesNot) {
  expect("run " + device("dot_fp4") + " --suite smoke", 0, "PASS ");
  expect("run " + device("dot_fp4") + " --suite rnd --count 2000 --seed 3", 0, "PASS ");
  const std::string wrong = variant("dot_fp4", {{"\"DEFECT\": 0", "\"DEFECT\": 1"}});
  expect("run --dut device:" + wrong + " --suite smoke", 1, "FAIL");
  // One cycle early, the answer is another one's.
  const std::string early = variant("dot_fp4", {{"\"latency\": 2", "\"latency\": 1"}});
  expect("run --dut device:" + early + " --suite smoke", 1, "FAIL");
}

struct Dequantizer {
  int defect;
  const char* cause;
};

/// Signs of zeros, NaN scales, both ends of the range: each defect is seen and named.
TEST_F(DeviceTest, ADequantizerPassesAndEachOfItsDefectsIsNamed) {
  expect("run " + device("dequantize_fp4") + " --suite smoke", 0, "PASS ");
  const ProgramEnd whole = expect("run " + device("dequantize_fp4") + " --suite dir", 0, "PASS ");
  EXPECT_FALSE(whole.says("unobserved")) << whole.tail();
  for (const Dequantizer& each :
       {Dequantizer{1, "only codes 0000 for 8000"}, Dequantizer{2, "only numbers for NaN"},
        Dequantizer{3, "as with dst_ftz"},
        Dequantizer{4, "as with dequant_overflow saturate for inf (spec F15)"}}) {
    const std::string wrong =
        variant("dequantize_fp4", {{"\"DEFECT\": 0", fmt::format("\"DEFECT\": {}", each.defect)}});
    const ProgramEnd end = expect("run --dut device:" + wrong + " --suite smoke", 1, each.cause);
    EXPECT_EQ(mxgold(replay_in(end)).exit, 1) << replay_in(end);
    expect("run --dut device:" + wrong + " --suite smoke --shrink " + file("small.json"), 1,
           "FAIL");
    expect("replay " + file("small.json") + " --trust", 1, "FAIL");
    expect("replay " + file("small.json") + " " + device("dequantize_fp4"), 0, "PASS");
  }
}

/// A matrix unit in Verilog; one that sums as another device's is told whose.
TEST_F(DeviceTest, AMatrixUnitPassesAndAnotherIsNamed) {
  expect("run " + device("mma_fp8") + " --suite smoke", 0, "PASS ");
  const ProgramEnd whole = expect("run " + device("mma_fp8") + " --suite dir", 0, "PASS 14,000");
  EXPECT_TRUE(whole.says("14,000 words compared")) << whole.tail();
  const std::string usual = R"("FRACTION": 25, "BITS": 24, "DEFECT": 0)";
  const std::pair<const char*, const char*> kOthers[] = {
      {R"("FRACTION": 13, "BITS": 14)", "as with unit ada_fp8 (spec U1)"},
      {R"("FRACTION": 24, "BITS": 24)", "as with fraction_bits 24 (spec U1)"},
      {R"("DEFECT": 1)", "only other codes for NaN"},
      {R"("DEFECT": 2)", "only the signs of zeros"}};
  for (const auto& [parameters, cause] : kOthers) {
    const std::string wrong = variant("mma_fp8", {{usual, parameters}});
    const ProgramEnd end = expect("run --dut device:" + wrong + " --suite smoke", 1, cause);
    EXPECT_EQ(mxgold(replay_in(end)).exit, 1) << replay_in(end);
  }
  const std::string wrong = variant("mma_fp8", {{usual, kOthers[0].first}});
  expect(
      "run --dut device:" + wrong + " --suite smoke --shrink-time 2 --shrink " + file("small.json"),
      1, "FAIL");
  expect("replay " + file("small.json") + " --trust", 1, "FAIL");
  expect("replay " + file("small.json") + " " + device("mma_fp8"), 0, "PASS");
  expect("run " + device("mma_fp8") + " --op mma --unit h100_wgmma_fp8 --suite smoke", 2,
         "the device does b200_f8f6f4");
}

TEST_F(DeviceTest, FourRecordsShareABeatUnderAnySchedule) {
  const std::string run = "run " + device("widen_bf16") + " --suite smoke";
  expect(run, 0, "PASS ");
  for (const char* const stall : {"none", "light", "heavy", "random"}) {
    for (const char* const reset : {"none", "sweep", "random", "3,4,17"}) {
      expect(fmt::format("{} --stall {} --reset {} --seed 5", run, stall, reset), 0, "PASS ");
    }
  }
  expect(run + " --only 7", 0, "PASS 1/1");
}

TEST_F(DeviceTest, TwoBeatsInAndOneOutWithAChosenRoundingPass) {
  const std::string run = "run " + device("narrow_fp32") + " --suite smoke";
  expect(run, 0, "2 configurations");
  expect(run + " --rounding toward_zero --reset sweep --stall random", 0,
         "of what the device offers, left out: rounding ties_to_even");
  const std::string wrong = variant("narrow_fp32", {{"\"DEFECT\": 0", "\"DEFECT\": 1"}});
  const ProgramEnd end = mxgold("run --dut device:" + wrong + " --suite smoke");
  EXPECT_TRUE(end.exit == 1 || end.exit == 4) << end.tail();
  expect("run --dut device:" + wrong + " --suite smoke --reset none --only 0:64", 0, "PASS 64/64");
}

// The page's own example.
// A module begins every part of a farm anew: a part has records for all schedules. Models without a
// state are cut anywhere.
TEST_F(DeviceTest, PartsOfAFarmAreLong) {
  for (const auto& [count, parts] : {std::pair{4095, 1}, {8191, 1}, {8192, 2}, {40000, 9}}) {
    const std::string run = fmt::format(" --suite rnd --count {} --dry-run --json", count);
    const ProgramEnd module = mxgold("run " + device("widen_bf16") + run);
    EXPECT_TRUE(module.says(fmt::format("\"parts\": {},", parts))) << count << module.tail();
    const ProgramEnd model =
        mxgold("run --dut reference --op cvt --source bf16 --format fp16" + run);
    EXPECT_TRUE(model.says(fmt::format("\"parts\": {},", count))) << count << model.tail();
  }
}

TEST_F(DeviceTest, TheExampleOfTheDocumentationIsThatOfTheTests) {
  const std::string page = read(MX_DEVICE_PAGE);
  const std::size_t start = page.find("```json\n") + 8;
  const std::string example = page.substr(start, page.find("```", start) - start);
  EXPECT_EQ(example, read(std::string(MX_DEVICES) + "/widen_bf16.json"));
}

TEST_F(DeviceTest, WithoutItsListOfNansADeviceIsHeldToTheCanonicalOne) {
  const std::string strict = variant("widen_bf16", {{",\n    \"nan\": \"any\"", ""}});
  expect("run --dut device:" + strict + " --suite smoke", 1, "got 7F810000 (nan)");
  const std::string one =
      variant("widen_bf16", {{"\"nan\": \"any\"", "\"nan\": [\"0x7f810000\"]"}});
  const ProgramEnd end = expect("run --dut device:" + one + " --suite smoke", 1, "FAIL");
  EXPECT_FALSE(end.says("got 7F810000")) << end.tail();
}

struct Defect {
  int number;
  int exit;
  const char* words;
};

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.number; }

class ProtocolTest : public DeviceTest, public testing::WithParamInterface<Defect> {};

TEST_P(ProtocolTest, IsSeen) {
  const Defect& defect = GetParam();
  const std::string wrong =
      variant("widen_bf16", {{"\"DEFECT\": 0", fmt::format("\"DEFECT\": {}", defect.number)}});
  const ProgramEnd end =
      expect("run --dut device:" + wrong + " --suite smoke", defect.exit, defect.words);
  const ProgramEnd again = mxgold(replay_in(end));
  EXPECT_EQ(again.exit, defect.exit) << replay_in(end) << '\n' << again.tail();
}

INSTANTIATE_TEST_SUITE_P(
    Defects, ProtocolTest,
    testing::Values(Defect{1, 4, "valid fell before ready; broken: valid stays until ready"},
                    Defect{2, 4, "out_data_o changed under back-pressure; broken: the payload"},
                    Defect{3, 4, "out_valid_o is high in reset"}, Defect{4, 1, "FAIL"},
                    Defect{5, 4, "answers are missing; broken: one answer for each block"},
                    Defect{6, 4, "broken: valid never waits for ready (spec R6)"},
                    Defect{7, 4, "two at a time"}, Defect{8, 4, "$finish"}, Defect{10, 1, "FAIL"},
                    Defect{11, 1, "FAIL"}),
    [](const auto& test) { return fmt::format("Defect{}", test.param.number); });

// ------------------------------------------------------------------------- what a file gets wrong

struct Mistake {
  const char* name;
  const char* from;
  const char* to;
  int exit;
  const char* words;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class MistakeTest : public DeviceTest, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakeTest, IsRefusedWithItsPlaceAndARemedy) {
  const Mistake& mistake = GetParam();
  const std::string wrong = variant("widen_bf16", {{mistake.from, mistake.to}});
  expect("run --dut device:" + wrong + " --suite smoke", mistake.exit, mistake.words);
}

INSTANTIATE_TEST_SUITE_P(
    Places, MistakeTest,
    testing::Values(
        Mistake{"json", "\"top\"", "top", 3, "is no JSON"},
        Mistake{"schema", "\"device_schema\": 1", "\"device_schema\": 2", 3,
                "device_schema has to be 1"},
        Mistake{"unknown", "\"clock\"", "\"clk\"", 3, "clk is no member of a device file"},
        Mistake{"unknown_member", "\"records\": 4", "\"record\": 4", 3,
                "record is no member of a device file"},
        Mistake{"unknown_part", "\"order\"", "\"ordre\"", 3,
                "output.ports.out_data_o.ordre is no member"},
        Mistake{"type", "\"records\": 4", "\"records\": \"4\"", 3,
                "records has to be a whole number from 1 to 4096"},
        Mistake{"file", "widen_bf16.sv", "widen.sv", 3, "which is no file"},
        Mistake{"line_break", "modules/widen_bf16.sv", "widen\\n.sv", 3,
                "takes $ for a variable and reads no line break in a path; rename"},
        Mistake{"dollar", "modules/widen_bf16.sv", "wi$den.sv", 3,
                "takes $ for a variable and reads no line break in a path; rename"},
        Mistake{"environment", "modules/widen_bf16.sv", "${MX_NOWHERE}/modules/x.sv", 3,
                "the environment has no MX_NOWHERE"},
        Mistake{"top", "\"top\": \"widen_bf16\"", "\"top\": \"widen\"", 3,
                "again: verilator --lint-only"},
        Mistake{"port", "\"in_data_i\"", "\"in_data\"", 3,
                "names port 'in_data', which module widen_bf16 does not have; its inputs are"},
        Mistake{"direction", "\"ready\": \"in_ready_o\"", "\"ready\": \"in_valid_i\"", 3,
                "names port 'in_valid_i', which is an input"},
        Mistake{"width", "{\"field\": \"source\"}", "{\"field\": \"source\", \"slot\": 32}", 3,
                "takes bits 0 to 127 of port 'in_data_i', which has 64"},
        Mistake{"cover", "{\"field\": \"source\"}", "{\"field\": \"source\", \"slot\": 8}", 3,
                "input.ports.in_data_i says nothing of bit 32"},
        Mistake{"field", "\"field\": \"source\"", "\"field\": \"sauce\"", 3,
                "is 'sauce', which no record has"},
        Mistake{"operand", "\"field\": \"source\"", "\"field\": \"a\"", 2,
                "records have a field source, and no port carries it"},
        Mistake{"policy", "\"ties_to_even\"", "\"ties_even\"", 3,
                ".json: configuration.rounding is 'ties_even'; give one of ties_to_even, "},
        Mistake{"one_policy", "\"ties_to_even\"", "[\"ties_to_even\", \"up\"]", 3,
                ".json: configuration.rounding is 'up'; give one of ties_to_even, "},
        Mistake{"source", "\"bf16\"", "\"fp17\"", 3,
                ".json: configuration.source: unknown format 'fp17'"},
        Mistake{"destination", "\"fp32\"", "\"e5m3x\"", 3,
                ".json: configuration.destination: unknown format 'e5m3x'"},
        Mistake{"block_format", "\"fp32\"", "\"mxfp4\"", 3,
                ".json: configuration.destination: format 'mxfp4': a block format"},
        Mistake{"configuration", "\"source\": \"bf16\"", "\"sources\": \"bf16\"", 2,
                "configuration.sources is no field of cvt records"},
        Mistake{"mdir", "\"top\"", "\"verilator\": [\"--Mdir\", \"/tmp/mx\"], \"top\"", 3,
                "verilator '--Mdir' would change what Verilator makes"},
        Mistake{"prefix", "\"top\"", "\"verilator\": [\"-prefix\", \"x\"], \"top\"", 3,
                "verilator '-prefix' would change"},
        Mistake{"version", "\"top\"", "\"verilator\": [\"-Wno-lint\", \"--version\"], \"top\"", 3,
                "verilator '--version' would change"},
        Mistake{"name", "\"top\"", "\"verilator\": [\"-o\", \"x\"], \"top\"", 3,
                "verilator '-o' would change"},
        Mistake{"latency", "\"valid\": \"out_valid_o\", \"ready\": \"out_ready_i\",", "", 3,
                "latency is missing"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(DeviceTest, ASourceWithoutANameIsRefused) {
  const std::string gone = file("gone.sv");
  std::ofstream(gone) << "module gone; endmodule\n";
  const int open_file = ::open(gone.c_str(), O_RDONLY);
  ASSERT_GE(open_file, 0);
  fs::remove(gone);
  const std::string behind = fmt::format("/proc/self/fd/{}", open_file);
  expect("run --dut device:" + variant("widen_bf16", {{"modules/widen_bf16.sv", behind}}), 3,
         "sources names " + behind + ", which the system finds no place for");
  ::close(open_file);
}

// Each once, though some are read in two places.
TEST_F(DeviceTest, MembersAreListedOnce) {
  const std::string wrong = variant("widen_bf16", {{"\"clock\"", "\"clk\""}});
  const ProgramEnd end =
      expect("run --dut device:" + wrong, 3, "here there may be device_schema, ");
  for (const char* const name : {" sources,", " top,", " operation,", " configuration,"}) {
    const std::size_t first = end.text.find(name);
    EXPECT_NE(first, std::string::npos) << name << end.tail();
    EXPECT_EQ(end.text.find(name, first + 1), std::string::npos) << name << end.tail();
  }
}

TEST_F(DeviceTest, WhatTheFileDoesNotOfferIsRefusedByName) {
  const std::string run = "run " + device("widen_bf16") + " ";
  expect(run + "--rounding toward_zero", 2, "rounding toward_zero: the device does ties_to_even");
  expect(run + "--op cvt", 0, "PASS ");
  for (const std::string op : {"block", "dot"})
    expect(fmt::format("{}--op {}", run, op), 2, fmt::format("--op {}: ", op));
  expect(run + "--observe flags", 2, "--observe flags: ");
  expect(run + "--stall some", 2, "some");
  expect(run + "--reset some", 2, "--reset 'some'");
  expect(run + "--pipe fifo", 2, "--pipe: ");
  expect("run --dut device", 2, "write --dut device:FILE.json");
  expect("run --dut device:nowhere.json", 3, "nowhere.json: cannot open");
  const std::string golden = gen("--op cvt --source fp32 --format e4m3fn --suite smoke");
  expect("run " + device("widen_bf16") + " --vectors " + golden, 2,
         "destination e4m3fn: the device does fp32");
}

// The device has no flags, and ocp-mx-1.0 leaves the code of a negative NaN open.
TEST_F(DeviceTest, AnEmptyRunIsNoPass) {
  const std::string golden =
      gen("--op cvt --source fp32 --format e4m3fn --suite smoke --profile ocp-mx-1.0");
  std::istringstream records(read(golden));
  int number = -1;
  for (std::string line; line.find(" ffc00000 ") == std::string::npos;) {
    ASSERT_TRUE(std::getline(records, line)) << "no negative NaN";
    number += line.starts_with('#') ? 0 : 1;
  }
  const ProgramEnd end =
      mxgold(fmt::format("run {} --vectors {} --only {}", device("fp32_to_e4m3"), golden, number));
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("NOTHING COMPARED in 1 records")) << end.tail();
}

TEST_F(DeviceTest, TwoRunsThatCompileAtOnceDoNotDisturbEachOther) {
  const fs::path cache = file("cache");
  const std::string before = "MXGOLD_CACHE=" + cache.string() + " ";
  ProgramEnd first, second;
  std::thread other(
      [&] { second = mxgold("run " + device("dot_fp4") + " --suite smoke", before); });
  first = mxgold("run " + device("dot_fp4") + " --suite smoke", before);
  other.join();
  EXPECT_EQ(first.exit, 0) << first.tail();
  EXPECT_EQ(second.exit, 0) << second.tail();
  EXPECT_EQ(first.digest(), second.digest());
  const auto entries = std::distance(fs::directory_iterator(cache / "devices"), {});
  EXPECT_EQ(entries, 2) << "beside a program and its list something unfinished is left";
}

/// What stands in the cache is the user's alone, or nothing of it is run. Tests run as root may
/// give files away.
class OwnCache : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    cache_ = file("own");
    setenv("MXGOLD_CACHE", cache_.c_str(), 1);
  }

  /// Compiles a text, if it is not there.
  [[nodiscard]] fs::path made() {
    return compiled("things", "key", "compiling", "thing", [&](const fs::path& folder) {
      write_file_below(folder / "thing", "made");
      fs::permissions(folder / "thing", fs::perms::all);
      ++times_;
    });
  }
  void expect_refused(const fs::path& path, const std::string& why) {
    try {
      static_cast<void>(made());
      ADD_FAILURE() << "taken, though " << path << ' ' << why;
    } catch (const CacheError& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with(path.native() + ": " + why)) << said;
      EXPECT_NE(said.find("set MXGOLD_CACHE to a folder of your own"), std::string::npos) << said;
    }
    if (path != cache_) return;
    const ProgramEnd end = mxgold("run " + device("fp32_to_e4m3") + " --suite smoke");
    EXPECT_EQ(end.exit, 3) << end.tail();
    EXPECT_TRUE(end.says(why)) << end.tail();
  }
  [[nodiscard]] static fs::perms mode(const fs::path& path) {
    return fs::symlink_status(path).permissions();
  }

  fs::path cache_;
  int times_ = 0;
};

TEST_F(OwnCache, IsMadeForTheUserAlone) {
  const fs::path thing = made();
  EXPECT_EQ(mode(cache_), fs::perms::owner_all);
  EXPECT_EQ(mode(cache_ / "things"), fs::perms::owner_all);
  EXPECT_EQ(mode(thing) & (fs::perms::group_write | fs::perms::others_write), fs::perms::none);
  // One of earlier programs, which others may read.
  fs::permissions(cache_, fs::perms(0755));
  fs::permissions(cache_ / "things", fs::perms(0755));
  EXPECT_EQ(made(), thing);
  EXPECT_EQ(times_, 1);
}

TEST_F(OwnCache, OthersMayNotWriteAnyOfIt) {
  const fs::path thing = made();
  for (const fs::path& path : {thing, cache_ / "things", cache_}) {
    for (const fs::perms extra : {fs::perms::group_write, fs::perms::others_write}) {
      const fs::perms before = mode(path);
      fs::permissions(path, before | extra);
      expect_refused(path, "can be written by others (mode ");
      fs::permissions(path, before);
      EXPECT_EQ(made(), thing);
    }
  }
  EXPECT_EQ(times_, 1);
}

TEST_F(OwnCache, NoLinkIsFollowed) {
  const fs::path thing = made();
  for (const fs::path& path : {thing, cache_ / "things", cache_}) {
    const fs::path elsewhere = path.native() + "_elsewhere";
    fs::rename(path, elsewhere);
    fs::create_symlink(elsewhere, path);
    expect_refused(path, "is a symbolic link");
    setenv("MXGOLD_CACHE", (cache_.native() + "/").c_str(), 1);  // lstat() would follow it
    expect_refused(path, "is a symbolic link");
    fs::remove(path);
    fs::create_symlink("nowhere", path);
    expect_refused(path, "is a symbolic link");
    fs::remove(path);
    fs::rename(elsewhere, path);
    EXPECT_EQ(made(), thing);
  }
  std::ofstream(file("file")) << "a file";
  setenv("MXGOLD_CACHE", file("file").c_str(), 1);
  EXPECT_THROW(static_cast<void>(made()), golden::VectorError);
}

TEST_F(OwnCache, NothingOfAnotherUserIsTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const fs::path thing = made();
  for (const fs::path& path : {thing, cache_ / "things", cache_}) {
    ASSERT_EQ(::lchown(path.c_str(), 4242, 4242), 0);
    expect_refused(path, "belongs to user 4242, not to user 0");
    ASSERT_EQ(::lchown(path.c_str(), 0, 0), 0);
    EXPECT_EQ(made(), thing);
  }
  // Where nothing is set it is a name that anybody could have taken.
  const std::string before =
      "env -u HOME -u XDG_CACHE_HOME -u MXGOLD_CACHE TMPDIR='" + file("t") + "' ";
  const fs::path taken = fs::path(file("t")) / "mxgold-0";
  fs::create_directories(taken);
  ASSERT_EQ(::lchown(taken.c_str(), 4242, 4242), 0);
  const ProgramEnd end = mxgold("run " + device("fp32_to_e4m3") + " --suite smoke", before);
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("mxgold-0: belongs to user 4242, not to user 0")) << end.tail();
  EXPECT_TRUE(fs::is_empty(taken));
}

/// What a run would start lies in a folder that is looked at as a whole.
TEST_F(OwnCache, FoldersAreLookedAtAsAWhole) {
  const auto folder = [&] {
    return fs::path(
        compiled_of_files("things", "key", "compiling", "all", [](const fs::path& work) {
          write_file_below(work / "all" / "program", "made");
          return ReadFiles();
        }));
  };
  const fs::path made = folder();
  const fs::path list = cache_ / "things" / "key.read";
  for (const fs::path& path : {made / "program", made, list}) {
    const fs::perms before = mode(path);
    fs::permissions(path, before | fs::perms::others_write);
    EXPECT_THROW(static_cast<void>(folder()), CacheError) << path;
    fs::permissions(path, before);
    EXPECT_EQ(folder(), made);
  }
}

TEST_F(DeviceTest, FilesAndFoldersMayHaveAnyNameThatMakeKnowsOtherwise) {
  const fs::path odd = file("a b'c\"d;e#f:g\\i%j&k*l?m[n]o(p)q=r,s`t~u|v<w>x");
  fs::create_directories(odd / "in clude");
  const std::string text = read(std::string(MX_DEVICES) + "/modules/fp32_to_e4m3.sv");
  const std::size_t end = text.find("endmodule");
  // It asks for a plusarg, too, and is told that there is none.
  std::ofstream(odd / "in clude" / "end of.svh") << "initial if ($test$plusargs(\"x\")) $fatal;\n"
                                                 << text.substr(end);
  std::ofstream(odd / "a (module).sv") << text.substr(0, end) << "`include \"end of.svh\"\n";
  fs::copy_file(variant("fp32_to_e4m3", {{"modules/fp32_to_e4m3.sv\"]",
                                          "a (module).sv\"], \"include\": [\"in clude\"]"}}),
                odd / "device.json");
  setenv("MX_ODD", odd.c_str(), 1);
  const ProgramEnd run = mxgold("run --suite smoke --dut \"device:$MX_ODD/device.json\"");
  EXPECT_EQ(run.exit, 0) << run.tail();
}

// A folder of programs without the compiler stands for a machine without it.
TEST_F(DeviceTest, AMissingCompilerIsNamed) {
  fs::create_directories(file("bin"));
  for (const char* const each : {"sh", "make", "perl", "env", "verilator", "verilator_bin"}) {
    const ProgramEnd found = mxgold(std::string(">/dev/null 2>&1; command -v ") + each);
    ASSERT_EQ(found.exit, 0) << each;
    fs::create_symlink(found.text.substr(0, found.text.find('\n')), fs::path(file("bin")) / each);
  }
  const std::string before = "PATH='" + file("bin") + "' MXGOLD_CACHE='" + file("cache") + "' ";
  const ProgramEnd end = mxgold("run " + device("fp32_to_e4m3") + " --suite smoke", before);
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("the programs make and g++ are needed")) << end.tail();
}

TEST_F(DeviceTest, AMissingHeaderOfWaveformsIsNamed) {
  fs::create_directories(file("bin"));
  const std::string make = file("bin") + "/make";
  std::ofstream(make)
      << "#!/bin/sh\necho 'verilated_fst_c.cpp:40: fatal error: zlib.h: No such file'; exit 2\n";
  fs::permissions(make, fs::perms::owner_all);
  const std::string before =
      "PATH='" + file("bin") + "':\"$PATH\" MXGOLD_CACHE='" + file("cache") + "' ";
  const ProgramEnd end =
      mxgold("run " + device("fp32_to_e4m3") + " --suite smoke --waves " + file("w.fst"), before);
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("install zlib1g-dev")) << end.tail();
}

// A list of options says what a device file may not; and a machine without room is no bad module.
TEST_F(DeviceTest, AVerilatorThatMakesNothingOrHasNoRoomIsNamed) {
  const std::string before = "MXGOLD_CACHE='" + file("cache") + "' ";
  std::ofstream(file("options.f")) << "--Mdir " << file("out") << "\n--lint-only\n";
  const std::string listed =
      variant("widen_bf16",
              {{"\"top\"", "\"verilator\": [\"-f\", \"" + file("options.f") + "\"], \"top\""}});
  const ProgramEnd end = mxgold("run --suite smoke --dut device:" + listed, before);
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("ended well and made no Vdevice.h")) << end.tail();
  EXPECT_FALSE(fs::exists(file("out")));
  const std::string full = file("full");
  std::ofstream(full) << "#!/bin/sh\ntest \"$1\" = --version && exit 0\n"
                         "echo '%Error: Cannot write x: No space left on device'; exit 1\n";
  fs::permissions(full, fs::perms::owner_all);
  const ProgramEnd lack = mxgold("run " + device("widen_bf16") + " --suite smoke",
                                 before + "MXGOLD_VERILATOR='" + full + "' ");
  EXPECT_EQ(lack.exit, 7) << lack.tail();
  EXPECT_TRUE(lack.says("No space left on device")) << lack.tail();
  EXPECT_FALSE(lack.says("the module does not compile")) << lack.tail();
}

TEST_F(DeviceTest, ACacheWhereMakeCannotBuildIsRefusedWithTheRemedy) {
  const std::string before = "MXGOLD_CACHE='" + file("c d") + "' ";
  const ProgramEnd spaced = mxgold("run " + device("fp32_to_e4m3") + " --suite smoke", before);
  EXPECT_EQ(spaced.exit, 3) << spaced.tail();
  EXPECT_TRUE(
      spaced.says("c d/devices: has a space in its path, where make cannot build; set "
                  "MXGOLD_CACHE"))
      << spaced.tail();
  const std::string odd = "MXGOLD_CACHE='" + file("c\"d;e#f:g$h\\i%j&k*l") + "' ";
  const ProgramEnd other = mxgold("run " + device("fp32_to_e4m3") + " --suite smoke", odd);
  EXPECT_EQ(other.exit, 0) << other.tail();
}

TEST_F(DeviceTest, OurOwnQuantizerOfEightLanesPasses) {
  const std::string run = "run " + device("quantizer_8") + " --suite smoke";
  expect(run, 0, "PASS 9,866/9,866");
  expect(run + " --source fp16 --format mxfp4 --stall heavy --reset sweep", 0, "PASS ");
}

}  // namespace
}  // namespace mx::sim::test
