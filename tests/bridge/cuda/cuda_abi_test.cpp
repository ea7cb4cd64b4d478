// The C interface of the CUDA path: plans from texts, sizes, errors in words, results on the host
// against the library's models.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bridge/cuda/mxgold_cuda.h"
#include "mxgold_model.h"

namespace mx::bridge::test {
namespace {

struct Plan {
  explicit Plan(const char* text) {
    std::array<char, 256> why{};
    status = mxgold_cuda_open(text, &plan, why.data(), why.size());
    problem = why.data();
  }
  ~Plan() { mxgold_cuda_close(plan); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  mxgold_cuda_plan* plan = nullptr;
  mxgold_status status;
  std::string problem;
};

TEST(CudaAbi, SaysWhyATextHasNoPlan) {
  EXPECT_EQ(mxgold_cuda_abi_version(), MXGOLD_CUDA_ABI_VERSION);
  EXPECT_EQ(Plan("format=mxfp4 source=bf16").status, MXGOLD_OK);
  for (const auto& [text, says] :
       {std::pair{"format=nosuch", "nosuch"}, std::pair{"op=cvt destination=e4m3fn", "op=block"},
        std::pair{"format=mxfp4 rule=nearest_log", "no fast path: the scale rule"},
        std::pair{"format=nvfp4 scale_floor=min_normal", "no fast path: block policies"},
        std::pair{"format=nvfp4 rule=nvfp4_4over6 rounding=stochastic_a", "ties_to_even"},
        std::pair{"format=mxfp4 source=fp64", "no fast path"}}) {
    const Plan none(text);
    EXPECT_EQ(none.status, MXGOLD_BAD_VALUE) << text;
    EXPECT_EQ(none.plan, nullptr);
    EXPECT_NE(none.problem.find(says), std::string::npos) << none.problem;
  }
  EXPECT_EQ(mxgold_cuda_open(nullptr, nullptr, nullptr, 0), MXGOLD_NULL_ARGUMENT);
}

TEST(CudaAbi, DescribesLayouts) {
  const Plan plan("format=mxfp4 source=bf16");
  mxgold_cuda_layout layout{130, 96, 1, 0, 1, 1};
  mxgold_cuda_sizes sizes{};
  ASSERT_EQ(mxgold_cuda_describe(plan.plan, &layout, &sizes, nullptr, 0), MXGOLD_OK);
  EXPECT_EQ(sizes.source_bytes, 2U * 130 * 96);
  EXPECT_EQ(sizes.code_bytes, 130U * 96 / 2);
  EXPECT_EQ(sizes.scale_bytes, 2U * 512);
  EXPECT_EQ(sizes.status_words, 130U * 3);
  layout.length = 95;
  std::array<char, 64> why{};
  EXPECT_EQ(mxgold_cuda_describe(plan.plan, &layout, &sizes, why.data(), why.size()),
            MXGOLD_BAD_SIZE);
  EXPECT_STREQ(why.data(), "packed lines that share a byte");
}

// A block at a time by the model of the same text.
TEST(CudaAbi, AgreesWithTheModelOfTheSameText) {
  constexpr std::size_t kBlocks = 500;
  std::uint64_t compared = 0;
  for (const char* text :
       {"format=mxfp8_e4m3 source=bf16", "format=mxint8 source=bf16 rounding=to_odd rule=ceil",
        "format=mxfp6_e3m2 source=bf16 rounding=toward_negative rule=even_up"}) {
    const Plan plan(text);
    ASSERT_EQ(plan.status, MXGOLD_OK) << plan.problem;
    mxgold_model* model = nullptr;
    ASSERT_EQ(mxgold_model_open(text, &model, nullptr, 0), MXGOLD_OK);
    std::vector<std::uint16_t> words(kBlocks * 32);
    std::uint64_t state = 1;
    for (std::uint16_t& word : words) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      word = static_cast<std::uint16_t>(state >> 48 & 0xBFFF);  // finite
    }
    std::vector<std::uint8_t> codes(words.size());
    std::vector<std::uint8_t> scales(kBlocks);
    const mxgold_cuda_layout layout{1, words.size(), 1, 0, 0, 0};
    const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
    ASSERT_EQ(mxgold_cuda_quantize_on_host(plan.plan, &layout, words.data(), &results, nullptr,
                                           nullptr, 0),
              MXGOLD_OK);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::array<std::uint64_t, 32> source{};
      for (std::size_t i = 0; i < 32; ++i) source[i] = words[block * 32 + i];
      std::uint64_t scale = 0;
      std::array<std::uint64_t, 32> expected{};
      mxgold_record record{};
      record.operands[MXGOLD_FIELD_SOURCE] = source.data();
      record.results[MXGOLD_FIELD_SCALE - MXGOLD_FIELD_SCALE] = &scale;
      record.results[MXGOLD_FIELD_CODE - MXGOLD_FIELD_SCALE] = expected.data();
      ASSERT_EQ(mxgold_model_answer(model, &record, nullptr, nullptr, 0), MXGOLD_OK);
      ASSERT_EQ(scales[block], scale) << text << ", block " << block;
      for (std::size_t i = 0; i < 32; ++i) {
        ASSERT_EQ(codes[block * 32 + i], expected[i]) << text << ", block " << block;
        ++compared;
      }
    }
    mxgold_model_close(model);
  }
  EXPECT_EQ(compared, 3 * kBlocks * 32);
}

// The way back, against the model of the same text.
TEST(CudaAbi, DequantizesAsTheModelOfTheSameText) {
  const char* const text = "op=dequantize format=mxfp8_e4m3 result=bf16 dequant_overflow=saturate";
  const Plan plan(text);
  ASSERT_EQ(plan.status, MXGOLD_OK) << plan.problem;
  mxgold_model* model = nullptr;
  ASSERT_EQ(mxgold_model_open(text, &model, nullptr, 0), MXGOLD_OK);
  std::vector<std::uint8_t> codes(std::size_t{256} * 32);
  std::vector<std::uint8_t> scales(256);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(i * 7 + i / 32);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::uint8_t>(i);
  const mxgold_cuda_layout layout{256, 32, 1, 0, 0, 0};
  mxgold_cuda_sizes sizes{};
  ASSERT_EQ(mxgold_cuda_describe(plan.plan, &layout, &sizes, nullptr, 0), MXGOLD_OK);
  EXPECT_EQ(sizes.source_bytes, codes.size() * 2);
  EXPECT_EQ(sizes.status_words, 0U);
  std::vector<std::uint16_t> words(codes.size());
  ASSERT_EQ(mxgold_cuda_dequantize_on_host(plan.plan, &layout, codes.data(), scales.data(),
                                           words.data(), nullptr, 0),
            MXGOLD_OK);
  for (std::size_t block = 0; block < scales.size(); ++block) {
    std::array<std::uint64_t, 32> in{};
    std::array<std::uint64_t, 32> expected{};
    for (std::size_t i = 0; i < 32; ++i) in[i] = codes[block * 32 + i];
    const std::uint64_t scale = scales[block];
    mxgold_record record{};
    record.operands[MXGOLD_FIELD_A_SCALE] = &scale;
    record.operands[MXGOLD_FIELD_A] = in.data();
    record.results[MXGOLD_FIELD_CODE - MXGOLD_FIELD_SCALE] = expected.data();
    ASSERT_EQ(mxgold_model_answer(model, &record, nullptr, nullptr, 0), MXGOLD_OK);
    for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(words[block * 32 + i], expected[i]) << block;
  }
  mxgold_model_close(model);
  std::array<char, 128> why{};
  const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
  EXPECT_EQ(mxgold_cuda_quantize_on_host(plan.plan, &layout, words.data(), &results, nullptr,
                                         why.data(), why.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "the plan dequantizes: open one of op=block");
  EXPECT_EQ(mxgold_cuda_dequantize(Plan("format=mxfp4").plan, nullptr, &layout, codes.data(),
                                   scales.data(), words.data(), nullptr, 0),
            MXGOLD_BAD_VALUE);
  EXPECT_EQ(mxgold_cuda_dequantize(plan.plan, nullptr, &layout, nullptr, scales.data(),
                                   words.data(), nullptr, 0),
            MXGOLD_NULL_ARGUMENT);
}

// NVFP4 there and back by the number of the plan, against the models of the same texts.
TEST(CudaAbi, KnowsNvfp4) {
  const char* const text = "format=nvfp4 source=bf16 stored_tensor_scale=3a000000";
  const Plan plan(text);
  const Plan back("op=dequantize format=nvfp4 result=bf16 stored_tensor_scale=3a000000");
  ASSERT_EQ(plan.status, MXGOLD_OK) << plan.problem;
  ASSERT_EQ(back.status, MXGOLD_OK) << back.problem;
  mxgold_model* model = nullptr;
  ASSERT_EQ(mxgold_model_open(text, &model, nullptr, 0), MXGOLD_OK);
  constexpr std::size_t kBlocks = 200;
  std::vector<std::uint16_t> words(kBlocks * 16);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(0x3F80 - i * 37 % 0x300 + (i % 3 == 0 ? 0x8000 : 0));
  }
  std::vector<std::uint8_t> codes(words.size());
  std::vector<std::uint8_t> scales(kBlocks);
  const mxgold_cuda_layout layout{kBlocks, 16, 1, 0, 0, 0};
  const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
  ASSERT_EQ(
      mxgold_cuda_quantize_on_host(plan.plan, &layout, words.data(), &results, nullptr, nullptr, 0),
      MXGOLD_OK);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    std::array<std::uint64_t, 16> source{};
    for (std::size_t i = 0; i < 16; ++i) source[i] = words[block * 16 + i];
    std::uint64_t scale = 0;
    std::array<std::uint64_t, 16> expected{};
    mxgold_record record{};
    record.operands[MXGOLD_FIELD_SOURCE] = source.data();
    record.results[MXGOLD_FIELD_SCALE - MXGOLD_FIELD_SCALE] = &scale;
    record.results[MXGOLD_FIELD_CODE - MXGOLD_FIELD_SCALE] = expected.data();
    ASSERT_EQ(mxgold_model_answer(model, &record, nullptr, nullptr, 0), MXGOLD_OK);
    ASSERT_EQ(scales[block], scale) << block;
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(codes[block * 16 + i], expected[i]) << block;
  }
  mxgold_model_close(model);
  std::vector<std::uint16_t> came(words.size());
  ASSERT_EQ(mxgold_cuda_dequantize_on_host(back.plan, &layout, codes.data(), scales.data(),
                                           came.data(), nullptr, 0),
            MXGOLD_OK);
  EXPECT_EQ(came[0] >> 15, words[0] >> 15);
  const std::uint32_t number = 0x3A000000;
  EXPECT_EQ(mxgold_cuda_quantize_scaled(plan.plan, nullptr, &layout, words.data(), &results,
                                        nullptr, nullptr, 0),
            MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_quantize_scaled(Plan("format=mxfp4").plan, nullptr, &layout, words.data(),
                                        &results, &number, nullptr, 0),
            MXGOLD_BAD_VALUE);
  EXPECT_EQ(mxgold_cuda_dequantize_scaled(plan.plan, nullptr, &layout, codes.data(), scales.data(),
                                          came.data(), &number, nullptr, 0),
            MXGOLD_BAD_VALUE);
}

