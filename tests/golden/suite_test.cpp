// What the suites of MX blocks and conversions promise: stimulus that is really there.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/random_configs.hpp"
#include "golden/stimulus/block_directed.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kFormats[] = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                                         "mxfp6_e3m2", "mxfp4",      "mxint8"};

GoldenSet blocks(const ElementFormat& source, std::string_view format, Rounding rounding,
                 ScaleRule rule, SuiteKind kind) {
  return golden_set({block(source, *find_block_format(format), rounding, rule)}, kind, 0, 11);
}

std::set<std::uint64_t> words(const RecordBatch& records, Field field) {
  const auto all = records.all(field);
  return {all.begin(), all.end()};
}

/// Every vector of a suite, source and random words.
std::vector<std::uint64_t> vectors_of(const Configuration& configuration,
                                      const SuiteOptions& options) {
  const auto suite = make_suite(configuration, options);
  VectorHeader header;
  header.configs = {configuration};
  header.lanes = options.lanes;
  header.random_words = RandomWords::kPresent;
  RecordBatch batch(header.shape(), suite->size());
  for (std::uint64_t i = 0; i < suite->size(); ++i) suite->fill(i, batch, i);
  std::vector<std::uint64_t> all;
  for (const Field field : {Field::kSource, Field::kRandom, Field::kElements}) {
    if (!batch.has(field)) continue;
    const auto words = batch.all(field);
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

// Property: a suite has the same vectors whether its directed blocks were made for it or for
// another configuration. Asked of every rounding, rule, clamp and source, so that a shelf that took
// two different ones for the same would give one of them the other's.
TEST(Suites, BlocksOfAShelfAreThoseThatASuiteMakesItself) {
  DirectedShelf shelf;
  std::set<std::vector<std::uint64_t>> seen;
  std::size_t asked = 0;
  for (const ElementFormat& source : {formats::fp32, formats::bf16}) {
    for (const std::string_view format : {"mxfp8_e5m2", "mxint8"}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kCeil}) {
        for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kToOdd,
                                        Rounding::kStochasticA, Rounding::kStochasticC}) {
          for (const int random_bits : {4, 16}) {
            for (const ScaleSat clamp : {ScaleSat::kClamp, ScaleSat::kToNan}) {
              Configuration each = block(source, *find_block_format(format), rounding, rule);
              auto& config = std::get<QuantizerConfig>(each.what);
              config.element.random_bits = random_bits;
              config.block.scale_sat = clamp;
              SuiteOptions options{.kind = SuiteKind::kDirected, .seed = 11, .lanes = 8};
              const std::vector<std::uint64_t> alone = vectors_of(each, options);
              options.shelf = &shelf;
              EXPECT_EQ(vectors_of(each, options), alone) << "configuration " << asked;
              seen.insert(alone);
              ++asked;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(asked, 128U);
  // Of 128 configurations 40 differ in what their blocks depend on.
  EXPECT_EQ(seen.size(), 40U);
}

TEST(Suites, NoClassIsEmpty) {
  for (const std::string_view format : kFormats) {
    for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil, ScaleRule::kEvenDown}) {
        const auto suite = make_suite(
            block(source, *find_block_format(format), Rounding::kStochasticA, rule),
            {.kind = SuiteKind::kDirected, .seed = 11, .lanes = 32, .lengths = Lengths::kVary});
        EXPECT_GE(suite->classes().size(), 12U);
        std::uint64_t sum = 0;
        for (const StimulusClass& c : suite->classes()) {
          EXPECT_GT(c.count, 0U) << c.name;
          sum += c.count;
        }
        EXPECT_EQ(sum, suite->size() + suite->duplicates());
      }
    }
  }
  for (const ElementFormat& source : all_formats()) {
    for (const ElementFormat& format : all_formats()) {
      const auto suite =
          make_suite(conversion(source, format), {.kind = SuiteKind::kSmoke, .seed = 0});
      EXPECT_GE(suite->classes().size(), 5U) << source.name << " to " << format.name;
      if (source.bits > 10 || format.bits > 10) continue;
      const auto directed =
          make_suite(conversion(source, format), {.kind = SuiteKind::kDirected, .seed = 0});
      for (const StimulusClass& c : directed->classes()) EXPECT_GT(c.count, 0U) << c.name;
    }
  }
}

TEST(Suites, DirectedSetsAreSortedAndDistinct) {
  const GoldenSet set =
      golden_set({block(formats::bf16, "mxfp4")}, SuiteKind::kDirected, 0, 11, Lengths::kFull);
  for (std::size_t i = 1; i < set.records.size(); ++i) {
    const auto a = set.records.of(Field::kSource, i - 1);
    const auto b = set.records.of(Field::kSource, i);
    EXPECT_TRUE(std::ranges::lexicographical_compare(a, b)) << i;
  }
}

/// Every destination code of both signs, from each source that can hold it.
TEST(Suites, EveryDestinationCodeIsProduced) {
  for (const std::string_view name : kFormats) {
    const ElementFormat& format = find_block_format(name)->element;
    for (const SuiteKind kind : {SuiteKind::kSmoke, SuiteKind::kDirected}) {
      const GoldenSet cvts = golden_set({conversion(formats::fp32, format)}, kind);
      const std::set<std::uint64_t> codes = words(cvts.records, Field::kCode);
      const std::set<std::uint64_t> block_codes =
          words(blocks(formats::fp32, name, Rounding::kTiesToEven, ScaleRule::kFloor, kind).records,
                Field::kCode);
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
      const VectorHeader header = header_of({conversion(source, format)}, SuiteKind::kSmoke);
      const std::set<std::uint64_t> sources = words(operands_of_set(header), Field::kSource);
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
      const GoldenSet set =
          blocks(formats::fp32, name, Rounding::kTiesToEven, rule, SuiteKind::kDirected);
      const std::set<std::uint64_t> scales = words(set.records, Field::kScale);
      std::uint64_t any = 0;
      for (const std::uint64_t flags : set.records.all(Field::kFlags)) any |= flags;
      // Every scale that the rule can give: from 00 to that of the largest value.
      const std::uint64_t largest[] = {formats::fp32.max_code};
      const Quantizer quantizer =
          Quantizer::make(std::get<QuantizerConfig>(set.header.configs[0].what)).value();
      const int top = std::min(quantizer.explain_scale(largest).unclamped, 254);
      for (int s = 0; s <= top; ++s) {
        EXPECT_TRUE(scales.contains(static_cast<std::uint64_t>(s))) << name << " scale " << s;
      }
      EXPECT_TRUE(scales.contains(0xFF)) << name;
      const bool saturates = rule == ScaleRule::kFloor || (rule == ScaleRule::kEvenUp);
      const std::uint64_t wanted = saturates ? 0x3F : 0x1F;
      // e4m3fn under even_up saturates between 448 and 496; formats with a full top binade do not.
      const std::uint64_t mask = rule == ScaleRule::kEvenUp && name != "mxfp8_e4m3" ? 0x1F : wanted;
      EXPECT_EQ(any & mask, mask) << name << " " << token_of(rule);
    }
  }
}

/// The maximum, a NaN and an Inf in each of the 32 lanes; element codes all differ under it.
TEST(Suites, EachLaneHasItsTurn) {
  const GoldenSet set = blocks(formats::fp16, "mxfp8_e5m2", Rounding::kTowardZero,
                               ScaleRule::kRceil, SuiteKind::kDirected);
  std::set<std::size_t> alone_max;
  std::set<std::size_t> nan_lanes;
  std::set<std::size_t> inf_lanes;
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const auto lanes = set.records.of(Field::kSource, i);
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
    const GoldenSet set =
        golden_set({conversion(formats::fp32, formats::e2m3fn, variant)}, SuiteKind::kDirected);
    // The largest R that stays down and the least that goes up are neighbours.
    std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> by_source;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      by_source[set.records.word(Field::kSource, i)][set.records.word(Field::kRandom, i)] =
          set.records.word(Field::kCode, i);
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
  RandomFrom from;
  from.base = std::get<QuantizerConfig>(block(formats::fp32, "mxfp4").what);
  for (const BlockFormat& format : mx_block_formats()) from.formats.push_back(format);
  from.roundings.assign(kRoundingCodes.begin(), kRoundingCodes.end());
  from.roundings.push_back(Rounding::kStochasticA);
  from.rules.assign(kRuleCodes.begin(), kRuleCodes.end());
  std::vector<Configuration> configs;
  for (const QuantizerConfig& each : draw_configs(from, 11, 256)) configs.push_back({each, {}});
  const VectorHeader header = header_of(configs, SuiteKind::kPolicy, 2, 11);
  EXPECT_EQ(header.count, 512U);
  const RecordBatch records = operands_of_set(header);
  std::set<std::uint64_t> formats_seen;
  std::set<std::uint64_t> roundings;
  std::set<std::uint64_t> rules;
  std::uint64_t any = 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records.config(i), i % 256) << "configurations take turns";
    const std::uint64_t word = records.word(Field::kTuser, i);
    formats_seen.insert(word & 7U);
    roundings.insert(word >> 3 & 15U);
    rules.insert(word >> 7 & 7U);
    any |= word;
    all &= word;
  }
  EXPECT_EQ(formats_seen.size(), 6U);
  EXPECT_EQ(roundings.size(), 10U);
  EXPECT_EQ(rules.size(), 5U);
  EXPECT_EQ(any >> 12, 0x7FFFU) << "every policy bit is 1 somewhere";
  EXPECT_EQ(all >> 12, 0U) << "and 0 somewhere";
}

