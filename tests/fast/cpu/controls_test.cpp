// Negative controls: with any one constant of the kernels changed, the comparison with the
// reference finds it; with none changed, nothing.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

using cpu::BlockConstants;

struct Change {
  const char* name;
  std::function<void(BlockConstants&)> make;
};

std::vector<Change> changes() {
  return {{"man_bits", [](BlockConstants& c) { c.element.man_bits -= 1; }},
          {"limit", [](BlockConstants& c) { c.element.limit[0] -= 2; }},
          {"negative limit", [](BlockConstants& c) { c.element.limit[1] -= 2; }},
          {"overflow", [](BlockConstants& c) { c.element.overflow.of[1] ^= 1; }},
          {"sign", [](BlockConstants& c) { c.element.sign_bit ^= c.element.sign_bit >> 1 | 1; }},
          {"zero sign", [](BlockConstants& c) { c.element.drops_zero_sign = 0xFFFF; }},
          {"parity", [](BlockConstants& c) { c.element.rounding.by_odd ^= 0xFFFF; }},
          {"tie", [](BlockConstants& c) { c.element.rounding.always ^= 0xFFFF; }},
          {"kind", [](BlockConstants& c) { c.element.rounding.nearest ^= 0xFFFF; }},
          {"sign in rounding", [](BlockConstants& c) { c.element.rounding.by_negative = 0xFFFF; }},
          {"rule", [](BlockConstants& c) { c.rule_addend += 1; }},
          {"scale", [](BlockConstants& c) { c.scale_offset += 1; }},
          {"lowest scale", [](BlockConstants& c) { c.lowest_scale += 1; }},
          {"highest scale", [](BlockConstants& c) { c.highest_scale -= 100; }},
          {"grid", [](BlockConstants& c) { c.element_offset += 1; }},
          {"NaN scale", [](BlockConstants& c) { c.nan_scale -= 1; }},
          {"NaN fill", [](BlockConstants& c) { c.nan_fill = 1; }},
          {"zero scale", [](BlockConstants& c) { c.zero_scale = 1; }}};
}

/// Differences between the kernels under some constants, of the words given, and the reference.
std::size_t differences(const BlockJob& job, const BlockConstants& c,
                        std::span<const std::byte> words, std::span<const std::byte> given) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const std::array<std::uint64_t, 1> dims = {words.size() / 4};
  const BlockedShape shape = BlockedShape::make(dims, 0, 32).value();
  std::vector<std::byte> codes(shape.elements);
  std::vector<std::byte> scales(shape.scales);
  static_cast<void>(
      quantize_tensor(quantizer, shape, Tail::kShort, words, {}, codes, scales).value());
  std::vector<std::uint8_t> got_codes(codes.size());
  std::vector<std::uint8_t> got_scales(scales.size());
  cpu::quantize_blocks(c, cpu::Source::kFp32,
                       {given.data(), codes.size(), got_codes.data(), got_scales.data(), nullptr});
  std::size_t count = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    count += std::to_integer<std::uint8_t>(codes[i]) != got_codes[i] ? 1u : 0u;
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    count += std::to_integer<std::uint8_t>(scales[i]) != got_scales[i] ? 1u : 0u;
  }
  return count;
}

std::size_t differences(const BlockJob& job, const BlockConstants& c,
                        std::span<const std::byte> words) {
  return differences(job, c, words, words);
}

// The general kernel reads every constant; the rule is even_up, whose addend has a neighbour that
// is another rule's.
TEST(CpuControls, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> words;
  const Sink keep = [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  };
  thresholds_at_every_scale(formats::fp32, formats::e4m3fn, keep);
  random_blocks(formats::fp32, 21, 4096, keep);
  BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  job.block.rule = ScaleRule::kEvenUp;
  BlockConstants right = cpu::resolve_block(job).value();
  EXPECT_EQ(differences(job, right, words), 0u);
  right.element.short_kernel = cpu::Short::kNone;
  EXPECT_EQ(differences(job, right, words), 0u);
  for (const Change& change : changes()) {
    BlockConstants wrong = right;
    change.make(wrong);
    EXPECT_GT(differences(job, wrong, words), 0u) << change.name << " survives";
  }
}

