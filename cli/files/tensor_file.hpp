// Tensors of a file of any kind (`.npy`, `.safetensors`, ...), read through a memory map: opening
// costs the header only, and pages come in as they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/format/format.hpp"

namespace mx::cli {

struct StoredType;

/// One tensor of an open file. Words are in the host's byte order, C order, at any alignment.
struct Tensor {
  std::string name;
  std::string dtype;                      ///< safetensors spelling: "F32", "BF16", "I64", ...
  const ElementFormat* format = nullptr;  ///< fp64, fp32, bf16, fp16; nullptr for other types
  const StoredType* stored = nullptr;     ///< how its bytes alone are values, of kinds that say so
  std::vector<std::uint64_t> shape;       ///< empty for a 0-dimensional tensor
  std::uint64_t elements = 1;             ///< product of the shape
  std::span<const std::byte> data;        ///< elements * bytes of the type; valid while the file is
  std::uint32_t index = 0;                ///< position in name order, skipped tensors included
};

/// A read-only map of a file.
class MappedFile;

/// An open tensor file. Movable; the spans of its tensors live as long as it does.
class TensorFile {
 public:
  /// Opens, maps and checks the whole header. Throws Error: kBadInput naming file, position, field
  /// and remedy for anything malformed or unreadable. "-" reads standard input into memory.
  [[nodiscard]] static TensorFile open(const std::filesystem::path& path);

  TensorFile(TensorFile&&) noexcept;
  TensorFile& operator=(TensorFile&&) noexcept;
  ~TensorFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// What it is: "safetensors file", "NumPy array".
  [[nodiscard]] std::string_view kind() const { return kind_; }
  /// In name order (bytewise). A `.npy` file has one tensor, `data`.
  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  /// The safetensors `__metadata__`; empty otherwise.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  [[nodiscard]] const Tensor* find(std::string_view name) const;

  /// A tensor of codes (F8_E4M3, F6_E2M3, F4, ...) as values of their format, a word each. Lives as
  /// long as the file; not for several threads at once.
  [[nodiscard]] const Tensor& values_of(const Tensor& codes) const;

  /// Tells the system that the pages under `part` are not needed any more, so that a pass over a
  /// big file keeps a small resident set. The data stays readable.
  void release(std::span<const std::byte> part) const;

 private:
  TensorFile();
  std::filesystem::path path_;
  std::string_view kind_;
  std::unique_ptr<MappedFile> map_;
  std::vector<std::vector<std::byte>> owned_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
  mutable std::deque<Tensor> values_;                    ///< what values_of() made,
  mutable std::deque<std::vector<std::byte>> unpacked_;  ///< and its words
};

/// The suffixes of the kinds that open() takes, for help texts: ".npy or .safetensors".
[[nodiscard]] std::string tensor_suffixes();

/// The tensors `--tensor` selects: "all" for those with a format, or one by name, which may hold
/// codes: they stand for their values. Tensors of other types are named on stderr under "all".
/// Throws Error: kUsage for an unknown name (with the nearest one), kBadInput if nothing that can
/// be quantized remains.
[[nodiscard]] std::vector<const Tensor*> select_tensors(const TensorFile& file,
                                                        std::string_view selector);

}  // namespace mx::cli
