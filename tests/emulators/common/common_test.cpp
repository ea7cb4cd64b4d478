// What the emulated systems share: raw rounding of patterns, a platform's NaNs, 16-bit types, and
// the texts of calls.
#include <gtest/gtest.h>

#include "emulators/casts/casts.hpp"
#include "emulators/common/bit_rounding.hpp"
#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/machine.hpp"
#include "emulators/common/number_type.hpp"

namespace mx::emulators {
namespace {

TEST(BitRounding, RoundsThePatternWhateverItMeans) {
  const auto round = [](Bits u, int kept, BitRounding mode, Bits random = 0) {
    return round_bits(u, kept, mode, random, Platform::kX86);
  };
  // 1 + 2^-4 with three bits kept is a tie.
  EXPECT_EQ(round(0x3F880000, 3, BitRounding::kAway), 0x3F900000U);
  EXPECT_EQ(round(0x3F880000, 3, BitRounding::kEven), 0x3F800000U);
  EXPECT_EQ(round(0x3F980000, 3, BitRounding::kEven), 0x3FA00000U);
  EXPECT_EQ(round(0x3F880001, 3, BitRounding::kEven), 0x3F900000U);
  EXPECT_EQ(round(0x3F8FFFFF, 3, BitRounding::kTruncate), 0x3F800000U);
  // One more also for exact values.
  EXPECT_EQ(round(0x3F800000, 3, BitRounding::kPlusOne), 0x3F900000U);
  EXPECT_EQ(round(0x3F880000, 3, BitRounding::kStochastic, 0x0007FFFF), 0x3F800000U);
  EXPECT_EQ(round(0x3F880000, 3, BitRounding::kStochastic, 0x00080000), 0x3F900000U);
  // The carry of a NaN reaches the sign (spec S9, KQ2).
  EXPECT_EQ(round(0x7FFFFFFF, 7, BitRounding::kAway), 0x80000000U);
  EXPECT_EQ(round(0xFFFFFFFF, 7, BitRounding::kAway), 0U);
  // No kept bit: even is the stored exponent's parity (spec S3.1).
  EXPECT_EQ(round(0x3FC00000, 0, BitRounding::kEven), 0x40000000U);
  EXPECT_EQ(round(0x40400000, 0, BitRounding::kEven), 0x40000000U);
}

TEST(BitRounding, TwentyThreeBitsFlipTheSignWhereTheShiftIsTakenModulo32) {
  EXPECT_EQ(round_bits(0x3FC00000, 23, BitRounding::kAway, 0, Platform::kX86), 0xBFC00000U);
  EXPECT_EQ(round_bits(0x3FC00000, 23, BitRounding::kEven, 0, Platform::kAarch64), 0xBFC00000U);
  EXPECT_EQ(round_bits(0x3FC00000, 23, BitRounding::kAway, 0, Platform::kCuda), 0x3FC00000U);
  EXPECT_EQ(round_bits(0x3FC00000, 23, BitRounding::kStochastic, 0x7FFFFFFF, Platform::kX86),
            0x3FC00000U);
}

TEST(Clipping, KeepsTheTopBinadeAndCutsWhatIsAbove) {
  EXPECT_EQ(clip_float(0x43F00000, 0x43F00000, 4, 3), 0x43F00000U);  // 480
  EXPECT_EQ(clip_float(0x44000000, 0x44000000, 4, 3), 0x43F00000U);  // 512
  EXPECT_EQ(clip_float(0xFF800000, 0xFF800000, 4, 3), 0xC3F00000U);  // -Inf
  EXPECT_EQ(clip_float(0x7F800000, 0x7F800000, 8, 7), 0x7F800000U);
  // Rounding to 23 bits turned the sign: the largest value has the operand's.
  EXPECT_EQ(clip_float(0xC4000000, 0x44000000, 4, 3), 0x43F00000U);
  EXPECT_EQ(clip_float(0xC3F00000, 0x43F00000, 4, 3), 0xC3F00000U);
  EXPECT_EQ(clip_block(0x40000000, 0x3F800000, 8), 0x3FFE0000U);  // 2 in the block of 1: 127/64
  EXPECT_EQ(clip_block(0xFFC00000, 0x3F800000, 8), 0xBFFE0000U);
  EXPECT_EQ(clip_block(0xC0000000, 0x3F800000, 1), 0xBF800000U);
}

TEST(Machine, NansAreThePlatforms) {
  const SoftMachine x86{Platform::kX86}, aarch64{Platform::kAarch64}, cuda{Platform::kCuda};
  EXPECT_EQ(x86.divide(0, 0), 0xFFC00000U);
  EXPECT_EQ(aarch64.divide(0, 0), 0x7FC00000U);
  EXPECT_EQ(cuda.divide(0, 0), 0x7FFFFFFFU);
  EXPECT_EQ(x86.subtract(0x7F800000, 0x7F800000), 0xFFC00000U);
  EXPECT_EQ(x86.add(0x7F800001, 0x3F800000), 0x7FC00001U);
  EXPECT_EQ(x86.multiply(0x3F800000, 0xFFC00123), 0xFFC00123U);
  EXPECT_EQ(cuda.multiply(0x3F800000, 0xFFC00123), 0x7FFFFFFFU);
}

TEST(NumberType, SixteenBitsRoundTiesToEven) {
  EXPECT_EQ(narrow(TensorType::kBf16, 0x3F808000), 0x3F80U);
  EXPECT_EQ(narrow(TensorType::kBf16, 0x3F818000), 0x3F82U);
  EXPECT_EQ(narrow(TensorType::kBf16, 0x7F7FFFFF), 0x7F80U);
  EXPECT_EQ(narrow(TensorType::kFp16, 0x477FEFFF), 0x7BFFU);  // below 65520
  EXPECT_EQ(narrow(TensorType::kFp16, 0x477FF000), 0x7C00U);  // 65520
  EXPECT_EQ(widen(TensorType::kFp16, 0x0001), 0x33800000U);
  EXPECT_EQ(widen(TensorType::kBf16, 0xFF81), 0xFFC10000U);
  EXPECT_EQ(narrow(TensorType::kFp16, 0xFFC00000), 0xFE00U);
  EXPECT_EQ(widen(TensorType::kFp64, 0x3FF0000010000000), 0x3F800000U);
  EXPECT_EQ(narrow(TensorType::kFp64, 0x00000001), 0x36A0000000000000U);
}

TEST(Call, ReadsNamesAndParameters) {
  auto read = Call::read("float_quantize( exp=5, man = 2 , rounding=nearest, axes=(0,-1))");
  ASSERT_TRUE(read) << read.problem();
  Call call = *read;
  EXPECT_EQ(call.name(), "float_quantize");
  EXPECT_EQ(call.integer("exp", {}, 1, 8), 5);
  EXPECT_EQ(call.integer("man", {}, 0, 23), 2);
  EXPECT_EQ(call.word("rounding", "stochastic"), "nearest");
  EXPECT_EQ(call.word("axes", {}), "(0,-1)");
  EXPECT_TRUE(call.boolean("clamp", true));
  EXPECT_EQ(call.problem(), "");
}

TEST(Call, SaysWhereAndWhy) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "position 0: a function name"},
           {"f(a=1", "position 5: ')'"},
           {"f(a)", "position 2: key=value"},
           {"f(a=1,a=2)", "position 6: parameter 'a' stands twice"},
           {"f(=1)", "position 2: a parameter name"},
           {"f(a=)", "position 4: a value"},
           {"f(a=1,)", "position 6: key=value"},
           {"f(a=(1,b=2)", "position 2: the parentheses do not match"},
           {"f(a=1),b=2)", "position 2: the parentheses do not match"},
           {"f)", "position 0: a function name"}}) {
    const auto read = Call::read(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.problem().find(why), std::string::npos) << text << ": " << read.problem();
  }
  Call call = *Call::read("f(a=1x, b=2)");
  EXPECT_EQ(call.integer("a", {}, 0, 9), 0);
  EXPECT_EQ(call.problem(),
            "ValueError: position 2: f: parameter 'a' must be an integer, not '1x'");
  Call other = *Call::read("f(b=2)");
  EXPECT_EQ(other.problem(), "ValueError: position 2: f has no parameter 'b'");
  EXPECT_EQ(other.integer("b", {}, 3, 9), 3);
  EXPECT_EQ(other.problem(), "ValueError: position 2: f: parameter 'b' must lie in 3..9, not 2");
}

TEST(Cast, RefusesWhatIsNoSystem) {
  for (const char* const text : {"", "MXFP8", "nosuch:x", ":"}) {
    const auto made = make_cast(text, {});
    ASSERT_FALSE(made) << text;
    EXPECT_NE(made.problem().find("position 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace mx::emulators
