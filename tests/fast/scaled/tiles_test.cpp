// Tiles of FP4 elements under real-valued scales, there and back, with and without draws: every
// rule, sizes around those of tiles and vectors, axes, odd addresses, threads, specials in every
// place of a tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "fast/cpu/targets.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/stochastic_judge.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

BlockedShape shape_of(const ScaledBlockJob& job, const TileLayout& layout) {
  const std::array<std::uint64_t, 4> dims = {layout.outer, layout.lines, layout.length,
                                             layout.inner};
  return BlockedShape::make(dims, 2, job.blocks.format).value();
}

/// Tiles by the reference, one by one, with their status words.
StochasticAnswer reference_tiles(const ScaledBlockJob& job, const TileLayout& layout,
                                 std::span<const std::byte> words, CpuTally& tally) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const BlockedShape shape = shape_of(job, layout);
  const bool draws = is_stochastic(job.blocks.element.rounding);
  StochasticAnswer answer;
  answer.codes.resize(shape.elements);
  std::vector<std::uint64_t> places;
  for (std::uint64_t b = 0; b < shape.scales; ++b) {
    block_indices(shape, b, places);
    std::vector<std::uint64_t> in;
    std::vector<std::uint32_t> random;
    for (const std::uint64_t place : places) {
      in.push_back(word_at(words, place, storage_bytes(job.blocks.source)));
      if (draws) random.push_back(random_at(job.blocks.element, place));
    }
    std::vector<std::uint64_t> codes(in.size());
    const BlockResult result = quantizer.quantize_block(in, random, codes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      answer.codes[places[i]] = static_cast<std::byte>(codes[i]);
    }
    answer.scales.push_back(static_cast<std::byte>(result.scale_code));
    answer.status.push_back(scaled_status_of(result));
    for (std::size_t bit = 0; bit < 6; ++bit) {
      tally.classes[bit] += answer.status.back() >> (8 + bit) & 1u;
    }
  }
  tally.elements += shape.elements;
  return answer;
}

/// A call of the plan that the job has; empty where it refused or wrote beside its spans.
StochasticAnswer plan_tiles(const ScaledBlockJob& job, const TileLayout& layout,
                            std::span<const std::byte> words, int threads, bool with_status,
                            const Draws& draws = kDraws) {
  const BlockFormat& format = job.blocks.format;
  const std::size_t tiles = layout.tiles(static_cast<std::size_t>(format.block_size),
                                         static_cast<std::size_t>(format.tile_lines));
  Guarded codes(layout.elements());
  Guarded scales(tiles);
  StochasticAnswer answer;
  answer.status.resize(with_status ? tiles : 0);
  const bool done =
      is_stochastic(job.blocks.element.rounding)
          ? ScaledStochasticPlan::make(job).value().quantize_tiles(
                layout, draws, words, codes.span(), scales.span(), answer.status, threads)
          : ScaledBlockPlan::make(job).value().quantize_tiles(
                layout, words, codes.span(), scales.span(), answer.status, threads);
  if (!done || !codes.guards_hold() || !scales.guards_hold()) return {};
  answer.codes.assign(codes.span().begin(), codes.span().end());
  answer.scales.assign(scales.span().begin(), scales.span().end());
  return answer;
}

/// Words of a layout at an odd address. Each tile is of one class, so that no large number of one
/// class hides all others: a window of exponents below a largest one, with an infinity or a NaN in
/// every eleventh tile, zeros in every seventh, subnormals in every thirteenth.
class TileWords {
 public:
  TileWords(const ScaledBlockJob& job, const TileLayout& layout, std::uint64_t seed)
      : source_(job.blocks.source), bytes_(1 + layout.elements() * storage_bytes(source_)) {
    const BlockedShape shape = shape_of(job, layout);
    std::vector<std::uint64_t> places;
    std::uint64_t drawn = 0;
    for (std::uint64_t b = 0; b < shape.scales; ++b) {
      block_indices(shape, b, places);
      const std::uint64_t kind = seed + b;
      const std::uint64_t top = static_cast<std::uint64_t>(source_.bias) - 12 + kind * 5 % 27;
      for (const std::uint64_t place : places) {
        const std::uint32_t draw = counter_random(seed, 1, drawn++, 32);
        const std::uint64_t below = counter_random(seed, 2, drawn, 32) % (kind % 9 + 1);
        std::uint64_t word = draw & (source_.sign_bit() | source_.man_mask());
        if (kind % 13 != 12) word |= (top - below) << source_.man_bits;
        if (kind % 7 == 6) word &= source_.sign_bit();
        set(place, word);
      }
      const std::uint64_t one = places[draw_below(seed, b, places.size())];
      if (kind % 22 == 10) set(one, source_.inf_code());
      if (kind % 22 == 21) set(one, source_.canonical_nan);
    }
  }
  [[nodiscard]] std::span<const std::byte> span() const { return std::span(bytes_).subspan(1); }

