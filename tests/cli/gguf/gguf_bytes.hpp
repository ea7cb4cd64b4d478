// SPDX-License-Identifier: Apache-2.0
// GGUF files built byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mx::test {

inline std::string little(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

inline std::string gguf_text(std::string_view text) { return little(text.size(), 8).append(text); }

/// A key with a value of this type (8: text), its bytes as they stand in the file.
inline std::string gguf_key(std::string_view name, std::uint32_t type, std::string_view value) {
  return gguf_text(name).append(little(type, 4)).append(value);
}

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> dims;  ///< as in the file: the row's length first
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
};

struct GgufParts {
  std::uint32_t version = 3;
  std::vector<std::string> keys;
  std::vector<GgufTensor> tensors;
  std::string data;
  std::size_t alignment = 32;
};

inline std::string gguf_file(const GgufParts& parts) {
  std::string bytes = "GGUF" + little(parts.version, 4) + little(parts.tensors.size(), 8) +
                      little(parts.keys.size(), 8);
  for (const std::string& key : parts.keys) bytes += key;
  for (const GgufTensor& tensor : parts.tensors) {
    bytes += gguf_text(tensor.name) + little(tensor.dims.size(), 4);
    for (const std::uint64_t length : tensor.dims) bytes += little(length, 8);
    bytes += little(tensor.type, 4) + little(tensor.offset, 8);
  }
  bytes.resize((bytes.size() + parts.alignment - 1) / parts.alignment * parts.alignment, '\0');
  return bytes + parts.data;
}

}  // namespace mx::test
