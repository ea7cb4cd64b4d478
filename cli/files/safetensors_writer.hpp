// Writes a `.safetensors` file of known layout through a writable map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/mapped_file.hpp"

namespace mx::cli {

/// A tensor to be written; `dtype` is a type that find_dtype knows.
struct OutputTensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
};

/// The file appears under its name only at commit(); without it nothing remains. Tensors lie in the
/// file by width of their type, widest first, then by name, so every one is aligned.
class SafetensorsWriter {
 public:
  /// Lays out and reserves the whole file. Throws Error: kUnwritable if the path cannot be written,
  /// kUsage if the sizes do not fit.
  SafetensorsWriter(const std::filesystem::path& path, std::vector<OutputTensor> tensors,
                    const std::map<std::string, std::string>& metadata);

  /// Where a tensor's words go, in the host's byte order; empty for a name that was not announced.
  [[nodiscard]] std::span<std::byte> data(std::string_view name);
  /// Tells the system that the pages under `part` can leave memory.
  void release(std::span<const std::byte> part) const { file_->release(part); }
  /// Throws Error kUnwritable.
  void commit();

 private:
  std::unique_ptr<OutputFile> file_;
  struct Place {
    std::span<std::byte> bytes;
    std::size_t word = 1;  ///< bytes of one
  };
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace mx::cli
