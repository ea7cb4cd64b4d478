// What the suites promise: determinism, and stimulus that is really there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "golden/stimulus/gaps.hpp"
#include "tests/golden/golden_fixture.hpp"
#include "tests/support/made.hpp"

namespace mx::golden {
namespace {

BlockSuiteOptions options_of(const ElementFormat& source, std::string_view format,
                             Rounding rounding, ScaleRule rule, SuiteKind kind,
                             std::uint64_t count = 0) {
  BlockSuiteOptions options;
  options.config.source = source;
  options.config.format = *find_block_format(format);
  options.config.element.rounding = rounding;
  options.config.element.random_bits = 8;
  options.config.block.rule = rule;
  options.kind = kind;
  options.seed = 11;
  options.count = count;
  return options;
}

BlockBatch answered(const BlockSuite& suite) {
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  fill_expected(batch, suite.context());
  return batch;
}

constexpr std::string_view kFormats[] = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                                         "mxfp6_e3m2", "mxfp4",      "mxint8"};

template <typename Suite, typename Batch>
void expect_pure(const Suite& suite) {
  Batch all;
  suite.fill(0, suite.size(), all);
  Batch part;
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{17}}) {
    for (std::uint64_t at = 0; at < suite.size(); at += step * 13) {
      const std::uint64_t last = std::min(at + step, suite.size());
      suite.fill(at, last, part);
      const std::size_t lanes = all.source.size() / suite.size();
      for (std::uint64_t i = at * lanes; i < last * lanes; ++i) {
        ASSERT_EQ(part.source[i - at * lanes], all.source[i]);
        if (!all.random.empty()) {
          ASSERT_EQ(part.random[i - at * lanes], all.random[i]);
        }
      }
    }
  }
}

TEST(Suites, VectorsArePureFunctionsOfTheirIndex) {
  for (const SuiteKind kind : {SuiteKind::kSmoke, SuiteKind::kRandom, SuiteKind::kPolicy}) {
    expect_pure<BlockSuite, BlockBatch>(BlockSuite(options_of(
        formats::bf16, "mxfp6_e3m2", Rounding::kStochasticA, ScaleRule::kCeil, kind, 300)));
  }
  CvtSuiteOptions options{{formats::fp32, formats::e5m2, {}}, SuiteKind::kRandom, 4, 1000};
  options.conversion.policy.rounding = Rounding::kStochasticC;
  expect_pure<CvtSuite, CvtBatch>(CvtSuite(options));
  options.kind = SuiteKind::kDirected;
  expect_pure<CvtSuite, CvtBatch>(CvtSuite(options));
}

TEST(Suites, SeedsAndSetsDiffer) {
  const auto first = [](std::uint64_t seed, std::string_view format) {
    BlockSuiteOptions options = options_of(formats::fp32, format, Rounding::kTiesToEven,
                                           ScaleRule::kFloor, SuiteKind::kRandom, 8);
    options.seed = seed;
    BlockBatch batch;
    BlockSuite(options).fill(0, 1, batch);
    return batch.source;
  };
  EXPECT_NE(first(1, "mxfp4"), first(2, "mxfp4"));
  EXPECT_NE(first(1, "mxfp4"), first(1, "mxint8"));
  EXPECT_EQ(first(1, "mxfp4"), first(1, "mxfp4"));
}

TEST(Suites, NoClassIsEmpty) {
  for (const std::string_view format : kFormats) {
    for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil, ScaleRule::kEvenDown}) {
        const BlockSuite suite(
            options_of(source, format, Rounding::kStochasticA, rule, SuiteKind::kDirected));
        EXPECT_GE(suite.classes().size(), 11U);
        std::uint64_t sum = 0;
        for (const StimulusClass& c : suite.classes()) {
          EXPECT_GT(c.count, 0U) << c.name;
          sum += c.count;
        }
        EXPECT_EQ(sum, suite.size() + suite.duplicates());
      }
    }
  }
  for (const ElementFormat& source : all_formats()) {
    for (const ElementFormat& format : all_formats()) {
      const CvtSuite suite({{source, format, {}}, SuiteKind::kSmoke, 0, 0});
      EXPECT_GE(suite.classes().size(), 5U) << source.name << " to " << format.name;
    }
  }
}

