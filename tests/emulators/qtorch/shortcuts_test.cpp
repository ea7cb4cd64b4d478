// The integer short cuts of compat mode against the rules as they stand, and strict mode against
// the reference's own conversions.
#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/fixed_table.hpp"
#include "emulators/qtorch/kernels/float_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/emulators/qtorch/support.hpp"

namespace mx::emulators::qtorch {
namespace {

/// A generator good enough to spread patterns: xorshift of 32 bits.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : state_(seed | 1) {}
  std::uint32_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }

 private:
  std::uint32_t state_;
};

/// Every exponent, both signs, heads and tails around every rounding boundary, and noise.
const Patterns& stimuli() {
  static const Patterns made = [] {
    Patterns patterns;
    for (std::uint32_t field = 0; field < 256; ++field) {
      for (std::uint32_t bit = 0; bit < 23; ++bit) {
        for (const std::uint32_t around : {0U, 1U, 0x7FFFFFU}) {
          const std::uint32_t mantissa = ((std::uint32_t{1} << bit) + around) & 0x7FFFFF;
          patterns.push_back(field << 23 | mantissa);
          patterns.push_back(0x80000000 | field << 23 | (mantissa ^ 0x400000));
        }
      }
    }
    Noise noise(7);
    for (int i = 0; i < 20000; ++i) patterns.push_back(noise());
    for (int i = 0; i < 40000; ++i) {
      patterns.push_back((noise() & 0x807FFFFF) | (100 + noise() % 60) << 23);
    }
    return patterns;
  }();
  return made;
}

Patterns words_for(std::size_t count, std::uint32_t seed) {
  Noise noise(seed);
  Patterns words(count);
  for (std::uint32_t& word : words) word = noise();
  for (std::size_t i = 0; i < count; i += 97) words[i] = 0;
  return words;
}

constexpr Rounding kBoth[] = {Rounding::kNearest, Rounding::kStochastic};
constexpr Platform kPlatforms[] = {Platform::kX86, Platform::kAarch64, Platform::kCuda};

TEST(QtorchShortcuts, FloatsFollowTheRule) {
  const Patterns& values = stimuli();
  const Patterns random = words_for(values.size(), 3);
  Patterns results(values.size());
  for (std::int64_t exp = 1; exp <= 9; ++exp) {
    for (const std::int64_t man : {0, 1, 2, 3, 7, 10, 16, 21, 22, 23}) {
      for (const Rounding rounding : kBoth) {
        for (const Platform platform : kPlatforms) {
          if (platform != Platform::kX86 && man % 7 != 2) continue;
          const FloatCall call = {exp, man, rounding};
          float_compat(call, platform, values, random, results);
          for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(results[i], float_by_rule(call, platform, values[i], random[i]))
                << exp << " " << man << " " << token_of(rounding) << std::hex << " " << values[i];
          }
        }
      }
    }
  }
}

/// Sums next to integers and halves, where the rounding of the sum tells, each in a stretch of
/// numbers whose sums are clear of both.
TEST(QtorchShortcuts, StochasticFixedPointsNearIntegersFollowTheRule) {
  Noise noise(11);
  for (const auto& [wl, fl] :
       std::vector<std::pair<int, int>>{{8, 4}, {2, 0}, {12, 11}, {5, -20}, {12, 100}, {3, -100}}) {
    const FixedCall call = {wl, fl, true, false, Rounding::kStochastic};
    for (int i = 0; i < 300; ++i) {
      Patterns values(4096), random(4096), results(4096);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Bits field = 127 - static_cast<Bits>(fl) - noise() % 24 + noise() % 10;
        values[k] = (noise() & 0x80000000) | field << 23 | (noise() & 0x7FFFFF);
        // What makes the sum a multiple of one half, more or less a little.
        const std::int64_t units = cut_units(values[k], fl);
        const std::int64_t wanted = -units >> 8 & 0x7FFFFF;
        const std::int64_t off = static_cast<std::int64_t>(noise() % 9) - 4;
        random[k] = static_cast<std::uint32_t>(wanted + off + (noise() % 2 << 23));
        if (k % 64 != 0) random[k] ^= 0x00155555;
      }
      fixed_compat(call, Platform::kX86, values, random, results, {});
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (k % 64 != 0 && i != 0) continue;
        ASSERT_EQ(results[k], fixed_by_rule(call, Platform::kX86, values[k], random[k]).value)
            << wl << " " << fl << std::hex << " " << values[k] << " " << random[k];
      }
    }
  }
}

