// compat for platform cuda: bits that the packages gave for tensors on an H200 (torch 2.11.0, CUDA
// 13.0), where they are not those of the CPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"

namespace mx::emulators {
namespace {

using Words = std::vector<std::uint64_t>;

struct Given {
  TensorType type = TensorType::kFp32;
  Words words;
  Shape shape = {words.size()};
  std::vector<Tensor> operands = {};
  std::vector<std::uint32_t> random = {};
};

Tensor tensor_of(TensorType type, const Shape& shape, const Words& words, std::string name) {
  Tensor tensor = Tensor::zeros(std::move(name), type, shape);
  for (std::size_t i = 0; i < words.size(); ++i) {
    set_word(tensor.bytes, width_of(type), i, words[i]);
  }
  return tensor;
}

/// Words, or the problem.
struct Outcome {
  Words words;
  std::string problem;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::string& text, Platform platform, const Given& given) {
  const auto cast = make_cast(text, {Mode::kCompat, platform});
  if (!cast) return {{}, std::string(cast.problem())};
  const Tensor tensor = tensor_of(given.type, given.shape, given.words, "values");
  CastInput input{.tensor = tensor, .random = given.random};
  for (const Tensor& operand : given.operands) input.operands.emplace_back(operand);
  const auto results = (*cast)->apply(input);
  if (!results) return {{}, std::string(results.problem())};
  Outcome found;
  const Tensor& values = results->front();
  for (std::size_t i = 0; i < elements_of(values.shape); ++i) {
    found.words.push_back(word_at(values, i));
  }
  return found;
}

Words on_gpu(const std::string& text, const Given& given) {
  const Outcome found = outcome(text, Platform::kCuda, given);
  EXPECT_EQ(found.problem, "") << text;
  return found.words;
}

Words on_cpu(const std::string& text, const Given& given) {
  return outcome(text, Platform::kX86, given).words;
}

/// The word of the problem up to its colon.
std::string refused_on_gpu(const std::string& text, const Given& given) {
  const std::string problem = outcome(text, Platform::kCuda, given).problem;
  return problem.substr(0, problem.find(':'));
}

Tensor scale_of(std::uint64_t word) { return tensor_of(TensorType::kFp32, {}, {word}, "scale"); }

TEST(Cuda, D31_Binary16NansLoseSignAndPayload) {
  const Given nans = {.type = TensorType::kFp16, .words = {0x7C01, 0xFE00}};
  EXPECT_EQ(on_gpu("dmx:FP[1|8|23,127](_N)", nans), (Words{0x7FFFFFFF, 0x7FFFFFFF}));
  EXPECT_EQ(on_cpu("dmx:FP[1|8|23,127](_N)", nans), (Words{0xFFC02000, 0x7FC00000}));
  // Rounded as a number it carries to -0, which the flush of FLOAT16 makes +0.
  EXPECT_EQ(on_gpu("dmx:FP[1|5|10,15](FN)", nans), (Words{0, 0}));
  // Those of bf16 and binary64 keep them.
  EXPECT_EQ(on_gpu("dmx:FP[1|8|23,127](_N)", {.type = TensorType::kBf16, .words = {0xFFC1}}),
            (Words{0xFFC10000}));
  EXPECT_EQ(
      on_gpu("dmx:FP[1|8|23,127](_N)", {.type = TensorType::kFp64, .words = {0x7FF0000000000001}}),
      (Words{0x7FC00000}));
}

TEST(Cuda, D31_FixedPointHasOneNan) {
  const Given nan = {.words = {0x7F800001, 0xFFC00001}};
  for (const char* const text : {"dmx:XP[4,+1](CSU)", "dmx:XP[4,+1](CSD)", "dmx:XP[4,+1](CSN)"}) {
    EXPECT_EQ(on_gpu(text, nan), (Words{0x7FFFFFFF, 0x7FFFFFFF})) << text;
  }
}

TEST(Cuda, D31_ScalesOfBlocksAreTimesAReciprocal) {
  const std::string text = "dmx:SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{2}";
  // 53.375 and 26: 53.375 / 7 is 7.625; times fl(1/7) it is the next number above, and rounds up.
  const Given block = {.words = {0x42558000, 0x41D00000}};
  EXPECT_EQ(on_cpu(text, block), (Words{0x42520000, 0x41B40000}));
  EXPECT_EQ(on_gpu(text, block), (Words{0x42590000, 0x41BA0000}));
}

TEST(Cuda, D31_FlushedElementsDrawAWord) {
  const std::string text = "dmx:FP[1|4|3,7](FS)";
  // The second element's word alone rounds it up.
  const Given given = {.words = {0x00800000, 0x3F880000}, .random = {0x7FFFFFFF, 0}};
  EXPECT_EQ(on_cpu(text, given), (Words{0, 0x3F900000}));
  EXPECT_EQ(on_gpu(text, given), (Words{0, 0x3F800000}));
}

TEST(Cuda, M7_Binary16NansOfTheKernelsLoseTheirSign) {
  const Given nan = {.type = TensorType::kFp16, .words = {0xFFFF}};
  EXPECT_EQ(on_gpu("microxcaling:quantize_elemwise(elem_format=int2,path=cuda)", nan),
            (Words{0x3C00}));
  EXPECT_EQ(on_cpu("microxcaling:quantize_elemwise(elem_format=int2,path=cpp)", nan),
            (Words{0xBC00}));
}

TEST(Cuda, M7_NoMaximumIsTooLargeForBinary16) {
  const std::string text =
      "microxcaling:quantize_elemwise(elem_format=bfloat16,saturate_normals=True)";
  const Given halves = {.type = TensorType::kFp16, .words = {0x7C00, 0x3C01}};
  EXPECT_EQ(on_gpu(text, halves), (Words{0x7C00, 0x3C00}));
  EXPECT_NE(outcome(text, Platform::kX86, halves).problem, "");
}

TEST(Cuda, A5_AZeroDimensionalScaleIsOfTheTensorsType) {
  const std::string text = "aimet:FloatQuantizeDequantize(exponent_bits=5,mantissa_bits=10)";
  const Given given = {.type = TensorType::kBf16,
                       .words = {0x3775, 0x379B, 0x37EE},
                       .operands = {scale_of(0x4202DD49)}};  // 32.7161
  EXPECT_EQ(on_gpu(text, given), (Words{0x3765, 0x3793, 0x37F6}));
  EXPECT_EQ(on_cpu(text, given), (Words{0x3783, 0x37A4, 0x37F5}));
}

TEST(Cuda, A5_NoMaximumIsTooLargeForATensorsType) {
  const Given halves = {.type = TensorType::kFp16,
                        .words = {0x7BFF, 0x7C00, 0xFC00, 0x3C01},
                        .operands = {scale_of(0x3F800000)}};
  const std::string wide = "aimet:FloatQuantizeDequantize(exponent_bits=8,mantissa_bits=10)";
  EXPECT_EQ(on_gpu(wide, halves), (Words{0x7C00, 0x7C00, 0xFC00, 0x3C01}));
  // 65504 is 65536 in bf16, which binary16 does not have.
  const std::string bf16 = "aimet:FloatQuantizeDequantize(dtype=bfloat16)";
  EXPECT_EQ(on_gpu(bf16, halves), (Words{0x7C00, 0x7C00, 0xFC00, 0x3C00}));
  EXPECT_NE(outcome(wide, Platform::kX86, halves).problem, "");
}

TEST(Cuda, WhatHangsOnItsBinary64LibraryIsRefused) {
  const Given wide = {.type = TensorType::kFp64, .words = {0x3FF0000000000000}};
  for (const char* const text :
       {"torchmx:hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=448)",
        "microxcaling:quantize_elemwise(elem_format=fp4)",
        "microxcaling:quantize_mx(elem_format=int8,axes=(-1),block_size=1)"}) {
    EXPECT_EQ(refused_on_gpu(text, wide), "ValueError") << text;
    EXPECT_EQ(outcome(text, Platform::kX86, wide).problem, "") << text;
  }
  const Given scalar = {.words = {0x3F800000}, .shape = {}, .operands = {scale_of(0x3F800000)}};
  const std::string e2m1 = "(exponent_bits=2,mantissa_bits=1,finite=True)";
  EXPECT_EQ(refused_on_gpu("aimet:FloatQuantizeDequantize" + e2m1, scalar), "ValueError");
  EXPECT_EQ(refused_on_gpu("aimet:quantize" + e2m1, scalar), "ValueError");
  EXPECT_EQ(on_gpu("aimet:dequantize" + e2m1, scalar), (Words{0x3F800000}));
  // Without an exponent nothing takes a logarithm.
  EXPECT_EQ(on_gpu("microxcaling:quantize_elemwise(elem_format=int8)", wide),
            (Words{0x3FF0000000000000}));
}

}  // namespace
}  // namespace mx::emulators
