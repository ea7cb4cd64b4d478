// The tensors of a model that may lie in several files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_file.hpp"

namespace mx::cli {

/// The file of each tensor, by the text of an index as Hugging Face writes it beside a model in
/// pieces (`weight_map` of `*.safetensors.index.json`). Names of files are plain. `file` is for
/// messages. Throws Error kBadInput; a name that appears twice is one, as no reader agrees which
/// counts.
[[nodiscard]] std::map<std::string, std::string, std::less<>> parse_shard_index(
    std::string_view file, std::string_view text);

/// One open tensor file, or all files that an index names. Movable; spans live as long as it does.
class TensorFiles {
 public:
  /// Is it an index, by its name?
  [[nodiscard]] static bool is_index(const std::filesystem::path& path);

  /// A folder stands for the index in it, or for its only .safetensors file.
  /// Throws Error kBadInput: what TensorFile::open() refuses, a malformed index, and tensors that
  /// are not in the file where the index has them.
  [[nodiscard]] static TensorFiles open(const std::filesystem::path& path);

  /// What was asked for: the file, or the index.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// In name order.
  [[nodiscard]] const std::map<std::string, const Tensor*, std::less<>>& tensors() const {
    return tensors_;
  }
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  /// The file, or those that the index names.
  [[nodiscard]] const std::vector<TensorFile>& files() const { return files_; }
  /// How many tensors its files hold that an index does not name.
  [[nodiscard]] std::size_t unnamed() const;

 private:
  std::filesystem::path path_;
  std::vector<TensorFile> files_;
  std::map<std::string, const Tensor*, std::less<>> tensors_;
};

}  // namespace mx::cli
