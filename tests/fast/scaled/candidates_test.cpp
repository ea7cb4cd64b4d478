// nvfp4_4over6: four kinds of errors, each candidate taken, sums that are equal or differ by
// little; and its controls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "fast/candidates/candidate_kernels.hpp"
#include "fast/candidates/candidate_plan.hpp"
#include "fast/candidates/resolve.hpp"
#include "fast/cpu/targets.hpp"
#include "fast/scaled/resolve.hpp"
#include "reference/block/rules.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx {

static void PrintTo(FourOverSix kind, std::ostream* out) { *out << token_of(kind); }

}  // namespace mx

namespace mx::fast::test {
namespace {

constexpr std::size_t kLanes = 16;

/// What became of blocks, by the reference.
struct Choices {
  std::uint64_t six = 0;
  std::uint64_t four = 0;
  std::uint64_t same_scale = 0;  ///< the candidates have one scale
};

using KindCase = std::tuple<ElementFormat, FourOverSix>;

ScaledBlockJob job_of(const ElementFormat& source, FourOverSix kind, std::uint32_t amax) {
  ScaledBlockJob job = nvfp4_job(source, ScaleRule::kNvfp44over6);
  job.blocks.block.four_over_six = kind;
  return at_amax(job, amax);
}

void count_choices(const ScaledBlockJob& job, std::span<const std::uint32_t> words,
                   Choices& choices) {
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  const auto magnitude_mask = job.blocks.source.magnitude_mask();
  for (std::size_t first = 0; first + kLanes <= words.size(); first += kLanes) {
    std::array<std::uint64_t, kLanes> block{};
    std::array<std::uint64_t, kLanes> codes{};
    std::ranges::copy(words.subspan(first, kLanes), block.begin());
    std::uint64_t most = 0;
    for (const std::uint64_t word : block) most = std::max(most, word & magnitude_mask);
    if (most >= job.blocks.source.inf_code()) continue;
    const FourOverSixScales scales =
        four_over_six_scales(config_of(job), decode(job.blocks.source, most));
    const std::uint64_t chosen = reference.quantize_block(block, {}, codes).scale_code;
    if (scales.map4.code == scales.map6.code) {
      ++choices.same_scale;
    } else {
      ++(chosen == scales.map4.code ? choices.four : choices.six);
    }
  }
}

/// Blocks whose elements are few multiples of what both candidates can hold, so that sums of errors
/// are equal or differ in their last bits: multiples of a twelfth of the maximum, and their
/// neighbours.
std::vector<std::uint32_t> near_ties(const ElementFormat& source, std::uint64_t seed) {
  std::vector<std::uint32_t> words;
  const auto draw = [&](std::uint32_t below) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(seed >> 33) % below;
  };
  const auto word_of = [&](std::uint64_t twelfths, int exponent) {
    ElementPolicy nearest;
    return static_cast<std::uint32_t>(
        encode(unpack_integer(false, twelfths, exponent), source, nearest, 0).code);
  };
  for (int block = 0; block < 1500; ++block) {
    const int exponent = static_cast<int>(draw(9)) - 6;
    const std::uint32_t kinds = 1 + draw(12);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t twelfths = lane == 0 ? 12 : draw(13) / kinds * kinds;
      const std::uint32_t word = word_of(twelfths, exponent) + (draw(3) == 0 ? draw(2) : 0);
      words.push_back(word | (draw(2) == 0 ? static_cast<std::uint32_t>(source.sign_bit()) : 0));
    }
  }
  return words;
}

std::uint32_t three_quarters(std::uint32_t word) {
  const Unpacked part = multiply(decode(formats::fp32, word), unpack_integer(false, 3, -2));
  return static_cast<std::uint32_t>(encode(part, formats::fp32, {}, 0).code);
}

class FourOverSixKinds : public ::testing::TestWithParam<KindCase> {};

