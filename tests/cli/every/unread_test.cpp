// Options that nothing reads beside the others: refused by name, and taken where something does.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test::unread_test {
namespace {

struct Line {
  const char* words;   ///< a command line; @ is a file of two fp32 values
  const char* option;  ///< the one that nothing reads
};

constexpr Line kUnread[] = {
    {"explain --format e4m3fn --block-size 16 1", "--block-size"},
    {"explain --format fp8_e4m3_fp32_row --block-size 16 1", "--block-size"},
    {"explain --format e4m3fn --tensor-amax 16 1", "--tensor-amax"},
    {"explain --format e4m3fn --tensor-scale 3 1", "--tensor-scale"},
    {"explain --format e4m3fn --rule rceil 1", "--rule"},
    {"explain --format e4m3fn --inf-block all_nan 1", "--inf-block"},
    {"explain --format mxfp4 --four-over-six mse_448 1", "--four-over-six"},
    {"explain --format mxfp4 --scale-rounding to_odd 1", "--scale-rounding"},
    {"explain --format mxfp4 --ratio-op fp32_div 1", "--ratio-op"},
    {"explain --format mxfp4 --random-bits 8 1", "--random-bits"},
    {"explain --format e4m3fn --random 8 1", "--random"},
    {"explain --format e4m3fn --seed 8 1", "--seed"},
    {"explain --format mxfp8_e4m3 --scale 7f --rule rceil 38", "--rule"},
    {"explain --format mxfp8_e4m3 --scale 7f --overflow sat_finite 38", "--overflow"},
    {"explain --format mxfp8_e4m3 --scale 7f --random-bits 8 38", "--random-bits"},
    {"explain --format mxfp4 --scale 7f --profile te --profile mxgold-default 1", "--profile"},
    {"gen --op cvt --lanes 64", "--lanes"},
    {"gen --op arith --lanes 1", "--lanes"},
    {"gen --op cvt --lengths full", "--lengths"},
    {"gen --op cast --format dmx:MXINT8{32} --lengths full", "--lengths"},
    {"gen --input @ --lengths full", "--lengths"},
    {"gen --input @ --lanes 32", "--lanes"},
    {"gen --input @ --count 5", "--count"},
    {"gen --input @ --op cvt --axis 0", "--axis"},
    {"gen --tensor x", "--tensor"},
    {"gen --axis 0", "--axis"},
    {"gen --suite dir --count 5", "--count"},
    {"gen --count 10000", "--count"},
    {"gen --sv-package mine", "--sv-package"},
    {"gen --kind mem --sv -", "--sv"},
    {"gen --format mxfp4 --four-over-six mse_448", "--four-over-six"},
    {"gen --format mxfp4,nvfp4 --even-carry to_nan", "--even-carry"},
    {"gen --op dequantize --format mxfp4 --rule rceil", "--rule"},
    {"gen --op thr --count 5 -o .", "--count"},
    {"gen --op thr --dry-run -o .", "--dry-run"},
    {"gen --op thr --rounding to_odd -o .", "--rounding"},
    {"run --dut reference --op cvt --axis 0", "--axis"},
    {"run --dut reference --op cvt --tensor x", "--tensor"},
    {"run --dut reference --op cvt --lanes 4", "--lanes"},
    {"run --dut reference --count 5", "--count"},
    {"run --dut reference --op cvt --count 5", "--count"},
    {"run --dut reference --input @ --elements 50", "--elements"},
    {"run --dut reference --shrink-time 5", "--shrink-time"},
    {"run --dut reference --time-out 5", "--time-out"},
    {"run --dut reference --op cvt --time-out 5", "--time-out"},
    {"run --dut reference --scale-rounding to_odd", "--scale-rounding"},
    {"sweep --source bf16 --random 5", "--random"},
    {"sweep --source bf16 --random-bits 5", "--random-bits"},
    {"sweep --source bf16 --rule ceil", "--rule"},
    // Policies that the rounding, the format or the rule leaves nothing to say.
    {"explain --format binary8p4se_k32 --zero-block-scale one 0", "--zero-block-scale"},
    {"gen --format binary8p4se_k32 --inf-block scale_max", "--inf-block"},
    {"quantize @ -o - --format nvfp4 --rule nvfp4_ggml --scale-floor min_normal", "--scale-floor"},
    {"explain --format nvfp4 --scale-sat to_nan 1", "--scale-sat"},
    {"gen --format mxfp4 --random-bits 4", "--random-bits"},
    {"gen --op cvt --random-bits 4", "--random-bits"},
    {"gen --suite policy --rounding to_odd --rule floor --random-bits 4", "--random-bits"},
    {"run --dut reference --op cvt --random-bits 4", "--random-bits"},
    {"run --dut reference --suite dir --rounding to_odd --random-bits 4", "--random-bits"},
    {"run --dut reference --input @ --random-bits 4", "--random-bits"},
    {"quantize @ -o - --format mxfp4 --seed 7", "--seed"},
    {"quantize @ -o - --format e4m3fn --seed 0", "--seed"},
    {"quantize @ -o - --format mxfp4 --int-min allow", "--int-min"},
    {"quantize @ -o - --format mxfp4 --e8m0-quirk onnx_up", "--e8m0-quirk"},
    {"explain --format e4m3fn --int-min allow 1", "--int-min"},
    {"explain --format mxfp8_e4m3 --int-min clamp_symmetric 1", "--int-min"},
    {"explain --format nvfp4 --e8m0-quirk onnx_up 1", "--e8m0-quirk"},
    {"explain --format mxfp4 --rule rceil --e8m0-quirk onnx_nearest 1", "--e8m0-quirk"},
    {"explain --format e4m3fn --unsigned-negative to_nan 1", "--unsigned-negative"},
    {"explain --format e4m3fn --zero-in nan 1", "--zero-in"},
    {"explain --format int8 --zero-sign flush_input 1", "--zero-sign"},
    {"gen --format mxfp4 --int-min allow", "--int-min"},
    {"gen --format mxfp4 --e8m0-quirk onnx_up", "--e8m0-quirk"},
    {"gen --op cvt --e8m0-quirk onnx_up", "--e8m0-quirk"},
    {"gen --op cvt --format int8 --zero-in nan", "--zero-in"},
    {"gen --op arith --format fp16 --int-min allow", "--int-min"},
    {"gen --op cvt --tensor-amax 5", "--tensor-amax"},
    {"run --dut reference --op cvt --int-min allow", "--int-min"},
    {"run --dut reference --format mxfp4 --int-min allow", "--int-min"},
    {"sweep --source bf16 --int-min allow", "--int-min"}};

/// What reads each of them.
constexpr const char* kRead[] = {
    "explain --format mxfp4 --block-size 16 1", "explain --format nvfp4 --tensor-amax 16 1",
    "explain --format nvfp4 --tensor-scale 3 1",
    "explain --format mxfp4 --rule rceil --ratio-op fp32_div 1",
    "explain --format nvfp4 --rule nvfp4_4over6 --four-over-six mse_448 1",
    "explain --format mxfp4 --rule stoch_exp --random 8 1",
    "explain --format mxfp4 --profile all --rounding stochastic_a --seed 8 1",
    "explain --format nvfp4 --scale 38 --tensor-scale 3 --rule nvfp4_torchao 3",
    "explain --format mxfp4 --scale 7f --dst-ftz post 3",
    "gen --op dot --lanes 8 --lengths full --dry-run", "gen --op cvt --lengths vary --dry-run",
    "gen --format fp8_e4m3_fp32_row --lanes 8 --dry-run",
    "gen --input @ --tensor data --axis 0 --dry-run", "gen --suite rnd --count 5 --dry-run",
    "gen --suite policy --count 5 --dry-run",
    "gen --kind mem --sv-package mine --sv /dev/null --dry-run",
    "gen --format mxfp4 --rule floor,even_up --even-carry to_nan --dry-run",
    "gen --op dequantize --format nvfp4 --rule nvfp4_torchao --dry-run",
    "run --dut reference --op cvt --suite rnd --count 5 --dry-run",
    "run --dut reference --elements 50 --dry-run",
    "run --dut reference --shrink /dev/null --shrink-time 5 --dry-run",
    "sweep --dut reference --source bf16 --rounding stochastic_a --random 5 --dry-run",
    "gen --format mxfp4 --rounding to_odd,stochastic_a --random-bits 4 --dry-run",
    "gen --format mxfp4 --rule stoch_exp --random-bits 4 --dry-run",
    "gen --suite policy --count 9 --random-bits 4 --dry-run",
    // The suite of a device with a clock draws further configurations.
    "run --dut reference --rounding to_odd --rule floor --random-bits 4 --dry-run",
    "quantize @ -o /dev/null --format mxfp4 --rounding stochastic_a --seed 7",
    "quantize @ -o /dev/null --format mxint8 --int-min allow",
    "quantize @ -o /dev/null --format mxfp4 --rule rceil --e8m0-quirk onnx_up",
    "explain --format int8 --int-min allow 1",
    "explain --format e8m0 --unsigned-negative to_nan --zero-in nan 1",
    "explain --format mxfp4 --rule nearest_val --e8m0-quirk onnx_nearest 1",
    "explain --format e4m3fn --zero-sign flush_input 1",
    "gen --format mxfp4,mxint8 --int-min allow --dry-run",
    "gen --op cvt --format e8m0 --e8m0-quirk onnx_up --dry-run"};

std::vector<std::string> split(const std::string& words, const std::string& file) {
  std::istringstream stream(words);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word == "@" ? file : word);
  return list;
}