TEST(QtorchShortcuts, FixedPointsFollowTheRule) {
  const Patterns& values = stimuli();
  const Patterns random = words_for(values.size(), 5);
  Patterns results(values.size());
  std::vector<std::uint8_t> outside(values.size());
  for (const auto& [wl, fl] : std::vector<std::pair<int, int>>{{8, 4},
                                                               {1, 0},
                                                               {1, 1},
                                                               {4, 2},
                                                               {8, -3},
                                                               {12, 11},
                                                               {13, 0},
                                                               {16, 8},
                                                               {25, 12},
                                                               {32, 16},
                                                               {8, 99},
                                                               {9, -99},
                                                               {8, 120},
                                                               {0, 3},
                                                               {3, -1100},
                                                               {8, 24}}) {
    for (const bool clamp : {true, false}) {
      for (const Rounding rounding : kBoth) {
        for (const Platform platform : {Platform::kX86, Platform::kCuda}) {
          const FixedCall call = {wl, fl, clamp, wl % 3 == 1, rounding};
          fixed_compat(call, platform, values, random, results, outside);
          for (std::size_t i = 0; i < values.size(); ++i) {
            const FixedResult rule = fixed_by_rule(call, platform, values[i], random[i]);
            ASSERT_EQ(results[i], rule.value)
                << wl << " " << fl << " " << clamp << token_of(rounding) << std::hex << " "
                << values[i] << " " << random[i];
            ASSERT_EQ(outside[i], rule.is_outside ? 1 : 0);
          }
          // Without a mask.
          Patterns alone(values.size());
          fixed_compat(call, platform, values, random, alone, {});
          ASSERT_EQ(alone, results) << wl << " " << fl << " " << clamp << token_of(rounding);
        }
      }
    }
  }
}

TEST(QtorchShortcuts, BlocksFollowTheRule) {
  // Rows of one exponent each, elements up to 30 binades below.
  constexpr std::size_t kRow = 301;
  Noise noise(11);
  Patterns values;
  for (std::uint32_t field = 0; field < 256; ++field) {
    for (std::size_t i = 0; i < kRow; ++i) {
      const std::uint32_t below = i == 0 ? 0 : noise() % 30;
      const std::uint32_t mantissa = i % 3 == 0 ? noise() & 0x7F0000 : noise() & 0x7FFFFF;
      values.push_back((noise() & 0x80000000) | (field > below ? field - below : 0) << 23 |
                       mantissa);
    }
  }
  const Patterns random = words_for(values.size(), 13);
  Patterns results(values.size());
  Patterns maxima(256, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    maxima[i / kRow] = std::max(maxima[i / kRow], magnitude_of(values[i]));
  }
  const BlockLayout layout = {.outer = 1, .blocks = 256, .inner = kRow};
  for (std::int64_t wl = 1; wl <= 26; ++wl) {
    for (const Rounding rounding : kBoth) {
      for (const Platform platform : kPlatforms) {
        if (platform != Platform::kX86 && wl % 5 != 3) continue;
        const BlockCall call = {wl, rounding};
        block_compat(call, layout, platform, values, random, results);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::size_t row = i / kRow;
          ASSERT_EQ(results[i], block_by_rule(call, platform, maxima[row], values[i], random[i]))
              << wl << " " << token_of(rounding) << " " << row << std::hex << " " << values[i];
        }
      }
    }
  }
}

