// SPDX-License-Identifier: Apache-2.0
// Conversions between wide formats by the CPU path, on every set of vector instructions, against
// the reference: every source and destination, every rounding that draws nothing, every policy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fast/cpu/targets.hpp"
#include "fast/wide/constants.hpp"
#include "fast/wide/converter.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/word_bytes.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/sample.hpp"

namespace mx::fast::test {
namespace {

/// Every exponent field with significands whose last ones lie at every place, so that every
/// destination has ties and their neighbours; random words; infinities and NaNs; both signs.
std::vector<std::uint64_t> hard_words(const ElementFormat& f, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> words;
  const std::uint64_t fields = (f.magnitude_mask() >> f.man_bits) + 1;
  const std::uint64_t step = f.bits == 64 && !runs_whole() ? 7 : 1;
  const auto add = [&](std::uint64_t magnitude) {
    words.push_back(magnitude & f.magnitude_mask());
    words.push_back((magnitude & f.magnitude_mask()) | f.sign_bit());
  };
  for (std::uint64_t field = 0; field < fields; ++field) {
    // Of binary64, whose exponents are many, all that other formats have, and their ends.
    const bool is_near = field + 1200 > fields / 2 + 1023 && field < fields / 2 + 160;
    if (f.bits == 64 && field % step != 0 && !is_near && field + 2 < fields) continue;
    const std::uint64_t base = field << f.man_bits;
    // Every second place, of either parity in turn, where a part runs.
    const int stride = runs_whole() ? 1 : 2;
    const int start = runs_whole() ? 0 : static_cast<int>(field % 2);
    for (int place = start; place < f.man_bits; place += stride) {
      const std::uint64_t last = std::uint64_t{1} << place;
      const std::uint64_t odd = (random() << place << 1 | last) & f.man_mask();
      for (const std::uint64_t significand : {last, odd, odd + 1, odd - 1})
        add(base | (significand & f.man_mask()));
    }
    add(base);
    add(base + 1);
    add(base | f.man_mask());
  }
  for (int i = 0; i < 4096; ++i) words.push_back(random() & f.code_mask());
  return words;
}

std::vector<std::byte> bytes_of(const ElementFormat& f, std::span<const std::uint64_t> words) {
  const std::size_t width = storage_bytes(f);
  std::vector<std::byte> bytes(words.size() * width);
  for (std::size_t i = 0; i < words.size(); ++i)
    store_word(bytes.data() + i * width, width, words[i]);
  return bytes;
}

/// Where the plan's answer first differs from the reference's, or "".
std::string difference(const ElementJob& job, std::span<const std::uint64_t> words) {
  const Conversion conversion = Conversion::make({job.source, job.destination, job.policy}).value();
  std::vector<std::uint64_t> out(words.size());
  bulk::convert(conversion, words, {}, out, {});
  const std::vector<std::byte> expected = bytes_of(job.destination, out);
  const std::vector<std::byte> source = bytes_of(job.source, words);
  const WidePlan plan = WidePlan::make(job).value();
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    Guarded codes(expected.size());
    if (!plan.convert(source, codes.span()) || !codes.guards_hold()) return "refused";
    const auto found = std::ranges::mismatch(expected, codes.span());
    if (found.in1 == expected.end()) continue;
    const auto at =
        static_cast<std::size_t>(found.in1 - expected.begin()) / storage_bytes(job.destination);
    return fmt::format("{} to {}, {}, {}, {}, {}: word {:X}, expected {:X}", job.source.name,
                       job.destination.name, token_of(job.policy.rounding),
                       token_of(job.policy.overflow), token_of(job.policy.zero_sign), target,
                       words[at], out[at]);
  }
  return {};
}

constexpr std::array kSources = {formats::fp64, formats::fp32, formats::tf32, formats::bf16,
                                 formats::fp16};

TEST(CpuWide, AgreesUnderEveryRoundingAndPolicy) {
  MX_NEEDS_CPU_PATH();
  std::size_t turn = 0;
  std::uint64_t jobs = 0;
  for (const ElementFormat& source : kSources) {
    const std::vector<std::uint64_t> words = hard_words(source, 41);
    for (const ElementFormat& destination :
         {formats::fp64, formats::fp32, formats::tf32, formats::bf16, formats::fp16,
          formats::e4m3fn, formats::e5m2, formats::e3m2fn, formats::e2m3fn, formats::e2m1fn}) {
      for (const Rounding rounding : deterministic_roundings()) {
        ElementJob job{.source = source, .destination = destination, .policy = {}};
        job.policy.rounding = rounding;
        const auto pick = [&]<class Policy>(Policy& policy) {
          policy = tokens<Policy>()[turn++ % tokens<Policy>().size()].value;
        };
        pick(job.policy.overflow);
        pick(job.policy.nan);
        pick(job.policy.zero_sign);
        turn += turn % 5;
        ++jobs;
        const std::string found = difference(job, words);
        ASSERT_EQ(found, "");
      }
    }
  }
  EXPECT_EQ(jobs, 450u);
}

// Every word of 16 bits to binary32 and to each other.
TEST(CpuWide, AgreesOnEveryWordOf16Bits) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint64_t> words(65536);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
  EXPECT_EQ(difference({formats::bf16, formats::fp32, {}}, words), "");
  EXPECT_EQ(difference({formats::bf16, formats::fp16, {}}, words), "");
  EXPECT_EQ(difference({formats::fp16, formats::fp32, {}}, words), "");
  EXPECT_EQ(difference({formats::fp16, formats::bf16, {}}, words), "");
  EXPECT_EQ(difference({formats::fp16, formats::tf32, {}}, words), "");
}