 private:
  static std::uint64_t draw_below(std::uint64_t seed, std::uint64_t index, std::uint64_t limit) {
    return counter_random(seed, 3, index, 32) % limit;
  }
  void set(std::uint64_t place, std::uint64_t word) {
    const std::size_t width = storage_bytes(source_);
    std::memcpy(bytes_.data() + 1 + place * width, &word, width);
  }

  const ElementFormat& source_;
  std::vector<std::byte> bytes_;
};

void compare_tiles(const ScaledBlockJob& job, const TileLayout& layout,
                   std::span<const std::byte> words, CpuTally& tally) {
  StochasticAnswer expected = reference_tiles(job, layout, words, tally);
  for (const bool with_status : {true, false}) {
    if (!with_status) expected.status.clear();
    for (const std::string_view target : cpu_targets()) {
      const OnlyCpuTarget only(target);
      for (const int threads : {1, 3}) {
        const StochasticAnswer got = plan_tiles(job, layout, words, threads, with_status);
        if (got == expected) continue;
        if (tally.mismatches++ != 0) continue;
        const auto code = std::ranges::mismatch(expected.codes, got.codes);
        tally.first = fmt::format(
            "{}, {} x {} x {} x {} by {} x {}, {} threads, {}: code {}", name_of(job), layout.outer,
            layout.lines, layout.length, layout.inner, job.blocks.format.tile_lines,
            job.blocks.format.block_size, threads, target, code.in1 - expected.codes.begin());
        if (code.in1 != expected.codes.end() && code.in2 != got.codes.end()) {
          tally.first += fmt::format(": expected {:X}, got {:X}", static_cast<unsigned>(*code.in1),
                                     static_cast<unsigned>(*code.in2));
        }
      }
    }
  }
}

constexpr std::array kLayouts = {TileLayout{1, 33, 70, 1},  TileLayout{3, 16, 64, 1},
                                 TileLayout{2, 5, 1100, 1}, TileLayout{1, 40, 1, 1},
                                 TileLayout{2, 17, 40, 37}, TileLayout{1, 31, 18, 2},
                                 TileLayout{2, 1, 50, 1},   TileLayout{1, 16, 16, 160}};

/// Largest magnitudes of tensors: at that of the tiles, above it, and far below it.
constexpr std::array kTileLevels = {0x44000000U, 0x40490FDBU, 0x3A83126FU};

class ScaledTiles : public ::testing::TestWithParam<ScaledCase> {};