/// Property: dot products of formats with NaN are judged by results: of the classes that walk codes
/// of interest, or take any, most records have a number.
TEST(Suites, MostDotsOfFormatsWithNanHaveResults) {
  for (const std::string_view format : {"mxfp8_e4m3", "mxfp8_e5m2", "nvfp4", "mxfp4"}) {
    const Configuration what = dot(format, format);
    const auto suite = make_suite(what, {.kind = SuiteKind::kDirected, .seed = 0, .lanes = 64});
    const std::span<const StimulusClass> classes = suite->classes();
    const GoldenSet set = golden_set({what}, SuiteKind::kDirected);
    std::map<std::string_view, std::pair<int, int>> nan_of;
    std::set<std::uint64_t> corners;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const std::string_view name = classes[i % classes.size()].name;
      auto& [nan, all] = nan_of[name];
      ++all;
      if (set.records.word(Field::kCode, i) == 0x7FC00000) ++nan;
      if (name != "corners") continue;
      const auto codes = set.records.of(Field::kA, i);
      corners.insert(codes.begin(), codes.end());
    }
    for (const std::string_view name : {"corners", "uniform"}) {
      const auto [nan, all] = nan_of[name];
      EXPECT_GE(all, 1000) << format << " " << name;
      EXPECT_LT(nan, all * 3 / 10) << format << " " << name;
    }
    // What is no number is still asked for.
    const bool has_nan = format.starts_with("mxfp8");
    EXPECT_EQ(nan_of["corners"].first > 0, has_nan) << format;
    EXPECT_GE(corners.size(), has_nan ? 14U : 10U) << format;
  }
}

}  // namespace
}  // namespace mx::golden
