// Negative controls of drawn roundings under real-valued scales: with any one thing changed that
// the kernels read, or with words of other elements, the answer is another one; with none changed,
// vectors and plain code agree.
#include <gtest/gtest.h>

#include <functional>

#include "fast/cpu/targets.hpp"
#include "fast/scaled_stochastic/plain.hpp"
#include "fast/scaled_stochastic/resolve.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_kernels.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/stochastic_judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

using scaled::StochasticConstants;

/// Blocks of every binade of maxima whose elements have random significands, and random blocks.
std::vector<std::byte> stimulus() {
  std::vector<std::uint32_t> codes;
  random_blocks(formats::fp32, 31, 2048, [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  });
  std::uint32_t state = 1;
  for (std::uint32_t field = 60; field < 200; ++field) {
    for (std::uint32_t i = 0; i < 64 * 16; ++i) {
      state = state * 1664525 + 1013904223;
      codes.push_back((field - state % 5) << 23 | (state >> 9) | (state & 0x80000000));
    }
  }
  return to_bytes(formats::fp32, codes);
}

StochasticAnswer by_vectors(const StochasticConstants& c, std::span<const std::byte> words,
                            const cpu::StochasticFrom& from) {
  const std::size_t elements = words.size() / 4;
  StochasticAnswer a{std::vector<std::byte>(elements), std::vector<std::byte>(elements / 16),
                     std::vector<std::uint16_t>(elements / 16)};
  scaled::quantize_blocks(c,
                          {words.data(), elements, reinterpret_cast<std::uint8_t*>(a.codes.data()),
                           reinterpret_cast<std::uint8_t*>(a.scales.data()), a.status.data()},
                          from);
  return a;
}

StochasticAnswer one_by_one(const StochasticConstants& c, std::span<const std::byte> words,
                            const cpu::StochasticFrom& from) {
  StochasticAnswer a{std::vector<std::byte>(words.size() / 4), {}, {}};
  for (std::size_t first = 0; first < a.codes.size(); first += 16) {
    a.status.push_back(quantize_plain(c, {words.data() + 4 * first, 16, 1,
                                          reinterpret_cast<std::uint8_t*>(a.codes.data()) + first,
                                          from.draws, from.index + first}));
    a.scales.push_back(static_cast<std::byte>(a.status.back()));
  }
  return a;
}

StochasticConstants constants_of(ScaleRule rule, Rounding rounding, int bits) {
  return scaled::resolve_stochastic(stochastic_job(formats::fp32, rule, 0x44800000, rounding, bits))
      .value();
}

struct Change {
  const char* name;
  std::function<void(StochasticConstants&)> make;
};

/// A change of every scale's factor.
template <class Make>
std::function<void(StochasticConstants&)> of_factors(const Make& make) {
  return [make](StochasticConstants& c) {
    for (scaled::Factor& factor : c.factors) make(factor);
  };
}

std::vector<Change> changes() {
  return {{"the factor", of_factors([](scaled::Factor& f) { f.high += f.high >> 8; })},
          {"the exponent", of_factors([](scaled::Factor& f) { f.exponent += 1; })},
          {"the number of bits", [](StochasticConstants& c) { c.random_bits -= 1; }},
          {"variant B", [](StochasticConstants& c) { c.draw = cpu::Draw::kB; }},
          {"variant C", [](StochasticConstants& c) { c.draw = cpu::Draw::kC; }},
          {"product or quotient", [](StochasticConstants& c) { c.multiplies = !c.multiplies; }},
          {"what vanishes", [](StochasticConstants& c) { c.vanishes.fill(scaled::kNever); }},
          {"zero signs", [](StochasticConstants& c) { c.blocks.drops_zero_sign = true; }},
          {"input signs", [](StochasticConstants& c) { c.blocks.drops_input_sign = true; }},
          {"scales",
           [](StochasticConstants& c) {
             for (std::size_t code = 0x30; code < 0x40; ++code) {
               c.blocks.scale.from[code] += 1U << 18;
             }
           }},
          {"one scale's factor",
           [](StochasticConstants& c) { std::swap(c.factors[0x38], c.factors[0x40]); }}};
}