/// What the short kernels read, each of them wrong in one way.
std::vector<Change> short_changes() {
  return {{"man_bits", [](BlockConstants& c) { c.element.man_bits -= 1; }},
          {"end", [](BlockConstants& c) { c.element.short_end -= 2; }},
          {"parity", [](BlockConstants& c) { c.element.rounding.by_odd ^= 0xFFFF; }},
          {"sign", [](BlockConstants& c) { c.element.sign_bit ^= 0x40; }},
          {"mask", [](BlockConstants& c) { c.element.code_mask >>= 1; }},
          {"kind",
           [](BlockConstants& c) {
             const bool is_twos = c.element.short_kernel == cpu::Short::kTwos;
             c.element.short_kernel = is_twos ? cpu::Short::kSigned : cpu::Short::kTwos;
           }},
          {"zeros",
           [](BlockConstants& c) {
             // What a two's complement zero has no sign for.
             const bool is_twos = c.element.short_kernel == cpu::Short::kTwos;
             c.element.short_kernel = is_twos ? cpu::Short::kSigned : cpu::Short::kZeroByInput;
           }},
          {"scale", [](BlockConstants& c) { c.scale_offset += 1; }},
          {"grid", [](BlockConstants& c) { c.element_offset += 1; }}};
}

TEST(CpuControls, EveryConstantOfTheShortKernelsIsSeen) {
  MX_NEEDS_CPU_PATH();
  for (const ElementFormat& element : {formats::e4m3fn, formats::e2m1fn, formats::int8}) {
    std::vector<std::byte> words;
    const Sink keep = [&](std::span<const std::uint32_t> piece) {
      const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
      words.insert(words.end(), more.begin(), more.end());
    };
    thresholds_at_every_scale(formats::fp32, element, keep);
    random_blocks(formats::fp32, 22, 4096, keep);
    const BlockJob job = default_job(formats::fp32, element);
    const BlockConstants right = cpu::resolve_block(job).value();
    ASSERT_NE(right.element.short_kernel, cpu::Short::kNone) << element.name;
    EXPECT_EQ(differences(job, right, words), 0u) << element.name;
    const bool is_twos = right.element.twos_complement != 0;
    for (const Change& change : short_changes()) {
      const std::string_view name = change.name;
      if (name == (is_twos ? "sign" : "mask")) continue;
      BlockConstants wrong = right;
      change.make(wrong);
      EXPECT_GT(differences(job, wrong, words), 0u) << element.name << ": " << name << " survives";
    }
  }
}

/// Words in another order, which the kernels then take for the right one.
using Order = std::function<std::size_t(std::size_t)>;
std::vector<std::byte> reordered(std::span<const std::byte> words, const Order& from) {
  std::vector<std::byte> result(words.size());
  for (std::size_t i = 0; i < words.size() / 4; ++i) {
    for (std::size_t b = 0; b < 4; ++b) result[4 * i + b] = words[4 * from(i) + b];
  }
  return result;
}

// Two lanes, fours of them, halves of a vector, and neighbouring blocks that change places.
TEST(CpuControls, AWrongOrderOfLanesOrBlocksIsSeen) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> words;
  const Sink keep = [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  };
  random_blocks(formats::fp32, 23, 4096, keep);
  const BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  const cpu::BlockConstants c = cpu::resolve_block(job).value();
  const std::size_t count = words.size() / 4 / 64 * 64;
  words.resize(4 * count);
  for (std::size_t step = 1; step <= 32; step *= 2) {
    const std::vector<std::byte> moved = reordered(words, [&](std::size_t i) { return i ^ step; });
    EXPECT_GT(differences(job, c, words, moved), 0u) << step;
  }
  EXPECT_EQ(differences(job, c, words, words), 0u);
}

}  // namespace
}  // namespace mx::fast::test