// nvfp4 under rules and roundings of every kind of kernel, with given words, against the model of
// the same text.
TEST(CudaAbi, AgreesWithTheModelsOfNvfp4) {
  constexpr std::size_t kBlocks = 200;
  std::uint64_t compared = 0;
  for (const char* text : {"format=nvfp4 source=bf16 rounding=stochastic_a random_bits=16",
                           "format=nvfp4 source=bf16 rule=nvfp4_te rounding=stochastic_c",
                           "format=nvfp4 source=bf16 rule=nvfp4_cublas rounding=toward_negative",
                           "format=nvfp4 source=bf16 rule=nvfp4_ggml",
                           "format=nvfp4 source=bf16 rule=nvfp4_4over6 four_over_six=mse_448"}) {
    const Plan plan(text);
    ASSERT_EQ(plan.status, MXGOLD_OK) << plan.problem;
    mxgold_model* model = nullptr;
    ASSERT_EQ(mxgold_model_open(text, &model, nullptr, 0), MXGOLD_OK);
    std::vector<std::uint16_t> words(kBlocks * 16);
    std::vector<std::uint32_t> draws(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::uint16_t>(0x4380 - i * 37 % 0x500 + (i % 3 == 0 ? 0x8000 : 0));
      draws[i] = static_cast<std::uint32_t>(i * 0x9E3779B97F4A7C15 >> 48);
    }
    std::vector<std::uint8_t> codes(words.size());
    std::vector<std::uint8_t> scales(kBlocks);
    const mxgold_cuda_layout layout{kBlocks, 16, 1, 0, 0, 0};
    const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
    const mxgold_cuda_random random{draws.data(), 0, 0};
    ASSERT_EQ(mxgold_cuda_quantize_on_host(plan.plan, &layout, words.data(), &results, &random,
                                           nullptr, 0),
              MXGOLD_OK);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      std::array<std::uint64_t, 16> source{};
      std::array<std::uint64_t, 16> drawn{};
      for (std::size_t i = 0; i < 16; ++i) source[i] = words[block * 16 + i];
      for (std::size_t i = 0; i < 16; ++i) drawn[i] = draws[block * 16 + i];
      std::uint64_t scale = 0;
      std::array<std::uint64_t, 16> expected{};
      mxgold_record record{};
      record.operands[MXGOLD_FIELD_SOURCE] = source.data();
      record.operands[MXGOLD_FIELD_RANDOM] = drawn.data();
      record.results[MXGOLD_FIELD_SCALE - MXGOLD_FIELD_SCALE] = &scale;
      record.results[MXGOLD_FIELD_CODE - MXGOLD_FIELD_SCALE] = expected.data();
      ASSERT_EQ(mxgold_model_answer(model, &record, nullptr, nullptr, 0), MXGOLD_OK);
      ASSERT_EQ(scales[block], scale) << text << ", block " << block;
      for (std::size_t i = 0; i < 16; ++i) {
        ASSERT_EQ(codes[block * 16 + i], expected[i]) << text << ", block " << block;
        ++compared;
      }
    }
    mxgold_model_close(model);
  }
  EXPECT_EQ(compared, 5 * kBlocks * 16);
}

