// SPDX-License-Identifier: Apache-2.0
// Where the casts of dmx clamp, saturate and flush: the limit, its neighbours and its negative.
#include "tests/emulators/limits.hpp"

#include <cmath>

#include "emulators/dmx/kernel/asymmetric.hpp"
#include "emulators/dmx/kernel/float_cast.hpp"
#include "emulators/dmx/strict.hpp"
#include "tests/emulators/dmx/support.hpp"

namespace mx::emulators::dmx {
namespace {

float value_of(Bits x) { return std::bit_cast<float>(x); }

/// fixed_point_quantize() by the host, operation by operation as quant_cpu/sim_helper.cpp has it.
Bits fixed_by_host(const FixedPoint& format, Bits x) {
  const auto wl = static_cast<int>(format.precision), fl = static_cast<int>(format.fraction);
  auto t_min = static_cast<float>(-std::ldexp(1.0, wl - fl - 1));
  const auto t_max = static_cast<float>(-double{t_min} - std::ldexp(1.0, -fl));
  if (format.symmetric) t_min = static_cast<float>(double{t_min} + std::ldexp(1.0, -fl));
  float a = std::ldexp(value_of(x), fl);
  if (format.rounding == Rounding::kNearest) {
    volatile float sum = a + 0.5F;
    a = static_cast<float>(std::nearbyint(double{sum} - 0.5));
  } else {
    a = format.rounding == Rounding::kUp ? std::ceil(a) : std::floor(a);
  }
  a = std::ldexp(a, -fl);
  if (format.clamp) a = a > t_max ? t_max : a < t_min ? t_min : a;
  return bits(a);
}

/// The same rounded once, with +0 for every zero.
Bits fixed_exactly(const FixedPoint& format, Bits x) {
  const double scaled = std::ldexp(double{value_of(x)}, static_cast<int>(format.fraction));
  double code = format.rounding == Rounding::kNearest ? std::nearbyint(scaled)
                : format.rounding == Rounding::kUp    ? std::ceil(scaled)
                                                      : std::floor(scaled);
  const double most = std::ldexp(1.0, static_cast<int>(format.precision) - 1) - 1;
  if (format.clamp) code = std::clamp(code, format.symmetric ? -most : -most - 1, most);
  return bits(code == 0 ? 0.0F
                        : static_cast<float>(std::ldexp(code, -static_cast<int>(format.fraction))));
}

std::string fixed_text(int precision, int fraction, const std::string& flags) {
  return "XP[" + std::to_string(precision) + "," + std::to_string(fraction) + "](" + flags + ")";
}

TEST(DmxLimits, FixedPoint) {
  // The findings by name: the lowest code is its own answer.
  EXPECT_EQ(cast("XP[8,+7](C_N)", compat(), bits({-1})), bits({-1}));
  EXPECT_EQ(cast("XP[12,+11](C_N)", strict(), bits({-1})), bits({-1}));
  for (int precision = 1; precision <= 24; ++precision) {
    for (const int fraction : {-3, 0, precision - 1, 20}) {
      const Patterns x = around(limits_of_integers(precision - 1, 127 - fraction));
      for (const std::string flags :
           {"CSN", "C_N", "_SN", "__N", "CSU", "C_U", "__U", "CSD", "C_D", "__D"}) {
        const std::string text = fixed_text(precision, fraction, flags);
        const auto format = format_of<FixedPoint>(text);
        const auto by_host = [&](Bits each) { return fixed_by_host(format, each); };
        const auto exactly = [&](Bits each) { return fixed_exactly(format, each); };
        expect_one_answer(
            text + " compat", x, [&](const Patterns& row) { return cast(text, compat(), row); },
            by_host);
        expect_one_answer(
            text + " strict", x, [&](const Patterns& row) { return cast(text, strict(), row); },
            exactly);
        // What the quick ways stand for.
        const FixedKernel kernel =
            FixedKernel::make(format.precision, format.fraction, format.clamp, format.symmetric,
                              format.rounding, Platform::kX86);
        Words none;
        for (const Bits each : x) ASSERT_EQ(kernel(each, none), by_host(each)) << text << each;
      }
    }
  }
}

TEST(DmxLimits, Floats) {
  for (const char* const text :
       {"FP[1|4|3,7](_N)", "FP[1|4|3,7](FN)", "FP[1|5|2,15](_N)", "FP[1|2|1,1](_N)",
        "FP[1|3|2,3](_N)", "FP[1|5|10,15](FN)", "FP[1|5|10,15](_N)", "FP[0|4|4,15](FN)",
        "FP[1|8|0,127](_N)", "FP[1|8|7,127](FN)", "FP[1|4|3,-50](_N)", "FP[1|1|0,-126](_N)",
        "FP[1|8|22,127](_N)", "FP[1|4|3,127](FN)", "FP[1|3|0,3](FN)"}) {
    const auto format = format_of<FloatingPoint>(text);
    const StrictValues values = StrictValues::of(format);
    const FloatCast one(format, Platform::kX86);
    const Patterns x = around(ends_of_binades(static_cast<int>(format.mantissa)), 1);
    Words none;
    expect_one_answer(
        text, x, [&](const Patterns& row) { return cast(text, compat(), row); },
        [&](Bits each) { return one(each, none); });
    expect_one_answer(
        text, x, [&](const Patterns& row) { return cast(text, strict(), row); },
        [&](Bits each) {
          const Unpacked y =
              strict_float(format, values, Beyond::kAsFormat, fp32::value(each), none);
          return y.cls == ValueClass::kNan ? kNanBits : fp32::round(y);
        });
  }
}

/// Blocks under one exponent: the largest codes of both signs, in a block whose maximum is the
/// largest number of its binade or a limit itself.
TEST(DmxLimits, BlocksUnderOneExponent) {
  for (int precision = 2; precision <= 22; ++precision) {
    for (const std::string flags : {"SN", "_N", "SU", "SD", "_D"}) {
      const std::string text = "BFP[" + std::to_string(precision) + "|8]{1000}(" + flags + ")";
      const auto format = format_of<BlockFloatingPoint>(text);
      const BitRounding rounding = flags[1] == 'N'   ? BitRounding::kEven
                                   : flags[1] == 'U' ? BitRounding::kPlusOne
                                                     : BitRounding::kTruncate;
      for (const int field : {40, 127, 240}) {
        const Bits reach = (static_cast<Bits>(field) << 23) | 0x7FFFFF;
        Patterns x = around(limits_of_integers(precision - 1, field - precision + 2));
        std::erase_if(x, [&](Bits each) { return magnitude_of(each) > reach; });
        for (const Bits most : {reach, static_cast<Bits>(field) << 23}) {
          Patterns block = {most};
          for (const Bits each : x) {
            if (magnitude_of(each) <= most) block.push_back(each);
          }
          Words none;
          Patterns exact(block.size());
          strict_block(precision, format.symmetric, format.rounding, block, none, exact);
          ASSERT_EQ(cast(text, strict(), block), exact) << text << std::hex << most;
          Patterns plain;
          const BlockKernel kernel{.word_length = precision, .rounding = rounding};
          for (const Bits each : block) {
            plain.push_back(kernel.element_plain(each, static_cast<Bits>(field) << 23, 0));
          }
          if (!format.symmetric) {
            plain = make_mantissa_asymmetric(plain, block, block.size(), precision, Platform::kX86);
          }
          ASSERT_EQ(cast(text, compat(), block), plain) << text << std::hex << most;
        }
      }
    }
  }
}

/// Elements at the ends of the type's binades, under a scale of 1.
TEST(DmxLimits, MxBlocks) {
  for (const char* const text :
       {"MXFP8[E4M3]{100000}", "MXFP8[E5M2]{100000}", "MXFP4[E2M1]{100000}", "MXFP6[E2M3]{100000}",
        "MXFP6[E3M2]{100000}"}) {
    const FloatingPoint element = format_of<Mxfp>(text).element_format;
    const StrictValues values = StrictValues::of(element);
    const FloatCast one(element, Platform::kX86);
    const Bits top = static_cast<Bits>(127 + (1 << (element.exponent - 1))) << 23;
    // Compat divides the power of two of the maximum by 2^(2^(E-1)), strict by that of the largest.
    const Bits strict_top = static_cast<Bits>(127 + values.most_exponent) << 23;
    const auto below = [&](Bits most) {
      Patterns block = {most | 0x7FFFF0};
      for (const Bits each : around(ends_of_binades(static_cast<int>(element.mantissa), 90))) {
        if (magnitude_of(each) <= block[0]) block.push_back(each);
      }
      return block;
    };
    Words none;
    Patterns expected;
    for (const Bits each : below(top)) expected.push_back(one(each, none));
    ASSERT_EQ(cast(text, compat(), below(top)), expected) << text;
    expected.clear();
    for (const Bits each : below(strict_top)) {
      expected.push_back(
          fp32::round(strict_float(element, values, Beyond::kSaturates, fp32::value(each), none)));
    }
    ASSERT_EQ(cast(text, strict(), below(strict_top)), expected) << text;
  }
}

}  // namespace
}  // namespace mx::emulators::dmx
