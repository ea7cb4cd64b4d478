// The rows of spec S9.4 about single elements and specifications: expected numbers are the table's.
#include "emulators/microxcaling/specs/operations.hpp"
#include "tests/emulators/microxcaling/casts.hpp"

namespace mx::emulators::microxcaling {
namespace {

std::string element(std::string_view format, std::string_view rest = "") {
  return "quantize_elemwise(elem_format=" + std::string(format) + std::string(rest) + ")";
}

TEST(Microxcaling, KM5_ZeroSigns) {
  const Patterns x = {kMinusZero, 0x8DA24260, 0x0DA24260};  // -0, -1e-30, 1e-30
  EXPECT_EQ(cast(element("fp8_e4m3"), x), (Patterns{0, kMinusZero, 0}));
  EXPECT_EQ(cast(element("fp8_e4m3", ",path=cpp"), x), (Patterns{0, 0, 0}));
  EXPECT_EQ(cast(element("fp8_e4m3"), x, strict()), (Patterns{kMinusZero, kMinusZero, 0}));
}

TEST(Microxcaling, KM9_LargestFiniteNumbers) {
  const Patterns x = {0x7F7FFFFF, 0xFF7FFFD4, 0x7F7FFFD3};
  EXPECT_EQ(cast(element("fp16"), x), (Patterns{kNan, kNan, kInf}));
  EXPECT_EQ(cast(element("fp16", ",path=cpp"), x), (Patterns{kInf, kMinusInf, kInf}));
  EXPECT_EQ(cast(element("fp16"), x, strict()), (Patterns{kInf, kMinusInf, kInf}));
}

TEST(Microxcaling, KM10_NanPayloadsInTheCppPath) {
  const Patterns x = {0x7F800001, 0x7FFFFFFF, 0x7FC00000, 0xFF800001};
  const Patterns nans = {kNan, kNan, kNan, kNan};
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True"), x), nans);
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True,path=cpp"), x),
            (Patterns{number(6, 0), kMinusZero, kNan, number(-6, 0)}));
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True"), x, strict()), nans);
}

TEST(Microxcaling, KM12_FlushComesBeforeRounding) {
  const Patterns x = {number((1 << 20) - 1, -26), number(1, -6), number(-1, -9)};
  const Patterns flushed = {0, number(1, -6), 0};
  EXPECT_EQ(cast(element("fp8_e4m3", ",allow_denorm=False"), x), flushed);
  EXPECT_EQ(cast(element("fp8_e4m3", ",allow_denorm=False,path=cpp"), x), flushed);
  EXPECT_EQ(cast(element("fp8_e4m3", ",allow_denorm=False"), x, strict()),
            (Patterns{number(1, -6), number(1, -6), kMinusZero}));
}

TEST(Microxcaling, KM15_Bfloat16EvenIsNativeOnCuda) {
  const std::string text = "quantize_elemwise_op(bfloat=16,round=even)";
  const Patterns x = {number(1, 0), 0x3F808000, 0x3F818000};
  const Patterns rounded = {number(1, 0), number(1, 0), 0x3F820000};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    const auto plain = apply_text(text, x, {.mode = mode});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->front().type, TensorType::kFp32);
    EXPECT_EQ(to_fp32(plain->front()), rounded);
  }
  const auto native = apply_text(text, x, {.platform = Platform::kCuda});
  ASSERT_TRUE(native);
  EXPECT_EQ(native->front().type, TensorType::kBf16);
  EXPECT_EQ(to_fp32(native->front()), rounded);
  const auto strict_on_cuda =
      apply_text(text, x, {.mode = Mode::kStrict, .platform = Platform::kCuda});
  ASSERT_TRUE(strict_on_cuda);
  EXPECT_EQ(strict_on_cuda->front().type, TensorType::kFp32);
}

TEST(Microxcaling, KM16_Bfloat16OnABf16TensorIsNotTheIdentity) {
  const Patterns x = {number(129, -7), number(130, -7), number(255, -7)};
  const Call32 bf16 = compat(TensorType::kBf16);
  EXPECT_EQ(cast(element("bfloat16"), x, bf16),
            (Patterns{number(130, -7), number(130, -7), number(2, 0)}));
  EXPECT_EQ(cast(element("bfloat16", ",round=even"), x, bf16),
            (Patterns{number(129, -7), number(129, -7), number(255, -7)}));
  EXPECT_EQ(cast(element("bfloat16", ",path=cpp"), x, bf16), x);
  EXPECT_EQ(cast(element("bfloat16"), x, strict(TensorType::kBf16)), x);
}

TEST(Microxcaling, KM17_SaturatingKeepsInfinityInPythonOnly) {
  const Patterns x = {kInf, kMinusInf, number(100, 0)};
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True"), x),
            (Patterns{kInf, kMinusInf, number(6, 0)}));
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True,path=cpp"), x), numbers({6, -6, 6}));
  EXPECT_EQ(cast(element("fp4", ",saturate_normals=True"), x, strict()), numbers({6, -6, 6}));
}

TEST(Microxcaling, KM18_IntegersWithInfinity) {
  const Patterns x = {kInf, number(100, 0), kMinusZero};
  EXPECT_EQ(cast(element("int8"), x), (Patterns{kInf, number(127, -6), 0}));
  EXPECT_EQ(cast(element("int8", ",path=cpp"), x), numbers({127, 127, 0}, -6));
  EXPECT_EQ(cast(element("int8"), x, strict()), numbers({127, 127, 0}, -6));
}

TEST(Microxcaling, KM21_TheMaximumIsRoundedToTheTensorsType) {
  const Patterns x = numbers({65280, 65536, 66048});
  EXPECT_EQ(cast(element("fp16"), x, compat(TensorType::kBf16)),
            (Patterns{number(65280, 0), number(65536, 0), kInf}));
  const Patterns exact = {number(65280, 0), kInf, kInf};
  EXPECT_EQ(cast(element("fp16"), x), exact);
  EXPECT_EQ(cast(element("fp16", ",path=cpp"), x, compat(TensorType::kBf16)), exact);
  EXPECT_EQ(cast(element("fp16"), x, strict(TensorType::kBf16)), exact);
}

std::string round_output(const Checked<FinalSpecs>& specs) {
  EXPECT_TRUE(specs) << specs.problem();
  if (!specs || !*specs) return {};
  return (*specs)->name("round_output");
}

TEST(Microxcaling, KM23_AnMxSpecsObjectDoesNotPassItsRoundingOn) {
  const SpecDict dict = {{"a_elem_format", std::string("fp4")}, {"round", std::string("even")}};
  const MxSpecs object = *MxSpecs::make(dict);
  const Setting as_package{Mode::kCompat}, as_documented{Mode::kStrict};
  EXPECT_EQ(round_output(finalize_mx_specs(dict, as_package)), "even");
  EXPECT_EQ(round_output(finalize_mx_specs(object, as_package)), "nearest");
  EXPECT_EQ(round_output(finalize_mx_specs(dict, as_documented)), "even");
  EXPECT_EQ(round_output(finalize_mx_specs(object, as_documented)), "even");
}

}  // namespace
}  // namespace mx::emulators::microxcaling
