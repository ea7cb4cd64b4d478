// Waveforms of failures: the cycles that matter are in them, what was long before is not. They are
// read back by a reader of their own (fst.py).
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

class WavesTest : public DeviceTest {
 protected:
  [[nodiscard]] std::string widen(int defect) {
    return "--dut device:" +
           variant("widen_bf16", {{"\"DEFECT\": 0", fmt::format("\"DEFECT\": {}", defect)}});
  }
  /// What a reader of its own finds in a waveform.
  [[nodiscard]] static std::string table(const std::string& path, const std::string& names = "") {
    const std::string command = MX_FST " " + path + " " + names + " 2>&1";
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
      text.append(buffer.data(), got);
    }
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

// The last two evaluations: an answer waits, the clock rises, another answer waits.
TEST_F(WavesTest, ShowTheCycleThatBreaksTheProtocol) {
  const std::string waves = file("w.fst");
  const ProgramEnd end =
      expect("run " + widen(2) + " --suite smoke --waves " + waves, 4, "up to the broken protocol");
  const auto lines =
      lines_of(table(waves, "clk_i out_valid_o out_ready_i out_data_o in_data_i full_q"));
  ASSERT_GE(lines.size(), 3U);
  const auto data = [](const std::string& line) {
    const std::size_t at = line.find("out_data_o=");
    return line.substr(at, line.find(' ', at) - at);
  };
  bool is_seen = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool waits = lines[i - 1].find("out_valid_o=1 out_ready_i=0") != std::string::npos &&
                       lines[i].find("clk_i=1 out_valid_o=1 out_ready_i=0") != std::string::npos;
    is_seen = is_seen || (waits && data(lines[i]) != data(lines[i - 1]));
  }
  EXPECT_TRUE(is_seen) << end.tail();
  EXPECT_TRUE(table(waves).find("TOP.widen_bf16.dirty_q 1") != std::string::npos);
}

// The 401st beat is wrong: what came long before it is not recorded, and the wrong answer is.
TEST_F(WavesTest, AreAWindowThatEndsAtTheWrongAnswer) {
  const std::string device = widen(9);
  const std::string waves = file("w.fst"), small = file("s.json");
  const std::string run = "run " + device + " --suite smoke --stall none --reset none ";
  const ProgramEnd end = expect(run + "--waves " + waves, 1, "up to the first wrong answer");
  EXPECT_TRUE(end.says("MISMATCH record 1600")) << end.tail();
  EXPECT_LE(fs::file_size(waves), 100'000U);
  const auto lines = lines_of(table(waves, "clk_i out_valid_o beats_q"));
  // 256 cycles and what follows, two evaluations each.
  EXPECT_LE(lines.size(), 520U);
  EXPECT_GE(lines.size(), 500U);
  EXPECT_GT(std::stoi(lines.front()), 100) << "the beginning is recorded too";
  const std::string all = table(waves, "beats_q");
  EXPECT_NE(all.find("beats_q=0000000110010001"), std::string::npos) << "401";
  EXPECT_EQ(all.find("beats_q=0000000110011000"), std::string::npos) << "408: long after";
  // The smallest case, and the same from its replay.
  expect(run + "--shrink-time 1 --shrink " + small + " --waves " + waves, 1, "waves: ");
  expect("replay " + small + " --trust --waves " + file("r.fst"), 1,
         "up to the first wrong answer");
  EXPECT_EQ(table(waves, "clk_i beats_q out_data_o"),
            table(file("r.fst"), "clk_i beats_q out_data_o"));
  // The module mended: its last cycles.
  expect("replay " + small + " " + widen(0) + " --waves " + file("r.fst"), 0,
         "up to the last answer");
}

TEST_F(WavesTest, AreOfAssertionsAndOfModulesWithoutAClockToo) {
  const std::string waves = file("w.fst");
  expect("run " + widen(7) + " --suite smoke --waves " + waves, 4, "waves: ");
  EXPECT_NE(table(waves, "full_q in_valid_i").find("full_q=1 in_valid_i=1"), std::string::npos);
  const std::string wrong =
      variant("fp32_to_e4m3", {{"\"top\"", "\"define\": {\"DEFECT\": 1}, \"top\""}});
  expect("run --dut device:" + wrong + " --suite smoke --waves " + file("c.fst"), 1, "waves: ");
  EXPECT_NE(table(file("c.fst"), "x_i y_o").find("y_o="), std::string::npos);
}

TEST_F(WavesTest, AreRefusedWhereNothingCanRecord) {
  const std::string waves = " --waves " + file("w.fst");
  expect("run --dut reference" + waves, 2, "--waves: reference has no build that can record; rtl");
  expect("run --dut process:cat --op cvt" + waves, 2, "--waves: process:cat has no build");
  expect("run " + device("widen_bf16") + " --waves " + file("w.json"), 2, ".fst");
  expect("run " + device("widen_bf16") + " --waves " + file("none/w.fst"), 3, "none/w.fst");
  expect("run " + device("widen_bf16") + waves, 0, "waves: nothing failed, no file written");
  EXPECT_FALSE(fs::exists(file("w.fst")));
  const std::string wrong = "run " + widen(2) + " --suite smoke --waves ";
  expect(wrong + "/dev/full", 3, "/dev/full");
  // A waveform on standard output, and nothing else there.
  const std::string rest = " 2>/dev/null >" + file("out.fst") + " #";
  EXPECT_EQ(mxgold(wrong + "-" + rest).exit, 4);
  EXPECT_NE(table(file("out.fst"), "out_data_o"), "");
}

// What a defect of the reference shrank to, through our RTL, which has it right.
TEST_F(WavesTest, AreOfOurRtlToo) {
  const std::string small = file("s.json"), waves = file("w.fst");
  expect(
      "run --dut reference:ties_to_away_for_even --format e2m1fn --source fp32 --rule floor "
      "--rounding ties_to_even --shrink " +
          small,
      1, "MISMATCH block 0");
  expect("replay " + small + " --dut rtl --waves " + waves, 0, "up to the last answer");
  EXPECT_LE(fs::file_size(waves), 100'000U);
  const std::string all = table(waves);
  for (const char* const signal : {"TOP.mx_quantizer.s_axis_tdata 1024", "u_core.", "u_round."}) {
    EXPECT_NE(all.find(signal), std::string::npos) << signal;
  }
  // The answer is the last thing in it: valid comes once.
  int answers = 0;
  for (const std::string& line : lines_of(table(waves, "clk_i m_axis_tvalid m_axis_tready"))) {
    answers += line.find("clk_i=0 m_axis_tvalid=1 m_axis_tready=1") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(answers, 1);
}

TEST_F(WavesTest, SourcesOfTheRtlThatAreNoneAreRefused) {
  expect("run --dut rtl:" + file("none"), 3, "no mx_quantizer.sv; give the folder of the RTL");
  std::ofstream(file("mx_quantizer.sv")) << "module mx_quantizer; wrong\n";
  expect("run --dut rtl:" + file("."), 3, "the RTL does not compile:\n  %Error");
}

}  // namespace
}  // namespace mx::sim::test
