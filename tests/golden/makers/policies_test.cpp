// SPDX-License-Identifier: Apache-2.0
// Policies of single steps by name: the NaN of an integer, rounding before denormalising, the type
// in which a scale is computed, ModelOpt's static export. Expected codes are worked by hand with
// exact fractions, or those of nvidia-modelopt 0.47.0 on torch 2.15.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "golden/questions/identification.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::policies_test {
namespace {

Identification found_in(const std::string& text) {
  static FormatCatalog catalog;
  return identify(parse_log("log.txt", text, catalog));
}

bool is_named(const std::vector<HypothesisClass>& classes, const std::string& name) {
  return std::ranges::any_of(classes, [&](const HypothesisClass& each) {
    return std::ranges::any_of(each.members,
                               [&](const Hypothesis& one) { return one.name() == name; });
  });
}

// -200 clamps to -128, so the least code may be produced.
TEST(Policies, NanOfAnIntegerIsTheLeastCode) {
  const std::string numbers = "43480000 7f\nc3480000 80\n";
  const char* const name = "mxgold-default with int_min=allow nan=to_min";
  for (const char* const nan : {"7fc00000", "ffc00000"}) {
    const Identification found = found_in("fp32 fixed8.0\n" + std::string(nan) + " 80\n" + numbers);
    EXPECT_TRUE(is_named(found.deviations, name)) << nan;
  }
  // Controls: the code beside it is nobody's, and 0 is that of a policy without an effect of sign.
  EXPECT_FALSE(found_in("fp32 fixed8.0\n7fc00000 81\n" + numbers).explains());
  EXPECT_TRUE(is_named(found_in("fp32 fixed8.0\n7fc00000 00\n" + numbers).deviations,
                       "mxgold-default with int_min=allow nan=to_opposite_zero"));
}

// fp16 to units of 2^-9: 3.4375 and 3.375, a tie at 4 bits, become 3.5 and then 4; the next below
// is 3.25 first. 1401 is a hair above half a unit.
TEST(Policies, RoundedBeforeItIsDenormalised) {
  const std::string log = "fp16 e4m3fn\n1ee0 04\n1ec0 04\n1ebf 03\n9eff 84\n3c00 38\n";
  const char* const name = "mxgold-default with staging=via_unbounded";
  EXPECT_TRUE(is_named(found_in(log + "1401 00\n").deviations, name));
  EXPECT_FALSE(is_named(found_in(log + "1401 01\n").deviations, name));
}

// 448 / amax is 149 in bf16, and its inverse in binary32 3BDBEB62; in binary32 3BDB6DB7.
TEST(Policies, TheTypeInWhichAScaleIsComputed) {
  const char* const name = "mxgold-default with ratio_op=bf16_inverse";
  const Identification codes = found_in(
      "bf16 fp8_e4m3_fp32_1x128\n4040 3f80 bf00 3f33 | 3bdbeb62 | 7e 71 e9 6d\n"
      "40a0 3dcd 4049 c080 | 3c370fbb | 7e 51 79 fb\n"
      "3f12 3e00 bd80 3c23 | 3aa72f05 | 7e 6c e4 50\n");
  EXPECT_TRUE(is_named(codes.deviations, name));
  const std::string values =
      "bf16 fp8_e4m3_fp32_1x128 values\n"
      "4040 3f80 bf00 3f33 | 40406df6 3f7768ce bef768ce 3f32af40\n"
      "40a0 3dcd 4049 c080 | 40a02dc4 3dcdf1b2 404df1b2 c07bb5a1\n";
  EXPECT_TRUE(is_named(found_in(values + "3f12 | 3f124924\n").deviations, name));
  // Control: the same block as binary32 has it.
  EXPECT_FALSE(is_named(found_in(values + "3f12 | 3f120000\n").deviations, name));
}

// Two maxima where the static path and the dynamic one differ, and a block of zeros.
TEST(Policies, StaticExportOfModelopt) {
  const std::string ties =
      "bf16 nvfp4 tensor\n383e | 3f8c0000 | 09 | 7\n387a | 3f8c0000 | 0d | 7\n";
  const Identification found = found_in(ties + "0000 0000 | 3f800000 | 7e | 0 0\n");
  EXPECT_TRUE(is_named(found.classes, "modelopt-0.47:static"));
  EXPECT_FALSE(is_named(found.classes, "modelopt-0.47"));
  // Control: zeros under the scale of the dynamic path.
  EXPECT_FALSE(is_named(found_in(ties + "0000 0000 | 3f800000 | 38 | 0 0\n").classes,
                        "modelopt-0.47:static"));
}

}  // namespace
}  // namespace mx::golden::policies_test
