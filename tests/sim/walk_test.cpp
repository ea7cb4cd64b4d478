// Walking patterns: a wire of any lane that is stuck changes an answer. The wires are those that
// answers are a function of: source bits and random bits.
#include "sim/stimulus/walk.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

/// A bit of a lane's words, held at a value.
struct Stuck {
  std::size_t lane = 0;
  std::uint32_t bit = 0;
  bool value = false;
  bool is_random = false;

  void apply(BlockIn& block) const {
    std::uint32_t& word = is_random ? block.random[lane] : block.source[lane];
    word = value ? word | bit : word & ~bit;
  }
};

std::vector<Stuck> all_stuck(int source_bits, int random_bits) {
  std::vector<Stuck> list;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (const bool value : {false, true}) {
      for (int b = 0; b < source_bits; ++b) list.push_back({lane, 1U << b, value, false});
      for (int b = 0; b < random_bits; ++b) list.push_back({lane, 1U << b, value, true});
    }
  }
  return list;
}

QuantizerConfig config_of(const ElementFormat& source, const char* format, Rounding rounding,
                          ScaleRule rule) {
  QuantizerConfig config{source, *find_block_format(format), {}, {}};
  config.element.rounding = rounding;
  if (is_stochastic(rounding)) config.element.random_bits = 8;
  config.block.rule = rule;
  return config;
}

/// Strikes out the defects that the blocks tell from the sound device. A defect's apply() changes
/// what the device sees, or leaves it.
template <typename Defect>
void strike(const QuantizerConfig& config, const std::vector<WalkBlock>& blocks,
            std::vector<Defect>& left) {
  const Configurations configs{{config, {}}};
  ReferenceModel model(configs);
  for (const WalkBlock& each : blocks) {
    BlockIn block;
    block.source = each.source;
    block.random = each.random;
    BlockOut sound;
    model.answer(block, sound);
    std::erase_if(left, [&](const Defect& defect) {
      BlockIn seen = block;
      defect.apply(seen);
      if (seen == block) return false;
      BlockOut out;
      model.answer(seen, out);
      return !(out == sound);
    });
  }
}

std::string text(const std::vector<Stuck>& left) {
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(left.size(), 20); ++i) {
    list += (left[i].is_random ? " random " : " source ") + std::to_string(left[i].lane) + ":" +
            std::to_string(left[i].bit) + (left[i].value ? "=1" : "=0");
  }
  return std::to_string(left.size()) + " survive:" + list;
}

/// A source bit of a lane that is another one where a second bit is set.
struct Crossed {
  std::size_t lane = 0;
  std::uint32_t bit = 0;
  std::uint32_t by = 0;

  void apply(BlockIn& block) const {
    std::uint32_t& word = block.source[lane];
    if ((word & by) != 0) word ^= bit;
  }
};

/// How many of them no block tells, and the first.
std::string untold(const QuantizerConfig& config, const std::vector<WalkBlock>& blocks,
                   std::vector<Crossed> left) {
  strike(config, blocks, left);
  if (left.empty()) return {};
  return std::to_string(left.size()) + ", lane " + std::to_string(left[0].lane) + ": " +
         std::to_string(left[0].bit) + " by " + std::to_string(left[0].by);
}

// Every bit that stochastic rounding to 6 fraction bits and 8 discarded ones sees, by each other.
TEST(Walk, StochasticElementsSeeEachBitBesideEachOther) {
  const QuantizerConfig config =
      config_of(formats::fp32, "mxint8", Rounding::kStochasticA, ScaleRule::kFloor);
  std::vector<Crossed> all;
  for (const std::size_t lane : {0U, 6U, 17U, 31U}) {
    for (int b = 9; b < 23; ++b) {
      for (int c = 0; c < 23; ++c) {
        if (b != c) all.push_back({lane, 1U << b, 1U << c});
      }
    }
  }
  EXPECT_EQ(untold(config, walk_elements(config), all), "");
  EXPECT_NE(untold(config, {}, all), "");
}

// Subnormals of fp32 under e5m2's smallest scale: bit 6 is the last one kept.
TEST(Walk, SubnormalsSeeEachBitBesideLowerOnes) {
  const QuantizerConfig config =
      config_of(formats::fp32, "mxfp8_e5m2", Rounding::kTiesToEven, ScaleRule::kFloor);
  std::vector<Crossed> all;
  for (const std::size_t lane : {0U, 5U, 11U, 31U}) {
    for (int b = 6; b < 20; ++b) {
      for (int c = 0; c < b; ++c) all.push_back({lane, 1U << b, 1U << c});
    }
  }
  EXPECT_EQ(untold(config, walk_subnormals(config), all), "");
}

