// The `.safetensors` header: 8 length bytes, a JSON object, then the data that the offsets tile.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"

namespace mx::cli {
namespace {

using HeaderJson = nlohmann::json;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit

/// The header with the file name that messages start with.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Exit::kBadInput, "{}: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// The JSON text of the header.
  [[nodiscard]] std::string_view header_of(std::span<const std::byte> bytes) const {
    if (bytes.size() < 8) {
      refuse("byte 0: header length: {} bytes in the file, 8 needed; it is truncated",
             bytes.size());
    }
    const std::uint64_t length = little_endian(bytes.first(8));
    if (length > kMaxHeader) {
      refuse("byte 0: header length: {} is over {}; not a .safetensors file, or damaged", length,
             kMaxHeader);
    }
    if (length > bytes.size() - 8) {
      refuse(
          "byte 0: header length: {} bytes announced, {} left in the file; it is truncated, "
          "copy it again",
          length, bytes.size() - 8);
    }
    const std::string_view text = text_of(bytes).substr(8, length);
    if (!text.starts_with('{')) refuse("byte 8: header: does not start with '{{'");
    return text;
  }

  /// Parses the text; a key that appears twice in one object is an error, as no reader agrees which
  /// one counts.
  [[nodiscard]] HeaderJson parse(std::string_view text) const {
    constexpr int kDeepest = 8;
    HeaderJson root;
    const auto problem = golden::parse_json(text, root, kDeepest);
    if (!problem) return root;
    if (problem->at) refuse("byte {}: header: {}", 8 + *problem->at, problem->what);
    refuse("header: {}", problem->what);
  }

  [[nodiscard]] std::map<std::string, std::string> metadata(const HeaderJson& object) const {
    std::map<std::string, std::string> result;
    if (!object.is_object()) refuse("header: '__metadata__' is not an object");
    for (const auto& [key, value] : object.items()) {
      if (!value.is_string())
        refuse("header: '__metadata__', field {}: not a text", printable(key));
      result.emplace(key, value.get<std::string>());
    }
    return result;
  }

  [[nodiscard]] Tensor tensor(const std::string& name, const HeaderJson& entry,
                              std::span<const std::byte> data) const {
    const std::string where = "header: tensor " + printable(name);
    if (!entry.is_object()) refuse("{}: not an object", where);
    Tensor tensor;
    tensor.name = name;
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) {
      refuse("{}, field 'dtype': missing or not a text", where);
    }
    tensor.dtype = dtype->get<std::string>();
    tensor.shape = numbers(where, entry, "shape");
    const std::vector<std::uint64_t> offsets = numbers(where, entry, "data_offsets");
    if (offsets.size() != 2) {
      refuse("{}, field 'data_offsets': {} numbers, 2 needed", where, offsets.size());
    }
    const std::uint64_t begin = offsets[0];
    const std::uint64_t end = offsets[1];
    if (begin > end) {
      refuse("{}, field 'data_offsets': the end {} lies before the begin {}", where, end, begin);
    }
    if (end > data.size()) {
      refuse(
          "{}, field 'data_offsets': {} lies outside the {} data bytes; the file is truncated "
          "or damaged",
          where, end, data.size());
    }
    tensor.data = data.subspan(begin, end - begin);
    check_size(where, tensor);
    return tensor;
  }

  /// Sorted by place, each tensor must begin where the last one ended.
  void check_tiling(const std::vector<Tensor>& tensors, std::span<const std::byte> data) const {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : tensors) order.push_back(&tensor);
    const auto begin_of = [&](const Tensor& t) {
      return static_cast<std::uint64_t>(t.data.data() - data.data());
    };
    std::sort(order.begin(), order.end(), [&](const Tensor* a, const Tensor* b) {
      return std::pair(begin_of(*a), a->data.size()) < std::pair(begin_of(*b), b->data.size());
    });
    std::uint64_t expected = 0;
    for (const Tensor* tensor : order) {
      const std::uint64_t begin = begin_of(*tensor);
      if (begin != expected) {
        refuse("header: tensor {}, field 'data_offsets': begins at {}, but {} {}",
               printable(tensor->name), begin,
               begin < expected ? "another tensor reaches to" : "the tensors before it end at",
               expected);
      }
      expected = begin + tensor->data.size();
    }
    if (expected != data.size()) {
      refuse("data: {} bytes follow the last tensor; the header does not describe them",
             data.size() - expected);
    }
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& where,
                                                   const HeaderJson& entry,
                                                   const char* field) const {
    const auto list = entry.find(field);
    if (list == entry.end()) refuse("{}, field '{}': missing", where, field);
    if (!list->is_array()) refuse("{}, field '{}': not a list", where, field);
    std::vector<std::uint64_t> result;
    for (const HeaderJson& number : *list) {
      if (!number.is_number_unsigned()) {
        refuse("{}, field '{}[{}]': {} is not a whole number of 0 to 2^64 - 1", where, field,
               result.size(), printable(number.dump(-1, ' ', true)));
      }
      result.push_back(golden::whole<std::uint64_t>(number));
    }
    return result;
  }

  void check_size(const std::string& where, Tensor& tensor) const {
    const DType* const type = find_dtype(tensor.dtype);
    const int bits = type == nullptr ? 1 : type->bits;
    const auto count = element_count(tensor.shape, bits);
    if (!count) refuse("{}, field 'shape': the size in bits does not fit 63 bits", where);
    tensor.elements = *count;
    if (type == nullptr) return;  // named and skipped later; its size cannot be judged
    tensor.format = type->format;
    const std::uint64_t size_bits = *count * static_cast<std::uint64_t>(bits);
    if (size_bits % 8 != 0) {
      refuse("{}, field 'shape': {} elements of {} bits do not end on a byte", where, *count, bits);
    }
    if (size_bits / 8 != tensor.data.size()) {
      refuse("{}, field 'data_offsets': {} bytes, shape [{}] of {} needs {}", where,
             tensor.data.size(), fmt::join(tensor.shape, ", "), tensor.dtype, size_bits / 8);
    }
  }

  std::string_view file_;
};

}  // namespace

TensorTable parse_safetensors(std::string_view file, std::span<const std::byte> bytes) {
  const Reader reader(file);
  const std::string_view text = reader.header_of(bytes);
  const HeaderJson root = reader.parse(text);
  const std::span<const std::byte> data = bytes.subspan(8 + text.size());
  TensorTable table;
  for (const auto& [name, entry] : root.items()) {  // nlohmann::json keeps keys sorted bytewise
    if (name == "__metadata__") {
      table.metadata = reader.metadata(entry);
    } else {
      table.tensors.push_back(reader.tensor(name, entry, data));
    }
  }
  reader.check_tiling(table.tensors, data);
  return table;
}

namespace {

/// Nothing else starts with such a length and a brace.
bool is_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > 8 && bytes[8] == std::byte{'{'} &&
         little_endian(bytes.first(8)) <= kMaxHeader;
}

}  // namespace

TensorFileKind safetensors_file_kind() {
  return {"safetensors file", ".safetensors", is_safetensors, parse_safetensors};
}

}  // namespace mx::cli