TEST(Suites, DirectedSetsAreSortedAndDistinct) {
  const BlockSuite suite(options_of(formats::bf16, "mxfp4", Rounding::kTiesToEven,
                                    ScaleRule::kFloor, SuiteKind::kDirected));
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  for (std::size_t i = 1; i < batch.size(); ++i) {
    const auto a = batch.source_of(i - 1);
    const auto b = batch.source_of(i);
    EXPECT_TRUE(std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end())) << i;
  }
}

/// Every destination code of both signs, from each source that can hold it.
TEST(Suites, EveryDestinationCodeIsProduced) {
  for (const std::string_view name : kFormats) {
    const ElementFormat& format = find_block_format(name)->element;
    for (const SuiteKind kind : {SuiteKind::kSmoke, SuiteKind::kDirected}) {
      const CvtSuite suite({{formats::fp32, format, {}}, kind, 0, 0});
      CvtBatch batch;
      suite.fill(0, suite.size(), batch);
      fill_expected(batch, {formats::fp32, format, {}});
      std::set<std::uint64_t> codes(batch.code.begin(), batch.code.end());
      const BlockSuite blocks(
          options_of(formats::fp32, name, Rounding::kTiesToEven, ScaleRule::kFloor, kind));
      const BlockBatch answers = answered(blocks);
      const std::set<std::uint64_t> block_codes(answers.codes.begin(), answers.codes.end());
      const SourceGrid grid(format);
      for (std::uint64_t magnitude = 0; magnitude <= format.max_code; ++magnitude) {
        for (const bool negative : {false, true}) {
          const std::uint64_t code = grid.code(negative, magnitude);
          EXPECT_TRUE(codes.contains(code)) << name << " " << code;
          EXPECT_TRUE(block_codes.contains(code)) << name << " " << code;
        }
      }
    }
  }
}

/// For each threshold the source values just below, at and just above it are there, both signs.
TEST(Suites, EveryThresholdHasItsNeighbours) {
  for (const std::string_view name : kFormats) {
    const ElementFormat& format = find_block_format(name)->element;
    for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
      const CvtSuite suite({{source, format, {}}, SuiteKind::kSmoke, 0, 0});
      CvtBatch batch;
      suite.fill(0, suite.size(), batch);
      const std::set<std::uint64_t> sources(batch.source.begin(), batch.source.end());
      const SourceGrid grid(source);
      const FormatGaps ladder(format);
      for (const Gap& gap : ladder.gaps()) {
        for (const Unpacked& at : {start_of(gap), midpoint(gap)}) {
          const std::uint64_t floor = grid.floor(at);
          for (const std::uint64_t m : {floor - (floor != 0), floor, floor + 1}) {
            if (m > grid.max()) continue;
            EXPECT_TRUE(sources.contains(grid.code(false, m))) << source.name << " " << name;
            EXPECT_TRUE(sources.contains(grid.code(true, m))) << source.name << " " << name;
          }
        }
      }
    }
  }
}

/// Scales 00, 01, FE and FF, clamped, zero, NaN and Inf blocks, underflow and saturation.
TEST(Suites, DirectedBlocksReachEveryStatus) {
  for (const std::string_view name : kFormats) {
    for (const ScaleRule rule :
         {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp}) {
      const BlockSuite suite(
          options_of(formats::fp32, name, Rounding::kTiesToEven, rule, SuiteKind::kDirected));
      const BlockBatch batch = answered(suite);
      std::map<std::uint64_t, int> scales;
      std::uint16_t any = 0;
      for (const std::uint16_t status : batch.status) {
        ++scales[status & 0xFFU];
        any |= status;
      }
      // Every scale that the rule can give: from 00 to that of the largest value.
      const std::uint64_t largest[] = {formats::fp32.max_code};
      const Quantizer quantizer =
          made(options_of(formats::fp32, name, Rounding::kTiesToEven, rule, SuiteKind::kDirected)
                   .config);
      const int top = std::min(quantizer.explain_scale(largest).unclamped, 254);
      for (int s = 0; s <= top; ++s) {
        EXPECT_GT(scales[static_cast<std::uint64_t>(s)], 0) << name << " scale " << s;
      }
      EXPECT_GT(scales[0xFF], 0) << name;
      const bool saturates = rule == ScaleRule::kFloor || (rule == ScaleRule::kEvenUp);
      const std::uint16_t wanted = saturates ? 0x3F00 : 0x1F00;
      // e4m3fn under even_up saturates between 448 and 496; formats with a full top binade do not.
      const std::uint16_t mask =
          rule == ScaleRule::kEvenUp && name != "mxfp8_e4m3" ? 0x1F00 : wanted;
      EXPECT_EQ(any & mask, mask) << name << " " << token_of(rule);
    }
  }
}