TEST(Walk, ElementsSeeEverySourceBitOfEveryLane) {
  for (const ElementFormat& source : Selection::all().sources) {
    for (const char* format : {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp4", "mxint8"}) {
      const QuantizerConfig config =
          config_of(source, format, Rounding::kTiesToEven, ScaleRule::kFloor);
      std::vector<Stuck> left = all_stuck(source.bits, 0);
      strike(config, walk_elements(config), left);
      EXPECT_TRUE(left.empty()) << source.name << ' ' << format << ": " << text(left);
    }
  }
}

TEST(Walk, ElementsSeeEveryRandomBitOfEveryLane) {
  const QuantizerConfig config =
      config_of(formats::fp32, "mxfp8_e4m3", Rounding::kStochasticA, ScaleRule::kFloor);
  std::vector<Stuck> left = all_stuck(0, 8);
  strike(config, walk_elements(config), left);
  EXPECT_TRUE(left.empty()) << text(left);
}

TEST(Walk, KeysSeeEveryBitThatTheRuleLooksAt) {
  for (const ElementFormat& source : Selection::all().sources) {
    // ceil looks at every fraction bit.
    const QuantizerConfig config =
        config_of(source, "mxint8", Rounding::kTowardZero, ScaleRule::kCeil);
    std::vector<Stuck> left = all_stuck(source.bits - 1, 0);
    std::vector<WalkBlock> blocks = walk_keys(config);
    strike(config, blocks, left);
    EXPECT_TRUE(left.empty()) << source.name << ": " << text(left);
  }
}

TEST(Walk, SubnormalsSeeEveryFractionBitOfEveryLane) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16}) {
    const QuantizerConfig config =
        config_of(source, "mxfp8_e5m2", Rounding::kAwayFromZero, ScaleRule::kFloor);
    std::vector<Stuck> left = all_stuck(source.man_bits, 0);
    strike(config, walk_subnormals(config), left);
    EXPECT_TRUE(left.empty()) << source.name << ": " << text(left);
  }
}

TEST(Walk, SubnormalKeysSeeEveryFractionBitBelowTheUppermost) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16}) {
    const QuantizerConfig config =
        config_of(source, "mxint8", Rounding::kTowardZero, ScaleRule::kCeil);
    std::vector<Stuck> left = all_stuck(source.man_bits - 2, 0);
    strike(config, walk_subnormal_keys(config), left);
    EXPECT_TRUE(left.empty()) << source.name << ": " << text(left);
  }
  // Where the scale is clamped no maximum of subnormals decides it.
  EXPECT_TRUE(walk_subnormal_keys(
                  config_of(formats::fp32, "mxfp8_e5m2", Rounding::kTowardZero, ScaleRule::kCeil))
                  .empty());
}

TEST(Walk, SpecialsSeeEveryFractionBitOfANan) {
  const QuantizerConfig config =
      config_of(formats::fp32, "mxfp8_e4m3", Rounding::kTiesToEven, ScaleRule::kFloor);
  std::vector<Stuck> left = all_stuck(formats::fp32.man_bits, 0);
  strike(config, walk_specials(config), left);
  EXPECT_TRUE(left.empty()) << text(left);
}

// The check above can fail: without the blocks in which lane 29 walks, its wires survive.
TEST(Walk, AWalkInOneLaneLeavesTheOthers) {
  const QuantizerConfig config =
      config_of(formats::fp32, "mxfp8_e4m3", Rounding::kTiesToEven, ScaleRule::kFloor);
  std::vector<WalkBlock> blocks = walk_elements(config);
  for (WalkBlock& block : blocks) block.source[29] = 0;
  std::vector<Stuck> left = all_stuck(32, 0);
  strike(config, blocks, left);
  EXPECT_GE(left.size(), 32U);
  for (const Stuck& stuck : left) EXPECT_EQ(stuck.lane, 29U);
}

// inf_block = scale_max goes before what makes a scale out of range NaN: the blocks and the corners
// that show it are in the suite.
TEST(Walk, TopsMeetInfinities) {
  QuantizerConfig config =
      config_of(formats::fp32, "mxint8", Rounding::kTiesToEven, ScaleRule::kCeil);
  config.block.scale_sat = ScaleSat::kToNan;
  config.block.inf_block = InfBlock::kScaleMax;
  const Configurations configs{{config, {}}};
  ReferenceModel model(configs);
  std::map<int, int> scales;
  for (const WalkBlock& each : tops_beside_specials(config)) {
    BlockIn block;
    block.source = each.source;
    BlockOut out;
    model.answer(block, out);
    ++scales[out.scale()];
  }
  // Sixteen beside a top, four with infinities in every lane.
  EXPECT_EQ(scales, (std::map<int, int>{{0xFE, 8}, {0xFF, 12}}));
  const Configurations& all = test::smoke().configs();
  EXPECT_TRUE(std::ranges::any_of(all, [](const golden::Configuration& each) {
    const auto& c = std::get<QuantizerConfig>(each.what);
    return c.block.inf_block == InfBlock::kScaleMax && c.block.even_carry == EvenCarry::kToNan &&
           c.block.rule == ScaleRule::kEvenUp;
  }));
}

TEST(Walk, TheSmokeSuiteHasIt) {
  const SuiteSource& smoke = test::smoke();
  std::size_t walks = 0;
  for (std::uint64_t i = 0; i < smoke.size(); i += 7) {
    walks += smoke.describe(i).starts_with("walk") ? 1U : 0U;
  }
  EXPECT_GT(walks, 1000U);
}

}  // namespace
}  // namespace mx::sim
