// Where blocks come from: pure functions of the index.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "golden/answers/expected.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/number/philox.hpp"
#include "sim/stimulus/tensor_source.hpp"
#include "sim/stimulus/vector_source.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

TEST(SuiteSource, BlockIsAFunctionOfItsIndex) {
  const SuiteSource& source = test::smoke();
  std::vector<BlockIn> whole(6000);
  source.fill(1000, whole);
  for (const std::uint64_t first : {0U, 1U, 1047U, 1048U, 3000U, 5990U}) {
    std::vector<BlockIn> piece(10);
    source.fill(1000 + first, piece);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      ASSERT_EQ(piece[i], whole[first + i]) << first + i;
    }
  }
}

TEST(SuiteSource, EveryConfigurationTakesPart) {
  const SuiteSource& source = test::smoke();
  EXPECT_EQ(source.configurations(), 576U);
  EXPECT_EQ(source.left_out(), 0U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  std::map<std::uint32_t, std::size_t> count;
  for (const BlockIn& block : blocks) ++count[block.config_word];
  std::size_t defaults = 0;
  for (const auto& [config_word, times] : count) {
    if (config_word >> 12 != 0) continue;
    ++defaults;
    EXPECT_GE(times, 100U) << config_word;
  }
  EXPECT_EQ(defaults, 576U);
  EXPECT_GT(count.size(), 1000U) << "random policies";
}

TEST(SuiteSource, NeighboursDifferInConfiguration) {
  // All of them: blocks of random configurations, which alone are short, come in few slices.
  const SuiteSource& source = test::smoke();
  std::vector<BlockIn> blocks(static_cast<std::size_t>(source.size()));
  source.fill(0, blocks);
  std::size_t changes = 0;
  std::size_t short_blocks = 0;
  std::size_t lasts = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    changes += blocks[i].config_word != blocks[i - 1].config_word ? 1U : 0U;
    short_blocks += blocks[i].keep != kAllLanes ? 1U : 0U;
    lasts += blocks[i].last ? 1U : 0U;
  }
  EXPECT_GT(changes, blocks.size() * 85 / 100);
  EXPECT_GT(short_blocks, 200U);
  EXPECT_GT(lasts, blocks.size() / 8);
}

TEST(SuiteSource, SeedMovesEverything) {
  SuiteOptions options = test::single_configuration();
  const SuiteSource one(options);
  options.seed = 2;
  const SuiteSource two(options);
  std::vector<BlockIn> a(50);
  std::vector<BlockIn> b(50);
  one.fill(0, a);
  two.fill(0, b);
  EXPECT_NE(a, b);
}

