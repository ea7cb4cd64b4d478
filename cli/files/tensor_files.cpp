#include "cli/files/tensor_files.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

nlohmann::json json_of_index(std::string_view file, std::string_view text) {
  nlohmann::json index;
  if (const auto problem = golden::parse_json(text, index)) {
    fail(Exit::kBadInput, "{}: {}", file, golden::text_of(*problem, text));
  }
  return index;
}

/// The file of a model in a folder: its index, or the only file of weights.
std::filesystem::path model_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> indexes;
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const std::filesystem::path& path = entry.path();
    if (TensorFiles::is_index(path)) indexes.push_back(path);
    if (path.extension() == ".safetensors") files.push_back(path);
  }
  const std::vector<std::filesystem::path>& found = indexes.empty() ? files : indexes;
  if (found.size() == 1) return found.front();
  fail(Exit::kBadInput, "{}: is a folder with {} {}; name one file", folder.string(), found.size(),
       indexes.empty() ? "files of safetensors" : "indexes of models");
}

}  // namespace

std::map<std::string, std::string, std::less<>> parse_shard_index(std::string_view file,
                                                                  std::string_view text) {
  const nlohmann::json json = json_of_index(file, text);
  if (!json.is_object()) fail(Exit::kBadInput, "{}: no JSON object", file);
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object() || map->empty()) {
    fail(Exit::kBadInput, "{}: field 'weight_map': an object of tensor and file names is needed",
         file);
  }
  std::map<std::string, std::string, std::less<>> files;
  for (const auto& [tensor, value] : map->items()) {
    const std::string name = value.is_string() ? value.get<std::string>() : "";
    if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != std::string::npos ||
        name.find('\0') != std::string::npos) {
      fail(Exit::kBadInput,
           "{}: field 'weight_map', tensor {}: the name of a file beside it is needed", file,
           printable(tensor));
    }
    files.emplace(tensor, name);
  }
  return files;
}

bool TensorFiles::is_index(const std::filesystem::path& path) {
  return path.string().ends_with(".index.json");
}

TensorFiles TensorFiles::open(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open(model_in(path));
  TensorFiles opened;
  opened.path_ = path;
  if (!is_index(path)) {
    opened.files_.push_back(TensorFile::open(path));
    for (const Tensor& tensor : opened.files_.front().tensors()) {
      opened.tensors_.emplace(tensor.name, &tensor);
    }
    return opened;
  }
  const MappedFile index(path);
  const std::string_view text(reinterpret_cast<const char*>(index.bytes().data()),
                              index.bytes().size());
  const auto files = parse_shard_index(path.string(), text);
  std::map<std::string, std::size_t> places;
  for (const auto& [tensor, file] : files) {
    if (!places.emplace(file, opened.files_.size()).second) continue;
    opened.files_.push_back(TensorFile::open(path.parent_path() / file));
  }
  for (const auto& [name, file] : files) {
    const TensorFile& shard = opened.files_[places[file]];
    const Tensor* const tensor = shard.find(name);
    if (tensor == nullptr) {
      fail(Exit::kBadInput,
           "{}: tensor {}: not in {}, where the index has it; copy the model again", path.string(),
           printable(name), printable(file));
    }
    opened.tensors_.emplace(name, tensor);
  }
  return opened;
}

const Tensor* TensorFiles::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

std::size_t TensorFiles::unnamed() const {
  std::size_t held = 0;
  for (const TensorFile& file : files_) held += file.tensors().size();
  return held - tensors_.size();
}

}  // namespace mx::cli
