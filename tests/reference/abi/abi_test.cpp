// The C interface gives the answers of the C++ one: every option by name, blocks, tensors.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "mxgold.h"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/reference/judgement/block_sweep.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

/// The options of a policy set, as text.
struct Options {
  std::vector<std::string> values;
  std::vector<mxgold_option> list;

  explicit Options(const Policies& policies, FieldScope widest) {
    values.reserve(policy_fields().size());
    for (const PolicyField& field : policy_fields()) {
      if (field.scope == FieldScope::kBlock && widest == FieldScope::kElement) continue;
      values.push_back(field.read(policies));
      list.push_back({field.name.data(), values.back().c_str()});
    }
  }
};

TEST(CInterface, ConvertsLikeTheReference) {
  Stream stream(800);
  std::uint64_t compared = 0;
  for (int i = 0; i < 600; ++i) {
    const ElementFormat& source = formats::fp32;
    const ElementFormat& destination = all_formats()[stream.below(all_formats().size())];
    const Policies policies{
        random_block_case(source, mx_block_formats()[0], ScaleRule::kFloor, stream).element, {}};
    const Options options(policies, FieldScope::kElement);
    mxgold_conversion* conversion = nullptr;
    const std::string name(destination.name);
    ASSERT_EQ(mxgold_conversion_create("fp32", name.c_str(), options.list.data(),
                                       options.list.size(), &conversion, nullptr, 0),
              MXGOLD_OK);
    const ConversionConfig want{source, destination, policies.element};
    for (int k = 0; k < 30; ++k) {
      const std::uint64_t x = stream.next();
      const std::uint32_t r = stream.next() >> (32 - policies.element.random_bits);
      std::uint64_t code = 0;
      std::uint32_t flags = 0;
      ASSERT_EQ(mxgold_convert(conversion, &x, &r, 1, &code, &flags), MXGOLD_OK);
      const Encoded expected = made(want)(x, r);
      EXPECT_EQ(code, expected.code);
      EXPECT_EQ(flags, expected.flags);
      std::uint64_t code_alone = ~code;
      ASSERT_EQ(mxgold_convert(conversion, &x, &r, 1, &code_alone, nullptr), MXGOLD_OK);
      EXPECT_EQ(code_alone, expected.code);
      ++compared;
    }
    mxgold_conversion_destroy(conversion);
  }
  EXPECT_EQ(compared, 18'000U);
}

/// The code of a word without options, or under one.
std::uint64_t code_of(const char* source, const char* destination, std::uint64_t word,
                      std::vector<mxgold_option> options = {}) {
  mxgold_conversion* conversion = nullptr;
  EXPECT_EQ(mxgold_conversion_create(source, destination, options.data(), options.size(),
                                     &conversion, nullptr, 0),
            MXGOLD_OK);
  std::uint64_t code = 0;
  EXPECT_EQ(mxgold_convert(conversion, &word, nullptr, 1, &code, nullptr), MXGOLD_OK);
  mxgold_conversion_destroy(conversion);
  return code;
}

TEST(CInterface, ConversionsToFormatsWithInfinitiesAreIeees) {
  EXPECT_EQ(code_of("e5m2", "bf16", 0x7C), 0x7F80U);
  EXPECT_EQ(code_of("e5m2", "fp32", 0xFC), 0xFF800000U);
  EXPECT_EQ(code_of("fp32", "fp16", 0x477FEF00), 0x7BFFU);  // 65519
  EXPECT_EQ(code_of("fp32", "fp16", 0x477FF000), 0x7C00U);  // 65520
  EXPECT_EQ(code_of("fp32", "fp16", 0xC77FF000), 0xFC00U);
  EXPECT_EQ(code_of("fp32", "bf16", 0x7F7FFFFF), 0x7F80U);
  EXPECT_EQ(code_of("fp32", "fp16", 0x477FF000, {{"overflow", "sat_finite"}}), 0x7BFFU);
  EXPECT_EQ(code_of("fp32", "e5m2", 0x7F800000, {{"profile", "mxgold-default"}}), 0x7CU);
  EXPECT_EQ(code_of("fp32", "e5m2", 0x7F800000, {{"profile", "ptx-9.0"}}), 0x7BU);
  EXPECT_EQ(code_of("fp32", "e4m3fn", 0x7F800000), 0x7EU);
}

TEST(CInterface, QuantizesLikeTheReference) {
  Stream stream(801);
  for (int i = 0; i < 600; ++i) {
    const BlockFormat& format = mx_block_formats()[stream.below(mx_block_formats().size())];
    const auto rule = static_cast<ScaleRule>(stream.below(5));
    const BlockCase block = random_block_case(formats::fp32, format, rule, stream);
    const Options options({block.element, block.block}, FieldScope::kBlock);
    mxgold_quantizer* quantizer = nullptr;
    const std::string name(format.name);
    ASSERT_EQ(mxgold_quantizer_create("fp32", name.c_str(), options.list.data(),
                                      options.list.size(), &quantizer, nullptr, 0),
              MXGOLD_OK);
    std::vector<std::uint64_t> source = block_around(1 + stream.below(formats::fp32.max_code),
                                                     formats::fp32, format.element, 32, stream);
    if (i % 3 == 0) strew_specials(source, formats::fp32, stream);
    std::vector<std::uint32_t> random(32);
    for (std::uint32_t& r : random) r = stream.next() >> (32 - block.element.random_bits);
    std::vector<std::uint64_t> codes(32);
    std::uint64_t scale = 0;
    std::uint32_t flags = 0;
    ASSERT_EQ(mxgold_quantize_block(quantizer, source.data(), random.data(), 32, &scale,
                                    codes.data(), &flags),
              MXGOLD_OK);
    const Quantizer reference = made(config_of(block));
    std::vector<std::uint64_t> want(32);
    const BlockResult result = reference.quantize_block(source, random, want);
    EXPECT_EQ(scale, result.scale_code);
    EXPECT_EQ(flags, result.flags);
    EXPECT_EQ(codes, want);
    mxgold_quantizer_destroy(quantizer);
  }
}

TEST(CInterface, StartsFromProfiles) {
  const Profile& profile = *find_profile("ml_dtypes-0.6");
  const mxgold_option options[] = {
      {"rounding", "toward_zero"}, {"profile", "ml_dtypes-0.6"}, {"variant", "saturate"}};
  std::uint64_t compared = 0;
  for (const char* name : {"e5m2", "e8m0", "e4m3fnuz"}) {
    mxgold_conversion* conversion = nullptr;
    ASSERT_EQ(mxgold_conversion_create("bf16", name, options, 3, &conversion, nullptr, 0),
              MXGOLD_OK);
    auto want = element_conversion(profile, formats::bf16, *find_format(name), "saturate");
    ASSERT_TRUE(want.has_value());
    want->policy.rounding = Rounding::kTowardZero;
    const Conversion wanted = made(*want);
    for (std::uint64_t x = 0; x < 0x10000; ++x, ++compared) {
      std::uint64_t code = 0;
      ASSERT_EQ(mxgold_convert(conversion, &x, nullptr, 1, &code, nullptr), MXGOLD_OK);
      ASSERT_EQ(code, wanted(x).code) << name << ' ' << x;
    }
    mxgold_conversion_destroy(conversion);
  }
  EXPECT_EQ(compared, 3U << 16);
  const mxgold_option rceil[] = {{"profile", "torchao-0.18"}, {"variant", "rceil"}};
  mxgold_quantizer* quantizer = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("fp32", "mxfp8_e4m3", rceil, 2, &quantizer, nullptr, 0),
            MXGOLD_OK);
  const std::uint64_t above[] = {0x4DE00001};  // spec F11.6: 93, exactly 94
  std::uint64_t scale = 0;
  std::uint64_t code = 0;
  ASSERT_EQ(mxgold_quantize_block(quantizer, above, nullptr, 1, &scale, &code, nullptr), MXGOLD_OK);
  EXPECT_EQ(scale, 0x93U);
  mxgold_quantizer_destroy(quantizer);
}

