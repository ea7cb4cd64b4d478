// Files built byte by byte, so that a test says exactly what is wrong with one.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX, not in <cstdlib>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mx::cli::test {

/// Little-endian words of `size` bytes.
inline std::string words(std::span<const std::uint64_t> values, std::size_t size) {
  std::string bytes;
  for (const std::uint64_t value : values) {
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}

inline std::string words(std::initializer_list<std::uint64_t> values, std::size_t size) {
  return words(std::span<const std::uint64_t>(values.begin(), values.size()), size);
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A `.npy` file of version `major` with this header text and data.
inline std::string npy(std::string_view header, std::string_view data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  bytes += words({header.size()}, major == 1 ? 2 : 4);
  return bytes + std::string(header) + std::string(data);
}

/// A regular `.npy` file: type, shape as text "(2, 3)", data.
inline std::string npy_array(std::string_view descr, std::string_view shape,
                             std::string_view data) {
  std::string header = "{'descr': '";
  header.append(descr).append("', 'fortran_order': False, 'shape': ").append(shape).append(", }");
  return npy(header, data);
}

/// A `.safetensors` file with this header text and data.
inline std::string safetensors(std::string_view header, std::string_view data) {
  return words({header.size()}, 8) + std::string(header) + std::string(data);
}

struct TensorBytes {
  std::string name;
  std::string dtype;
  std::string shape;  ///< "[2,3]"
  std::string data;
};

/// A regular `.safetensors` file, tensors in the order given.
inline std::string safetensors_file(const std::vector<TensorBytes>& tensors) {
  std::string header = "{";
  std::string data;
  for (const TensorBytes& tensor : tensors) {
    if (header.size() > 1) header += ',';
    const std::string begin = std::to_string(data.size());
    data += tensor.data;
    header.append("\"").append(tensor.name).append("\":{\"dtype\":\"").append(tensor.dtype);
    header.append("\",\"shape\":").append(tensor.shape).append(",\"data_offsets\":[");
    header.append(begin).append(",").append(std::to_string(data.size())).append("]}");
  }
  return safetensors(header + "}", data);
}

/// A folder of its own for each test, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mxgold_cli_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return path(name);
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

 private:
  std::filesystem::path folder_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mx::cli::test
