// JSON that has a name twice is refused with the file and the name, wherever the program reads
// JSON: of two dates of expiry, two ports or two digests no reader knows which one is meant.
#include <cctype>
#include <fstream>
#include <ostream>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

struct Read {
  const char* name;        ///< of the file
  const char* command;     ///< with @ for it
  const char* start = "";  ///< members that say what the file is
};

void PrintTo(const Read& read, std::ostream* out) { *out << read.name; }

class SingleNames : public ProgramTest, public testing::WithParamInterface<Read> {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const Read& read = GetParam();
    path_ = file(read.name);
    arguments_ = read.command;
    const auto replace = [&](const std::string& mark, const std::string& text) {
      for (std::size_t at = 0; (at = arguments_.find(mark, at)) != std::string::npos;) {
        arguments_.replace(at, mark.size(), text);
        at += text.size();
      }
    };
    replace("@", path_);
    replace("$F", file(""));
  }
  void expect_refused(const std::string& text, const std::string& name) {
    std::ofstream(path_, std::ios::binary) << text << '\n';
    const ProgramEnd end = expect(arguments_, 3, GetParam().name);
    EXPECT_TRUE(end.says("twice")) << end.tail();
    EXPECT_TRUE(end.says(name)) << end.tail();
  }

  std::string path_, arguments_;
};

TEST_P(SingleNames, AreNeededInTheFileAndInWhatItHolds) {
  static_cast<void>(gen("--op cvt --source bf16 --format e4m3fn --suite smoke"));
  const std::string start = std::string("{") + GetParam().start;
  expect_refused(start + R"("expires": "2020-01-01", "expires": "2099-12-31"})", "expires");
  expect_refused(start + R"("a": {"b": [{"n\u0061me": 1, "name": 2}]}})", "name");
}

// Behind a byte of zeros the library of JSON reads nothing: whatever stands there would pass.
TEST_P(SingleNames, NothingMayFollowAByteOfZeros) {
  static_cast<void>(gen("--op cvt --source bf16 --format e4m3fn --suite smoke"));
  std::string start = std::string("{") + GetParam().start + "\"a\": 1}";
  const std::string byte = std::to_string(start.size());
  start += '\0';
  std::ofstream(path_, std::ios::binary) << start << "{{{\n";
  const ProgramEnd end = expect(arguments_, 3, GetParam().name);
  EXPECT_TRUE(end.says("is no JSON: byte " + byte + " is 00")) << end.tail();
}

TEST_P(SingleNames, WhatIsNoJsonHasItsPlace) {
  static_cast<void>(gen("--op cvt --source bf16 --format e4m3fn --suite smoke"));
  std::ofstream(path_, std::ios::binary) << "{" << GetParam().start << "\"a\": 1,}\n";
  const ProgramEnd end = expect(arguments_, 3, GetParam().name);
  EXPECT_TRUE(end.says("column ")) << end.tail();
  EXPECT_TRUE(end.says("is no JSON: unexpected '}'")) << end.tail();
}

INSTANTIATE_TEST_SUITE_P(
    Files, SingleNames,
    testing::Values(
        Read{"device.json", "run --suite smoke --dut device:@"},
        Read{"waivers.json", "check $F/golden.tv --waivers @"},
        Read{"golden.tv.json", "verify-goldens $F/golden.tv #@"}, Read{"cover.json", "cover @"},
        Read{"replay.json", "replay @"}, Read{"receipt.json", "merge @"},
        Read{"formats.json", "list formats --format-file @"},
        Read{"vectors.jsonl", "check @", R"("mxgold-vectors": "2.0.0", )"},
        Read{"own.thr.json", "verify-goldens @"}, Read{"index.json", "verify-goldens @"},
        Read{"scale.fp32.v1.thr.json", "verify-goldens @"},
        Read{"campaign.json", "farm $F --merge"},
        Read{"model.safetensors.index.json", "identify --tensors-in @ --tensors-out @"}),
    [](const auto& test) {
      std::string name;
      for (const char c : std::string(test.param.name)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      }
      return name;
    });

}  // namespace
}  // namespace mx::sim::test