/// The maximum, a NaN and an Inf in each of the 32 lanes; element codes all differ under it.
TEST(Suites, EachLaneHasItsTurn) {
  const BlockSuite suite(options_of(formats::fp16, "mxfp8_e5m2", Rounding::kTowardZero,
                                    ScaleRule::kRceil, SuiteKind::kDirected));
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  std::set<std::size_t> alone_max;
  std::set<std::size_t> nan_lanes;
  std::set<std::size_t> inf_lanes;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto lanes = batch.source_of(i);
    std::map<std::uint64_t, std::vector<std::size_t>> by_magnitude;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      by_magnitude[lanes[lane] & 0x7FFF].push_back(lane);
    }
    const auto& [magnitude, where] = *by_magnitude.rbegin();
    if (where.size() != 1) continue;
    (magnitude > 0x7C00    ? nan_lanes
     : magnitude == 0x7C00 ? inf_lanes
                           : alone_max)
        .insert(where.front());
  }
  EXPECT_EQ(alone_max.size(), 32U);
  EXPECT_EQ(nan_lanes.size(), 32U);
  EXPECT_EQ(inf_lanes.size(), 32U);
}

/// R at 0, R* - 1, R* and 2^N - 1 decide: the same source gets both neighbours.
TEST(Suites, StochasticVectorsDecideBothWays) {
  for (const Rounding variant :
       {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC}) {
    CvtSuiteOptions options{{formats::fp32, formats::e2m3fn, {}}, SuiteKind::kDirected, 0, 0};
    options.conversion.policy.rounding = variant;
    options.conversion.policy.random_bits = 8;
    const CvtSuite suite(options);
    CvtBatch batch;
    suite.fill(0, suite.size(), batch);
    fill_expected(batch, options.conversion);
    // The largest R that stays down and the least that goes up are neighbours.
    std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> by_source;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      by_source[batch.source[i]][batch.random[i]] = batch.code[i];
    }
    std::size_t pairs = 0;
    for (const auto& [source, codes] : by_source) {
      for (auto at = codes.begin(); std::next(at) != codes.end(); ++at) {
        const auto next = std::next(at);
        pairs += next->first == at->first + 1 && next->second != at->second ? 1U : 0U;
      }
    }
    EXPECT_GT(pairs, 100U) << token_of(variant);
  }
}

TEST(Suites, PolicyDrawsEveryCode) {
  const BlockSuite suite(options_of(formats::fp32, "mxfp4", Rounding::kTiesToEven,
                                    ScaleRule::kFloor, SuiteKind::kPolicy, 20000));
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  std::set<std::uint32_t> formats_seen;
  std::set<std::uint32_t> roundings;
  std::set<std::uint32_t> rules;
  std::uint32_t any = 0;
  std::uint32_t all = ~0U;
  for (const std::uint32_t config_word : batch.config_word) {
    formats_seen.insert(config_word & 7U);
    roundings.insert(config_word >> 3 & 15U);
    rules.insert(config_word >> 7 & 7U);
    any |= config_word;
    all &= config_word;
    ASSERT_TRUE(config_of(config_word, suite.context()).has_value());
  }
  EXPECT_EQ(formats_seen.size(), 6U);
  EXPECT_EQ(roundings.size(), 8U);
  EXPECT_EQ(rules.size(), 4U);
  EXPECT_EQ(any >> 12, 0x7FFFU) << "every policy bit is 1 somewhere";
  EXPECT_EQ(all >> 12, 0U) << "and 0 somewhere";
}

TEST(Suites, RefusesWhatHasNoWord) {
  BlockSuiteOptions options = options_of(formats::fp64, "mxfp4", Rounding::kTiesToEven,
                                         ScaleRule::kFloor, SuiteKind::kSmoke);
  EXPECT_THROW(BlockSuite{options}, std::invalid_argument);
}

}  // namespace
}  // namespace mx::golden
