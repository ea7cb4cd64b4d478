#include "cli/files/tensor_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/layout/packing.hpp"
#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

// One line a kind: NAME stands for `TensorFileKind NAME_file_kind()` in namespace mx::cli. The
// first that knows the bytes reads a file. Where none does and nothing else is known about them,
// one that has its suffix says what is wrong, or the first.
#define MX_TENSOR_FILE_KINDS(ROW) \
  ROW(safetensors)                \
  ROW(npy)                        \
  ROW(npz)                        \
  ROW(torch)                      \
  ROW(gguf)                       \
  ROW(onnx)

namespace mx::cli {

#define MX_DECLARE(name) TensorFileKind name##_file_kind();
MX_TENSOR_FILE_KINDS(MX_DECLARE)
#undef MX_DECLARE

namespace {

std::span<const TensorFileKind> all_kinds() {
#define MX_ROW(name) name##_file_kind(),
  static const std::array kKinds = {MX_TENSOR_FILE_KINDS(MX_ROW)};
#undef MX_ROW
  return kKinds;
}

std::vector<std::string_view> suffixes_of(const TensorFileKind& kind) {
  std::vector<std::string_view> list;
  std::string_view rest = kind.suffixes;
  while (!rest.empty()) {
    list.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), list.back().size() + 1));
  }
  return list;
}

const TensorFileKind& kind_of(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  for (const TensorFileKind& kind : all_kinds()) {
    if (kind.is != nullptr && kind.is(bytes)) return kind;
  }
  if (const std::string_view foreign = foreign_kind(bytes); !foreign.empty()) {
    fail(Exit::kBadInput, "{}: byte 0: {}. mxgold reads {}", path.string(), foreign,
         tensor_suffixes());
  }
  for (const TensorFileKind& kind : all_kinds()) {
    for (const std::string_view suffix : suffixes_of(kind)) {
      if (path.extension() == suffix) return kind;
    }
  }
  return all_kinds().front();
}

}  // namespace

std::string tensor_suffixes() {
  std::string text;
  for (const TensorFileKind& kind : all_kinds()) {
    const bool is_last = &kind == &all_kinds().back();
    text += text.empty() ? "" : is_last ? " or " : ", ";
    text += suffixes_of(kind).front();
  }
  return text;
}

TensorFile::TensorFile() = default;
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;
TensorFile::~TensorFile() = default;

namespace {

/// A copy of every tensor, its words turned round.
void own_in_host_order(TensorTable& table) {
  std::size_t size = 0;
  for (const Tensor& tensor : table.tensors) size += tensor.data.size();
  std::vector<std::byte> words(size);
  std::span<std::byte> rest(words);
  for (Tensor& tensor : table.tensors) {
    const std::span<std::byte> place = rest.first(tensor.data.size());
    std::ranges::copy(tensor.data, place.begin());
    const DType* const type = find_dtype(tensor.dtype);
    if (type != nullptr) reverse_words(place, static_cast<std::size_t>(type->bits) / 8);
    tensor.data = place;
    rest = rest.subspan(place.size());
  }
  table.owned.clear();
  table.owned.push_back(std::move(words));
}

}  // namespace

TensorFile TensorFile::open(const std::filesystem::path& path) {
  TensorFile file;
  file.path_ = path;
  file.map_ = std::make_unique<MappedFile>(path);
  const std::span<const std::byte> bytes = file.map_->bytes();
  const std::string name = path == "-" ? "standard input" : path.string();
  const TensorFileKind& kind = kind_of(path, bytes);
  file.kind_ = kind.name;
  TensorTable table = kind.parse(name, bytes);
  if (kFilesAreForeign) own_in_host_order(table);
  file.owned_ = std::move(table.owned);
  file.tensors_ = std::move(table.tensors);
  file.metadata_ = std::move(table.metadata);
  std::sort(file.tensors_.begin(), file.tensors_.end(),
            [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
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

const Tensor& TensorFile::values_of(const Tensor& codes) const {
  const DType& type = *find_dtype(codes.dtype);
  Tensor& values = values_.emplace_back(codes);
  values.format = type.codes;
  if (type.bits < 8) {
    const Packing packing = type.bits == 4 ? Packing::kNibbleLowFirst : Packing::kDense6;
    std::vector<std::byte>& words = unpacked_.emplace_back(codes.elements);
    backend::CodePacker({packing, 0}).unpack(codes.data, words, 1);
    values.data = words;
  }
  return values;
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
    if (tensor->format != nullptr) return {tensor};
    const DType* const type = find_dtype(tensor->dtype);
    if (type == nullptr || type->codes == nullptr) {
      fail(Exit::kBadInput,
           "{}: tensor {} has type {}; floats can be quantized: F64, F32, F16, BF16, "
           "F8_*, F6_* and F4{}",
           path, printable(tensor->name), printable(tensor->dtype),
           tensor->stored == nullptr ? "" : "; mxgold dequantize gives its values as F32");
    }
    return {&file.values_of(*tensor)};
  }
  std::vector<const Tensor*> chosen;
  for (const Tensor& tensor : file.tensors()) {
    if (tensor.format != nullptr) {
      chosen.push_back(&tensor);
    } else {
      const DType* const type = find_dtype(tensor.dtype);
      const bool has_codes = type != nullptr && type->codes != nullptr;
      fmt::print(stderr, "{}: skipped tensor {}: type {} {}\n", path, printable(tensor.name),
                 type == nullptr ? printable(tensor.dtype) : tensor.dtype,
                 has_codes
                     ? "may be codes under a scale; name it with --tensor to take them as values"
                     : "is not F64, F32, F16 or BF16");
    }
  }
  if (chosen.empty()) {
    fail(Exit::kBadInput, "{}: no tensor of type F64, F32, F16 or BF16 among {}", path,
         file.tensors().size());
  }
  return chosen;
}

}  // namespace mx::cli
