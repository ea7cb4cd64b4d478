// Small vector files in a folder of their own, and ways to damage them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "golden/files/vector_file.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {

class GoldenFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("mxgold_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

  /// Whole blocks, which have a word of the RTL.
  static GoldenSet blocks(std::uint64_t count = 12) {
    return golden_set({block(formats::bf16, "mxfp4")}, SuiteKind::kRandom, count, 5,
                      Lengths::kFull);
  }
  static GoldenSet conversions(std::uint64_t count = 40) {
    return golden_set({conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA)},
                      SuiteKind::kRandom, count, 3);
  }

  /// Writes a file and returns its path.
  std::string file_of(const GoldenSet& set, FileKind kind, const std::string& name = "good") const {
    const std::string file = path(name + "." + std::string(extension(kind)));
    VectorWriter writer(file, kind, set.header);
    writer.write(set.records);
    writer.finish();
    return file;
  }

  static std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path(name);
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  /// Reads to the end; the error's text, or "" if there was none.
  static std::string error_of(const std::string& file, ReadMode mode = ReadMode::kGoldens) {
    try {
      VectorReader reader(file, emulators::make_cast, mode, SetCheck::kByCaller);
      RecordBatch batch;
      while (reader.read(batch, 5) != 0) continue;
    } catch (const VectorError& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

}  // namespace mx::golden
