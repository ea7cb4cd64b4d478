// The short ways of the kernels against the operations of the original, and against the host.
#include <cmath>

#include "emulators/dmx/kernel/kernels.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/emulators/dmx/draw.hpp"

namespace mx::emulators::dmx {
namespace {

constexpr int kDraws = 200'000;

TEST(DmxKernels, ProductsAndQuotientsAreTheMachines) {
  Draw draw;
  const SoftMachine machine;
  for (int i = 0; i < kDraws; ++i) {
    const Bits a = draw(), b = draw();
    ASSERT_EQ(multiply(machine, a, b), machine.multiply(a, b)) << std::hex << a << " " << b;
    ASSERT_EQ(divide(machine, a, b), machine.divide(a, b)) << std::hex << a << " " << b;
    if (!fp32::is_nan(a)) {
      const int shift = static_cast<int>(draw.below(600)) - 300;
      const float scaled_by_host = std::ldexp(std::bit_cast<float>(a), shift);
      ASSERT_EQ(scaled(a, shift), bits(scaled_by_host)) << std::hex << a << " " << shift;
    }
  }
}

TEST(DmxKernels, BelowTheSmallestNormalIsTheSumTakenApart) {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const int exponent_bits = 1 + static_cast<int>(draw.below(8));
    const int least = exponent_bits == 8 ? 127 : -128 + (1 << exponent_bits);
    const auto span = static_cast<std::uint64_t>(127 - least) + 1;
    const FloatKernel kernel{.exponent_bits = exponent_bits,
                             .mantissa_bits = static_cast<int>(draw.below(24)),
                             .bias = least + static_cast<int>(draw.below(span)),
                             .flush = false,
                             .rounding = static_cast<BitRounding>(draw.below(5))};
    Bits x = draw();
    const auto field = static_cast<Bits>(kernel.least_field());
    x = (x & 0x807FFFFF) | static_cast<Bits>(draw.below(field)) << 23;
    if (draw.below(2) == 0) x = (x & 0x807FFFFF) | (field - 1) << 23;
    const Bits random = static_cast<Bits>(draw.below(1U << 31));
    ASSERT_EQ(kernel.below_normal(x, random), kernel.below_normal_plain(x, random))
        << std::hex << x << " bias " << std::dec << kernel.bias << " bits " << kernel.mantissa_bits;
  }
}

TEST(DmxKernels, BlocksInStepsAreTheOriginalsOperations) {
  Draw draw;
  for (int i = 0; i < kDraws / 4; ++i) {
    const BlockKernel kernel{.word_length = 1 + static_cast<int>(draw.below(25)),
                             .rounding = static_cast<BitRounding>(draw.below(5))};
    Patterns x;
    for (int j = 0; j < 4; ++j) x.push_back(draw());
    if (draw.below(4) != 0) {
      for (Bits& each : x) {
        each = (each & 0x807FFFFF) | (140 - static_cast<Bits>(draw.below(12))) << 23;
      }
    }
    Bits most = 0;
    for (const Bits each : x) most = std::max(most, magnitude_of(each));
    Patterns random, out(4);
    for (int j = 0; j < 4; ++j) random.push_back(static_cast<Bits>(draw.below(1U << 31)));
    Words words(random);
    kernel(x, most, words, out);
    for (std::size_t j = 0; j < 4; ++j) {
      ASSERT_EQ(out[j], kernel.element_plain(x[j], most & 0x7F800000, random[j]))
          << std::hex << x[j] << " in " << most << " word length " << kernel.word_length;
    }
  }
}

float rounded_by_host(float a, float r) {
  volatile float sum = a + r;
  return static_cast<float>(std::nearbyint(static_cast<double>(sum) - 0.5));
}

TEST(DmxKernels, FixedPointIsTheHostsExpression) {
  Draw draw;
  const FixedKernel nearest = FixedKernel::make(24, 0, false, true, Rounding::kNearest, {});
  const FixedKernel drawn = FixedKernel::make(24, 0, false, true, Rounding::kStochastic, {});
  const FixedKernel up = FixedKernel::make(24, 0, false, true, Rounding::kUp, {});
  const FixedKernel down = FixedKernel::make(24, 0, false, true, Rounding::kDown, {});
  for (int i = 0; i < kDraws; ++i) {
    Bits x = draw();
    if (draw.below(3) == 0) x = bits(static_cast<float>(draw.below(1U << 26)) / 4 - 0x1p22F);
    if (fp32::is_nan(x)) continue;
    const float a = std::bit_cast<float>(x);
    Words none;
    ASSERT_EQ(nearest(x, none), bits(rounded_by_host(a, 0.5F))) << std::hex << x;
    ASSERT_EQ(up(x, none), bits(std::ceil(a))) << std::hex << x;
    ASSERT_EQ(down(x, none), bits(std::floor(a))) << std::hex << x;
    const Patterns random = {static_cast<Bits>(draw.below(4) == 0 ? 0 : draw.below(1U << 24))};
    Words words(random);
    const float r = static_cast<float>(random[0]) * 0x1p-24F;
    ASSERT_EQ(drawn(x, words), bits(rounded_by_host(a, r))) << std::hex << x << " " << r;
  }
}

TEST(DmxKernels, MxfpBlocksAreTheOriginalsOperations) {
  Draw draw;
  const SoftMachine machine;
  for (const auto& [text, exponent_bits, mantissa_bits] :
       std::vector<std::tuple<std::string, int, int>>{
           {"MXFP8[E4M3]{1}", 4, 3}, {"MXFP4[E2M1]{1}", 2, 1}, {"MXFP10[E6M3]{1}", 6, 3}}) {
    const FloatKernel element{.exponent_bits = exponent_bits,
                              .mantissa_bits = mantissa_bits,
                              .bias = (1 << (exponent_bits - 1)) - 1,
                              .flush = false};
    Patterns x;
    for (int i = 0; i < 2000; ++i) x.push_back(draw());
    const Patterns out = cast(text, compat(), x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Bits m = magnitude_of(x[i]);
      if (m == 0 || m >= kInfBits) continue;
      // Far from the logarithm's slips.
      const int exponent = std::ilogb(std::bit_cast<float>(m));
      if (std::ilogb(std::bit_cast<float>(std::min(m + 100, Bits{0x7F7FFFFF}))) != exponent)
        continue;
      const int emax = 1 << (exponent_bits - 1);
      const Bits scale = machine.divide(power_of_two(exponent), power_of_two(emax));
      Words none;
      const Bits y = machine.multiply(element(machine.divide(x[i], scale), none), scale);
      ASSERT_EQ(out[i], y) << text << std::hex << " " << x[i];
    }
  }
}

TEST(DmxStrict, RecognisedFormatsAreTheReferences) {
  Draw draw;
  for (const auto& [text, format] : std::vector<std::pair<std::string, const ElementFormat*>>{
           {"FP[1|4|3,7](_N)", &formats::e4m3fn},
           {"FP[1|5|2,15](_N)", &formats::e5m2},
           {"FP[1|2|1,1](_N)", &formats::e2m1fn},
           {"FP[1|2|3,1](_N)", &formats::e2m3fn},
           {"FP[1|3|2,3](_N)", &formats::e3m2fn},
           {"FP[1|5|10,15](_N)", &formats::fp16},
           {"FP[1|8|7,127](_N)", &formats::bf16}}) {
    ElementPolicy policy;
    if (format == &formats::fp16 || format == &formats::bf16) {
      policy.overflow = Overflow::kNoneInfOrNan;
    }
    const auto conversion =
        Conversion::make({.source = formats::fp32, .destination = *format, .policy = policy});
    ASSERT_TRUE(conversion);
    Patterns x;
    for (int i = 0; i < 20'000; ++i) x.push_back(draw());
    const Patterns out = cast(text, strict(), x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (fp32::is_nan(x[i])) {
        ASSERT_EQ(out[i], kNanBits);
        continue;
      }
      const std::uint64_t code = (*conversion)(x[i]).code;
      ASSERT_EQ(out[i], fp32::round(decode(*format, code))) << text << std::hex << " " << x[i];
    }
  }
}

}  // namespace
}  // namespace mx::emulators::dmx