TEST_P(FourOverSixKinds, AgreeWhicheverCandidateIsTaken) {
  MX_NEEDS_CPU_PATH();
  const auto& [source, kind] = GetParam();
  CpuTally tally;
  Choices choices;
  std::uint64_t seed = 0;
  for (const std::uint32_t amax :
       {0x40C00000U, 0x40490FDBU, 0x45280000U, 0x44C00000U, 0x3A83126FU, 0x7149F2CAU, 0U}) {
    const ScaledBlockJob job = job_of(source, kind, amax);
    std::vector<std::uint32_t> words = near_ties(source, ++seed);
    random_blocks(source, seed, 512, [&](std::span<const std::uint32_t> piece) {
      words.insert(words.end(), piece.begin(), piece.end());
    });
    const std::vector<std::vector<std::uint32_t>> hands = deal(words, 16, 6);
    compare_line(job, hands[seed % hands.size()], tally);
    count_choices(job, hands[seed % hands.size()], choices);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(choices.six, part(1000, 7));
  EXPECT_GT(choices.four, part(1000, 7));
  EXPECT_GT(choices.same_scale, part(1000, 7));
}

INSTANTIATE_TEST_SUITE_P(
    All, FourOverSixKinds,
    ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                       ::testing::Values(FourOverSix::kMae448, FourOverSix::kMse448,
                                         FourOverSix::kMae256, FourOverSix::kMse256)),
    [](const auto& each) {
      std::string kind(token_of(std::get<1>(each.param)));
      std::erase(kind, '_');
      return fmt::format("{}{}", std::get<0>(each.param).name, kind);
    });

// Negative controls: with any one thing changed that the kernels read, blocks change.
TEST(FourOverSixControls, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  using candidates::Errors;
  struct Change {
    const char* name;
    std::function<void(Errors&)> make;
  };
  const Change changes[] = {
      {"a threshold of the other scales", [](Errors& e) { e.four.from[0x38] += 1; }},
      {"the other clamp", [](Errors& e) { e.four.clamped_from += 1 << 22; }},
      {"squares", [](Errors& e) { e.squares = !e.squares; }},
      {"what a code is worth",
       [](Errors& e) {
         for (auto& row : e.kept) row[3] *= 1.0625F;
       }},
      {"one scale's value", [](Errors& e) { e.kept[0x38] = e.kept[0x39]; }},
      {"the last bit of what 6 is worth", [](Errors& e) {
         for (auto& row : e.kept) row[7] *= 1 + 0x1p-23F;
       }}};
  // What a code is worth is exact at this level, so that many sums are equal.
  const ScaledBlockJob job = job_of(formats::fp32, FourOverSix::kMae448, 0x45280000);
  const Errors right = candidates::resolve_errors(job);
  std::vector<std::uint32_t> stimulus = near_ties(formats::fp32, 77);
  for (std::uint32_t field = 0x70; field < 0x90; ++field) {
    for (std::uint32_t part = 0; part < 256; ++part) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        stimulus.push_back((field << 23 | part << 15) - (part << 14) / (lane + 1) * lane);
      }
    }
  }
  // 4 is the better aim for blocks of three quarters of their maximum.
  for (const std::uint32_t maximum : right.four.from) {
    for (const std::uint32_t near : {maximum - 1, maximum, maximum + 1}) {
      if (near >= 0x7F800000) continue;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        stimulus.push_back(lane == 5 ? near : three_quarters(near));
      }
    }
  }
  const std::vector<std::byte> words = to_bytes(formats::fp32, stimulus);
  const scaled::Constants c = scaled::resolve(job).value();
  const auto answers = [&](const Errors& errors) {
    const std::size_t blocks = stimulus.size() / kLanes;
    std::vector<std::uint8_t> codes(stimulus.size() + blocks);
    std::vector<std::uint16_t> status(blocks);
    candidates::quantize_blocks(c, errors,
                                {words.data(), stimulus.size(), codes.data(),
                                 codes.data() + stimulus.size(), status.data()});
    codes.insert(codes.end(), reinterpret_cast<const std::uint8_t*>(status.data()),
                 reinterpret_cast<const std::uint8_t*>(status.data() + status.size()));
    return codes;
  };
  CpuTally tally;
  compare_line(job, words, tally);
  ASSERT_EQ(tally.mismatches, 0u) << tally.first;
  const std::vector<std::uint8_t> expected = answers(right);
  for (const Change& change : changes) {
    Errors wrong = right;
    change.make(wrong);
    EXPECT_NE(answers(wrong), expected) << change.name << " survives";
  }
}

TEST(FourOverSixPlans, SayWhatHasNoPath) {
  MX_NEEDS_CPU_PATH();
  ScaledBlockJob job = job_of(formats::fp32, FourOverSix::kMae448, 0x3F800000);
  job.blocks.element.rounding = Rounding::kTiesToAway;
  EXPECT_EQ(CandidatePlan::make(job).problem(), "no fast path: nvfp4_4over6 rounds ties_to_even");
  job.blocks.element.rounding = Rounding::kTiesToEven;
  job.blocks.format.tile_lines = 16;
  EXPECT_EQ(CandidatePlan::make(job).problem(), "no fast path: tiles under nvfp4_4over6");
  job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Te);
  EXPECT_EQ(CandidatePlan::make(job).problem(), "no fast path: the scale rule");
}

}  // namespace
}  // namespace mx::fast::test