class Unread : public testing::Test {
 protected:
  Unread() : file_(scratch_.write("x.npy", npy_array("<f4", "(2,)", "abcdefgh"))) {}

  [[nodiscard]] ProgramEnd end_of(const char* line) const {
    return run_program(split(line, file_));
  }

 private:
  Scratch scratch_;
  std::string file_;
};

TEST_F(Unread, OptionsAreRefusedByName) {
  for (const Line& line : kUnread) {
    const ProgramEnd end = end_of(line.words);
    EXPECT_EQ(end.status, 2) << line.words << '\n' << end.err;
    EXPECT_NE(end.err.find(std::string(line.option)), std::string::npos) << line.words << '\n'
                                                                         << end.err;
    EXPECT_EQ(end.out, "") << line.words;
  }
}

TEST_F(Unread, OptionsThatAreReadAreTaken) {
  for (const char* line : kRead) {
    const ProgramEnd end = end_of(line);
    EXPECT_EQ(end.status, 0) << line << '\n' << end.err;
  }
}

// Two outputs would stand in one file.
TEST_F(Unread, TwoOutputsOfOneNameAreRefused) {
  for (const char* line : {"run --dut reference --html - --junit -",
                           "run --dut reference --cover a.json --shrink a.json"}) {
    const ProgramEnd end = end_of(line);
    EXPECT_EQ(end.status, 2) << line;
    EXPECT_NE(end.err.find("writes there too"), std::string::npos) << end.err;
    EXPECT_EQ(end.out, "") << line;
  }
}

