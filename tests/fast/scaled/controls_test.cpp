// Negative controls: with any one thing changed that the kernels read, the comparison with the
// reference finds it; with none changed, nothing.
#include <gtest/gtest.h>

#include <functional>

#include "fast/cpu/targets.hpp"
#include "fast/scaled/plain.hpp"
#include "fast/scaled/resolve.hpp"
#include "fast/scaled/scaled_kernels.hpp"
#include "fast/scaled/table.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

using scaled::Constants;

struct Change {
  const char* name;
  std::function<void(Constants&)> make;
};

/// Every threshold of a step one word higher.
void raise_step(Constants& c, std::size_t step) {
  for (auto& rows : c.rows) {
    for (scaled::Row& row : rows) ++row[step];
  }
}

std::vector<Change> changes() {
  std::vector<Change> all = {
      {"one scale threshold", [](Constants& c) { c.scale.from[0x38] += 1; }},
      {"the first scale", [](Constants& c) { c.scale.from[1] += 1; }},
      {"the last scale", [](Constants& c) { c.scale.from[0x7E] += 1; }},
      {"a hint beyond its maxima",
       [](Constants& c) {
         for (std::uint8_t& hint : c.scale.hint) {
           if (hint == 0x38) hint = 0x39;
         }
       }},
      {"the clamp", [](Constants& c) { c.scale.clamped_from += 1; }},
      {"the scale of zeros", [](Constants& c) { c.scale.of_zero = 1; }},
      {"the scale of NaN", [](Constants& c) { c.scale.of_nan = 0x7E; }},
      {"infinities", [](Constants& c) { c.scale.infinity_is_nan = false; }},
      {"NaN in the maximum", [](Constants& c) { c.scale.skips_nan = true; }},
      {"the largest finite word",
       [](Constants& c) {
         c.plain_from -= 1;
         c.infinity -= 1;
       }},
      {"zero signs", [](Constants& c) { c.drops_zero_sign = true; }},
      {"input signs", [](Constants& c) { c.drops_input_sign = true; }},
      {"one row for another", [](Constants& c) { std::swap(c.rows[0][0x38], c.rows[0][0x39]); }}};
  for (std::size_t step = 0; step < scaled::kSteps; ++step) {
    all.push_back({"a step of the elements", [step](Constants& c) { raise_step(c, step); }});
  }
  return all;
}

/// Words at thresholds and their neighbours under the scale 1 of a tensor whose scale is 1, every
/// binade of maxima, and random blocks.
std::vector<std::uint32_t> stimulus() {
  std::vector<std::uint32_t> words;
  const auto add_blocks = [&](std::span<const std::uint32_t> piece) {
    words.insert(words.end(), piece.begin(), piece.end());
  };
  random_blocks(formats::fp32, 21, 4096, add_blocks);
  // Maximum 6: the scale is 1. Ties of e2m1fn: 0.25 .. 5 and what the clamp lets overflow.
  for (const std::uint32_t tie : {0x3E800000U, 0x3F400000U, 0x3FA00000U, 0x3FE00000U, 0x40200000U,
                                  0x40600000U, 0x40A00000U}) {
    for (const std::uint32_t near : {tie - 1, tie, tie + 1}) {
      for (std::uint32_t lane = 0; lane < 16; ++lane) {
        words.push_back(lane % 2 == 0 ? near | (lane / 2 % 2 << 31) : 0x40C00000);
      }
    }
  }
  // Maxima around the thresholds of all scales: 6 times the middle of two codes, as e4m3 has them.
  for (std::uint32_t field = 0; field < 256; ++field) {
    for (std::uint32_t part = 0; part < 64; ++part) {
      for (const std::uint32_t step : {0U, 1U, 2U}) {
        const std::uint32_t maximum = (field << 23 | part << 17) + step - 1;
        if (maximum >= 0x7F800000) continue;
        words.push_back(maximum);
        for (std::uint32_t lane = 1; lane < 16; ++lane) words.push_back(lane << 31 | maximum >> 1);
      }
    }
  }
  // Under the largest scale: what the clamp lets overflow, from 7 * 448 on.
  for (const std::uint32_t near : {0x45440000U - 1, 0x45440000U, 0x45440000U + 1}) {
    for (std::uint32_t lane = 0; lane < 16; ++lane) words.push_back(lane == 3 ? near : 0x3F800000);
  }
  words.push_back(0x7F7FFFFF);
  words.resize((words.size() + 15) / 16 * 16);
  return words;
}

struct Answers {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> scales;
  std::vector<std::uint16_t> status;
  bool operator==(const Answers&) const = default;
};

Answers by_vectors(const Constants& c, std::span<const std::byte> words) {
  const std::size_t elements = words.size() / 4;
  const std::size_t blocks = (elements + 15) / 16;
  Answers a{std::vector<std::uint8_t>(elements), std::vector<std::uint8_t>(blocks),
            std::vector<std::uint16_t>(blocks)};
  scaled::quantize_blocks(
      c, {words.data(), elements, a.codes.data(), a.scales.data(), a.status.data()});
  return a;
}

