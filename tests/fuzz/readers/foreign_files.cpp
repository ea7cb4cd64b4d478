// SPDX-License-Identifier: Apache-2.0
// GGUF and ONNX: tensors lie inside the file or in words made of it, and blocks have values.
#include <algorithm>
#include <array>

#include "cli/base/error.hpp"
#include "cli/files/stored_type.hpp"
#include "cli/gguf/gguf.hpp"
#include "cli/onnx/onnx.hpp"
#include "tests/cli/gguf/gguf_bytes.hpp"
#include "tests/cli/onnx/onnx_bytes.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

bool lies_in(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_tensor(const cli::Tensor& tensor, const cli::TensorTable& table,
                  std::span<const std::byte> file, std::string_view input) {
  bool lies_inside = lies_in(tensor.data, file);
  for (const auto& words : table.owned) lies_inside = lies_inside || lies_in(tensor.data, words);
  require(lies_inside, "a tensor lies inside the file or in words of its own", input);
  if (tensor.stored == nullptr || tensor.elements == 0) return;
  const cli::StoredType& type = *tensor.stored;
  const std::uint64_t blocks = (tensor.elements + type.elements - 1) / type.elements;
  require(
      (blocks - 1) * type.bytes < tensor.data.size() && tensor.data.size() <= blocks * type.bytes,
      "a tensor has the blocks of its shape", input);
  // The last block, filled up where the tensor is short of it.
  const auto last = tensor.data.subspan((blocks - 1) * type.bytes);
  std::vector<std::byte> block(type.bytes);
  std::ranges::copy(last, block.begin());
  std::vector<std::uint32_t> values(type.elements, 1);
  type.values(type.row, block.data(), values);
}

Outcome read_table(std::string_view input,
                   cli::TensorTable (*parse)(std::string_view, std::span<const std::byte>)) {
  const auto bytes = std::as_bytes(std::span(input));
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::TensorTable table = parse("fuzz", bytes);
    for (const cli::Tensor& tensor : table.tensors) check_tensor(tensor, table, bytes, input);
  });
}

Outcome gguf(std::string_view input) { return read_table(input, cli::parse_gguf); }
Outcome onnx(std::string_view input) { return read_table(input, cli::parse_onnx); }

std::vector<std::string> gguf_seeds() {
  test::GgufParts parts;
  parts.keys = {
      test::gguf_key("general.name", 8, test::gguf_text("m")),
      test::gguf_key("general.alignment", 4, test::little(32, 4)),
      test::gguf_key("a", 9, test::little(8, 4) + test::little(1, 8) + test::gguf_text("t")),
      test::gguf_key("b", 9, test::little(9, 4) + test::little(0, 8))};
  parts.tensors = {{"w", {256, 2}, 12, 0}, {"b", {4}, 1, 288}};
  parts.data = std::string(288, '\x35') + std::string(8, '\x3C');
  test::GgufParts fours;
  fours.version = 2;
  fours.tensors = {{"m", {32}, 39, 0}, {"n", {64}, 40, 32}, {"t", {256}, 34, 96}};
  fours.data = std::string(150, '\x71');
  return {test::gguf_file(parts), test::gguf_file(fours)};
}

std::vector<std::string> onnx_seeds() {
  const std::string raw = test::tensor_proto("w", 17, 2, test::bytes_field(9, "ab"));
  const std::string numbers =
      test::tensor_proto("v", 27, 3, test::number_field(5, 1) + test::bytes_field(5, "ab"));
  const std::string floats = test::tensor_proto("f", 1, 1, test::bytes_field(4, "abcd"));
  const std::string node = test::bytes_field(1, "w") + test::bytes_field(1, "s") +
                           test::bytes_field(4, "DequantizeLinear");
  return {raw, numbers, floats,
          test::onnx_model(test::bytes_field(1, node) + test::bytes_field(5, raw) +
                           test::bytes_field(5, numbers))};
}

}  // namespace

Target gguf_target() { return {"gguf", gguf, gguf_seeds}; }
Target onnx_target() { return {"onnx", onnx, onnx_seeds}; }

}  // namespace mx::fuzz
