// SPDX-License-Identifier: Apache-2.0
#include "cli/onnx/onnx.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cli/base/error.hpp"
#include "cli/files/stored_type.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/onnx/onnx_bytes.hpp"

namespace mx::cli::test::onnx_test {
namespace {

using mx::test::bytes_field;
using mx::test::number_field;
using mx::test::onnx_model;
using mx::test::tensor_proto;
using mx::test::varint;

constexpr std::uint32_t kRaw = 9;
constexpr std::uint32_t kInt32 = 5;

std::string refusal(const std::string& bytes) {
  try {
    (void)parse_onnx("m.onnx", as_bytes(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "accepted";
}

void expect_refusal(const std::string& bytes, const std::string& words) {
  const std::string said = refusal(bytes);
  EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_EQ(said.find("m.onnx: "), 0U) << said;
}

/// The bytes of the only tensor, which is of this type.
std::string data_of(const std::string& file, std::string_view dtype) {
  const TensorTable table = parse_onnx("m.onnx", as_bytes(file));
  EXPECT_EQ(table.tensors.size(), 1U);
  EXPECT_EQ(table.tensors[0].dtype, dtype);
  const std::span<const std::byte> data = table.tensors[0].data;
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

/// Its values.
std::vector<float> floats_of(const std::string& file) {
  const TensorTable table = parse_onnx("m.onnx", as_bytes(file));
  const Tensor& tensor = table.tensors.at(0);
  const StoredType& type = *tensor.stored;
  std::vector<float> floats;
  for (std::uint64_t i = 0; i < tensor.elements; i += type.elements) {
    std::vector<std::byte> block(type.bytes);
    const auto rest = tensor.data.subspan(i / type.elements * type.bytes);
    std::ranges::copy(rest.first(std::min(rest.size(), block.size())), block.begin());
    std::vector<std::uint32_t> values(std::min(type.elements, tensor.elements - i));
    type.values(type.row, block.data(), values);
    for (const std::uint32_t bits : values) floats.push_back(std::bit_cast<float>(bits));
  }
  return floats;
}

TEST(Onnx, ReadsRawData) {
  EXPECT_EQ(data_of(tensor_proto("x", 1, 1, bytes_field(kRaw, "abcd")), "F32"), "abcd");
  EXPECT_EQ(data_of(tensor_proto("x", 17, 2, bytes_field(kRaw, "ab")), "F8_E4M3"), "ab");
  EXPECT_EQ(data_of(tensor_proto("x", 16, 1, bytes_field(kRaw, "ab")), "BF16"), "ab");
  EXPECT_EQ(data_of(tensor_proto("x", 7, 0, bytes_field(kRaw, "")), "I64"), "");
}

TEST(Onnx, ReadsNumbersInOtherFields) {
  // Packed and one by one; the last of several counts of a name, none of a word's.
  const std::string both = bytes_field(kInt32, varint(0x0102)) + number_field(kInt32, 0x10304);
  EXPECT_EQ(data_of(tensor_proto("x", 10, 2, both), "F16"), std::string("\x02\x01\x04\x03"));
  EXPECT_EQ(data_of(tensor_proto("x", 3, 1, number_field(kInt32, ~std::uint64_t{0})), "I8"),
            "\xFF");
  EXPECT_EQ(data_of(tensor_proto("x", 1, 2, bytes_field(4, "abcdefgh")), "F32"), "abcdefgh");
  const std::string fixed = varint(4 << 3 | 5) + "abcd";
  EXPECT_EQ(data_of(tensor_proto("x", 1, 1, fixed), "F32"), "abcd");
  EXPECT_EQ(data_of(tensor_proto("x", 11, 1, varint(10 << 3 | 1) + "abcdefgh"), "F64"), "abcdefgh");
  EXPECT_EQ(data_of(tensor_proto("x", 14, 1, bytes_field(4, "abcdefgh")), "C64"), "abcdefgh");
  EXPECT_EQ(data_of(tensor_proto("x", 12, 1, number_field(11, 0x01020304)), "U32"),
            std::string("\x04\x03\x02\x01"));
  EXPECT_EQ(data_of(tensor_proto("x", 7, 1, number_field(7, 1)), "I64"),
            std::string("\x01\0\0\0\0\0\0\0", 8));
  // A code of 6 bits an entry; packed, the first in the low bits: 0x3F, 0, 0x21.
  const std::string codes = bytes_field(kInt32, varint(0xFF) + varint(0x40) + varint(0x21));
  EXPECT_EQ(data_of(tensor_proto("x", 27, 3, codes), "F6_E2M3"), std::string("\x3F\x10\x02"));
}

// By the tables of OCP OFP8 and MX 1.0, and the operators' text for integers.
TEST(Onnx, KnowsWhatItsCodesMean) {
  using Floats = std::vector<float>;
  const auto raw = [](std::uint32_t type, std::uint64_t length, std::string_view bytes) {
    return floats_of(tensor_proto("x", type, length, bytes_field(kRaw, bytes)));
  };
  EXPECT_EQ(raw(17, 2, "\x7E\x81"), (Floats{448, -0x1P-9F}));
  EXPECT_EQ(raw(18, 2, "\x7F\x08"), (Floats{240, 0x1P-7F}));
  EXPECT_EQ(raw(19, 2, "\x7B\xFC"), (Floats{57344, -HUGE_VALF}));
  EXPECT_EQ(raw(20, 1, "\x7F"), (Floats{57344}));
  EXPECT_EQ(raw(24, 2, std::string("\x7F\x00", 2)), (Floats{1, 0x1P-127F}));
  EXPECT_EQ(raw(23, 3, "\x71\x0F"), (Floats{0.5F, 6, -6}));  // low bits first, the last half empty
  EXPECT_EQ(raw(21, 3, "\xF1\x08"), (Floats{1, 15, 8}));
  EXPECT_EQ(raw(22, 3, "\xF1\x08"), (Floats{1, -1, -8}));
  EXPECT_EQ(raw(25, 5, "\xE4\x03"), (Floats{0, 1, 2, 3, 3}));
  EXPECT_EQ(raw(26, 5, "\xE4\x03"), (Floats{0, 1, -2, -1, -1}));
  EXPECT_EQ(raw(27, 2, "\xDF\x0F"), (Floats{7.5F, -7.5F}));
  EXPECT_EQ(raw(28, 1, "\x1F"), (Floats{28}));
  EXPECT_EQ(raw(2, 1, "\xFF"), (Floats{255}));
  EXPECT_EQ(raw(3, 1, "\x80"), (Floats{-128}));
  EXPECT_EQ(raw(5, 1, std::string("\x00\x80", 2)), (Floats{-32768}));
}

TEST(Onnx, ReadsTheInitialisersOfAModel) {
  const std::string node =
      bytes_field(1, "w") + bytes_field(1, "w_scale") + bytes_field(4, "DequantizeLinear");
  const std::string graph = bytes_field(1, node) +
                            bytes_field(5, tensor_proto("w", 17, 2, bytes_field(kRaw, "ab"))) +
                            bytes_field(5, tensor_proto("t", 8, 2, bytes_field(6, "text")));
  const TensorTable table = parse_onnx("m.onnx", as_bytes(onnx_model(graph)));
  ASSERT_EQ(table.tensors.size(), 2U);
  EXPECT_EQ(table.tensors[0].name, "w");
  EXPECT_EQ(table.metadata, (std::map<std::string, std::string>{{"onnx.scale.w", "w_scale"}}));
  EXPECT_EQ(table.tensors[1].dtype, "STRING");
  EXPECT_EQ(table.tensors[1].stored, nullptr);
  EXPECT_EQ(data_of(tensor_proto("", 2, 1, bytes_field(kRaw, "a")), "U8"), "a");
}

TEST(Onnx, IsOneOfTheKindsByItsFieldsOrItsName) {
  const Scratch scratch;
  const std::string tensor = tensor_proto("x", 2, 1, bytes_field(kRaw, "a"));
  const std::string model = onnx_model(bytes_field(5, tensor));
  EXPECT_EQ(TensorFile::open(scratch.write("t.bin", tensor)).tensors().size(), 1U);
  EXPECT_EQ(TensorFile::open(scratch.write("m.bin", model)).tensors().size(), 1U);
  const auto said_of = [&](const std::string& name, const std::string& bytes) -> std::string {
    try {
      (void)TensorFile::open(scratch.write(name, bytes));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  // Half a model is known by its name alone.
  const std::string half = model.substr(0, model.size() - 1);
  EXPECT_NE(said_of("m.onnx", half).find("the file is truncated or damaged"), std::string::npos);
  EXPECT_NE(said_of("m.model", half).find("not a .safetensors file"), std::string::npos);
}

TEST(Onnx, IsRefusedCutAnywhere) {
  const std::string whole = onnx_model(bytes_field(
      5, tensor_proto("w", 17, 2, number_field(kInt32, 300) + number_field(kInt32, 1))));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)), "accepted") << length;
  }
  EXPECT_EQ(refusal(whole), "accepted");
}

TEST(Onnx, RefusesWhatItDoesNotRead) {
  expect_refusal("{}", "neither a model of ONNX");
  expect_refusal(tensor_proto("x", 1, 1, number_field(14, 1)), "its data lie in another file");
  expect_refusal(tensor_proto("x", 1, 1, bytes_field(13, "")), "its data lie in another file");
  expect_refusal(tensor_proto("x", 1, 1, bytes_field(3, "")), "segment");
  expect_refusal(tensor_proto("x", 29, 1, ""), "tensor 0 ('x'): data_type: 29");
  expect_refusal(tensor_proto("x", 0, 1, ""), "data_type: 0");
  expect_refusal(onnx_model(bytes_field(15, "")), "sparse_initializer");
  const std::string one = bytes_field(5, tensor_proto("w", 2, 1, bytes_field(kRaw, "a")));
  expect_refusal(onnx_model(one + one), "initializer 'w': appears twice");
}

TEST(Onnx, ChecksSizes) {
  expect_refusal(tensor_proto("x", 1, 1, bytes_field(kRaw, "abc")),
                 "raw_data: 3 bytes of data, shape [1] of F32 needs 4");
  expect_refusal(tensor_proto("x", 1, 1, bytes_field(kRaw, "abcde")), "5 bytes of data");
  expect_refusal(tensor_proto("x", 23, 3, bytes_field(kRaw, "a")), "shape [3] of F4 needs 2");
  expect_refusal(tensor_proto("x", 1, 1, ""), "data: 0 bytes of data");
  expect_refusal(tensor_proto("x", 2, 2, number_field(kInt32, 1)),
                 "field 5: 1 numbers, shape [2] of U8 needs 2");
  // Four codes of 6 bits take the bytes of three.
  expect_refusal(tensor_proto("x", 27, 3, bytes_field(kInt32, "abcd")),
                 "field 5: 4 numbers, shape [3] of F6_E2M3 needs 3");
  expect_refusal(tensor_proto("x", 2, 1, number_field(kInt32, 1) + bytes_field(kRaw, "a")),
                 "stands beside other data");
  expect_refusal(tensor_proto("x", 2, 1, bytes_field(4, "abcd")), "field 4: U8 is held by field 5");
  expect_refusal(tensor_proto("x", 2, ~std::uint64_t{0}, ""), "a length is negative");
  expect_refusal(tensor_proto("x", 2, std::uint64_t{1} << 60, ""), "does not fit");
}

TEST(Onnx, ChecksTheWire) {
  const std::string tensor = tensor_proto("x", 2, 0, "");
  EXPECT_EQ(refusal(tensor), "accepted");
  expect_refusal(tensor + varint(99 << 3 | 3), "a kind that ONNX does not use");
  expect_refusal(tensor + std::string(1, '\0'), "a field has no legal number");
  expect_refusal(tensor + varint(99 << 3) + std::string(9, '\xFF') + "\x02", "more than 64 bits");
  EXPECT_EQ(refusal(tensor + varint(99 << 3) + std::string(9, '\xFF') + "\x01"), "accepted");
  expect_refusal(tensor + varint(99 << 3) + "\x80", "a number does not end");
  expect_refusal(tensor + varint(99 << 3 | 2) + varint(~std::uint64_t{0}),
                 "a field reaches beyond the end");
  expect_refusal(tensor + varint(99 << 3), "a field reaches beyond the end");
  expect_refusal(tensor + varint(99 << 3 | 1) + "abcdefg", "a field reaches beyond the end");
}

}  // namespace
}  // namespace mx::cli::test::onnx_test