TEST(CInterface, MixesProfilesWhereItIsAsked) {
  char message[400];
  const auto status = [&](std::span<const mxgold_option> options) {
    mxgold_quantizer* quantizer = nullptr;
    const mxgold_status found = mxgold_quantizer_create(
        "fp32", "mxfp8_e4m3", options.data(), options.size(), &quantizer, message, sizeof message);
    mxgold_quantizer_destroy(quantizer);
    return found;
  };
  const mxgold_option onnx[] = {{"blocks_as", "mxgold-default"}, {"profile", "onnx-ref"}};
  EXPECT_EQ(status(onnx), MXGOLD_OK) << message;
  const mxgold_option variant[] = {
      {"profile", "onnx-ref"}, {"variant", "saturate_0"}, {"blocks_as", "torchao-0.18:rceil"}};
  EXPECT_EQ(status(variant), MXGOLD_OK) << message;
  const mxgold_option named[] = {{"profile", "onnx-ref"}, {"variant", "blocks-as=mxgold-default"}};
  EXPECT_EQ(status(named), MXGOLD_OK) << message;
  const auto refused = [&](std::span<const mxgold_option> options, const char* says) {
    EXPECT_EQ(status(options), MXGOLD_BAD_VALUE);
    EXPECT_NE(std::string(message).find(says), std::string::npos) << message;
  };
  refused({onnx + 1, 1}, "has no block formats; it has conversions to e4m3fn, ");
  refused({onnx + 1, 1}, "add blocks_as=mxgold-default");
  refused({onnx, 1}, "blocks_as needs a profile");
  const mxgold_option nobody[] = {{"profile", "onnx-ref"}, {"blocks_as", "nobody"}};
  refused(nobody, "blocks-as nobody: no profile is called that");
  const mxgold_option elements[] = {{"profile", "onnx-ref"}, {"blocks_as", "ptx-9.0"}};
  refused(elements, "has no block formats");
  mxgold_conversion* conversion = nullptr;
  EXPECT_EQ(
      mxgold_conversion_create("fp32", "e4m3fn", onnx, 2, &conversion, message, sizeof message),
      MXGOLD_BAD_VALUE);
  EXPECT_NE(std::string(message).find("says nothing of single values"), std::string::npos);
}