/// The format of strict mode as the reference describes formats.
ElementFormat strict_format(int exp, int man) {
  if (exp == 4 && man == 3) return formats::e4m3fn;
  if (exp == 5 && man == 2) return formats::e5m2;
  if (exp == 5 && man == 10) return formats::fp16;
  if (exp == 8 && man == 7) return formats::bf16;
  if (exp == 8 && man == 23) return formats::fp32;
  ElementFormat format = {.name = "finite",
                          .bits = 1 + exp + man,
                          .storage_bits = 64,
                          .exp_bits = exp,
                          .man_bits = man,
                          .bias = (1 << (exp - 1)) - 1};
  format.max_code = format.magnitude_mask();
  return format;
}

TEST(QtorchStrict, FloatsAreTheReferencesConversions) {
  const Patterns& values = stimuli();
  const Patterns random = words_for(values.size(), 17);
  Patterns results(values.size());
  for (int exp = 1; exp <= 8; ++exp) {
    for (const int man : {1, 2, 3, 5, 7, 10, 22, 23}) {
      for (const Rounding rounding : kBoth) {
        const bool is_random = rounding == Rounding::kStochastic;
        ElementPolicy policy;
        policy.overflow = strict_format(exp, man).has_inf() && !(exp == 5 && man == 2)
                              ? Overflow::kNoneInfOrNan
                              : Overflow::kSatFinite;
        policy.rounding = is_random ? mx::Rounding::kStochasticA : mx::Rounding::kTiesToEven;
        policy.random_bits = man == 23 ? 31 : 23 - man;
        const ElementFormat format = strict_format(exp, man);
        float_strict({exp, man, rounding}, values, random, results);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const Unpacked x = fp32::value(values[i]);
          Bits expected = kQuietNan;
          if (x.cls != ValueClass::kNan) {
            const std::uint32_t word = random[i] & ((std::uint32_t{1} << policy.random_bits) - 1);
            expected = fp32::round(decode(format, encode(x, format, policy, word).code));
          }
          ASSERT_EQ(results[i], expected) << exp << " " << man << " " << token_of(rounding)
                                          << std::hex << " " << values[i] << " " << random[i];
        }
      }
    }
  }
}

TEST(QtorchStrict, FixedPointsAreTheReferencesIntegers) {
  const Patterns& values = stimuli();
  Patterns results(values.size());
  for (const auto& [wl, fl] :
       std::vector<std::pair<int, int>>{{8, 4}, {2, 0}, {4, 2}, {12, 11}, {16, 8}, {24, 12}}) {
    for (const bool symmetric : {false, true}) {
      const ElementFormat format = {.name = "fixed",
                                    .bits = wl,
                                    .storage_bits = 32,
                                    .kind = FormatKind::kTwosComplement,
                                    .frac_bits = fl,
                                    .zero = ZeroKind::kPosOnly,
                                    .max_code = (std::uint64_t{1} << (wl - 1)) - 1};
      ElementPolicy policy;
      policy.int_min = symmetric ? IntMin::kClampSymmetric : IntMin::kAllow;
      fixed_strict({wl, fl, true, symmetric, Rounding::kNearest}, values, {}, results, {});
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Unpacked x = fp32::value(values[i]);
        const Bits expected = x.cls == ValueClass::kNan
                                  ? kQuietNan
                                  : fp32::round(decode(format, encode(x, format, policy, 0).code));
        ASSERT_EQ(results[i], expected) << wl << " " << fl << std::hex << " " << values[i];
      }
    }
  }
}

