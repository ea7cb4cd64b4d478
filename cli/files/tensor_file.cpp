#include "cli/files/tensor_file.hpp"

#include <algorithm>
#include <utility>

#include "cli/base/error.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {

TensorFile::TensorFile() = default;
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;
TensorFile::~TensorFile() = default;

TensorFile TensorFile::open(const std::filesystem::path& path) {
  TensorFile file;
  file.path_ = path;
  file.map_ = std::make_unique<MappedFile>(path);
  const std::span<const std::byte> bytes = file.map_->bytes();
  // The first byte tells the formats apart: a .safetensors file would need a header of 0x93 bytes
  // that starts with "UMPY" to be mistaken, and those do not start with '{'.
  const bool is_npy = bytes[0] == std::byte{0x93} && bytes.size() > 1 && bytes[1] == std::byte{'N'};
  const std::string extension = path.extension().string();
  const std::string name = path == "-" ? "standard input" : path.string();
  TensorTable table =
      is_npy || extension == ".npy" ? parse_npy(name, bytes) : parse_safetensors(name, bytes);
  file.tensors_ = std::move(table.tensors);
  file.metadata_ = std::move(table.metadata);
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) {
    file.tensors_[i].index = static_cast<std::uint32_t>(i);
  }
  return file;
}

const Tensor* TensorFile::find(std::string_view name) const {
  const auto place = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const Tensor& tensor, std::string_view key) { return tensor.name < key; });
  return place != tensors_.end() && place->name == name ? &*place : nullptr;
}

void TensorFile::release(std::span<const std::byte> part) const { map_->release(part); }

std::vector<const Tensor*> select_tensors(const TensorFile& file, std::string_view selector) {
  const std::string path = file.path().string();
  if (selector != "all") {
    const Tensor* const tensor = file.find(selector);
    if (tensor == nullptr) {
      std::vector<std::string_view> names;
      for (const Tensor& each : file.tensors()) names.push_back(each.name);
      fail(Exit::kUsage, "{}: {}", path, unknown_name("tensor", selector, names));
    }
    if (tensor->format == nullptr) {
      fail(Exit::kBadInput, "{}: tensor {} has type {}; F64, F32, F16 and BF16 can be quantized",
           path, printable(tensor->name), printable(tensor->dtype));
    }
    return {tensor};
  }
  std::vector<const Tensor*> chosen;
  for (const Tensor& tensor : file.tensors()) {
    if (tensor.format != nullptr) {
      chosen.push_back(&tensor);
    } else {
      fmt::print(stderr, "{}: skipped tensor {}: type {} is not F64, F32, F16 or BF16\n", path,
                 printable(tensor.name), tensor.dtype);
    }
  }
  if (chosen.empty()) {
    fail(Exit::kBadInput, "{}: no tensor of type F64, F32, F16 or BF16 among {}", path,
         file.tensors().size());
  }
  return chosen;
}

}  // namespace mx::cli
