// What answers whole rows against what answers one value: the same bits.
#include <algorithm>

#include "emulators/dmx/kernel/float_cast.hpp"
#include "emulators/dmx/strict.hpp"
#include "tests/emulators/dmx/draw.hpp"

namespace mx::emulators::dmx {
namespace {

const char* const kFloats[] = {
    "FP[1|4|3,7](_N)",    "FP[1|4|3,7](FN)",    "FP[1|5|2,15](_N)",   "FP[1|2|1,1](_N)",
    "FP[1|2|3,1](_N)",    "FP[1|3|2,3](_N)",    "FP[1|5|10,15](FN)",  "FP[1|5|10,15](_N)",
    "FP[0|4|4,15](FN)",   "FP[1|8|0,127](_N)",  "FP[1|8|7,127](_N)",  "FP[1|8|7,127](FN)",
    "FP[0|4|3,7](_N)",    "FP[1|4|3,-50](_N)",  "FP[1|4|3,-112](_N)", "FP[1|1|0,-126](_N)",
    "FP[1|1|5,-125](_N)", "FP[1|8|23,127](FN)", "FP[1|8|22,127](_N)", "FP[1|4|3,127](FN)",
    "FP[1|3|0,3](FN)",    "FP[1|4|3,7](_S)"};

TEST(DmxShortcuts, FloatRowsAreFloatValues) {
  Draw draw;
  for (const char* const text : kFloats) {
    const auto format = format_of<FloatingPoint>(text);
    const StrictValues values = StrictValues::of(format);
    const Patterns x = draw.many(20'000), random = draw.many(20'000);
    const Patterns compat_row = cast(text, compat(), x, {.random = random});
    const Patterns strict_row = cast(text, strict(), x, {.random = random});
    const FloatCast one(format, Platform::kX86);
    Words words(random), strict_words(random);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(compat_row[i], one(x[i], words)) << text << " compat " << std::hex << x[i];
      const Unpacked y =
          strict_float(format, values, Beyond::kAsFormat, fp32::value(x[i]), strict_words);
      const Bits expected = y.cls == ValueClass::kNan ? kNanBits : fp32::round(y);
      ASSERT_EQ(strict_row[i], expected) << text << " strict " << std::hex << x[i];
    }
  }
}

TEST(DmxShortcuts, FixedRowsAreFixedValues) {
  Draw draw;
  for (const char* const text :
       {"XP[8,+4](CSN)", "XP[8,+4](__U)", "XP[8,+4](C_D)", "XP[2,0](C_N)", "XP[22,-3](CSN)",
        "XP[23,0](CSU)", "XP[1,0](CSN)", "XP[8,+60](CSN)", "XP[8,+61](CSD)", "XP[8,-60](_SN)"}) {
    const auto format = format_of<FixedPoint>(text);
    Patterns x = draw.many(20'000);
    for (std::size_t i = 0; i < x.size(); i += 3) {
      x[i] = bits((static_cast<float>(draw.below(4096)) - 2048) / 128);
    }
    x.insert(x.end(), {bits(0.5F), bits(-0.5F), 0x3F000001, 0xBF000001, bits(-0x1p-26F), 0xB2800001,
                       0, kMinusZero});
    const Patterns row = cast(text, compat(), x), strict_row = cast(text, strict(), x);
    const FixedKernel kernel = FixedKernel::make(format.precision, format.fraction, format.clamp,
                                                 format.symmetric, format.rounding, {});
    const std::int64_t most = (std::int64_t{1} << (format.precision - 1)) - 1;
    const std::int64_t least = format.symmetric ? -most : -most - 1;
    Words none;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(row[i], kernel(x[i], none)) << text << " compat " << std::hex << x[i];
      if (fp32::is_nan(x[i])) continue;
      const Unpacked value = fp32::value(x[i]);
      const auto quantum = static_cast<int>(-format.fraction);
      const StrictInteger n = strict_integer(value, quantum, format.rounding, 0, 0);
      if (n.is_huge) continue;
      const std::int64_t code = format.clamp ? std::clamp(n.value, least, most) : n.value;
      const auto magnitude = static_cast<std::uint64_t>(code < 0 ? -code : code);
      ASSERT_EQ(strict_row[i], fp32::round(unpack_integer(code < 0, magnitude, quantum)))
          << text << " strict " << std::hex << x[i];
    }
  }
}

TEST(DmxShortcuts, StrictBlocksByTableAreExact) {
  Draw draw;
  for (int precision = 2; precision <= 14; ++precision) {
    for (const bool symmetric : {true, false}) {
      const std::string text =
          "BFP[" + std::to_string(precision) + "|8]{6}(" + (symmetric ? "SN)" : "_N)");
      for (int i = 0; i < 400; ++i) {
        const Patterns x = draw.below(5) == 0 ? draw.many(6) : draw.block(6);
        Patterns out(6);
        Words none;
        strict_block(precision, symmetric, Rounding::kNearest, x, none, out);
        ASSERT_EQ(cast(text, strict(), x), out) << text << std::hex << " " << x[0];
      }
    }
  }
}

/// The package's SBFP, operation by operation.
Patterns plain_sbfp(const ScaledBlockFloatingPoint& format, const Patterns& x) {
  const SoftMachine machine;
  const FixedKernel kernel = FixedKernel::make(format.block_format.precision, 0, true, true,
                                               format.block_format.rounding, {});
  const FloatCast scaler(format.scaler_format, {});
  const Bits largest =
      fp32::from_integer((std::uint32_t{1} << (format.block_format.precision - 1)) - 1);
  const Bits c = machine.divide(largest_magnitude(x), largest);
  Words none;
  const Bits scale = scaler(c, none);
  Patterns out;
  for (const Bits each : x) {
    out.push_back(machine.multiply(kernel(machine.divide(each, c), none), scale));
  }
  return is_below(0, c) ? out : x;
}

TEST(DmxShortcuts, ScaledBlocksByReciprocalAreTheOriginalsOperations) {
  Draw draw;
  for (const char* const text :
       {"SBFP<XP[4,0](CSN)><FP[0|8|7,127](_N)>{9}", "SBFP<XP[2,0](CSN)><FP[0|8|7,127](FN)>{9}",
        "SBFP<XP[8,0](CSN)><FP[0|8|7,127](_N)>{9}", "SBFP<XP[13,0](CSN)><FP[1|8|23,127](_N)>{9}",
        "SBFP<XP[15,0](CSN)><FP[1|8|10,127](_N)>{9}"}) {
    const auto format = format_of<ScaledBlockFloatingPoint>(text);
    for (int i = 0; i < 4000; ++i) {
      Patterns x = draw.block(9);
      if (draw.below(2) != 0) {
        // Odd multiples of half a code of the first value: the ties.
        const auto top = static_cast<float>((1 << format.block_format.precision) - 2);
        x[0] = bits(top);
        for (std::size_t j = 1; j < 9; ++j) {
          const auto half = static_cast<float>(draw.below(1U << format.block_format.precision));
          x[j] = bits(std::min(half, top)) + static_cast<Bits>(draw.below(3)) - 1;
          if (magnitude_of(x[j]) > x[0]) x[j] = 0;
        }
      }
      ASSERT_EQ(cast(text, compat(), x), plain_sbfp(format, x)) << text << std::hex << " " << x[0];
    }
  }
}

TEST(DmxShortcuts, StrictScaledCodesAreTheExactQuotients) {
  Draw draw;
  for (const int precision : {2, 4, 8, 12, 16}) {
    // A scaler that keeps every bit of a scale: values over the scale are the codes.
    const std::string text =
        "SBFP<XP[" + std::to_string(precision) + ",0](CSN)><FP[1|8|23,127](_N)>{5}";
    const std::uint64_t largest = (std::uint64_t{1} << (precision - 1)) - 1;
    for (int i = 0; i < 3000; ++i) {
      std::uint64_t most = 0;
      std::vector<std::uint64_t> integers;
      for (int j = 0; j < 5; ++j) {
        integers.push_back(draw.below(i % 2 == 0 ? 4096 : 1 << 24));
        most = std::max(most, integers.back());
      }
      if (most == 0) continue;
      Patterns x;
      for (const std::uint64_t each : integers) x.push_back(bits(static_cast<float>(each)));
      const Bits scale =
          SoftMachine{}.divide(bits(static_cast<float>(most)), bits(static_cast<float>(largest)));
      Patterns expected;
      for (const std::uint64_t each : integers) {
        const std::uint64_t twice = 2 * each * largest;
        std::uint64_t code = twice / (2 * most);
        const std::uint64_t rest = twice % (2 * most);
        if (rest > most || (rest == most && code % 2 != 0)) ++code;
        expected.push_back(SoftMachine{}.multiply(bits(static_cast<float>(code)), scale));
      }
      ASSERT_EQ(cast(text, strict(), x), expected) << text << " " << integers[0];
    }
  }
}

TEST(DmxShortcuts, StrictMxBlocksByLanesAreExact) {
  Draw draw;
  for (const char* const text : {"MXFP8[E4M3]{7}", "MXFP8[E5M2]{7}", "MXFP4[E2M1]{7}",
                                 "MXFP6[E2M3]{7}", "MXFP6[E3M2]{7}", "MXFP16[E5M10]{7}"}) {
    const FloatingPoint element = format_of<Mxfp>(text).element_format;
    const StrictValues values = StrictValues::of(element);
    for (int i = 0; i < 2000; ++i) {
      const Patterns x = draw.block(7);
      const Bits most = largest_magnitude(x);
      if (most == 0) continue;
      const int scale = std::clamp(fp32::value(most).exponent - values.most_exponent, -127, 127);
      Patterns expected;
      for (const Bits each : x) {
        Unpacked value = fp32::value(each);
        value.exponent -= value.cls == ValueClass::kFinite ? scale : 0;
        Words none;
        Unpacked y = strict_float(element, values, Beyond::kSaturates, value, none);
        y.exponent += y.cls == ValueClass::kFinite ? scale : 0;
        expected.push_back(fp32::round(y));
      }
      ASSERT_EQ(cast(text, strict(), x), expected) << text << std::hex << " " << x[0];
    }
  }
}

TEST(DmxShortcuts, AsymmetricBlocksAreTheFunctions) {
  Draw draw;
  for (int precision = 2; precision <= 24; ++precision) {
    const std::string size = "BFP[" + std::to_string(precision) + "|8]{6}(";
    for (int i = 0; i < 200; ++i) {
      Patterns x = draw.below(5) == 0 ? draw.many(12) : draw.block(6);
      if (x.size() == 6) {
        const Patterns more = draw.block(6);
        x.insert(x.end(), more.begin(), more.end());
      }
      // Values at the edge code.
      if (draw.below(2) != 0) x[1] = (x[1] | 0x807FFF00) & 0xFF7FFFFF;
      const Given rows = {.shape = {2, 6}, .axis = -1};
      const Patterns symmetric = cast(size + "SN)", compat(), x, rows);
      ASSERT_EQ(cast(size + "_N)", compat(), x, rows),
                make_mantissa_asymmetric(symmetric, x, 6, precision, Platform::kX86))
          << precision << std::hex << " " << x[0];
    }
  }
}

}  // namespace
}  // namespace mx::emulators::dmx