TEST(QtorchStrict, FewValuesGetWhatManyGet) {
  // Tables are made for many values only; a few take the other path.
  const Patterns& values = stimuli();
  const Patterns random = words_for(values.size(), 19);
  for (const std::string text :
       {"float_quantize(exp=4,man=3,rounding=nearest)", "fixed_point_quantize(wl=8,fl=4)",
        "fixed_point_quantize(wl=8,fl=4,rounding=nearest)",
        "fixed_point_quantize(wl=3,fl=-20,symmetric=True)"}) {
    for (const Setting& setting : {kCompat, kStrict}) {
      const std::size_t rows = values.size() / 4;
      const Patterns even(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(4 * rows));
      const Patterns many = run(text, setting, even, random, {rows, 4});
      for (std::size_t i = 0; i < rows; i += 7) {
        const Patterns few(even.begin() + static_cast<std::ptrdiff_t>(4 * i),
                           even.begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
        const Patterns words(random.begin() + static_cast<std::ptrdiff_t>(4 * i),
                             random.begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
        const Patterns alone = run(text, setting, few, words);
        for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(alone[j], many[4 * i + j]) << text << few[j];
      }
    }
  }
}

TEST(QtorchStrict, FewBlocksGetWhatManyGet) {
  Noise noise(29);
  Patterns values;
  constexpr std::size_t kRows = 600, kRow = 16;
  for (std::size_t i = 0; i < kRows * kRow; ++i) {
    const std::uint32_t field = static_cast<std::uint32_t>(i / kRow % 256);
    const std::uint32_t below = noise() % 12;
    values.push_back((noise() & 0x807FFFFF) | (field > below ? field - below : 0) << 23);
  }
  const Patterns random = words_for(values.size(), 31);
  for (const std::string rounding : {"nearest", "stochastic"}) {
    for (const Setting& setting : {kCompat, kStrict}) {
      const std::string text = "block_quantize(wl=8,rounding=" + rounding;
      const Patterns many = run(text + ",dim=0)", setting, values, random, {kRows, kRow});
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto first = static_cast<std::ptrdiff_t>(row * kRow);
        const auto last = first + static_cast<std::ptrdiff_t>(kRow);
        const Patterns few(values.begin() + first, values.begin() + last);
        const Patterns words(random.begin() + first, random.begin() + last);
        const Patterns expected(many.begin() + first, many.begin() + last);
        ASSERT_EQ(run(text + ")", setting, few, words), expected) << row << rounding;
      }
    }
  }
}

TEST(QtorchStrict, BlocksAreTheReferencesIntegers) {
  Noise noise(23);
  for (const int wl : {2, 3, 4, 8, 12, 16, 20}) {
    for (std::uint32_t field = 1; field < 255; ++field) {
      Patterns values = {field << 23 | (noise() & 0x7FFFFF)};
      for (int i = 0; i < 60; ++i) {
        const std::uint32_t below = noise() % 25;
        values.push_back((noise() & 0x807FFFFF) | (field > below ? field - below : 0) << 23);
        if (i % 2 == 0) values.back() &= 0xFFFFFFFF << (18 - wl % 16);
      }
      Bits largest = 0;
      for (const Bits x : values) largest = std::max(largest, magnitude_of(x));
      // Codes worth 2^(wl - 2) less than the power of two of the maximum.
      const ElementFormat format = {.name = "block",
                                    .bits = wl,
                                    .storage_bits = 32,
                                    .kind = FormatKind::kTwosComplement,
                                    .frac_bits = wl - 2 - (exponent_field(largest) - 127),
                                    .zero = ZeroKind::kPosOnly,
                                    .max_code = (std::uint64_t{1} << (wl - 1)) - 1};
      Patterns results(values.size());
      block_strict({wl, Rounding::kNearest}, {.inner = values.size()}, values, {}, results);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Unpacked x = fp32::value(values[i]);
        const Bits expected = fp32::round(decode(format, encode(x, format, {}, 0).code));
        ASSERT_EQ(results[i], expected) << wl << " " << field << std::hex << " " << values[i];
      }
    }
  }
}

TEST(QtorchStrict, ResultsStayWhereTheyAre) {
  const Patterns& values = stimuli();
  for (const std::string text : {"float_quantize(exp=4,man=3,rounding=nearest)",
                                 "float_quantize(exp=8,man=10,rounding=nearest)",
                                 "fixed_point_quantize(wl=8,fl=4,rounding=nearest)"}) {
    const Patterns once = run(text, kStrict, values);
    EXPECT_EQ(run(text, kStrict, once), once) << text;
  }
}

}  // namespace
}  // namespace mx::emulators::qtorch
