// Negative controls of the way back: with any one constant of the kernels changed, the comparison
// with the reference finds it; with none changed, nothing.
#include <gtest/gtest.h>

#include <functional>

#include "fast/cpu/targets.hpp"
#include "fast/dequantize/dequantize_kernels.hpp"
#include "fast/dequantize/resolve.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/dequantize_judge.hpp"
#include "tests/fast/cpu/judge.hpp"

namespace mx::fast::test {
namespace {

using dequantize::BlockConstants;

struct Change {
  const char* name;
  std::function<void(BlockConstants&)> make;
};

std::vector<Change> changes() {
  return {
      {"man_bits", [](BlockConstants& c) { c.decode.code.man_bits += 1; }},
      {"unit", [](BlockConstants& c) { c.decode.code.unit += 1; }},
      {"sign", [](BlockConstants& c) { c.decode.code.sign_shift += 1; }},
      {"code mask", [](BlockConstants& c) { c.decode.code.code_mask = 0x7F; }},
      {"magnitude mask", [](BlockConstants& c) { c.decode.code.magnitude_mask = 0x3F; }},
      {"complement", [](BlockConstants& c) { c.decode.code.twos_complement = 0xFFFF; }},
      {"infinity", [](BlockConstants& c) { c.decode.code.inf_magnitude -= 1; }},
      {"NaN", [](BlockConstants& c) { c.decode.code.nan_from += 1; }},
      {"one NaN", [](BlockConstants& c) { c.decode.code.nan_code = 0x80; }},
      {"strays", [](BlockConstants& c) { c.decode.code.stray_bits = 1; }},
      {"overflow", [](BlockConstants& c) { c.decode.word.overflow[0] ^= 1; }},
      {"negative overflow", [](BlockConstants& c) { c.decode.word.overflow[1] ^= 1; }},
      {"infinite word", [](BlockConstants& c) { c.decode.word.infinity[1] ^= 1; }},
      {"NaN word", [](BlockConstants& c) { c.decode.word.nan[1] ^= 1; }},
      {"parity", [](BlockConstants& c) { c.decode.word.rounding.by_odd ^= 0xFFFF; }},
      {"tie", [](BlockConstants& c) { c.decode.word.rounding.always ^= 0xFFFF; }},
      {"kind", [](BlockConstants& c) { c.decode.word.rounding.nearest ^= 0xFFFF; }},
      {"signs", [](BlockConstants& c) { c.decode.word.rounding.by_negative ^= 0xFFFF; }},
      {"zero sign", [](BlockConstants& c) { c.decode.word.drops_zero_sign = 0xFFFF; }},
      {"input sign", [](BlockConstants& c) { c.decode.word.drops_input_sign = 0xFFFF; }},
      {"flush before", [](BlockConstants& c) { c.decode.word.flushes_before = 0xFFFF; }},
      {"flush after", [](BlockConstants& c) { c.decode.word.flushes_after = 0xFFFF; }},
      {"scale", [](BlockConstants& c) { c.scales[120].exponent += 1; }},
      {"offset", [](BlockConstants& c) { c.scales[130].offset += 1 << dequantize::kStepBits; }},
      {"results that are not normal", [](BlockConstants& c) { c.scales[0].offset = 128; }},
      {"NaN scale", [](BlockConstants& c) { c.scales[255].kind = dequantize::ScaleKind::kZero; }}};
}

// e5m2 has every kind of code; bf16 rounds its smallest results, and is the kernel's own, while
// those of binary32 are handed over to plain code.
class CpuDequantizeControls : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(CpuDequantizeControls, EveryChangedConstantIsSeen) {
  MX_NEEDS_CPU_PATH();
  DequantizeJob job = default_decoding(formats::e5m2, GetParam());
  job.format.block_size = 256;
  std::vector<std::uint8_t> codes(std::size_t{256} * 256);
  std::vector<std::uint8_t> scales(256);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::uint8_t>(i);
  const std::vector<std::byte> expected = reference_words(
      job, {1, codes.size(), 1}, std::as_bytes(std::span(codes)), std::as_bytes(std::span(scales)));
  const auto agrees = [&](const BlockConstants& c) {
    std::vector<std::byte> words(expected.size());
    return dequantize::dequantize_blocks(
               c, {codes.data(), codes.size(), scales.data(), words.data()}) &&
           words == expected;
  };
  const BlockConstants right = dequantize::resolve(job).value();
  EXPECT_TRUE(agrees(right));
  for (const Change& change : changes()) {
    const std::string_view name = change.name;
    // No product of an e5m2 code and a scale needs rounding in binary32.
    const bool rounds = name == "parity" || name == "tie" || name == "kind" || name == "signs";
    if (rounds && GetParam() == formats::fp32) continue;
    BlockConstants wrong = right;
    change.make(wrong);
    EXPECT_FALSE(agrees(wrong)) << change.name << " survives";
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuDequantizeControls,
                         ::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace mx::fast::test
