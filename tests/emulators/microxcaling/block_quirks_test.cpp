// The rows of spec S9.4 about blocks: expected numbers are the table's.
#include "tests/emulators/microxcaling/casts.hpp"

namespace mx::emulators::microxcaling {
namespace {

std::string blocks(std::string_view format, int size, std::string_view rest = "") {
  return "quantize_mx(elem_format=" + std::string(format) +
         ",axes=(-1),block_size=" + std::to_string(size) + std::string(rest) + ")";
}

TEST(Microxcaling, KM1_DocumentedRoundingsOnTies) {
  const Patterns x = numbers({16, 1, 10, 20, -1, 7}, -2);  // 4, 0.25, 2.5, 5, -0.25, 1.75
  const Patterns nearest = numbers({16, 2, 12, 24, -2, 8}, -2);
  Patterns even = numbers({16, 0, 8, 16, 0, 8}, -2);
  Patterns floor = numbers({16, 0, 8, 16, 0, 6}, -2);
  EXPECT_EQ(cast(blocks("fp4", 6), x), nearest);
  EXPECT_EQ(cast(blocks("fp4", 6, ",path=cpp"), x), nearest);
  EXPECT_EQ(cast(blocks("fp4", 6), x, strict()), nearest);
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=even,path=cpp"), x), even);
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=floor,path=cpp"), x), floor);
  even[4] = floor[4] = kMinusZero;
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=even"), x), even);
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=floor"), x), floor);
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=even"), x, strict()), even);
  EXPECT_EQ(cast(blocks("fp4", 6, ",round=floor"), x, strict()), floor);
}

TEST(Microxcaling, KM2_LogarithmSlipsInPythonOnly) {
  const Patterns x = {0x40FFFFFF, number(1, -2), number(1, 0), number(3, -2)};
  const Patterns exact = numbers({12, 1, 2, 2}, -1);
  EXPECT_EQ(cast(blocks("fp4", 4), x), numbers({8, 0, 1, 1}));
  EXPECT_EQ(cast(blocks("fp4", 4, ",path=cpp"), x), exact);
  EXPECT_EQ(cast(blocks("fp4", 4, ",path=cpp,round=even"), x), numbers({6, 0, 1, 1}));
  EXPECT_EQ(cast(blocks("fp4", 4), x, strict()), exact);
}

TEST(Microxcaling, KM3_Bf16TensorsMisreadTheExponent) {
  const Patterns x = numbers({508, 100, 33});
  EXPECT_EQ(cast(blocks("fp4", 3), x, compat(TensorType::kBf16)), numbers({512, 128, 64}));
  EXPECT_EQ(cast(blocks("fp4", 3), x), numbers({384, 96, 32}));
  EXPECT_EQ(cast(blocks("fp4", 3), x, strict(TensorType::kBf16)), numbers({384, 96, 32}));
}

TEST(Microxcaling, KM4_OneHalfIsAddedInTheTensorsType) {
  const std::uint32_t below = number((1 << 24) - 1, -31);  // 2^-7 (1 - 2^-24)
  const Patterns x = {number(1, 0), below, below | 0x80000000};
  for (const char* const round : {"", ",round=even"}) {
    EXPECT_EQ(cast(blocks("int8", 3, round), x), numbers({64, 1, -1}, -6));
  }
  EXPECT_EQ(cast(blocks("int8", 3, ",path=cpp"), x), numbers({1, 0, 0}));
  EXPECT_EQ(cast(blocks("int8", 3), x, strict()), numbers({1, 0, 0}));
}

TEST(Microxcaling, KM6_NarrowScaleOverflowsToNan) {
  const Patterns x = numbers({1024, 1});
  for (const char* const path : {",scale_bits=4", ",scale_bits=4,path=cpp"}) {
    EXPECT_EQ(cast(blocks("fp4", 2, path), x), (Patterns{kNan, kNan}));
    EXPECT_EQ(cast(blocks("fp4", 2, path), x, strict()), (Patterns{kNan, kNan}));
    EXPECT_EQ(cast(blocks("fp4", 2, path), numbers({512, 64})), numbers({512, 64}));
  }
}

TEST(Microxcaling, KM7_NarrowScaleClampsAtTheBottom) {
  const Patterns x = {number(1, -9), number(1, -10), number(-3, -9)};
  const Patterns nearest = {number(1, -8), 0, number(-1, -7)};
  EXPECT_EQ(cast(blocks("fp4", 3, ",scale_bits=4"), x), nearest);
  EXPECT_EQ(cast(blocks("fp4", 3, ",scale_bits=4,round=even"), x),
            (Patterns{0, 0, number(-1, -7)}));
  EXPECT_EQ(cast(blocks("fp4", 3, ",scale_bits=4"), x, strict()), nearest);
}

TEST(Microxcaling, KM8_BlockMaximumNextToTheEndOfTheRange) {
  const Patterns x = {0x7F7FFFFF, number(1, 0), number(-1, 127)};
  Patterns exact = {number(127, 121), 0, number(-1, 127)};
  EXPECT_EQ(cast(blocks("int8", 3), x), (Patterns{kNan, kNan, kNan}));
  EXPECT_EQ(cast(blocks("int8", 3, ",path=cpp"), x), exact);
  EXPECT_EQ(cast(blocks("int8", 3), x, strict()), exact);
  // One binade below the slip reaches: the 45th number under 2^128 is read right.
  EXPECT_EQ(cast(blocks("int8", 3), {0x7F7FFFD3, 0, number(-1, 127)}), exact);
}

TEST(Microxcaling, KM11_Int2HasThreeValues) {
  const Patterns x = {number(199, -7), number(1, -1), number(-1, -1), number(49, -7),
                      number(-1, 0)};
  EXPECT_EQ(cast(blocks("int2", 5), x), numbers({1, 1, -1, 0, -1}));
  EXPECT_EQ(cast(blocks("int2", 5, ",path=cpp"), x), numbers({1, 1, -1, 0, -1}));
  EXPECT_EQ(cast(blocks("int2", 5), x, strict()), numbers({1, 1, -1, 0, -1}));
  EXPECT_EQ(cast(blocks("int2", 5, ",round=even"), x),
            (Patterns{number(1, 0), 0, kMinusZero, 0, number(-1, 0)}));
  EXPECT_EQ(cast(blocks("int2", 5, ",round=even"), x, strict()), numbers({1, 0, 0, 0, -1}));
}

TEST(Microxcaling, KM13_FloorScaleClipsTheMaximum) {
  const Patterns x = numbers({957, 900, -930, 1}), exact = numbers({896, 896, -896, 1});
  for (const char* const path : {"", ",path=cpp"}) {
    EXPECT_EQ(cast(blocks("fp8_e4m3", 4, path), x), exact);
    EXPECT_EQ(cast(blocks("fp8_e4m3", 4, path), x, strict()), exact);
  }
}

TEST(Microxcaling, KM14_Int8AtTheLowEndOfTheScale) {
  const Patterns x = {number(1, -130), number(1, -133), number(-1, -134)};
  const Patterns nearest = {number(1, -130), number(1, -133), number(-1, -133)};
  EXPECT_EQ(cast(blocks("int8", 3), x), nearest);
  EXPECT_EQ(cast(blocks("int8", 3, ",path=cpp"), x), nearest);
  EXPECT_EQ(cast(blocks("int8", 3), x, strict()), nearest);
  EXPECT_EQ(cast(blocks("int8", 3, ",round=even"), x),
            (Patterns{number(1, -130), number(1, -133), kMinusZero}));
}

TEST(Microxcaling, KM19_ZeroBlockOfABinary16Tensor) {
  const Patterns x = {0, kMinusZero};
  EXPECT_EQ(cast(blocks("fp4", 2), x, compat(TensorType::kFp16)), (Patterns{kNan, kNan}));
  EXPECT_EQ(cast(blocks("fp4", 2, ",path=cpp"), x, compat(TensorType::kFp16)), (Patterns{0, 0}));
  EXPECT_EQ(cast(blocks("fp4", 2), x, strict(TensorType::kFp16)), x);
  // With five bits the smallest scale is a binary16 number.
  EXPECT_EQ(cast(blocks("fp4", 2, ",scale_bits=5"), x, compat(TensorType::kFp16)),
            (Patterns{0, 0}));
}

TEST(Microxcaling, KM20_SmallBlockOfABinary16Tensor) {
  const Patterns x = {number(1, -17), 0};
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2), x, compat(TensorType::kFp16)), (Patterns{kNan, kNan}));
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2), x), x);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2, ",path=cpp"), x, compat(TensorType::kFp16)), x);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2), x, strict(TensorType::kFp16)), x);
}

TEST(Microxcaling, KM22_ScaleWiderThanEightBits) {
  const Patterns x = {number(1, -142), number(-1, -142)};
  const std::string call = blocks("fp8_e4m3", 2, ",scale_bits=9");
  EXPECT_EQ(cast(call, x), (Patterns{kNan, kNan}));
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2, ",scale_bits=9,path=cpp"), x),
            (Patterns{kMinusZero, kMinusZero}));
  EXPECT_EQ(cast(call, x, strict()), x);
}

}  // namespace
}  // namespace mx::emulators::microxcaling