TEST(SuiteSource, LeavesOutWhatTheDeviceDoesNotDo) {
  const SuiteSource source(test::single_configuration());
  EXPECT_EQ(source.configurations(), 1U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  for (const BlockIn& block : blocks) {
    EXPECT_EQ(block.config_word, 0U);
    EXPECT_EQ(block.keep, kAllLanes);
  }
}

std::vector<std::byte> iota_words(std::size_t count) {
  std::vector<std::byte> bytes(count * 4);
  for (std::uint32_t i = 0; i < count; ++i) std::memcpy(bytes.data() + 4 * i, &i, 4);
  return bytes;
}

TEST(TensorSource, CutsRowsIntoBlocksUnderEveryConfiguration) {
  const auto data = iota_words(3 * 70);
  const TensorSource source({{"t", formats::fp32, {3, 70}, data, 0}}, {0, 5}, {}, 1);
  ASSERT_EQ(source.size(), 3U * 3U * 2U);
  EXPECT_EQ(source.values(), 210U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  EXPECT_EQ(blocks[0].config_word, 0U);
  EXPECT_EQ(blocks[1].config_word, 5U);
  EXPECT_EQ(blocks[1].source, blocks[0].source);
  EXPECT_EQ(blocks[0].keep, kAllLanes);
  EXPECT_FALSE(blocks[0].last);
  const BlockIn& tail = blocks[2 * (3 + 2)];  // row 1, block 2
  EXPECT_EQ(tail.keep, 0x3FU);
  EXPECT_TRUE(tail.last);
  EXPECT_EQ(tail.source[0], 70U + 64U);
  EXPECT_EQ(tail.source[5], 139U);
  EXPECT_EQ(tail.source[6], 0U);
}

TEST(TensorSource, ScalarsAndEmptyTensorsHaveTheirBlocks) {
  const auto data = iota_words(1);
  const TensorSource source(
      {{"empty", formats::fp32, {0, 4}, {}, 0}, {"scalar", formats::fp32, {}, data, 1}}, {0}, {},
      1);
  EXPECT_EQ(source.size(), 1U);
  EXPECT_EQ(source.values(), 1U);
  EXPECT_NE(source.describe(0).find("scalar"), std::string::npos);
}

TEST(TensorSource, SourceFieldFollowsTheTensor) {
  const std::vector<std::byte> data(64);
  const TensorSource source({{"h", formats::fp16, {32}, data, 0}}, {3}, {}, 1);
  BlockIn block;
  source.fill(0, std::span(&block, 1));
  EXPECT_EQ(block.config_word, 3U | 2U << 10);
  EXPECT_THROW(TensorSource({{"d", formats::fp64, {1}, data, 0}}, {3}, {}, 1), StimulusError);
}

TEST(TensorSource, RandomWordsAreThoseOfQuantize) {
  const auto data = iota_words(70);
  const TensorSource source({{"t", formats::fp32, {70}, data, 9}}, {9U << 3}, {}, 42);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  for (std::uint64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(blocks[i / 32].random[i % 32], counter_random(42, 9, i, 8)) << i;
  }
}

// A golden file on disk, taken away at the end.
class GoldenFile : public testing::Test {
 protected:
  void SetUp() override {
    golden::BlockSuiteOptions options;
    options.config.source = formats::fp32;
    options.config.format = *find_block_format("mxfp8_e4m3");
    options.config.element.random_bits = 8;
    options.kind = golden::SuiteKind::kSmoke;
    const golden::BlockSuite suite(options);
    suite.fill(0, suite.size(), batch_);
    golden::fill_expected(batch_, suite.context());
    header_.source = formats::fp32;
    header_.formats = {"e4m3fn"};
    header_.roundings = {"ties_to_even"};
    header_.rules = {"floor"};
    header_.overflows = {"sat_finite"};
    header_.count = batch_.size();
    path_ = testing::TempDir() + "mx_golden_" + std::to_string(getpid()) + ".tv";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write() {
    golden::VectorWriter writer(path_, golden::FileKind::kTv, header_);
    writer.write(batch_);
    writer.finish();
  }

  golden::BlockBatch batch_;
  golden::VectorHeader header_;
  std::string path_;
};

int run_file(const std::string& path) {
  const VectorSource source(path);
  return run(source, test::reference_with(), test::plain_options()).exit_code();
}

TEST_F(GoldenFile, PassesAsWritten) {
  write();
  EXPECT_EQ(run_file(path_), 0);
  EXPECT_EQ(VectorSource(path_).configurations(), std::vector<std::uint32_t>{0});
}

TEST_F(GoldenFile, FlippedBitWithItsDigestRecomputedIsAMismatch) {
  batch_.codes[77] ^= 1;
  write();
  EXPECT_EQ(run_file(path_), 1);
}

TEST_F(GoldenFile, FlippedStatusBitWithItsDigestRecomputedIsAMismatch) {
  batch_.status[5] ^= 0x1000;
  write();
  EXPECT_EQ(run_file(path_), 1);
}

TEST_F(GoldenFile, FlippedByteIsRefused) {
  write();
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path_) / 2);
  file.seekg(middle);
  char c = 0;
  do file.get(c);
  while (c == ' ' || c == '\n');
  file.seekp(-1, std::ios::cur);
  file.put(c == '0' ? '1' : '0');
  file.close();
  EXPECT_THROW(VectorSource{path_}, golden::VectorError);
}

TEST_F(GoldenFile, NoVectorsAreAFailure) {
  header_.count = 0;
  batch_.resize(0);
  try {
    write();
    EXPECT_THROW(static_cast<void>(run_file(path_)), std::runtime_error);
  } catch (const golden::VectorError&) {
    SUCCEED() << "the writer refuses already";
  }
}

TEST_F(GoldenFile, ElementConversionsAreNoBlocks) {
  golden::VectorHeader header;
  header.op = golden::RecordKind::kCvt;
  header.source = formats::fp32;
  header.destination = formats::e4m3fn;
  header.count = 1;
  golden::CvtBatch batch;
  batch.resize(1);
  golden::VectorWriter writer(path_, golden::FileKind::kTv, header);
  writer.write(batch);
  writer.finish();
  EXPECT_THROW(VectorSource{path_}, StimulusError);
}

}  // namespace
}  // namespace mx::sim