// What is wrong, and where.
TEST_F(Unread, MessagesNameWhatIsWrong) {
  constexpr Line kMessages[] = {
      {"verify-goldens --judge orcale x.tv", "did you mean 'oracle'?"},
      {"gen --op thr -o no/such/folder", "there is no such folder"},
      {"gen --op cvt --result bf16", "goes with --op dot, dequantize and mma"},
      {"gen --op mma", "give --unit"},
      {"gen --op mma --unit h100", "known: v100_f16, t4_f16"},
      {"gen --op mma --unit h100_f16 --format mxfp4", "takes no scales"},
      {"gen --op mma --unit h100_f16 --format e4m3fn", "does not multiply operands"},
      {"gen --op mma --unit h100_f16 --rounding to_odd", "--rounding"},
      {"gen --op mma --unit h100_f16 --profile onnx", "profiles speak of"},
      {"gen --op mma --unit b200_mxf4 --scale-format e4m3fn", "takes scales of e8m0"},
      {"gen --op mma --unit mi200_f16 --lanes 6", "whole groups of 4"},
      {"gen --op dot --unit h100_f16", "goes with --op mma"},
      {"list units te", "list units shows all there are"},
      {"list profiles te --markdown", "--markdown: writes all profiles"},
      {"run --dut reference --only 99999999", "the blocks are 0 to"},
      {"run --dut process:cat --time-out 0", "--time-out 0: give seconds above 0"},
      {"run --dut process:cat --start-time-out 0", "--start-time-out 0: give seconds above 0"},
      {"run --dut reference --time-limit 0", "--time-limit 0: give seconds above 0"},
      {"run --dut reference --op cvt --only 99999999", "the records are 0 to"},
      {"run --dut reference --input @ --source bf16", "no tensor is bf16"},
      {"run --dut reference --op cvt --input @ --source bf16", "no tensor is bf16"}};
  for (const Line& line : kMessages) {
    const ProgramEnd end = end_of(line.words);
    EXPECT_EQ(end.status, 2) << line.words << '\n' << end.err;
    EXPECT_NE(end.err.find(line.option), std::string::npos) << line.words << '\n' << end.err;
  }
  const ProgramEnd missing = end_of("replay nope.json");
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.err.find("name an existing file"), std::string::npos) << missing.err;
  EXPECT_NE(run_program({"gen", "--help-all"}).out.find("dequantize | mma (a matrix unit) | thr"),
            std::string::npos);
}

}  // namespace
}  // namespace mx::cli::test::unread_test
