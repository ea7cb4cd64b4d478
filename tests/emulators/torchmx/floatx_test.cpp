// T14: hp_to_floatx. Literal bits are those of spec S9.3 or of the package, run on torch 2.15.0.
#include "emulators/torchmx/floatx/floatx.hpp"
#include "emulators/torchmx/floatx/binary.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/log2f.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr std::uint64_t kMax448 = 0x407C000000000000;
constexpr std::uint64_t kMaxFp32 = 0x47EFFFFFE0000000;
constexpr Floatx kE4m3 = {.exponent_bits = 4, .mantissa_bits = 3, .max_normal = kMax448};
constexpr Floatx kE8m13 = {
    .exponent_bits = 8, .mantissa_bits = 13, .max_normal = kFloat22E8m13.max};

Floatx truncated(Floatx call) {
  call.round_mode = FloatxRounding::kTruncate;
  return call;
}

Floatx flushed(Floatx call) {
  call.keep_subnormals = false;
  return call;
}

Words cast32(const Words& words, const Floatx& call, Mode mode) {
  return words_of(*hp_to_floatx(tensor_of(TensorType::kFp32, {words.size()}, words), call, mode));
}

Words cast64(const Words& words, const Floatx& call, Mode mode) {
  return words_of(*hp_to_floatx(tensor_of(TensorType::kFp64, {words.size()}, words), call, mode));
}

// The patterns of the package's own tests for float22_e8m13.
TEST(Torchmx, T14_E8m13RoundsToEvenAndTruncates) {
  const Words words = {0x486722, 0xBFD88522, 0x194C8722, 0xF30E8122};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(cast32(words, kE8m13, mode), (Words{0x486800, 0xBFD88400, 0x194C8800, 0xF30E8000}));
    EXPECT_EQ(cast32(words, truncated(kE8m13), mode),
              (Words{0x486400, 0xBFD88400, 0x194C8400, 0xF30E8000}));
  }
}

TEST(Torchmx, T14_E8m13FromBinary64) {
  // Underflow, a subnormal, a normal number, overflow.
  const Words words = {0x0649106440000000, 0xB78B90A440000000, 0x3E8910E440000000,
                       0xFD01D02440000000};
  const Words even = {0, 0xB78C000000000000, 0x3E89110000000000, 0xC7EFFF8000000000};
  const Words truncate = {0, 0xB78B000000000000, 0x3E89108000000000, 0xC7EFFF8000000000};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(cast64(words, kE8m13, mode), even);
    EXPECT_EQ(cast64(words, truncated(kE8m13), mode), truncate);
  }
}

TEST(Torchmx, T14_FlushesSubnormals) {
  // 2^-6, below it: 0.99 * 2^-6 rounds up to it, 2^-7 does not.
  const Words words = {0x3C800000, 0x3C7D70A4, 0x3C000000, 0xBC000000};
  EXPECT_EQ(cast32(words, flushed(kE4m3), Mode::kCompat), (Words{0x3C800000, 0, 0, 0}));
  EXPECT_EQ(cast32(words, flushed(kE4m3), Mode::kStrict),
            (Words{0x3C800000, 0x3C800000, 0, 0x80000000}));
}

TEST(Torchmx, T14_RefusesWhatThePackageRefuses) {
  const Tensor halves = tensor_of(TensorType::kBf16, {1}, {0});
  const Tensor one = tensor_of(TensorType::kFp32, {1}, {0x3F800000});
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(exception_of(hp_to_floatx(halves, kE4m3, mode).problem()), "AssertionError");
    Floatx wide = kE4m3;
    wide.mantissa_bits = 64;
    EXPECT_EQ(exception_of(hp_to_floatx(one, wide, mode).problem()), "OverflowError");
  }
  // No exponent bits: the package's smallest exponent is 1.5.
  const Floatx none = {.exponent_bits = 0, .mantissa_bits = 3, .max_normal = kMax448};
  EXPECT_EQ(cast32({0x3F800000, 0xBFA66666}, none, Mode::kCompat), (Words{0x3F87C3B6, 0xBFB504F3}));
  EXPECT_EQ(exception_of(hp_to_floatx(one, none, Mode::kStrict).problem()), "ValueError");
  Floatx negative = kE4m3;
  negative.max_normal |= std::uint64_t{1} << 63;
  EXPECT_EQ(cast32({0x3F800000, 0}, negative, Mode::kCompat), (Words{0xC3E00000, 0x80000000}));
  EXPECT_EQ(exception_of(hp_to_floatx(one, negative, Mode::kStrict).problem()), "ValueError");
}

// The misread exponents are those of the shared rule; binary64 follows the same closed form.
TEST(Torchmx, T14_ExponentsAreThoseOfTheSharedRule) {
  for (int k = -148; k <= 128; ++k) {
    const std::uint32_t power =
        k > 127 ? Binary32::kInfinity : static_cast<std::uint32_t>(Binary32::power_of_two(k));
    for (std::uint32_t below = 0; below < 50 && below < power; ++below) {
      const std::uint32_t x = power - below;
      if (x >= Binary32::kInfinity) continue;
      ASSERT_EQ(Binary32::log2_exponent(x), log2f::floor_exponent(x)) << k << " " << below;
    }
  }
  EXPECT_EQ(Binary64::misread_below(1024), 354U);
  EXPECT_EQ(Binary64::misread_below(3), 1U);
  EXPECT_EQ(Binary64::misread_below(2), 0U);
  EXPECT_EQ(Binary64::misread_below(-1022), 177U);
  EXPECT_EQ(Binary64::log2_exponent(0x4020000000000000 - 1), 3);
  EXPECT_EQ(Binary64::log2_exponent(0x4020000000000000 - 2), 2);
}