TEST(ScaledStochasticControls, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::byte> words = stimulus();
  const cpu::StochasticFrom from{kDraws, 0};
  for (const ScaleRule rule : {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Te}) {
    const StochasticConstants right = constants_of(rule, Rounding::kStochasticA, 8);
    const StochasticAnswer expected = by_vectors(right, words, from);
    ASSERT_TRUE(by_vectors(right, words, from) == expected);
    for (const Change& change : changes()) {
      StochasticConstants wrong = right;
      change.make(wrong);
      EXPECT_FALSE(by_vectors(wrong, words, from) == expected)
          << change.name << " survives " << token_of(rule);
    }
  }
}

// The last bit of a quotient counts: a reciprocal one too small lets exact multiples of the scale
// fall below their code, wherever R is 0.
TEST(ScaledStochasticControls, TheLastBitOfAReciprocalIsSeen) {
  MX_NEEDS_CPU_PATH();
  ScaledBlockJob job =
      stochastic_job(formats::fp32, ScaleRule::kNvfp4Exact, 0x40490FDB, Rounding::kStochasticA, 1);
  job.tensor.scale = 0x3FC00000;  // 1.5: a reciprocal without end, multiples that are exact
  std::vector<std::uint32_t> codes;
  // Under the maximum 9 = 6 * 1.5 the scale is 1.
  for (std::uint32_t i = 0; i < 4096; ++i) codes.push_back(i % 16 == 0 ? 0x41100000 : 0x40400000);
  const std::vector<std::byte> words = to_bytes(formats::fp32, codes);
  const cpu::StochasticFrom from{kDraws, 0};
  const StochasticConstants right = scaled::resolve_stochastic(job).value();
  const StochasticAnswer expected = by_vectors(right, words, from);
  EXPECT_TRUE(expected == one_by_one(right, words, from));
  for (std::size_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(expected.codes[i], std::byte{i % 16 == 0 ? std::uint8_t{7} : std::uint8_t{4}});
  }
  StochasticConstants wrong = right;
  wrong.factors[0x38].low -= 1;
  const std::vector<std::byte> got = by_vectors(wrong, words, from).codes;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 4096; ++i)
    kept += static_cast<std::size_t>(got[i] == expected.codes[i]);
  // R is 0 for half of them.
  EXPECT_GT(kept, 1800u);
  EXPECT_LT(kept, 2300u);
}

// Words of the element beside, of another lane's group, of a counter that began late.
TEST(ScaledStochasticControls, MisplacedWordsAreSeen) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::byte> words = stimulus();
  for (const Rounding rounding : stochastic_roundings()) {
    const StochasticConstants c = constants_of(ScaleRule::kNvfp4Te, rounding, 16);
    const std::vector<std::byte> expected = by_vectors(c, words, {kDraws, 100}).codes;
    for (const std::uint64_t place : {99U, 101U, 104U, 84U, 116U}) {
      EXPECT_FALSE(by_vectors(c, words, {kDraws, place}).codes == expected) << place;
    }
  }
}

// The plain code is asked for few blocks, and answers for all of them as the vectors do.
TEST(ScaledStochasticControls, PlainCodeAndVectorsAgreeOnEveryBlock) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::vector<std::byte>> hands = deal(stimulus(), 64, 6);
  std::size_t turn = 0;
  for (const ScaleRule rule : stochastic_rules()) {
    for (const Rounding rounding : stochastic_roundings()) {
      for (const int bits : {1, 16, 31}) {
        const std::vector<std::byte>& words = hands[turn++ % hands.size()];
        const StochasticConstants c = constants_of(rule, rounding, bits);
        const cpu::StochasticFrom from{kDraws, 7};
        EXPECT_TRUE(by_vectors(c, words, from) == one_by_one(c, words, from))
            << token_of(rule) << ", " << token_of(rounding) << ", " << bits;
      }
    }
  }
}

}  // namespace
}  // namespace mx::fast::test
