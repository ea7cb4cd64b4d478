// SPDX-License-Identifier: Apache-2.0
#include "cli/gguf/gguf.hpp"

#include <gtest/gtest.h>

#include "cli/base/error.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/gguf/gguf_bytes.hpp"

namespace mx::cli::test::gguf_test {
namespace {

using mx::test::gguf_file;
using mx::test::gguf_key;
using mx::test::gguf_text;
using mx::test::GgufParts;
using mx::test::little;

std::string refusal(const std::string& bytes) {
  try {
    (void)parse_gguf("m.gguf", as_bytes(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "accepted";
}

void expect_refusal(const GgufParts& parts, const std::string& words) {
  const std::string said = refusal(gguf_file(parts));
  EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_EQ(said.find("m.gguf: "), 0U) << said;
}

/// Two rows of 64 in Q4_0, then four of F16 at the next multiple of 32.
GgufParts two_tensors() {
  GgufParts parts;
  parts.keys = {
      gguf_key("general.architecture", 8, gguf_text("llama")),
      gguf_key("general.flags", 9, little(0, 4) + little(3, 8) + "abc"),
      gguf_key("tokens", 9, little(8, 4) + little(2, 8) + gguf_text("a") + gguf_text("b")),
      gguf_key("rope", 6, "abcd"), gguf_key("deep", 9, little(9, 4) + little(0, 8))};
  parts.tensors = {{"w", {64, 2}, 2, 0}, {"b", {4}, 1, 96}};
  parts.data = std::string(72, 'w') + std::string(24, '\0') + "aabbccdd";
  return parts;
}

TEST(Gguf, IsRead) {
  const std::string bytes = gguf_file(two_tensors());
  const TensorTable table = parse_gguf("m.gguf", as_bytes(bytes));
  ASSERT_EQ(table.tensors.size(), 2U);
  const Tensor& w = table.tensors[0];
  EXPECT_EQ(w.name, "w");
  EXPECT_EQ(w.dtype, "Q4_0");
  EXPECT_EQ(w.shape, (std::vector<std::uint64_t>{2, 64}));
  EXPECT_EQ(w.elements, 128U);
  EXPECT_EQ(w.data.size(), 72U);
  EXPECT_EQ(w.data[0], std::byte{'w'});
  EXPECT_EQ(w.format, nullptr);
  ASSERT_NE(w.stored, nullptr);
  const Tensor& b = table.tensors[1];
  EXPECT_EQ(b.dtype, "F16");
  ASSERT_NE(b.format, nullptr);
  EXPECT_EQ(b.format->name, "fp16");
  EXPECT_EQ(b.data[7], std::byte{'d'});
  EXPECT_EQ(table.metadata,
            (std::map<std::string, std::string>{{"general.architecture", "llama"}}));
  GgufParts second = two_tensors();
  second.version = 2;
  EXPECT_EQ(refusal(gguf_file(second)), "accepted");
}

TEST(Gguf, HasOneAlignmentOfItsOwn) {
  GgufParts parts = two_tensors();
  parts.keys.push_back(gguf_key("general.alignment", 4, little(64, 4)));
  parts.alignment = 64;
  expect_refusal(parts, "tensor 'b': offset 96 is no multiple of the alignment 64");
  parts.tensors[1].offset = 128;
  parts.data = std::string(128, 'w') + "aabbccdd";
  EXPECT_EQ(refusal(gguf_file(parts)), "accepted");
  parts.keys.back() = gguf_key("general.alignment", 4, little(48, 4));
  expect_refusal(parts, "48 is not a power of two");
  parts.keys.back() = gguf_key("general.alignment", 10, little(64, 8));
  expect_refusal(parts, "its type is 10, not 4");
}

TEST(Gguf, IsRefusedCutAnywhere) {
  const std::string whole = gguf_file(two_tensors());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)), "accepted") << length;
  }
  EXPECT_EQ(refusal(whole), "accepted");
}

TEST(Gguf, ChecksItsHead) {
  EXPECT_NE(refusal("GGML").find("byte 0: magic"), std::string::npos);
  GgufParts parts = two_tensors();
  parts.version = 1;
  expect_refusal(parts, "byte 4: version: 1 is not 2 or 3");
  parts.version = 0x03000000;
  expect_refusal(parts, "big-endian");
  parts = two_tensors();
  parts.keys.push_back(parts.keys[0]);
  expect_refusal(parts, "key 'general.architecture': appears twice");
  parts.keys.back() = gguf_key("x", 13, "");
  expect_refusal(parts, "key 'x': value type 13 is none of GGUF");
  parts.keys.back() = gguf_key("x", 9, little(5, 4) + little(~std::uint64_t{0}, 8));
  expect_refusal(parts, "bytes needed");
  std::string nested;
  for (int i = 0; i < 9; ++i) nested += little(9, 4) + little(1, 8);
  parts.keys.back() = gguf_key("x", 9, nested);
  expect_refusal(parts, "nested too deep");
}

TEST(Gguf, ChecksItsTensors) {
  GgufParts parts = two_tensors();
  parts.tensors[1].name = "w";
  expect_refusal(parts, "tensor 'w': appears twice");
  parts = two_tensors();
  parts.tensors[1].dims = {1, 1, 1, 1, 4};
  expect_refusal(parts, "5 dimensions; GGUF has at most 4");
  parts.tensors[1].dims = {1, 1, 1, 4};
  EXPECT_EQ(refusal(gguf_file(parts)), "accepted");
  parts = two_tensors();
  parts.tensors[0].dims = {48, 2};
  expect_refusal(parts, "rows of 48 elements are no whole blocks of 32 (Q4_0)");
  parts.tensors[0].dims = {};
  expect_refusal(parts, "1 elements are no whole block");
  parts.tensors[0].dims = {std::uint64_t{1} << 40, std::uint64_t{1} << 40};
  expect_refusal(parts, "does not fit");
  parts = two_tensors();
  parts.tensors[0].type = 16;
  expect_refusal(parts, "type IQ2_XXS (16) is not read; write the model again");
  parts.tensors[0].type = 4;  // Q4_2, which ggml dropped
  expect_refusal(parts, "type 4 is none that mxgold knows");
}

TEST(Gguf, ChecksItsPlaces) {
  GgufParts parts = two_tensors();
  parts.tensors[1].offset = 97;
  expect_refusal(parts, "offset 97 is no multiple of the alignment 32");
  parts.tensors[1].offset = 64;  // the last eight bytes of w
  expect_refusal(parts, "tensor 'b': begins at offset 64 inside tensor 'w'");
  parts.tensors[1].offset = 128;
  expect_refusal(parts, "lie outside");
  parts.tensors[1].offset = ~std::uint64_t{31};
  expect_refusal(parts, "lie outside");
}

TEST(Gguf, IsOneOfTheKindsByItsBegin) {
  const Scratch scratch;
  const TensorFile file = TensorFile::open(scratch.write("model.bin", gguf_file(two_tensors())));
  ASSERT_EQ(file.tensors().size(), 2U);
  EXPECT_EQ(file.tensors()[0].name, "b");
}

}  // namespace
}  // namespace mx::cli::test::gguf_test
