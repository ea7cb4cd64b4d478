// SPDX-License-Identifier: Apache-2.0
// mxgold dequantize of files whose types say what their bytes mean.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/files/tensor_file.hpp"
#include "tests/cli/gguf/gguf_bytes.hpp"
#include "tests/cli/onnx/onnx_bytes.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test::stored_test {
namespace {

/// Q4_0 of 32 codes 9 (1) under 2, and one F64 number.
std::string gguf_sample() {
  mx::test::GgufParts parts;
  parts.keys = {mx::test::gguf_key("general.name", 8, mx::test::gguf_text("tiny"))};
  parts.tensors = {{"w", {32}, 2, 0}, {"d", {1}, 28, 32}};
  parts.data = std::string("\x00\x40", 2) + std::string(16, '\x99') + std::string(14, '\0') +
               std::string(8, '\x3F');
  return mx::test::gguf_file(parts);
}

TEST(Stored, DequantizesGguf) {
  const Scratch scratch;
  const std::string model = scratch.write("m.gguf", gguf_sample());
  const ProgramEnd all = run_program({"dequantize", model, "-o", scratch.path("all")});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.err.find("skipped tensor 'd': type F64"), std::string::npos) << all.err;
  EXPECT_NE(all.out.find("dequantized 1 tensors, 32 values of Q4_0 to fp32"), std::string::npos);
  const TensorFile file = TensorFile::open(scratch.path("all"));
  ASSERT_EQ(file.tensors().size(), 1U);
  EXPECT_EQ(file.tensors()[0].dtype, "F32");
  EXPECT_EQ(words_of(file, "w"), std::vector<std::uint64_t>(32, 0x40000000));
  EXPECT_EQ(file.metadata().at("general.name"), "tiny");
  EXPECT_EQ(file.metadata().at("stored_dtype.w"), "Q4_0");
  const ProgramEnd half = run_program(
      {"dequantize", model, "-o", scratch.path("half"), "--tensor", "w", "--to", "bf16"});
  EXPECT_EQ(half.status, 0) << half.err;
  EXPECT_EQ(words_of(TensorFile::open(scratch.path("half")), "w"),
            std::vector<std::uint64_t>(32, 0x4000));
}

TEST(Stored, SaysWhatItCannotDo) {
  const Scratch scratch;
  const std::string model = scratch.write("m.gguf", gguf_sample());
  const std::string out = scratch.path("out");
  const auto said = [&](std::vector<std::string> options, int status) {
    options.insert(options.begin(), {"dequantize", model, "-o", out});
    const ProgramEnd outcome = run_program(options);
    EXPECT_EQ(outcome.status, status);
    return outcome.err;
  };
  EXPECT_NE(said({"--tensor", "v"}, 2).find("unknown tensor 'v'"), std::string::npos);
  EXPECT_NE(said({"--tensor", "d"}, 3).find("type F64 has no values of binary32"),
            std::string::npos);
  EXPECT_NE(said({"--profile", "ggml"}, 2).find("--profile: "), std::string::npos);
  EXPECT_NE(said({"--undo-hadamard"}, 2).find("--undo-hadamard: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Stored, RoundsAsAsked) {
  const Scratch scratch;
  // UINT16 65535 is beyond fp16.
  const std::string tensor = scratch.write(
      "t.pb", mx::test::tensor_proto("t", 4, 1, mx::test::bytes_field(9, std::string(2, '\xFF'))));
  const auto word = [&](const std::string& overflow) {
    const ProgramEnd outcome = run_program({"dequantize", tensor, "-o", scratch.path("out"), "--to",
                                            "f16", "--dequant-overflow", overflow});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return words_of(TensorFile::open(scratch.path("out")), "t").at(0);
  };
  EXPECT_EQ(word("inf"), 0x7C00U);
  EXPECT_EQ(word("saturate"), 0x7BFFU);
}

TEST(Stored, FeedsQuantize) {
  const Scratch scratch;
  const std::string ones = std::string("\x00\x00\x80\x3F", 4);
  std::string data;
  for (int i = 0; i < 32; ++i) data += ones;
  const std::string model = scratch.write(
      "m.onnx", mx::test::onnx_model(mx::test::bytes_field(
                    5, mx::test::tensor_proto("w", 1, 32, mx::test::bytes_field(9, data)))));
  const TensorFile file = quantize(scratch, model, {"--format", "mxfp4"});
  EXPECT_EQ(words_of(file, "w.scales"), (std::vector<std::uint64_t>{125}));
  EXPECT_EQ(words_of(file, "w.codes"), std::vector<std::uint64_t>(32, 6));
}

}  // namespace
}  // namespace mx::cli::test::stored_test