// Where no step but the rounding rounds, patterns are shifted instead. Sixteen exponent bits are
// outside that domain, and differ for subnormals and zeros of E4M3 only.
TEST(Torchmx, T14_ShiftingIsTheStepsOneByOne) {
  for (const Floatx& shifted : {kE4m3, truncated(kE4m3)}) {
    Floatx stepwise = shifted;
    stepwise.exponent_bits = 16;
    Words words;
    for (std::uint64_t word = 0x3C800000; word < 0x43E00000; word += 0xFFF3) {
      words.push_back(word);
      words.push_back(word | 0x80000000);
    }
    ASSERT_GT(words.size(), 1000U);
    EXPECT_EQ(cast32(words, shifted, Mode::kCompat), cast32(words, stepwise, Mode::kCompat));
  }
}

// Patterns rounded where they stand give what the exact rule gives; 22 bits are rounded the long
// way in compat.
TEST(Torchmx, T14_PatternsAreRoundedWhereTheyStand) {
  const ElementFormat e4m3 = formats::e4m3fn;
  Words words;
  for (std::uint64_t word = 0x3A000000; word < 0x43E40000; word += 0x7FF1) words.push_back(word);
  const Words cast = cast32(words, kE4m3, Mode::kStrict);
  EXPECT_EQ(cast32(words, kE4m3, Mode::kCompat), cast);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Unpacked x = decode(formats::fp32, words[i]);
    const std::uint64_t code = encode(x, e4m3, {}, 0).code;
    ASSERT_EQ(decode(formats::fp32, cast[i]), decode(e4m3, code)) << std::hex << words[i];
  }
}

TEST(Torchmx, KT11_TruncationMeetsTheLog2Slip) {
  const Words words = {0x40FFFFFF, 0x40F00000, 0x427FFFFF};
  EXPECT_EQ(cast32(words, truncated(kE4m3), Mode::kCompat),
            (Words{0x40E00000, 0x40F00000, 0x42600000}));
  EXPECT_EQ(cast32(words, truncated(kE4m3), Mode::kStrict),
            (Words{0x40F00000, 0x40F00000, 0x42700000}));
  const Words wide = {0x401FFFFFE0000000, 0x401E000000000000, 0x404FFFFFE0000000};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(cast64(wide, truncated(kE4m3), mode),
              (Words{0x401E000000000000, 0x401E000000000000, 0x404E000000000000}));
  }
}

TEST(Torchmx, KT12_SpecialValues) {
  const Words words = {0x7F800000, 0xFF800000, 0x7FC00000, 0x43FA0000, 0x7F7FFFFF};
  EXPECT_EQ(cast32(words, kE4m3, Mode::kCompat),
            (Words{0x7F800000, 0xFF800000, 0x7FC00000, 0x43E00000, 0x43E00000}));
  EXPECT_EQ(cast32(words, kE4m3, Mode::kStrict),
            (Words{0x43E00000, 0xC3E00000, 0x7FC00000, 0x43E00000, 0x43E00000}));
}

TEST(Torchmx, KT15_SignsOfZero) {
  const Words words = {0x80000000, 0xB9800000, 0x39800000};  // -0, -2^-12, 2^-12
  EXPECT_EQ(cast32(words, kE4m3, Mode::kCompat), (Words{0, 0x80000000, 0}));
  EXPECT_EQ(cast32(words, kE4m3, Mode::kStrict), (Words{0x80000000, 0x80000000, 0}));
}

TEST(Torchmx, KT17_TwentyThreeBitsAreNotTheIdentity) {
  const Floatx fp32 = {.exponent_bits = 8, .mantissa_bits = 23, .max_normal = kMaxFp32};
  const Words words = {0x3F800000, 0x3FC00000, 0x3F800003, 0x3F800006};
  EXPECT_EQ(cast32(words, fp32, Mode::kCompat),
            (Words{0x3F800000, 0x3FBFFFFF, 0x3F800003, 0x3F800005}));
  EXPECT_EQ(cast32(words, fp32, Mode::kStrict), words);
}

TEST(Torchmx, KT19_TheLargestValuesBecomeNan) {
  const Floatx fp32 = {.exponent_bits = 8, .mantissa_bits = 23, .max_normal = kMaxFp32};
  const Words words = {0x7F7FFFFF, 0x7F7FFFD4, 0x7F7FFFD3};
  EXPECT_EQ(cast32(words, fp32, Mode::kCompat), (Words{0x7FC00000, 0x7FC00000, 0x7F7FFFD3}));
  EXPECT_EQ(cast32(words, fp32, Mode::kStrict), words);
  // Above max_normal they saturate first.
  EXPECT_EQ(cast32({0xFF7FFFFF}, kE8m13, Mode::kCompat), Words{0xFF7FFC00});
}

}  // namespace
}  // namespace mx::emulators::torchmx
