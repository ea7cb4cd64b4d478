// SPDX-License-Identifier: Apache-2.0
// The header of a GGUF file: magic, version, counts, keys with typed values, the list of tensors;
// then, aligned, data.
#include "cli/gguf/gguf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/gguf/block_types.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

/// gguf_metadata_value_type: bytes of each, 0 for texts and arrays.
constexpr std::array<std::uint64_t, 13> kGgufValueBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::uint32_t kGgufUint32 = 4;
constexpr std::uint32_t kGgufText = 8;
constexpr std::uint32_t kGgufArray = 9;
constexpr int kGgufDeepestArray = 8;
constexpr std::uint32_t kGgufMaxRank = 4;  // GGML_MAX_DIMS

/// The types without blocks, by ggml's numbers and the names that safetensors has for them.
constexpr std::pair<std::uint32_t, std::string_view> kGgufPlainTypes[] = {
    {0, "F32"},  {1, "F16"},  {24, "I8"},  {25, "I16"},
    {26, "I32"}, {27, "I64"}, {28, "F64"}, {30, "BF16"}};

/// Types that ggml has too: their codes need tables of its source, or no file has them.
constexpr std::pair<std::uint32_t, std::string_view> kGgufOtherTypes[] = {
    {9, "Q8_1"},   {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"},
    {21, "IQ3_S"}, {22, "IQ2_S"},   {29, "IQ1_M"},  {41, "Q1_0"}};

/// What is known of a ggml_type.
struct GgufDataType {
  std::string_view name;
  std::uint64_t elements = 1;
  std::uint64_t bytes = 0;
  const ElementFormat* format = nullptr;
  const StoredType* stored = nullptr;
};

std::optional<GgufDataType> gguf_data_type(std::uint32_t number) {
  const std::span<const GgmlType> types = ggml_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].number != number) continue;
    const StoredType& stored = stored_ggml_types()[i];
    return GgufDataType{stored.name, stored.elements, stored.bytes, nullptr, &stored};
  }
  for (const auto& [plain, name] : kGgufPlainTypes) {
    if (plain != number) continue;
    const DType& type = *find_dtype(name);
    return GgufDataType{name, 1, static_cast<std::uint64_t>(type.bits) / 8, type.format,
                        find_stored_type(name)};
  }
  return std::nullopt;
}

class GgufReader {
 public:
  GgufReader(std::string_view file, std::span<const std::byte> bytes)
      : file_(file), bytes_(bytes) {}

