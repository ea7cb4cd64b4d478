// SPDX-License-Identifier: Apache-2.0
// rtl/dequantizer, every code under every scale, in every lane: formats, results and overflow
// policies in turn from block to block, stalls and resets between. And each of its faults is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/format/table.hpp"
#include "sim/device/fits.hpp"
#include "tests/rtl/units/unit_run.hpp"
#include "tests/support/print.hpp"

namespace mx::sim {
namespace {

using golden::Field;

constexpr std::size_t kLanes = 16;
const std::array kResults = {formats::fp32, formats::bf16, formats::fp16};
constexpr std::array kFormats = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                 "mxfp4",      "mxint8",     "nvfp4"};

golden::Configuration configuration(const char* format, const ElementFormat& result,
                                    DequantOverflow overflow) {
  golden::DequantizeCase what{.format = *find_block_format(format),
                              .result = result,
                              .how = {},
                              .overflow = overflow,
                              .rule = find_block_format(format)->rule};
  what.format.block_size = kLanes;
  return {what, {}};
}

/// Every format and overflow policy.
std::vector<golden::Configuration> configurations(const ElementFormat& result) {
  std::vector<golden::Configuration> all;
  for (const char* const format : kFormats) {
    for (const DequantOverflow overflow :
         {DequantOverflow::kInf, DequantOverflow::kSaturate, DequantOverflow::kNan}) {
      all.push_back(configuration(format, result, overflow));
    }
  }
  return all;
}

/// Blocks of kLanes codes one after the other, which move on by a lane from scale to scale.
struct Blocks {
  std::uint64_t codes = 0, scales = 0;

  explicit Blocks(const golden::Configuration& configuration) {
    const BlockFormat& format = std::get<golden::DequantizeCase>(configuration.what).format;
    codes = format.element.code_mask() + 1;
    scales = format.scale.code_mask() + 1;
  }
  [[nodiscard]] std::uint64_t of_a_scale() const { return codes / kLanes; }
  [[nodiscard]] std::uint64_t count() const { return of_a_scale() * scales; }
  [[nodiscard]] std::uint64_t scale(std::uint64_t block) const { return block / of_a_scale(); }
  [[nodiscard]] std::uint64_t code(std::uint64_t block, std::uint64_t lane) const {
    return (block % of_a_scale() * kLanes + lane + scale(block)) % codes;
  }
};

/// Takes a block of each configuration in turn, as long as it has some.
std::vector<std::pair<std::size_t, std::uint64_t>> in_turn(
    const std::vector<golden::Configuration>& configs) {
  std::vector<std::pair<std::size_t, std::uint64_t>> order;
  bool is_more = true;
  for (std::uint64_t block = 0; is_more; ++block) {
    is_more = false;
    for (std::size_t config = 0; config < configs.size(); ++config) {
      if (block >= Blocks(configs[config]).count()) continue;
      order.emplace_back(config, block);
      is_more = true;
    }
  }
  return order;
}

RecordRun run_all(const ElementFormat& result, const std::string& build) {
  golden::VectorHeader header;
  header.op = golden::Operation::kDequantize;
  header.configs = configurations(result);
  header.lanes = kLanes;
  const auto order = in_turn(header.configs);
  header.count = order.size();
  RecordInput input;
  input.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    batch.reset(header.shape(), static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto [config, block] = order[static_cast<std::size_t>(first) + i];
      const Blocks blocks(header.configs[config]);
      batch.word(Field::kConfig, i) = config;
      batch.word(Field::kAScale, i) = blocks.scale(block);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        batch.of(Field::kA, i)[lane] = blocks.code(block, lane);
      }
    }
  };
  return test::run_unit("mx_dequantizer," + build + "Lanes=16,BlockSize=16", header, input);
}

/// The smoke suite, with short blocks, of a build under parameters.
RecordRun run_smoke(const ElementFormat& result, const std::string& build) {
  setenv("MXGOLD_CACHE", MX_CACHE, 1);  // the description stands there, too
  const Description device = described_rtl("mx_dequantizer," + build);
  std::vector<golden::Configuration> configs;
  for (golden::Configuration each : configurations(result)) {
    auto& what = std::get<golden::DequantizeCase>(each.what);
    what.format.block_size = static_cast<int>(device.lanes);
    if (refusal_of(device, each).empty()) configs.push_back(each);
  }
  const golden::VectorHeader header = test::suite_header(
      std::move(configs), static_cast<int>(device.lanes), golden::Lengths::kVary);
  return test::run_unit("mx_dequantizer," + build, header, test::suite_input(header));
}

class Dequantizer : public testing::TestWithParam<ElementFormat> {};

// 44,160 blocks a result: 3 policies of 256 scales of 3 x 256, 2 x 64 and 16 codes, and 128 of 16.
TEST_P(Dequantizer, EveryCodeUnderEveryScaleIsTheReferences) {
  const RecordRun run = run_all(GetParam(), "");
  EXPECT_EQ(run.exit_code(), 0) << run.protocol();
  EXPECT_EQ(run.verdict.mismatches, 0U);
  EXPECT_EQ(run.verdict.judged(), 44'160U);
}

INSTANTIATE_TEST_SUITE_P(Every, Dequantizer, testing::ValuesIn(kResults),
                         [](const auto& test) { return std::string(test.param.name); });

/// Builds whose areas rtl/README.md publishes (published_test.py), and blocks of several beats.
constexpr std::array kBuilds = {"ResMask=2,FmtMask=16",
                                "ResMask=2,FmtMask=1",
                                "ResMask=2",
                                "ResMask=1",
                                "Lanes=32",
                                "Lanes=8,ResMask=4",
                                "Lanes=1,BlockSize=16",
                                "Lanes=32,BlockSize=64",
                                "ResMask=6,FmtMask=34",
                                "ResMask=1,FmtMask=36",
                                "Lanes=4,ResMask=2,FmtMask=12"};

class DequantizerBuild : public testing::TestWithParam<const char*> {};

TEST_P(DequantizerBuild, ShortBlocksAreTheReferences) {
  bool is_run = false;
  for (const ElementFormat& result : kResults) {
    const Description device = described_rtl(std::string("mx_dequantizer,") + GetParam());
    const std::vector<std::string>& results = device.configuration.at("result");
    if (std::ranges::find(results, result.name) == results.end()) continue;
    const RecordRun run = run_smoke(result, GetParam());
    EXPECT_EQ(run.exit_code(), 0) << run.protocol();
    EXPECT_GT(run.verdict.judged(), 250U);
    is_run = true;
  }
  EXPECT_TRUE(is_run);
}

INSTANTIATE_TEST_SUITE_P(Every, DequantizerBuild, testing::ValuesIn(kBuilds), [](const auto& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return c == '=' || c == ','; });
  return name;
});

class DequantizerFault : public testing::TestWithParam<std::string> {};

TEST_P(DequantizerFault, IsSeen) {
  const RtlFault& fault = *find_rtl_fault(GetParam());
  const std::string build = fault.token + ",Lanes=16,BlockSize=16";
  const bool is_seen = std::ranges::any_of(kResults, [&](const ElementFormat& result) {
    return run_smoke(result, build).exit_code() != 0;
  });
  EXPECT_TRUE(is_seen) << "survives; it breaks: " << fault.breaks;
}

INSTANTIATE_TEST_SUITE_P(Every, DequantizerFault,
                         testing::ValuesIn(test::faults_of("mx_dequantizer")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mx::sim