// A call that has no place for random words refuses plans that draw.
TEST(CudaAbi, AsksForTheWordsOfPlansThatDraw) {
  const Plan plain("format=nvfp4 source=bf16");
  const Plan draws("format=nvfp4 source=bf16 rounding=stochastic_a");
  alignas(16) std::array<std::uint16_t, 256> words{};
  alignas(16) std::array<std::uint8_t, 256> codes{};
  std::array<std::uint8_t, 16> scales{};
  const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
  const mxgold_cuda_layout layout{16, 16, 1, 0, 0, 0};
  const mxgold_cuda_layout none{0, 16, 1, 0, 0, 0};
  const mxgold_cuda_random random{nullptr, 5, 0};
  const std::uint32_t number = 0x3F800000;
  std::array<char, 128> why{};
  EXPECT_EQ(mxgold_cuda_quantize_scaled(draws.plan, nullptr, &layout, words.data(), &results,
                                        &number, why.data(), why.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "the plan draws random words: call a function *_drawn");
  EXPECT_EQ(mxgold_cuda_quantize_both(draws.plan, nullptr, 16, 16, 0, 0, words.data(), &results,
                                      &results, nullptr, 0),
            MXGOLD_BAD_VALUE);
  EXPECT_EQ(mxgold_cuda_quantize_both_scaled(plain.plan, draws.plan, nullptr, 16, 16, 0, 0,
                                             words.data(), &results, &results, nullptr, nullptr,
                                             why.data(), why.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "the plan draws random words: call a function *_drawn");
  const auto both = [&](const mxgold_cuda_random* rows, const mxgold_cuda_random* columns) {
    return mxgold_cuda_quantize_both_drawn(plain.plan, draws.plan, nullptr, 0, 16, 0, 0,
                                           words.data(), &results, &results, nullptr, nullptr, rows,
                                           columns, nullptr, 0);
  };
  EXPECT_EQ(both(&random, nullptr), MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(both(nullptr, &random), MXGOLD_OK);
  EXPECT_EQ(mxgold_cuda_quantize_drawn(draws.plan, nullptr, &none, words.data(), &results, nullptr,
                                       &random, nullptr, 0),
            MXGOLD_OK);
  EXPECT_EQ(mxgold_cuda_quantize_drawn(draws.plan, nullptr, &layout, words.data(), &results,
                                       &number, nullptr, nullptr, 0),
            MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_quantize_drawn(Plan("format=mxfp4").plan, nullptr, &layout, words.data(),
                                       &results, &number, &random, nullptr, 0),
            MXGOLD_BAD_VALUE);
}

// Blocks under power-of-two scales that draw, in both directions: one plan, words for each.
TEST(CudaAbi, BothDirectionsOfBlocksThatDraw) {
  const Plan draws("format=mxfp8_e4m3 source=bf16 rounding=stochastic_a");
  const Plan other("format=mxfp8_e4m3 source=bf16");
  alignas(16) std::array<std::uint16_t, 32> words{};
  alignas(16) std::array<std::uint8_t, 32> codes{};
  std::array<std::uint8_t, 16> scales{};
  const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
  const mxgold_cuda_random random{nullptr, 5, 0};
  const std::uint32_t number = 0x3F800000;
  std::array<char, 128> why{};
  EXPECT_EQ(mxgold_cuda_quantize_both(draws.plan, nullptr, 32, 32, 0, 0, words.data(), &results,
                                      &results, why.data(), why.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "the plan draws random words: call a function *_drawn");
  const auto both = [&](const Plan& down, const std::uint32_t* tensor,
                        const mxgold_cuda_random* columns) {
    return mxgold_cuda_quantize_both_drawn(draws.plan, down.plan, nullptr, 0, 32, 0, 0,
                                           words.data(), &results, &results, tensor, nullptr,
                                           &random, columns, why.data(), why.size());
  };
  EXPECT_EQ(both(draws, nullptr, &random), MXGOLD_OK);
  EXPECT_EQ(both(draws, nullptr, nullptr), MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(both(draws, &number, &random), MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "the format has no number of the tensor");
  EXPECT_EQ(both(other, nullptr, &random), MXGOLD_BAD_VALUE);
  EXPECT_STREQ(why.data(), "blocks under power-of-two scales take one plan for both directions");
}

TEST(CudaAbi, TakesBothDirectionsOfNvfp4) {
  const Plan along("format=nvfp4 source=bf16 stored_tensor_scale=3a000000");
  const Plan down("format=nvfp4 source=bf16 rule=nvfp4_cublas");
  const Plan other("format=nvfp4 source=fp32 stored_tensor_scale=3a000000");
  alignas(16) std::array<std::uint16_t, 256> words{};
  alignas(16) std::array<std::uint8_t, 256> codes{};
  std::array<std::uint8_t, 16> scales{};
  const mxgold_cuda_results results{codes.data(), scales.data(), nullptr};
  const auto both = [&](const Plan& rows, const Plan& columns, std::uint64_t length) {
    return mxgold_cuda_quantize_both_scaled(rows.plan, columns.plan, nullptr, length, 16, 0, 0,
                                            words.data(), &results, &results, nullptr, nullptr,
                                            nullptr, 0);
  };
  EXPECT_EQ(both(along, down, 24), MXGOLD_BAD_SIZE);
  EXPECT_EQ(both(along, other, 16), MXGOLD_BAD_VALUE);
  EXPECT_EQ(both(along, Plan("format=mxfp4"), 16), MXGOLD_BAD_VALUE);
  EXPECT_EQ(both(Plan("format=mxfp4"), down, 16), MXGOLD_BAD_VALUE);
  EXPECT_EQ(
      mxgold_cuda_quantize_both_scaled(along.plan, nullptr, nullptr, 16, 16, 0, 0, words.data(),
                                       &results, &results, nullptr, nullptr, nullptr, 0),
      MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_quantize_both(along.plan, nullptr, 16, 24, 0, 0, words.data(), &results,
                                      &results, nullptr, 0),
            MXGOLD_BAD_SIZE);
  EXPECT_EQ(both(along, down, 0), MXGOLD_OK);
}

// A transformed plan quantizes as the plain plan quantizes what the C interface's transform makes.
TEST(CudaAbi, TransformsGroupsFirst) {
  const Plan plain("format=nvfp4 source=fp32 stored_tensor_scale=3a000000");
  std::array<float, 96> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<float>(i * 37 % 64) / 128;
  std::array<float, 96> values{};
  const std::array<std::uint64_t, 2> shape = {2, 48};
  for (const int signs_last : {0, 1}) {
    mxgold_cuda_plan* turned = nullptr;
    ASSERT_EQ(mxgold_cuda_transformed(plain.plan, 0xD7E8, signs_last, &turned, nullptr, 0),
              MXGOLD_OK);
    ASSERT_EQ(mxgold_hadamard_tensor("fp32", shape.data(), 2, 1, 0xD7E8, signs_last, words.data(),
                                     sizeof words, values.data(), sizeof values),
              MXGOLD_OK);
    std::array<std::vector<std::uint8_t>, 2> bytes;
    const mxgold_cuda_layout layout{2, 48, 1, 0, 1, 0};
    for (std::size_t i = 0; i < 2; ++i) {
      bytes[i].resize(48 + 6);
      const mxgold_cuda_results results{bytes[i].data(), bytes[i].data() + 48, nullptr};
      ASSERT_EQ(mxgold_cuda_quantize_on_host(i == 0 ? turned : plain.plan, &layout,
                                             i == 0 ? words.data() : values.data(), &results,
                                             nullptr, nullptr, 0),
                MXGOLD_OK);
    }
    EXPECT_EQ(bytes[0], bytes[1]);
    mxgold_cuda_sizes sizes;
    const mxgold_cuda_layout odd{2, 40, 1, 0, 1, 0};
    EXPECT_EQ(mxgold_cuda_describe(turned, &odd, &sizes, nullptr, 0), MXGOLD_BAD_SIZE);
    mxgold_cuda_close(turned);
  }
  mxgold_cuda_plan* none = nullptr;
  EXPECT_EQ(mxgold_cuda_transformed(Plan("format=mxfp4").plan, 1, 0, &none, nullptr, 0),
            MXGOLD_BAD_VALUE);
  EXPECT_EQ(mxgold_cuda_transformed(Plan("op=dequantize format=nvfp4 result=bf16").plan, 1, 0,
                                    &none, nullptr, 0),
            MXGOLD_BAD_VALUE);
  EXPECT_EQ(
      mxgold_cuda_transformed(Plan("format=nvfp4 block_size=32").plan, 1, 0, &none, nullptr, 0),
      MXGOLD_BAD_VALUE);
  EXPECT_EQ(mxgold_cuda_transformed(nullptr, 1, 0, &none, nullptr, 0), MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_transformed(plain.plan, 1, 0, nullptr, nullptr, 0), MXGOLD_NULL_ARGUMENT);
}

TEST(CudaAbi, RefusesPointersAndSaysThatThereIsNoDevice) {
  const Plan plan("format=mxfp8_e4m3");
  const mxgold_cuda_layout layout{1, 32, 1, 0, 0, 0};
  alignas(16) std::array<float, 32> words{};
  std::array<std::uint8_t, 32> codes{};
  std::uint8_t scale = 0;
  const mxgold_cuda_results results{codes.data(), &scale, nullptr};
  EXPECT_EQ(
      mxgold_cuda_quantize(plan.plan, nullptr, &layout, nullptr, &results, nullptr, nullptr, 0),
      MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_quantize(nullptr, nullptr, &layout, nullptr, &results, nullptr, nullptr, 0),
            MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_cuda_quantize_both(plan.plan, nullptr, 33, 32, 0, 0, words.data(), &results,
                                      &results, nullptr, 0),
            MXGOLD_BAD_SIZE);
  if (*mxgold_cuda_problem() == '\0') GTEST_SKIP() << "there is a device";
  std::array<char, 256> why{};
  EXPECT_EQ(mxgold_cuda_quantize(plan.plan, nullptr, &layout, words.data(), &results, nullptr,
                                 why.data(), why.size()),
            MXGOLD_BAD_VALUE);
  EXPECT_NE(why[0], '\0');
}

}  // namespace
}  // namespace mx::bridge::test