  [[nodiscard]] TensorTable read() {
    const auto [tensors, keys] = counts();
    for (std::uint64_t i = 0; i < keys; ++i) read_key();
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 0; i < tensors; ++i) places.push_back(read_tensor());
    const std::span<const std::byte> data = aligned_rest(!places.empty());
    for (std::size_t i = 0; i < places.size(); ++i) place(table_.tensors[i], places[i], data);
    refuse_overlaps(data);
    return std::move(table_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Exit::kBadInput, "{}: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

  std::span<const std::byte> take(std::uint64_t count, std::string_view field) {
    if (count > bytes_.size() - at_) {
      refuse(
          "byte {}: {}: {} bytes needed, {} left in the file; it is truncated or damaged, copy "
          "it again",
          at_, field, count, bytes_.size() - at_);
    }
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
  }

  std::uint64_t number(std::size_t size, std::string_view field) {
    return little_endian(take(size, field));
  }

  std::string text(std::string_view field) {
    const std::uint64_t length = number(8, field);
    const auto part = take(length, field);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  /// Of tensors and keys.
  std::pair<std::uint64_t, std::uint64_t> counts() {
    const auto magic = take(std::min<std::size_t>(4, bytes_.size()), "magic");
    if (!std::ranges::equal(magic, std::as_bytes(std::span("GGUF", 4)))) {
      refuse("byte 0: magic: not a GGUF file (expected 'GGUF')");
    }
    const std::uint64_t version = number(4, "version");
    if (version != 0 && (version & 0xFFFF) == 0) {
      refuse(
          "byte 4: version: the file is big-endian; convert it with gguf-py's "
          "gguf_convert_endian.py");
    }
    if (version != 2 && version != 3) {
      refuse("byte 4: version: {} is not 2 or 3; write it again with a llama.cpp of today",
             version);
    }
    const std::uint64_t tensors = number(8, "tensor count");
    return {tensors, number(8, "key count")};
  }

  void read_key() {
    const std::size_t begin = at_;
    const std::string key = text("key");
    if (!keys_.insert(key).second) refuse("byte {}: key {}: appears twice", begin, printable(key));
    const auto type = static_cast<std::uint32_t>(number(4, "type of a key"));
    if (key == "general.alignment") return read_alignment(type);
    if (type == kGgufText && key.starts_with("general.")) {
      table_.metadata[key] = text(key);
    } else {
      skip_value(type, printable(key), 0);
    }
  }

  void read_alignment(std::uint32_t type) {
    if (type != kGgufUint32)
      refuse("key general.alignment: its type is {}, not {}", type, kGgufUint32);
    alignment_ = number(4, "general.alignment");
    if (!std::has_single_bit(alignment_)) {
      refuse("key general.alignment: {} is not a power of two", alignment_);
    }
  }

  void skip_value(std::uint32_t type, const std::string& key, int depth) {
    if (type == kGgufText) {
      take(number(8, key), key);
    } else if (type == kGgufArray) {
      if (depth == kGgufDeepestArray) refuse("byte {}: key {}: arrays nested too deep", at_, key);
      const auto inner = static_cast<std::uint32_t>(number(4, key));
      const std::uint64_t count = number(8, key);
      skip_array(inner, count, key, depth);
    } else if (type < kGgufValueBytes.size()) {
      take(kGgufValueBytes.at(type), key);
    } else {
      refuse("key {}: value type {} is none of GGUF", key, type);
    }
  }

  void skip_array(std::uint32_t inner, std::uint64_t count, const std::string& key, int depth) {
    const std::uint64_t size = inner < kGgufValueBytes.size() ? kGgufValueBytes.at(inner) : 0;
    if (size == 0) {
      // Each takes bytes of the file or is refused, so an absurd count ends with them.
      for (std::uint64_t i = 0; i < count; ++i) skip_value(inner, key, depth + 1);
    } else {
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
      take(count > kMost / size ? kMost : count * size, key);
    }
  }

  /// Its place in the data, which is not known to begin where yet.
  std::uint64_t read_tensor() {
    Tensor tensor;
    const std::size_t begin = at_;
    tensor.name = text("name of a tensor");
    const std::string where = fmt::format("byte {}: tensor {}", begin, printable(tensor.name));
    if (!names_.insert(tensor.name).second) refuse("{}: appears twice", where);
    const std::uint64_t rank = number(4, "number of dimensions");
    if (rank > kGgufMaxRank)
      refuse("{}: {} dimensions; GGUF has at most {}", where, rank, kGgufMaxRank);
    for (std::uint64_t i = 0; i < rank; ++i) tensor.shape.push_back(number(8, "dimensions"));
    std::ranges::reverse(tensor.shape);
    const auto type = static_cast<std::uint32_t>(number(4, "type of a tensor"));
    const std::uint64_t offset = number(8, "offset of a tensor");
    set_type(where, type, tensor);
    table_.tensors.push_back(std::move(tensor));
    return offset;
  }

  void set_type(const std::string& where, std::uint32_t number, Tensor& tensor) {
    const std::optional<GgufDataType> type = gguf_data_type(number);
    if (!type) refuse_type(where, number);
    const auto count = element_count(tensor.shape, 64);
    if (!count) refuse("{}: the size of its shape does not fit 57 bits", where);
    if (!tensor.shape.empty() && tensor.shape.back() % type->elements != 0) {
      refuse("{}: rows of {} elements are no whole blocks of {} ({})", where, tensor.shape.back(),
             type->elements, type->name);
    }
    if (*count % type->elements != 0) {
      refuse("{}: {} elements are no whole block of {}", where, *count, type->name);
    }
    tensor.dtype = std::string(type->name);
    tensor.format = type->format;
    tensor.stored = type->stored;
    tensor.elements = *count;
    sizes_.push_back(*count / type->elements * type->bytes);
  }

  [[noreturn]] void refuse_type(const std::string& where, std::uint32_t number) const {
    for (const auto& [other, name] : kGgufOtherTypes) {
      if (other != number) continue;
      refuse(
          "{}: type {} ({}) is not read; write the model again as F16 or Q8_0 with llama.cpp's "
          "llama-quantize --allow-requantize",
          where, name, number);
    }
    refuse("{}: type {} is none that mxgold knows of ggml", where, number);
  }

  std::span<const std::byte> aligned_rest(bool has_tensors) {
    const std::size_t over = at_ % alignment_;
    if (over != 0 && has_tensors) take(alignment_ - over, "padding before the data");
    return bytes_.subspan(at_);
  }

  void place(Tensor& tensor, std::uint64_t offset, std::span<const std::byte> data) const {
    const std::string name = printable(tensor.name);
    if (offset % alignment_ != 0) {
      refuse("tensor {}: offset {} is no multiple of the alignment {}", name, offset, alignment_);
    }
    const std::uint64_t size = sizes_[static_cast<std::size_t>(&tensor - table_.tensors.data())];
    if (offset > data.size() || size > data.size() - offset) {
      refuse(
          "tensor {}: {} bytes at offset {} lie outside the {} data bytes; the file is truncated "
          "or damaged, copy it again",
          name, size, offset, data.size());
    }
    tensor.data = data.subspan(offset, size);
  }

  void refuse_overlaps(std::span<const std::byte> data) const {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : table_.tensors) {
      if (!tensor.data.empty()) order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(),
              [](const Tensor* a, const Tensor* b) { return a->data.data() < b->data.data(); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Tensor& before = *order[i - 1];
      if (before.data.data() + before.data.size() <= order[i]->data.data()) continue;
      refuse("tensor {}: begins at offset {} inside tensor {}", printable(order[i]->name),
             order[i]->data.data() - data.data(), printable(before.name));
    }
  }

  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t alignment_ = 32;  // the format's own
  std::set<std::string> keys_;
  std::set<std::string> names_;
  std::vector<std::uint64_t> sizes_;
  TensorTable table_;
};

}  // namespace

TensorTable parse_gguf(std::string_view file, std::span<const std::byte> bytes) {
  return GgufReader(file, bytes).read();
}

TensorFileKind gguf_file_kind() {
  return {"GGUF model", ".gguf",
          [](std::span<const std::byte> bytes) { return text_of(bytes).starts_with("GGUF"); },
          parse_gguf};
}

}  // namespace mx::cli
