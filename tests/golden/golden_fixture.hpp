// Small vector files in a folder of their own, and ways to damage them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "golden/answers/expected.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"

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

  static BlockSuiteOptions block_options(SuiteKind kind = SuiteKind::kRandom,
                                         std::uint64_t count = 12) {
    BlockSuiteOptions options;
    options.config.source = formats::bf16;
    options.config.format = *find_block_format("mxfp4");
    options.config.element.random_bits = 8;
    options.kind = kind;
    options.seed = 5;
    options.count = count;
    return options;
  }

  static VectorHeader block_header(std::uint64_t count) {
    VectorHeader header;
    header.source = formats::bf16;
    header.formats = {"e2m1fn"};
    header.roundings = {"ties_to_even"};
    header.rules = {"floor"};
    header.overflows = {"sat_finite"};
    header.suite = "rnd";
    header.seed = 5;
    header.generator = "test";
    header.count = count;
    return header;
  }

  static BlockBatch answered_blocks(std::uint64_t count = 12) {
    const BlockSuite suite(block_options(SuiteKind::kRandom, count));
    BlockBatch batch;
    suite.fill(0, count, batch);
    fill_expected(batch, suite.context());
    return batch;
  }

  static ConversionConfig conversion() {
    ConversionConfig conversion{formats::fp32, formats::e4m3fn, {}};
    conversion.policy.rounding = Rounding::kStochasticA;
    return conversion;
  }

  static VectorHeader cvt_header(std::uint64_t count) {
    VectorHeader header;
    header.op = RecordKind::kCvt;
    header.source = formats::fp32;
    header.destination = formats::e4m3fn;
    header.policy = conversion().policy;
    header.random_words = RandomWords::kPresent;
    header.suite = "rnd";
    header.generator = "test";
    header.count = count;
    return header;
  }

  static CvtBatch answered_cvts(std::uint64_t count = 40) {
    const CvtSuite suite({conversion(), SuiteKind::kRandom, 3, count});
    CvtBatch batch;
    suite.fill(0, count, batch);
    fill_expected(batch, conversion());
    return batch;
  }

  /// Writes a good file of 12 blocks.
  std::string good_blocks(FileKind kind = FileKind::kTv) const {
    const std::string file = path("good." + std::string(extension(kind)));
    VectorWriter writer(file, kind, block_header(12));
    writer.write(answered_blocks());
    writer.finish();
    return file;
  }

  std::string good_cvts(FileKind kind = FileKind::kTv) const {
    const std::string file = path("cvt." + std::string(extension(kind)));
    VectorWriter writer(file, kind, cvt_header(40));
    writer.write(answered_cvts());
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
      VectorReader reader(file, mode);
      if (reader.header().op == RecordKind::kCvt) {
        CvtBatch batch;
        while (reader.read(batch, 7) != 0) continue;
      } else {
        BlockBatch batch;
        while (reader.read(batch, 5) != 0) continue;
      }
    } catch (const VectorError& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

}  // namespace mx::golden