// Ends of arrays in every place of a tile and a vector.
TEST(CpuWide, AgreesOnEveryLength) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::uint64_t> words = hard_words(formats::fp32, 42);
  for (std::size_t length : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 31U, 511U, 512U, 513U, 1023U, 1027U}) {
    const auto some = std::span(words).subspan(3000, length);
    EXPECT_EQ(difference({formats::fp32, formats::bf16, {}}, some), "") << length;
    EXPECT_EQ(difference({formats::fp32, formats::fp64, {}}, some), "") << length;
  }
}

// What the kernel reads, each of it wrong in one way.
TEST(CpuWide, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::uint64_t> words = hard_words(formats::fp32, 43);
  const ElementJob job{formats::fp32, formats::fp16, {}};
  const std::vector<std::byte> source = bytes_of(job.source, words);
  const wide::Constants right = wide::constants_of(job);
  const auto codes_by = [&](const wide::Constants& c) {
    std::vector<std::byte> codes(words.size() * 2);
    wide::convert(c, source.data(), words.size(), codes.data());
    return codes;
  };
  const std::vector<std::byte> expected = codes_by(right);
  EXPECT_EQ(difference(job, words), "");
  const std::vector<std::pair<const char*, void (*)(wide::Constants&)>> changes = {
      {"man", [](wide::Constants& c) { c.man -= 1; }},
      {"least field", [](wide::Constants& c) { c.least_field += 1; }},
      {"sign", [](wide::Constants& c) { c.sign_bit >>= 1; }},
      {"limit", [](wide::Constants& c) { c.limit -= 0x400; }},
      {"parity", [](wide::Constants& c) { c.rounding.by_odd = 0; }},
      {"kind", [](wide::Constants& c) { c.rounding.nearest = 0; }},
      {"infinity", [](wide::Constants& c) { c.infinity += 1; }},
      {"codes of infinities", [](wide::Constants& c) { c.infinity_code[1] ^= 1; }},
      {"codes of NaNs", [](wide::Constants& c) { c.nan_code[0] ^= 1; }},
      {"codes beyond", [](wide::Constants& c) { c.overflow_code[1] ^= 1; }},
      {"zeros", [](wide::Constants& c) { c.drops_zero_sign = true; }},
      {"zero inputs", [](wide::Constants& c) { c.drops_input_sign = true; }}};
  for (const auto& [name, change] : changes) {
    wide::Constants wrong = right;
    change(wrong);
    EXPECT_NE(codes_by(wrong), expected) << name << " survives";
  }
}

TEST(CpuWide, SaysWhyThereIsNoPlan) {
  MX_NEEDS_CPU_PATH();
  ElementJob job{formats::fp32, formats::bf16, {}};
  ASSERT_TRUE(WidePlan::make(job));
  EXPECT_FALSE(WidePlan::make({formats::e4m3fn, formats::bf16, {}}));
  EXPECT_FALSE(WidePlan::make({formats::fp32, formats::int8, {}}));
  job.policy.staging = Staging::kViaFp16;
  EXPECT_EQ(WidePlan::make(job).problem(), "no fast path: staging");
  job.policy = {.dst_ftz = ResultSubnormals::kFlushAfterRounding};
  EXPECT_EQ(WidePlan::make(job).problem(), "no fast path: dst_ftz");
  const std::vector<std::byte> words(12);
  std::vector<std::byte> codes(5);
  EXPECT_FALSE(WidePlan::make({formats::fp32, formats::bf16, {}}).value().convert(words, codes));
}

}  // namespace
}  // namespace mx::fast::test
