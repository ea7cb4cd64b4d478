// A folder where a file is needed is refused with its name (exit 3), by every option and argument
// of every subcommand that takes a file.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

namespace fs = std::filesystem;

/// What a subcommand says of itself with a file in it, as "run --waivers".
std::vector<std::string> file_arguments() {
  std::vector<std::string> found;
  std::istringstream root(mxgold("--help-all").text);
  bool is_list = false;
  for (std::string line; std::getline(root, line);) {
    is_list = is_list || line == "Subcommands:";
    const std::string name = line.substr(0, line.find(' ', 2));
    if (!is_list || name.size() < 3 || !name.starts_with("  ") || name[2] == ' ') continue;
    std::istringstream help(mxgold(name + " --help-all").text);
    for (std::string words; std::getline(help, words);) {
      std::istringstream in(words);
      std::string option, type;
      if (!words.starts_with("  ") || words.starts_with("   ")) continue;
      in >> option >> type;
      if (type == "FILE" || type.starts_with("FILE=")) {
        found.push_back(name.substr(2) + " " + option.substr(0, option.find(',')));
      }
    }
  }
  return found;
}

class Folders : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    fs::create_directories(file("folder"));
    const std::string tensor = tensor_file();
    const std::string golden = gen("--op cvt --source bf16 --format e4m3fn --suite smoke");
    const std::string blocks = file("q.safetensors");
    const ProgramEnd end = mxgold("quantize " + tensor + " --format mxfp4 -o " + blocks);
    ASSERT_EQ(end.exit, 0) << end.tail();
    const std::string out = " -o " + file("out.safetensors");
    const std::string dot = " " + blocks + " " + blocks + out;
    const std::string mma = "mma " + tensor + " " + tensor + " --unit h100_tf32" + out;
    const std::string codes = codes_file();
    const std::string scaled =
        "mma " + codes + " " + codes + " --format e2m1fn --unit b200_mxf4" + out;
    commands_ = {
        {"list --format-file", "list formats --format-file @"},
        {"quantize IN", "quantize @ --format mxfp4" + out},
        {"quantize --format-file",
         "quantize " + tensor + " --format mxfp4" + out + " --format-file @"},
        {"dequantize IN", "dequantize @" + out},
        {"dot A", "dot @ " + blocks + out},
        {"dot B", "dot " + blocks + " @" + out},
        {"dot --c", "dot" + dot + " --c @"},
        {"dot --format-file", "dot" + dot + " --format-file @"},
        {"mma A", "mma @ " + tensor + " --unit h100_tf32" + out},
        {"mma B", "mma " + tensor + " @ --unit h100_tf32" + out},
        {"mma --c", mma + " --c @"},
        {"mma --expect", mma.substr(0, mma.find(" -o ")) + " --expect @"},
        {"mma --scales-a", scaled + " --scales-b @ --scales-a @"},
        {"mma --scales-b", scaled + " --scales-a @ --scales-b @"},
        {"mma --format-file", mma + " --format-file @"},
        {"explain --format-file", "explain 1.5 --format mxfp4 --format-file @"},
        {"plot --format-file", "plot numberline e2m1fn --format-file @ -o " + file("p.svg")},
        {"gen --input", "gen --input @ -o " + file("g.tv")},
        {"gen --format-file", "gen --format-file @ -o " + file("g.tv")},
        {"check answers", "check " + golden + " @"},
        {"check --waivers", "check " + golden + " --waivers @"},
        {"answer file", "answer @"},
        {"cover FILES", "cover @"},
        {"run --vectors", "run --dut reference --vectors @"},
        {"run --input", "run --dut reference --input @"},
        {"run --waivers", "run --dut reference --suite smoke --waivers @"},
        {"run --format-file", "run --dut reference --format-file @"},
        {"replay FILE", "replay @"},
        {"sweep --format-file", "sweep --format-file @"},
        {"merge RECEIPTS", "merge @"},
        {"identify --tensors-in", "identify --tensors-in @ --tensors-out " + blocks},
        {"identify --tensors-out", "identify --tensors-in " + tensor + " --tensors-out @"},
        // What names its file in words of its own.
        {"check file", "check @"},
        {"identify LOG", "identify @"},
        {"mutate --mutants", "mutate --mutants @"},
        {"run --dut device", "run --suite smoke --dut device:@"},
        {"run --dut plugin", "run --suite smoke --dut plugin:@"}};
  }

  /// Two rows of 32 codes, all 0.
  [[nodiscard]] std::string codes_file() const {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 32), }";
    header += std::string(118 - header.size() - 1, ' ') + "\n";
    std::ofstream npy(file("codes.npy"), std::ios::binary);
    npy << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(118) << '\0' << header
        << std::string(64, '\0');
    return file("codes.npy");
  }

  std::map<std::string, std::string> commands_;  ///< with @ for the folder
};

TEST_F(Folders, AreRefusedWhereAFileIsNeeded) {
  for (auto [option, command] : commands_) {
    for (std::size_t at = command.find('@'); at != std::string::npos; at = command.find('@')) {
      command.replace(at, 1, file("folder"));
    }
    const ProgramEnd end = mxgold(command + " </dev/null");
    EXPECT_EQ(end.exit, 3) << option << '\n' << end.tail();
    EXPECT_TRUE(end.says(file("folder") + ": ") || end.says("plugin")) << option << end.tail();
  }
}

TEST_F(Folders, AreAskedOfEveryOptionThatTakesAFile) {
  const std::vector<std::string> found = file_arguments();
  EXPECT_GT(found.size(), 25U);
  for (const std::string& each : found) {
    if (each.ends_with(" -c")) {  // of many commands, and the same everywhere
      const ProgramEnd end = mxgold(each + " " + file("folder") + " </dev/null");
      EXPECT_EQ(end.exit, 3) << each << '\n' << end.tail();
      EXPECT_TRUE(end.says(file("folder"))) << each << end.tail();
      continue;
    }
    EXPECT_TRUE(commands_.contains(each)) << each << " takes a file, and no case here has it";
  }
}

// Bytes of a name that are no UTF-8 cost no verdict: JSON shows them as U+FFFD.
TEST_F(Folders, AndFilesMayHaveAnyNameInJson) {
  const std::string odd = file("name_\xFF_");
  fs::copy_file(file("golden.tv"), odd + ".tv");
  fs::copy_file(tensor_file(), odd + ".npy");
  for (const char* const command :
       {"check --json {0}.tv", "verify-goldens --json {0}.tv", "cover --json {0}.tv",
        "run --json --dut reference --vectors {0}.tv", "run --json --dut reference --input {0}.npy",
        "quantize --json {0}.npy --format mxfp4 -o {0}.safetensors",
        "dequantize --json {0}.safetensors -o {0}_2.safetensors", "identify --json {0}.tv"}) {
    const ProgramEnd end = mxgold(fmt::format(fmt::runtime(command), odd) + " 2>/dev/null #");
    EXPECT_EQ(end.exit, 0) << command << '\n' << end.tail();
    EXPECT_TRUE(end.says("{")) << command;
  }
}

}  // namespace
}  // namespace mx::sim::test
