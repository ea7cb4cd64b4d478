// mxgold new dut: device files told from the ports of modules, skeletons of models, files for CI;
// and what nobody has filled in yet is refused.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

using Json = nlohmann::json;

class NewDut : public DeviceTest {
 protected:
  /// Writes a file into the test's folder; its path.
  std::string put(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  /// A listing of a page: the block of code with this title.
  static std::string listing(const std::string& page, const std::string& title) {
    const std::string text = read(std::string(MX_ROOT) + "/" + page);
    const std::string mark = "title=\"" + title + "\"\n";
    const std::size_t start = text.find(mark) + mark.size();
    return text.substr(start, text.find("\n```", start) + 1 - start);
  }
  /// What is written for sources; "" where it is refused.
  Json made(const std::string& arguments, const std::string& name) {
    const ProgramEnd end = mxgold("new dut --ci none -o " + file("made") + " " + arguments);
    EXPECT_EQ(end.exit, 0) << arguments << '\n' << end.tail();
    const Json json = Json::parse(read(file("made/" + name + ".json")), nullptr, false);
    std::filesystem::remove_all(file("made"));
    return json;
  }
  static Json of_tests(const std::string& name) {
    return Json::parse(read(std::string(MX_DEVICES) + "/" + name + ".json"));
  }
};

/// What both of two device files say alike.
void expect_same(const Json& made, const Json& reviewed,
                 std::initializer_list<const char*> members) {
  for (const char* member : members) {
    EXPECT_EQ(made.value(member, Json()), reviewed.value(member, Json())) << member << '\n' << made;
  }
}

// The tutorial's module needs no line filled in: what was told from its ports and its comment is
// what the tutorial's author wrote.
TEST_F(NewDut, TheTutorialsModuleIsDescribedWhole) {
  const std::string source = put("quantizer.sv", listing("docs/start/rtl.md", "quantizer.sv"));
  const std::string rtl = std::string(MX_ROOT) + "/rtl";
  const Json json = made(rtl + "/mx_pkg.sv " + source + " -y " + rtl, "quantizer");
  const Json tutorial = Json::parse(listing("docs/start/rtl.md", "quantizer.json"));
  expect_same(json, tutorial,
              {"device_schema", "top", "operation", "lanes", "clock", "reset", "input", "output"});
  EXPECT_EQ(json["configuration"], (Json{{"source", "bf16"}, {"format", "mxfp4"}}));
  EXPECT_EQ(json.dump().find("FILL IN"), std::string::npos) << json;
}

TEST_F(NewDut, ModulesOfTheTestsAreDescribedAsTheirFilesDo) {
  const std::string modules = std::string(MX_DEVICES) + "/modules/";
  const Json widen = made(modules + "widen_bf16.sv --source bf16 --format fp32", "widen_bf16");
  expect_same(widen, of_tests("widen_bf16"),
              {"operation", "records", "clock", "reset", "input", "parameter"});
  EXPECT_EQ(widen["output"]["valid"], "out_valid_o");
  const Json e4m3 = made(modules + "fp32_to_e4m3.sv --rounding RNE", "fp32_to_e4m3");
  expect_same(e4m3, of_tests("fp32_to_e4m3"), {"operation", "clock", "input"});
  EXPECT_EQ(e4m3["configuration"]["source"], "fp32");
  EXPECT_EQ(e4m3["configuration"]["destination"], "e4m3fn");
  EXPECT_EQ(e4m3["configuration"]["rounding"], "ties_to_even");
  const Json back =
      made(modules + "dequantize_fp4.sv --format MXFP4 --result bf16", "dequantize_fp4");
  expect_same(back, of_tests("dequantize_fp4"), {"operation", "lanes", "input", "output"});
}

TEST_F(NewDut, WhatTheModuleDoesNotSayIsToBeFilledIn) {
  const std::string source =
      put("mystery.sv",
          "module mystery (input wire clk, input wire rst, input wire mode,\n"
          "                input wire [31:0] x, output reg [7:0] y);\n"
          "  always @(posedge clk or posedge rst) y <= rst ? 0 : x[31:24] ^ {8{mode}};\n"
          "endmodule\n");
  const ProgramEnd end =
      expect("new dut --ci none " + source + " -o " + file("."), 0, "to fill in; look for FILL IN");
  const std::string path = file("mystery.json");
  const Json json = Json::parse(read(path));
  EXPECT_EQ(json["reset"], (Json{{"port", "rst"}, {"active", "high"}, {"kind", "asynchronous"}}));
  EXPECT_EQ(json["clock"], "clk");
  const ProgramEnd run =
      expect("run --dut device:" + path + " --suite smoke", 3, "to be filled in");
  for (const char* place : {"configuration.source: the source format",
                            "configuration.destination: ", "tie.mode: its constant value"}) {
    EXPECT_TRUE(run.says(place)) << run.tail();
  }
  // No file is replaced.
  const std::string before = read(path);
  expect("new dut --ci none " + source + " --format e4m3fn -o " + file("."), 2, "is there already");
  EXPECT_EQ(read(path), before);
}

// The bench of a converter without a clock needs no line; one of another ends until it is filled
// in.
TEST_F(NewDut, ABenchIsWholeForAConverterWithoutAClock) {
  if (mxgold("dpi --sv --ldflags").exit != 0)
    GTEST_SKIP() << "no DPI-C: apt install verilator, then build mxgold again";
  const std::string source =
      put("to_e5m2.sv",
          "// FP16 to E5M2, ties away.\n"
          "module to_e5m2 (input logic [15:0] half_i, output logic [7:0] code_o);\n"
          "  wire is_nan = half_i[14:10] == 5'h1F && half_i[9:0] != 0;\n"
          "  wire up = half_i[7] && (half_i[8] || half_i[6:0] != 0);\n"
          "  assign code_o = is_nan ? 8'h7F : half_i[15:8] + {7'd0, up};\n"
          "endmodule\n");
  const ProgramEnd end =
      expect("new dut --bench " + source + " --overflow none_inf_or_nan -o " + file("."), 0,
             "run: verilator");
  EXPECT_FALSE(end.says("fill in")) << end.tail();
  const std::string command = "cd " + file(".") +
                              " && export PATH=$(dirname " MXGOLD "):$PATH && (" +
                              end.text.substr(end.text.find("run: ") + 5) + ") > bench.log 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_NE(read(file("bench.log")).find("PASS to_e5m2: 65536 records expected"), std::string::npos)
      << status << end.tail() << read(file("bench.log"));
  const std::string clocked =
      put("clocked.sv",
          "module clocked (input logic clk, input logic [15:0] x, output logic [7:0] y);\n"
          "  always @(posedge clk) y <= x[15:8];\nendmodule\n");
  expect("new dut --bench " + clocked + " --source fp16 --format e5m2 -o " + file("."), 0,
         "1 line is to fill in");
  EXPECT_NE(read(file("clocked_tb.sv")).find("$fatal(1, \"fill in the stimulus"),
            std::string::npos);
}

TEST_F(NewDut, APluginCompilesAndRefusesUntilItIsFilledIn) {
  const std::string header =
      put("my_model.h",
          "#include <stdint.h>\n"
          "/* int not_this(void); */\n"
          "int my_model(const float* x, int n, uint8_t *scale, uint8_t *code);\n");
  const ProgramEnd end =
      expect("new dut " + header + " --format mxfp8_e4m3 -o " + file("."), 0, "run: ");
  const std::string text = read(file("my_model_plugin.cpp"));
  EXPECT_NE(text.find("int my_model(const float* x, int n, uint8_t *scale, uint8_t *code);"),
            std::string::npos);
  EXPECT_EQ(text.find("not_this"), std::string::npos);
  const auto compile = [&] {
    const std::string command = "cd " + file(".") +
                                " && c++ -std=c++17 -Wall -Wextra -Werror -shared -fPIC $(" MXGOLD
                                " dpi --cflags) my_model_plugin.cpp -o libmy_model.so";
    EXPECT_EQ(std::system(command.c_str()), 0);
  };
  compile();
  const std::string run = "run --dut plugin:" + file("libmy_model.so") + " --suite smoke";
  expect(run, 4, "fill in quantize() in my_model_plugin.cpp");
  // Filled in with an answer of zeros: wrong, but a device. It may say what it computes in names of
  // the field.
  std::string filled = std::regex_replace(
      text, std::regex("\\n  return false;"),
      "\n  *scale = 0;\n  for (std::uint64_t i = 0; i < kLanes; ++i) code[i] = 0;\n  return true;");
  const std::string even = "\"ties_to_even\"";
  filled.replace(filled.find(even), even.size(), "\"RNE\"");
  put("my_model_plugin.cpp", filled);
  compile();
  expect(run, 1, "FAIL ");
}

TEST_F(NewDut, AModelOnAPipeRefusesUntilItIsFilledIn) {
  expect("new dut my_accel -o " + file("."), 0, "1 line is to fill in");
  const std::string path = file("my_accel.py");
  const std::string run = "run --dut 'process:python3 " + path +
                          "' --format mxfp4 --observe scale,code --lengths full --suite smoke";
  expect(run, 4, "");
  const std::string text = std::regex_replace(read(path), std::regex("    sys.exit\\([^\\n]*"),
                                              "    return 0, [0] * LANES");
  put("my_accel.py", text);
  expect(run, 1, "FAIL ");
}

TEST_F(NewDut, AFileForCiRunsItEveryNight) {
  expect("new dut my_accel -o " + file("."), 0, ".github/workflows/my_accel.yml");
  const std::string github = read(file(".github/workflows/my_accel.yml"));
  for (const char* words :
       {"cron:", "mxgold run --dut process:'python3 my_accel.py'", "--junit junit.xml"}) {
    EXPECT_NE(github.find(words), std::string::npos) << github;
  }
  expect("new dut other --ci gitlab -o " + file("."), 0, ".gitlab-ci.yml");
  EXPECT_NE(read(file(".gitlab-ci.yml")).find("other-nightly:"), std::string::npos);
}

TEST_F(NewDut, WhatIsNotMeantIsRefused) {
  expect("new dit x", 2, "did you mean 'dut'");
  expect("new dut 'a b'", 2, "give a file .sv, .v or .h, or a name");
  expect("new dut " + file("none.sv"), 3, "none.sv");
  expect("new dut my_accel --top x", 2, "--top: goes with new dut and a .sv or .v file");
  expect("new dut my_accel --format e4m3fn", 2, "give a block format");
  expect("new dut " + put("broken.sv", "module broken (input wire\n"), 3, "broken.sv");
}

}  // namespace
}  // namespace mx::sim::test