TEST_P(ScaledTiles, AgreeInEveryLayout) {
  MX_NEEDS_CPU_PATH();
  const auto& [source, rule] = GetParam();
  CpuTally tally;
  std::uint64_t turn = 0;
  Part some(4);
  for (const TileLayout& layout : kLayouts) {
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardNegative,
                                    Rounding::kStochasticA, Rounding::kStochasticC}) {
      const bool draws = rule != ScaleRule::kNvfp4Ggml && !divides_in_fp32(rule);
      ++turn;
      if (!draws && is_stochastic(rounding)) continue;
      if (!some.takes(layout.elements(), rounding, turn % 3)) continue;
      ScaledBlockJob job = stochastic_job(source, rule, kTileLevels[turn % 3], rounding,
                                          static_cast<int>(turn % 31 + 1));
      job.blocks.format = *find_block_format("nvfp4_16x16");
      compare_tiles(job, layout, TileWords(job, layout, turn).span(), tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(150'000, 4));
  for (std::size_t i = 0; i < 6; ++i) {
    if (static_cast<Class>(i) == Class::kSaturated && rule == ScaleRule::kNvfp4Ggml) continue;
    EXPECT_GT(tally.classes[i], 0u) << name_of(static_cast<Class>(i));
  }
}

/// nvfp4_4over6 has no kernels of tiles.
std::vector<ScaleRule> tile_rules() {
  std::vector<ScaleRule> rules = scaled_rules();
  std::erase(rules, ScaleRule::kNvfp44over6);
  return rules;
}

INSTANTIATE_TEST_SUITE_P(All, ScaledTiles,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(tile_rules())),
                         name_of_case);

// Tiles of other sizes, that of a single line too.
TEST(ScaledTileSizes, Agree) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  Part some(4);
  for (const auto& [lines, block] :
       {std::array{2, 16}, {3, 5}, {16, 1}, {8, 48}, {128, 32}, {2, 1024}, {1, 16}}) {
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticB}) {
      for (const TileLayout& layout : kLayouts) {
        if (!some.takes(lines, block, rounding, layout.elements())) continue;
        ScaledBlockJob job =
            stochastic_job(formats::bf16, ScaleRule::kNvfp4Te, 0x43000000, rounding, 9);
        job.blocks.format.tile_lines = lines;
        job.blocks.format.block_size = block;
        compare_tiles(job, layout, TileWords(job, layout, 5).span(), tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(500'000, 6));
}

// Each place of a tile holds its largest element, an infinity or a NaN in turn, the tiles beside it
// another one: a maximum that misses a line or takes one too many is seen.
TEST(ScaledTileMaxima, NoTileIsLikeAnother) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  for (const std::size_t inner : {std::size_t{1}, std::size_t{3}}) {
    const TileLayout layout{1, 64, 1024, inner};
    ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
    job.blocks.format = *find_block_format("nvfp4_16x16");
    std::vector<std::uint32_t> words(layout.elements(), 0x3F800000);
    const BlockedShape shape = shape_of(job, layout);
    std::vector<std::uint64_t> places;
    for (std::uint64_t b = 0; b < shape.scales; ++b) {
      block_indices(shape, b, places);
      if (b % 64 == 63) {
        for (const std::uint64_t place : places) words[place] = 0;
        continue;
      }
      const auto of_tile = static_cast<std::uint32_t>(b % 7);
      const std::array largest = {0x41000000U + (of_tile << 20), 0xC2000000U + (of_tile << 20),
                                  0x7F800000U, 0x7FC00000U};
      words[places[b % 256]] = largest[b % 37 == 0 ? 2 : b % 41 == 0 ? 3 : b % 2];
    }
    std::vector<std::byte> bytes(4 * words.size());
    std::memcpy(bytes.data(), words.data(), bytes.size());
    compare_tiles(job, layout, bytes, tally);
    job.blocks.element.rounding = Rounding::kStochasticA;
    compare_tiles(job, layout, bytes, tally);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally[Class::kZeroBlock], 0u);
  EXPECT_GT(tally[Class::kInfBlock], 0u);
  EXPECT_GT(tally[Class::kNanBlock], 0u);
}

// Negative controls: a tile one line higher or lower, another width, or words of another seed.
TEST(ScaledTileControls, AnotherTilingIsSeen) {
  MX_NEEDS_CPU_PATH();
  const TileLayout layout{1, 64, 256, 1};
  ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Te);
  job.blocks.format = *find_block_format("nvfp4_16x16");
  job.tensor.amax = 0x46000000;
  const TileWords made(job, layout, 3);
  const std::span<const std::byte> words = made.span();
  const StochasticAnswer expected = plan_tiles(job, layout, words, 1, false);
  ASSERT_EQ(expected.codes.size(), layout.elements());
  EXPECT_TRUE(plan_tiles(job, layout, words, 1, false) == expected);
  for (const int lines : {1, 15, 17}) {
    ScaledBlockJob other = job;
    other.blocks.format.tile_lines = lines;
    EXPECT_FALSE(plan_tiles(other, layout, words, 1, false).codes == expected.codes) << lines;
  }
  job.blocks.element.rounding = Rounding::kStochasticA;
  const StochasticAnswer drawn = plan_tiles(job, layout, words, 1, false);
  EXPECT_TRUE(plan_tiles(job, layout, words, 1, false) == drawn);
  GivenWords given(job.blocks.element, 0, layout.elements());
  EXPECT_TRUE(plan_tiles(job, layout, words, 1, false, given.draws()) == drawn);
  given.words.pop_back();
  EXPECT_TRUE(plan_tiles(job, layout, words, 1, false, given.draws()) == StochasticAnswer{});
  EXPECT_FALSE(plan_tiles(job, layout, words, 1, false, {kDraws.seed + 1, kDraws.tensor}) == drawn);
  EXPECT_FALSE(plan_tiles(job, layout, words, 1, false, {kDraws.seed, kDraws.tensor + 1}) == drawn);
}

TEST(ScaledTilePlans, RefuseSpansThatDoNotFit) {
  MX_NEEDS_CPU_PATH();
  ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
  job.blocks.format = *find_block_format("nvfp4_16x16");
  const ScaledBlockPlan plan = ScaledBlockPlan::make(job).value();
  const std::vector<std::byte> words(1360);
  std::vector<std::byte> codes(340);
  std::vector<std::byte> scales(4);
  std::vector<std::uint16_t> status(3);
  EXPECT_TRUE(plan.quantize_tiles({1, 17, 20, 1}, words, codes, scales));
  EXPECT_FALSE(plan.quantize_tiles({1, 17, 21, 1}, words, codes, scales));
  EXPECT_FALSE(plan.quantize_tiles({1, 17, 20, 1}, words, codes, std::span(scales).first(3)));
  EXPECT_FALSE(plan.quantize_tiles({1, 17, 20, 1}, words, codes, scales, status));
  EXPECT_TRUE(plan.quantize_tiles({0, 17, 20, 1}, {}, {}, {}));
  job.blocks.format.tile_lines = 129;
  EXPECT_EQ(ScaledBlockPlan::make(job).problem(), "no fast path: the lines of a tile");
}

// Every code under every scale byte that lines of tiles can hold, back to words.
TEST(ScaledTilesBack, AgreeInEveryLayout) {
  MX_NEEDS_CPU_PATH();
  std::uint64_t compared = 0;
  for (const ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const TileLayout& layout : kLayouts) {
      ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Te);
      job.blocks.format = *find_block_format("nvfp4_16x16");
      job.tensor.scale = 0x39C30C31;
      const BlockedShape shape = shape_of(job, layout);
      std::vector<std::byte> codes(shape.elements);
      std::vector<std::byte> scales(shape.scales);
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i * 7 % 16);
      for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = static_cast<std::byte>(i * 5 % 128);
      }
      std::vector<std::byte> expected(shape.elements * storage_bytes(*output));
      const Quantizer quantizer = Quantizer::make(config_of(job)).value();
      ASSERT_TRUE(
          dequantize_tensor(quantizer, shape, Tail::kShort, codes, scales, *output, expected));
      const auto plan = ScaledDequantizePlan::make({.blocks = {.format = job.blocks.format,
                                                               .output = *output,
                                                               .block = job.blocks.block},
                                                    .tensor_scale = job.tensor.scale})
                            .value();
      for (const std::string_view target : cpu_targets()) {
        const OnlyCpuTarget only(target);
        for (const int threads : {1, 3}) {
          Guarded words(expected.size());
          EXPECT_TRUE(plan.dequantize_tiles(layout, codes, scales, words.span(), threads));
          EXPECT_TRUE(std::ranges::equal(words.span(), expected) && words.guards_hold()) << target;
        }
      }
      compared += expected.size();
      codes.back() = std::byte{16};
      Guarded words(expected.size());
      EXPECT_FALSE(plan.dequantize_tiles(layout, codes, scales, words.span()));
      codes.back() = std::byte{0};
      scales.back() = std::byte{128};
      EXPECT_FALSE(plan.dequantize_tiles(layout, codes, scales, words.span()));
      EXPECT_FALSE(plan.dequantize_tiles(layout, std::span(codes).first(1), scales, words.span()));
    }
  }
  EXPECT_GT(compared, 100'000u);
}

}  // namespace
}  // namespace mx::fast::test