Answers one_by_one(const Constants& c, std::span<const std::byte> words) {
  const std::size_t elements = words.size() / 4;
  Answers a{std::vector<std::uint8_t>(elements), {}, {}};
  for (std::size_t first = 0; first < elements; first += 16) {
    const std::size_t count = std::min<std::size_t>(16, elements - first);
    a.status.push_back(
        scaled::quantize_plain(c, {words.data() + 4 * first, count, 1, a.codes.data() + first}));
    a.scales.push_back(static_cast<std::uint8_t>(a.status.back()));
  }
  return a;
}

TEST(ScaledControls, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  const ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
  const std::vector<std::byte> words = to_bytes(formats::fp32, stimulus());
  CpuTally tally;
  compare_line(job, words, tally);
  ASSERT_EQ(tally.mismatches, 0u) << tally.first;
  const Constants right = scaled::resolve(job).value();
  const Answers expected = by_vectors(right, words);
  for (const Change& change : changes()) {
    Constants wrong = right;
    change.make(wrong);
    EXPECT_NE(by_vectors(wrong, words), expected) << change.name << " survives";
  }
}

// The plain code is asked for few blocks, and answers for all of them as the vectors do.
TEST(ScaledControls, PlainCodeAndVectorsAgreeOnEveryBlock) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::vector<std::uint32_t>> hands = deal(stimulus(), 16, 6);
  std::size_t turn = 0;
  for (const ScaleRule rule : scaled_rules()) {
    if (rule == ScaleRule::kNvfp44over6) continue;  // its finite blocks have kernels of their own
    for (const Rounding rounding : deterministic_roundings()) {
      ScaledBlockJob job = at_amax(nvfp4_job(formats::fp32, rule), 0x44800000);
      job.blocks.element.rounding = rounding;
      const Constants c = scaled::resolve(job).value();
      const std::vector<std::byte> words = to_bytes(formats::fp32, hands[turn++ % hands.size()]);
      EXPECT_EQ(by_vectors(c, words), one_by_one(c, words))
          << token_of(rule) << ", " << token_of(rounding);
    }
  }
}

// A device that is one lane off, or answers for the block beside, is seen.
TEST(ScaledControls, MisplacedLanesAndBlocksAreSeen) {
  MX_NEEDS_CPU_PATH();
  const ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  const ScaledBlockPlan plan = ScaledBlockPlan::make(job).value();
  const std::vector<std::byte> words = to_bytes(formats::fp32, stimulus());
  const auto judged =
      [&](const std::function<void(std::span<std::byte>, std::span<std::byte>)>& spoil) {
        CpuTally tally;
        const QuantizeCall call = [&](const BlockLayout& layout, std::span<const std::byte> source,
                                      std::span<std::byte> codes, std::span<std::byte> scales,
                                      std::span<std::uint16_t>, int threads) {
          const bool done = plan.quantize(layout, source, codes, scales, {}, threads);
          spoil(codes, scales);
          return done;
        };
        compare_tensor(reference, call, "spoiled", {1, words.size() / 4, 1}, words, tally);
        return tally.mismatches;
      };
  EXPECT_EQ(judged([](auto, auto) {}), 0u);
  EXPECT_GT(
      judged([](auto codes, auto) { std::rotate(codes.begin(), codes.begin() + 1, codes.end()); }),
      0u);
  EXPECT_GT(judged([](auto, auto scales) {
              std::rotate(scales.begin(), scales.begin() + 1, scales.end());
            }),
            0u);
  EXPECT_GT(judged([](auto codes, auto) { codes[17] ^= std::byte{1}; }), 0u);
  EXPECT_GT(judged([](auto, auto scales) { scales.back() ^= std::byte{1}; }), 0u);
}

TEST(ScaledControls, EveryChangedByteOfTheTableIsSeen) {
  MX_NEEDS_CPU_PATH();
  const BlockFormat& format = *find_block_format("nvfp4");
  const ScaledDequantizeJob job{.blocks = {.format = format, .output = formats::fp32},
                                .tensor_scale = 0x39C30C31};
  const scaled::Table right = scaled::make_table(job).value();
  std::vector<std::uint8_t> codes(std::size_t{128} * 16);
  std::vector<std::uint8_t> scales(128);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i & 15);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::uint8_t>(i);
  const auto words_by = [&](const scaled::Table& table) {
    std::vector<std::byte> words(4 * codes.size());
    EXPECT_TRUE(scaled::dequantize_blocks(
        table, {codes.data(), 1, codes.size(), scales.data(), words.data()}));
    return words;
  };
  const std::vector<std::byte> expected = words_by(right);
  for (std::size_t scale = 0; scale < 128; ++scale) {
    for (std::size_t i = 0; i < 4 * scaled::kCodes; ++i) {
      scaled::Table wrong = right;
      wrong.planes[scale].of[i / scaled::kCodes][i % scaled::kCodes] ^= 1;
      EXPECT_NE(words_by(wrong), expected) << scale << ", " << i;
    }
  }
}

}  // namespace
}  // namespace mx::fast::test
