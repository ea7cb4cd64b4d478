// SPDX-License-Identifier: Apache-2.0
// Messages of ONNX built byte by byte: a field is its tag, then a number or a length and bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mx::test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes += static_cast<char>(value);
}

inline std::string number_field(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3).append(varint(value));
}

inline std::string bytes_field(std::uint32_t field, std::string_view bytes) {
  return varint(field << 3 | 2).append(varint(bytes.size())).append(bytes);
}

/// A TensorProto of one dimension under a name, then `more` fields.
inline std::string tensor_proto(std::string_view name, std::uint32_t type, std::uint64_t length,
                                std::string_view more) {
  return number_field(1, length) + number_field(2, type) + bytes_field(8, name) + std::string(more);
}

/// A ModelProto with these fields in its graph.
inline std::string onnx_model(std::string_view graph) {
  return number_field(1, 10) + bytes_field(2, "a test") + bytes_field(7, graph);
}

}  // namespace mx::test
