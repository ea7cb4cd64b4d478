// What the callers of the CUDA path may rely on apart from the values.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "fast/cuda/arithmetic.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

struct Results {
  explicit Results(std::size_t elements)
      : codes(elements), scales((elements + 31) / 32), status((elements + 31) / 32) {}
  QuantizedSpans spans() { return {codes, scales, status}; }
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;
};

// spec F12 by hand: the example block of spec F17, G15, and its tail of +0.
TEST(QuantizeOnHost, GivesTheWorkedExample) {
  const std::vector<std::byte> words =
      to_bytes(formats::fp32, std::array{0x40490FDBu, 0xBF400000u, 0x3C000000u, 0x3A83126Fu});
  Results results(4);
  ASSERT_TRUE(quantize_on_host(formats::fp32, formats::e4m3fn, words, results.spans()));
  EXPECT_EQ(results.codes,
            (std::vector{std::byte{0x7D}, std::byte{0xEC}, std::byte{0x38}, std::byte{0x20}}));
  EXPECT_EQ(results.scales, std::vector{std::byte{0x78}});
  EXPECT_EQ(results.status, std::vector<std::uint16_t>{0x0078});
}

TEST(QuantizeOnHost, ReadsUnalignedWords) {
  std::vector<std::byte> words =
      to_bytes(formats::fp32, std::array{0x40490FDBu, 0xBF400000u, 0x3C000000u, 0x3A83126Fu});
  words.insert(words.begin(), std::byte{0xFF});
  Results results(4);
  ASSERT_TRUE(quantize_on_host(formats::fp32, formats::e4m3fn, std::span(words).subspan(1),
                               results.spans()));
  EXPECT_EQ(results.codes[0], std::byte{0x7D});
}

TEST(QuantizeOnHost, AcceptsNothing) {
  Results results(0);
  EXPECT_TRUE(quantize_on_host(formats::bf16, formats::int8, {}, results.spans()));
}

TEST(QuantizeOnHost, RefusesOtherFormats) {
  const std::vector<std::byte> words(64);
  Results results(8);
  for (const auto& [source, element] :
       {std::pair{formats::fp64, formats::e4m3fn}, std::pair{formats::fp32, formats::bf16},
        std::pair{formats::e4m3fn, formats::e2m1fn}, std::pair{formats::tf32, formats::int8}}) {
    EXPECT_FALSE(is_supported(source, element));
    EXPECT_EQ(quantize_on_host(source, element, words, results.spans()).error,
              Error::kUnsupportedFormat);
  }
}

// A descriptor that differs from the row in one fact is another format, whatever it is called.
TEST(QuantizeOnHost, RefusesAFormatThatOnlySharesTheName) {
  ElementFormat renamed = formats::e4m3fn;
  renamed.max_code = 0x7F;
  EXPECT_FALSE(is_supported(formats::fp32, renamed));
}

TEST(QuantizeOnHost, RefusesSpansThatDoNotFit) {
  const std::vector<std::byte> words(132);
  Results right(33);
  ASSERT_TRUE(quantize_on_host(formats::fp32, formats::e5m2, words, right.spans()));
  const auto error_of = [&](std::span<const std::byte> in, QuantizedSpans out) {
    const Status outcome = quantize_on_host(formats::fp32, formats::e5m2, in, out);
    EXPECT_FALSE(outcome.detail.empty());
    return outcome.error;
  };
  QuantizedSpans out = right.spans();
  EXPECT_EQ(error_of(std::span(words).first(131), out), Error::kBadSize);
  out.codes = out.codes.first(32);
  EXPECT_EQ(error_of(words, out), Error::kBadSize);
  out = right.spans();
  out.scales = out.scales.first(1);
  EXPECT_EQ(error_of(words, out), Error::kBadSize);
  out = right.spans();
  out.status = out.status.first(1);
  EXPECT_EQ(error_of(words, out), Error::kBadSize);
}

TEST(QuantizeOnDevice, SaysWhyItCannotWork) {
  if (device_available()) GTEST_SKIP() << "there is a device";
  const std::vector<std::byte> words(128);
  Results results(32);
  const Status outcome = quantize_on_device(formats::fp32, formats::e4m3fn, words, results.spans());
  EXPECT_EQ(outcome.error, Error::kNoDevice);
  EXPECT_EQ(outcome.detail, device_problem());
  EXPECT_FALSE(device_problem().empty());
}

TEST(QuantizeOnDevice, RefusesOtherFormatsEvenWithoutADevice) {
  Results results(0);
  EXPECT_EQ(quantize_on_device(formats::fp64, formats::e4m3fn, {}, results.spans()).error,
            Error::kUnsupportedFormat);
}

// Beyond the scales of the floor rule: an element far above the block's maximum still saturates.
TEST(RoundMagnitude, AgreesUnderEveryScaleWhateverTheElement) {
  using Source = SourceTraits<formats::fp16>;
  const auto sweep = [&]<const ElementFormat & kElement>() {
    using Element = ElementTraits<kElement>;
    const BackendCheck judge(formats::fp16, kElement);
    for (int scale = 0; scale <= 0xFE; ++scale) {
      for (std::uint32_t code = 1; code < Source::kInf; code += 13) {
        const std::uint32_t rounded = round_magnitude<Element>(normalize<Source>(code), scale);
        Trace trace;
        const Encoded expected =
            judge.quantizer().explain_element(code, static_cast<std::uint64_t>(scale), 0, trace);
        ASSERT_EQ(saturate<Element>(rounded), expected.code) << code << " scale " << scale;
        ASSERT_EQ(rounded > Element::kLargest, (expected.flags & kFlagOverflow) != 0);
        ASSERT_EQ(rounded == 0, (expected.flags & kFlagToZero) != 0);
      }
    }
  };
  sweep.operator()<formats::e4m3fn>();
  sweep.operator()<formats::e5m2>();
  sweep.operator()<formats::e3m2fn>();
  sweep.operator()<formats::e2m3fn>();
  sweep.operator()<formats::e2m1fn>();
  sweep.operator()<formats::int8>();
}

}  // namespace
}  // namespace mx::fast::test
