// SPDX-License-Identifier: Apache-2.0
// rtl/nvfp4: every BF16 maximum of a block under every tensor scale of the bench, every BF16
// element under every scale code, FP32 near the thresholds; and each of its faults is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "tests/rtl/units/unit_run.hpp"

namespace mx::sim {
namespace {

using golden::Field;

constexpr std::size_t kLanes = 16;
constexpr const char* kBuild = "mx_nvfp4_quantizer,InFmtMask=3";

/// Blocks of a source under each tensor scale that the device can be told.
std::vector<golden::Configuration> configurations(const ElementFormat& source) {
  const Description device = described_rtl("mx_nvfp4_quantizer");
  std::vector<golden::Configuration> all;
  for (const std::string& scale : device.configuration.at("stored_tensor_scale")) {
    QuantizerConfig config{source, *find_block_format("nvfp4"), {}, {}};
    config.block.rule = ScaleRule::kNvfp4Exact;
    config.tensor.scale = static_cast<std::uint32_t>(std::stoul(scale, nullptr, 16));
    all.push_back({config, {}});
  }
  return all;
}

golden::VectorHeader header_of(std::vector<golden::Configuration> configs, std::uint64_t count) {
  golden::VectorHeader header;
  header.configs = std::move(configs);
  header.lanes = kLanes;
  header.count = count;
  return header;
}

/// How much of a space: one block of so many.
struct Share {
  const char* name = "";
  std::uint64_t step = 1;
};
void PrintTo(const Share& share, std::ostream* out) { *out << share.name; }

class Nvfp4 : public testing::TestWithParam<Share> {
 protected:
  void SetUp() override { setenv("MXGOLD_CACHE", MX_CACHE, 1); }

  static void expect_right(const golden::VectorHeader& header, const RecordInput& input,
                           const std::string& build) {
    const RecordRun run = test::run_unit(build, header, input);
    EXPECT_EQ(run.exit_code(), 0) << run.protocol();
    EXPECT_EQ(run.verdict.judged(), header.count);
  }
};

/// Words that are spread by their number.
std::uint64_t spread(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  return x ^ (x >> 27);
}

// The largest magnitude of a block is each BF16 pattern, NaN and Inf too; the other lanes lie up to
// eight binades below it. 458,752 blocks in all.
TEST_P(Nvfp4, EveryMaximumUnderEveryTensorScale) {
  const auto configs = configurations(formats::bf16);
  const std::uint64_t kinds = configs.size(), step = GetParam().step;
  const auto header = header_of(configs, kinds * 0x8000 / step);
  RecordInput input;
  input.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    batch.reset(header.shape(), static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint64_t block = first + i, amax = block / kinds * step;
      batch.word(Field::kConfig, i) = block % kinds;
      const auto words = batch.of(Field::kSource, i);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t random = spread(block * kLanes + lane);
        const std::uint64_t below = std::min(amax, random % 0x400);
        words[lane] = (lane == block % kLanes ? amax : amax - below) | (random >> 48 & 0x8000);
      }
    }
  };
  // By default one build does for all.
  expect_right(header, input, GetParam().step == 1 ? "mx_nvfp4_quantizer,InFmtMask=2" : kBuild);
}

// A block whose maximum is six times a scale has that scale; its other lanes take every magnitude
// up to it in turn. 273,672 blocks in all.
TEST_P(Nvfp4, EveryElementUnderEveryScale) {
  std::vector<golden::Configuration> configs{configurations(formats::bf16).front()};
  struct Block {
    std::uint64_t amax, from;
  };
  std::vector<Block> blocks;
  for (std::uint64_t code = 1; code <= 0x7E; ++code) {
    const std::uint64_t significand = code < 8 ? code : 8 + code % 8;
    const int exponent = static_cast<int>(std::max<std::uint64_t>(code / 8, 1)) - 10;
    const std::uint64_t amax =
        encode(unpack_integer(false, 6 * significand, exponent), formats::bf16, {}, 0).code;
    for (std::uint64_t from = 0; from < amax; from += kLanes - 1) blocks.push_back({amax, from});
  }
  const std::uint64_t step = GetParam().step;
  const auto header = header_of(configs, blocks.size() / step);
  RecordInput input;
  input.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    batch.reset(header.shape(), static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto [amax, from] = blocks[static_cast<std::size_t>((first + i) * step)];
      const auto words = batch.of(Field::kSource, i);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        words[lane] = std::min(amax, lane == 0 ? amax : from + lane - 1);
        if (lane % 2 == 1) words[lane] |= 0x8000;
      }
    }
  };
  expect_right(header, input, kBuild);
}

// Random blocks of FP32, many of them at, beside and between thresholds, some of them short.
TEST_P(Nvfp4, ManyBlocksOfFp32) {
  golden::VectorHeader header = header_of(configurations(formats::fp32), 0);
  header.lengths = golden::Lengths::kVary;
  header.suite = "rnd";
  header.drawn = 40'000 / GetParam().step;
  header.count = golden::Stimulus(header).size();
  expect_right(header, test::suite_input(header),
               GetParam().step == 1 ? "mx_nvfp4_quantizer,InFmtMask=1" : kBuild);
}

INSTANTIATE_TEST_SUITE_P(Every, Nvfp4, testing::Values(Share{"Part", 61}, Share{"Whole", 1}),
                         [](const auto& test) { return test.param.name; });

class Nvfp4Fault : public testing::TestWithParam<std::string> {};

TEST_P(Nvfp4Fault, IsSeen) {
  setenv("MXGOLD_CACHE", MX_CACHE, 1);
  const auto header =
      test::suite_header(configurations(formats::fp32), kLanes, golden::Lengths::kVary);
  const RecordRun run =
      test::run_unit("mx_nvfp4_quantizer," + GetParam(), header, test::suite_input(header));
  EXPECT_NE(run.exit_code(), 0) << "survives; it breaks: " << find_rtl_fault(GetParam())->breaks;
}

INSTANTIATE_TEST_SUITE_P(Every, Nvfp4Fault,
                         testing::ValuesIn(test::faults_of("mx_nvfp4_quantizer")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mx::sim
