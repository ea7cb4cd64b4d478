// T1: the table of types; T15: fields of patterns.
#include "emulators/torchmx/element/fields.hpp"
#include "reference/format/rows.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

// spec S6.1; the binary64 patterns are those of the package's DType.max.
TEST(Torchmx, T1_TypesAreThoseOfThePackage) {
  EXPECT_EQ(kSupportedElemDtypes.size(), 5U);
  EXPECT_EQ(kSupportedFpElemDtypes.size(), 4U);
  for (const DType& each : kSupportedElemDtypes) EXPECT_EQ(*find_elem_dtype(each.name), each);
  for (const std::string_view none : {"float22_e8m13", "float32", "e8m0", "float8_e5m2", ""}) {
    EXPECT_EQ(find_elem_dtype(none), nullptr) << none;
  }
  EXPECT_EQ(kFloat8E4m3.max, 0x407C000000000000U);    // 448
  EXPECT_EQ(kFloat6E3m2.max, 0x403C000000000000U);    // 28
  EXPECT_EQ(kFloat6E2m3.max, 0x401E000000000000U);    // 7.5
  EXPECT_EQ(kFloat4E2m1.max, 0x4018000000000000U);    // 6
  EXPECT_EQ(kInt8.max, 0x405FC00000000000U);          // 127
  EXPECT_EQ(kFloat22E8m13.max, 0x47EFFF8000000000U);  // 2^127 (2 - 2^-13)
  EXPECT_EQ(kE8m0.max, 0x47E0000000000000U);          // 2^127
  EXPECT_EQ(kE8m0ExponentNanVal, 255);
  EXPECT_TRUE(kFloat8E4m3.has_nan && !kFloat8E4m3.has_inf);
  EXPECT_EQ(kFloat6E3m2.bits(), 6);
  EXPECT_EQ(kInt8.bits(), 8);
}

// The table and the formats of the reference say the same.
TEST(Torchmx, T1_TypesFitTheReferencesFormats) {
  for (const DType& each : kSupportedFpElemDtypes) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const ElementFormat& format = format_of(each, mode);
      EXPECT_EQ(format.exp_bits, each.exponent_bits);
      EXPECT_EQ(format.man_bits, each.mantissa_bits);
      EXPECT_EQ(format.bias, each.exponent_bias);
      EXPECT_EQ(decode(format, format.max_code), decode(formats::fp64, each.max));
      EXPECT_EQ(decode(format, format.max_code).exponent, each.max_pow2);
    }
  }
  EXPECT_EQ(format_of(kInt8, Mode::kCompat).frac_bits, 0);
  EXPECT_EQ(format_of(kInt8, Mode::kStrict).frac_bits, 6);
}

TEST(Torchmx, T15_UnpacksFields) {
  EXPECT_EQ(unpack_bfloat16(0xBFC0), (Fields{1, 127, 64}));
  EXPECT_EQ(unpack_bfloat16(0x8000), (Fields{1, 0, 0}));
  EXPECT_EQ(unpack_bfloat16(0x7FC0), (Fields{0, 255, 64}));
  EXPECT_EQ(unpack_fp32(0xBFC00000), (Fields{1, 127, 0x400000}));
  EXPECT_EQ(unpack_fp32(0xFF800000), (Fields{1, 255, 0}));
  EXPECT_EQ(unpack_fp64(0xBFF8000000000000), (Fields{1, 1023, 0x8000000000000}));
  EXPECT_EQ(unpack_fp64(0x7FF8000000000000), (Fields{0, 2047, 0x8000000000000}));
}

// The results of torchmx.mx_quantization_utils.round_to_even and leading_one_position.
TEST(Torchmx, T15_RoundsToEven) {
  EXPECT_EQ(round_to_even(83, 2), 21);
  EXPECT_EQ(round_to_even(109, 3), 14);
  EXPECT_EQ(round_to_even(5, 1), 2);
  EXPECT_EQ(round_to_even(6, 2), 2);
  EXPECT_EQ(round_to_even(7, 3), 1);
  EXPECT_EQ(round_to_even(83, 0), 83);
  const int positions[] = {-1, 0, 6, 6, -1};
  const int words[] = {0, 1, 64, 127, 128};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(leading_one_position(words[i]), positions[i]);
  EXPECT_EQ(leading_one_position(128, 8), 7);
  EXPECT_EQ(n_ones(3), 7);
}

}  // namespace
}  // namespace mx::emulators::torchmx
