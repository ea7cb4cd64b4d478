// SPDX-License-Identifier: Apache-2.0
// mxgold identify over two GGUF files. The blocks are what the package gguf 0.19.0 (MXFP4) and the
// C library of ggml 0.13.1 (NVFP4, quantize_row_nvfp4_ref) made of the weights.
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/gguf/gguf_bytes.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test::identify_gguf_test {
namespace {

constexpr std::string_view kMxfp4 =
    "7f22990945945bc6c450ecdc5b10a24e147ee2e40a245d1253cd64156d43b53b51e47c67f7575e51c5e3675f7760e6"
    "bf7d175a7c14cd35bea9015cae2aa60e0d909a22e07bcda039b0d556d365e353da99121ce24e79396f6eb703efdb5e"
    "76e7746c4ce214fe781950d1171ee677ef5ee3ffe6061676cd777626d625c54cefff7fff67ed57ef6746";
constexpr std::string_view kNvfp4 =
    "3233292b03eaead6053df76573f9e06519c65e1d6366fc567fc4255e7f2f7053c74266fd22221b1ae777075ee1c473"
    "a7557e54d5a56c1e56c67ef6ef0ab23d0f32ce150c9ba046fb121309095f40baa137d735f6fd6ce49c1e16fe67697e"
    "4ec7c32f4bee73d6766b40ee1de505050302e920e1575e5657de51e4fdd1011d67bee4e465c464eb6f5e77f26de25c"
    "e46e4f";

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// Two rows of 128 eighths, each 32 of them half as large as those before.
std::string weights() {
  std::string bytes;
  std::uint64_t state = 7;
  float scale = 0.125F;
  for (int i = 0; i < 256; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if (i % 32 == 0 && i != 0) scale /= 2;
    const float value = static_cast<float>(static_cast<int>(state >> 40 & 0x3F) - 32) * scale;
    bytes += mx::test::little(std::bit_cast<std::uint32_t>(value), 4);
  }
  return bytes;
}

std::string model(std::uint32_t type, std::string data, bool has_scale = false) {
  mx::test::GgufParts parts;
  parts.tensors = {{"up.weight", {128, 2}, type, 0}};
  if (has_scale) {
    data.resize((data.size() + 31) / 32 * 32, '\0');
    parts.tensors.push_back({"up.scale", {1}, 0, data.size()});
    data += std::string("\x00\x00\x80\x3F", 4);
  }
  parts.data = data;
  return mx::test::gguf_file(parts);
}

ProgramEnd identified(const std::string& checkpoint) {
  const Scratch scratch;
  return run_program({"identify", "--tensors-in", scratch.write("f.gguf", model(0, weights())),
                      "--tensors-out", scratch.write("q.gguf", checkpoint), "--json"});
}

struct Made {
  const char* name;
  std::uint32_t type;
  std::string_view blocks;
};
void PrintTo(const Made& made, std::ostream* out) { *out << made.name; }

class IdentifyGguf : public testing::TestWithParam<Made> {};

TEST_P(IdentifyGguf, NamesGgml) {
  const ProgramEnd end = identified(model(GetParam().type, bytes_of(GetParam().blocks)));
  EXPECT_EQ(end.status, 0) << end.err;
  const nlohmann::json classes = nlohmann::json::parse(end.out).at("classes");
  ASSERT_EQ(classes.size(), 1U) << end.out;
  ASSERT_EQ(classes[0].at("members").size(), 1U);
  EXPECT_EQ(classes[0].at("members")[0].at("profile"), "ggml");
}

// A wrong scale byte: no profile has made that.
TEST_P(IdentifyGguf, SeesAWrongByte) {
  std::string blocks = bytes_of(GetParam().blocks);
  blocks[0] = static_cast<char>(blocks[0] + 1);
  const ProgramEnd end = identified(model(GetParam().type, blocks));
  EXPECT_EQ(end.status, 1) << end.out;
}

// Blocks that a number beside them multiplies are not the weights' own.
TEST_P(IdentifyGguf, LeavesBlocksUnderAnotherScaleAlone) {
  const ProgramEnd end = identified(model(GetParam().type, bytes_of(GetParam().blocks), true));
  EXPECT_NE(end.status, 0);
  EXPECT_EQ(end.out, "");
}

INSTANTIATE_TEST_SUITE_P(Types, IdentifyGguf,
                         testing::Values(Made{"MXFP4", 39, kMxfp4}, Made{"NVFP4", 40, kNvfp4}),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace mx::cli::test::identify_gguf_test
