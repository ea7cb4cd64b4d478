// A module is judged as its files are now: whichever of them changes, however Verilator found it,
// it is compiled anew, and what was compiled before is found again once it is changed back.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

/// A conversion bf16 to fp32 through one stage of every way in which a file comes in.
class StaleDevice : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    for (const char* const folder : {"first", "second", "near", "far/sub"}) {
      fs::create_directories(file(folder));
    }
    fs::create_symlink(file("far"), file("near/link"));
    write("top.sv", fmt::format(R"(`include "link/linked.svh"
`include "{}"
import "DPI-C" function int called(input int word);
module top (input logic [15:0] half_i, output logic [31:0] code_o);
  logic [15:0] a, b, c;
  by_folder u_folder (.d(half_i), .q(a));
  by_file u_file (.d(a), .q(b));
  by_list u_list (.d(b), .q(c));
  assign code_o = {{16'(called(32'(`LINKED(`ABSOLUTE(c))))), 16'd0}};
endmodule
)",
                                file("absolute.svh")));
    for (const auto& [name, text] : stages()) write(name, text);
    write("list.f", file("listed.sv") + "\n");
    write("device.json", fmt::format(R"({{"device_schema": 1, "sources": ["top.sv"], "top": "top",
 "include": ["near"],
 "verilator": ["-y", "{0}", "-y", "{1}", "-v", "{2}", "-f", "{3}", "{4}"],
 "operation": "cvt", "configuration": {{
   "source": "bf16", "destination": "fp32", "overflow": "sat_finite_keep_inf"}},
 "input": {{"ports": {{"half_i": {{"field": "source"}}}}}},
 "output": {{"ports": {{"code_o": {{"field": "code"}}}}, "nan": "any"}}}})",
                                     file("first"), file("second"), file("named.v"), file("list.f"),
                                     file("called.cpp")));
  }

  /// Every file and what stands in it.
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> stages() {
    return {{"second/by_folder.v", stage("by_folder")},
            {"named.v", stage("by_file")},
            {"listed.sv", stage("by_list")},
            {"far/linked.svh", "`define LINKED(x) (x)\n"},
            {"absolute.svh", "`define ABSOLUTE(x) (x)\n"},
            {"called.cpp",
             "#include \"called.hpp\"\nextern \"C\" int called(int word) { return RESULT; }\n"},
            {"called.hpp", "#define RESULT word\n"}};
  }

  [[nodiscard]] static std::string stage(const std::string& name) {
    return fmt::format("module {} (input [15:0] d, output [15:0] q); assign q = d; endmodule\n",
                       name);
  }
  /// The same file with a defect.
  [[nodiscard]] static std::string wrong(std::string text) {
    for (const auto& [from, to] : {std::pair{"q = d", "q = d + 1"},
                                   {"(x) (x)", "(x) ((x) + 1)"},
                                   {"RESULT;", "RESULT + 1;"},
                                   {"RESULT word", "RESULT word + 1"}}) {
      const std::size_t at = text.find(from);
      if (at != std::string::npos) text.replace(at, std::string(from).size(), to);
    }
    return text;
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
  }
  [[nodiscard]] ProgramEnd judge() const {
    return mxgold("run --dut device:" + file("device.json") + " --suite smoke");
  }
  void expect_found_again(const std::string& what) const {
    const ProgramEnd end = judge();
    EXPECT_EQ(end.exit, 0) << what << '\n' << end.tail();
    EXPECT_FALSE(end.says("compiling")) << what;
  }
};

TEST_F(StaleDevice, AChangeOfAnyFileIsSeen) {
  ASSERT_EQ(judge().exit, 0) << judge().tail();
  expect_found_again("nothing changed");
  for (const auto& [name, text] : stages()) {
    write(name, wrong(text));
    const ProgramEnd end = judge();
    EXPECT_EQ(end.exit, 1) << name << '\n' << end.tail();
    EXPECT_TRUE(end.says("compiling")) << name;
    write(name, text);
    expect_found_again(name);
  }
}

TEST_F(StaleDevice, SoIsAListThatNamesAnotherFileAndAFileThatIsFoundBefore) {
  ASSERT_EQ(judge().exit, 0) << judge().tail();
  write("other.sv", wrong(stage("by_list")));
  write("list.f", file("other.sv") + "\n");
  EXPECT_EQ(judge().exit, 1);
  write("list.f", file("listed.sv") + "\n");
  EXPECT_EQ(judge().exit, 0);
  write("first/by_folder.sv", wrong(stage("by_folder")));
  EXPECT_EQ(judge().exit, 1);
  fs::remove(file("first/by_folder.sv"));
  EXPECT_EQ(judge().exit, 0);
}

TEST_F(StaleDevice, AFileThatIsGoneIsMissed) {
  ASSERT_EQ(judge().exit, 0) << judge().tail();
  fs::remove(file("named.v"));
  const ProgramEnd end = judge();
  EXPECT_EQ(end.exit, 3) << end.tail();
  EXPECT_TRUE(end.says("named.v")) << end.tail();
}

}  // namespace
}  // namespace mx::sim::test