TEST(CInterface, RefusesUnknownProfilesAndVariants) {
  const auto refusal = [](const char* source, const char* destination,
                          std::span<const mxgold_option> options) {
    mxgold_conversion* conversion = nullptr;
    char message[400];
    EXPECT_EQ(mxgold_conversion_create(source, destination, options.data(), options.size(),
                                       &conversion, message, sizeof message),
              MXGOLD_BAD_VALUE);
    EXPECT_EQ(conversion, nullptr);
    return std::string(message);
  };
  const mxgold_option nobody[] = {{"profile", "nobody-1"}};
  EXPECT_EQ(refusal("fp32", "e4m3fn", nobody), "unknown profile 'nobody-1'");
  const mxgold_option alone[] = {{"variant", "saturate"}};
  EXPECT_EQ(refusal("fp32", "e4m3fn", alone), "a variant needs a profile");
  const mxgold_option variant[] = {{"profile", "ml_dtypes-0.6"}, {"variant", "rceil"}};
  EXPECT_EQ(
      refusal("fp32", "e4m3fn", variant),
      "profile ml_dtypes-0.6 has no variant \"rceil\" of e4m3fn that can be computed; of e4m3fn it "
      "has saturate, truncate");
  EXPECT_EQ(refusal("fp32", "hif8", {variant, 1}),
            "profile ml_dtypes-0.6 defines conversions to e4m3fn, e4m3, e3m4, e4m3fnuz, e5m2fnuz, "
            "e4m3b11fnuz, e5m2, e2m3fn, e3m2fn, e2m1fn, e8m0: not to hif8");
}

TEST(CInterface, TensorsUseTheCounterForRandomWords) {
  constexpr mxgold_option kStochastic[] = {{"rounding", "stochastic_a"}, {"random_bits", "11"}};
  mxgold_quantizer* quantizer = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("bf16", "mxfp6_e2m3", kStochastic, 2, &quantizer, nullptr, 0),
            MXGOLD_OK);
  const std::uint64_t shape[] = {5, 40};
  mxgold_tensor_sizes sizes{};
  ASSERT_EQ(mxgold_sizes(quantizer, shape, 2, 1, &sizes), MXGOLD_OK);
  Stream stream(802);
  std::vector<std::uint16_t> source(sizes.elements);
  for (std::uint16_t& x : source) x = static_cast<std::uint16_t>(0x3F00 + stream.below(0x100));
  std::vector<std::uint8_t> codes(sizes.code_bytes);
  std::vector<std::uint8_t> scales(sizes.scale_bytes);
  ASSERT_EQ(mxgold_quantize_tensor(quantizer, shape, 2, 1, source.data(), sizes.source_bytes, 42, 3,
                                   codes.data(), sizes.code_bytes, scales.data(), sizes.scale_bytes,
                                   nullptr),
            MXGOLD_OK);
  QuantizerConfig config{formats::bf16, *find_block_format("mxfp6_e2m3"), {}, {}};
  config.element.rounding = Rounding::kStochasticA;
  config.element.random_bits = 11;
  const BlockedShape blocked = *BlockedShape::make(shape, 1, 32);
  std::vector<std::byte> want_codes(sizes.code_bytes);
  std::vector<std::byte> want_scales(sizes.scale_bytes);
  EXPECT_TRUE(quantize_tensor(made(config), blocked, Tail::kShort, std::as_bytes(std::span(source)),
                              {42, 3}, want_codes, want_scales));
  EXPECT_EQ(std::memcmp(codes.data(), want_codes.data(), codes.size()), 0);
  EXPECT_EQ(std::memcmp(scales.data(), want_scales.data(), scales.size()), 0);
  mxgold_quantizer_destroy(quantizer);
}

}  // namespace
}  // namespace mx::oracle
