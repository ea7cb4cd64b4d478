// The `.npy` header: magic, version, length, a Python dictionary literal of three fields.
#include <array>
#include <charconv>
#include <cstring>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/strided.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

/// The header text with a cursor; positions in messages are bytes of the file.
class Header {
 public:
  Header(std::string_view file, std::string_view text, std::size_t offset)
      : file_(file), text_(text), offset_(offset) {}

  [[noreturn]] void refuse(std::string_view field, std::string_view problem) const {
    fail(Exit::kBadInput, "{}: byte {}: field {}: {}", file_, offset_ + at_, field, problem);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  /// Takes one character if it is next.
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, std::string_view field) {
    if (!take(c)) refuse(field, fmt::format("expected '{}'; save the array again with numpy", c));
  }

  std::string_view string(std::string_view field) {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse(field, "expected a quoted text");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(field, "the quoted text does not end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  /// A bare word: True, False.
  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'A' && text_[at_] <= 'z') ++at_;
    return text_.substr(begin, at_ - begin);
  }

  [[nodiscard]] char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::uint64_t length(std::string_view field) {
    skip_space();
    if (peek() == '-') refuse(field, "a length is negative");
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) refuse(field, "a length does not fit 64 bits");
    if (error != std::errc{}) refuse(field, "expected a whole number");
    at_ += static_cast<std::size_t>(end - begin);
    take('L');  // what Python 2 wrote
    return value;
  }

  [[nodiscard]] bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

 private:
  std::string_view file_;
  std::string_view text_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

/// A type by NumPy's name and by ours; one that is not known has the name alone.
struct ArrayType {
  std::string name;
  const DType* known = nullptr;
};

struct HeaderFields {
  std::optional<ArrayType> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

ArrayType parse_descr(Header& header, Unknown unknown) {
  if (header.peek() == '[') {
    header.refuse("descr", "a structured array; save one field as an array of its own");
  }
  const std::string_view descr = header.string("descr");
  // '<V2' is what NumPy writes for the bfloat16 of ml_dtypes, its only type of two opaque bytes.
  // '|V1' is what it writes for those of one byte, whose format is the reader's to know; the one
  // '<f1' is float8_e5m2.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kKnown = {
      {{"<f8", "F64"},
       {"<f4", "F32"},
       {"<f2", "F16"},
       {"<V2", "BF16"},
       {"bfloat16", "BF16"},
       {"|u1", "U8"},
       {"|i1", "I8"},
       {"<u2", "U16"},
       {"<i2", "I16"},
       {"<u4", "U32"},
       {"<i4", "I32"},
       {"<u8", "U64"},
       {"<i8", "I64"},
       {"|b1", "BOOL"},
       {"<c8", "C64"},
       {"|V1", "U8"},
       {"<f1", "F8_E5M2"},
       {"<V1", "U8"}}};
  for (const auto& [text, type] : kKnown) {
    if (descr == text) return {std::string(type), find_dtype(type)};
  }
  if (unknown == Unknown::kKept) return {std::string(descr)};
  if (descr.starts_with('>')) {
    header.refuse("descr", fmt::format("{} is big-endian; save it as little-endian: "
                                       "array.astype(array.dtype.newbyteorder('<'))",
                                       printable(descr)));
  }
  if (descr == "|V2") {
    header.refuse("descr",
                  "'|V2' is two bytes of unknown meaning; for bfloat16 write '<V2' (ml_dtypes) or "
                  "a .safetensors file");
  }
  header.refuse("descr",
                fmt::format("type {} is no float of at most 64 bits and no integer; convert with "
                            "array.astype('<f4')",
                            printable(descr)));
}

bool parse_order(Header& header) {
  const std::string_view word = header.word();
  if (word != "True" && word != "False") header.refuse("fortran_order", "expected True or False");
  return word == "True";
}

std::vector<std::uint64_t> parse_shape(Header& header) {
  header.expect('(', "shape");
  std::vector<std::uint64_t> shape;
  constexpr std::size_t kMaxRank = 64;  // NumPy's own limit
  while (!header.take(')')) {
    if (shape.size() == kMaxRank) header.refuse("shape", "more than 64 dimensions");
    shape.push_back(header.length("shape"));
    if (!header.take(',') && header.peek() != ')') header.refuse("shape", "expected ',' or ')'");
  }
  return shape;
}

template <typename T>
void set_once(Header& header, std::string_view key, std::optional<T>& field, T value) {
  if (field) header.refuse(key, "appears twice");
  field = std::move(value);
}

HeaderFields parse_fields(Header& header, Unknown unknown) {
  HeaderFields fields;
  header.expect('{', "header");
  while (!header.take('}')) {
    const std::string_view key = header.string("header");
    header.expect(':', key);
    if (key == "descr") {
      set_once(header, key, fields.type, parse_descr(header, unknown));
    } else if (key == "fortran_order") {
      set_once(header, key, fields.fortran_order, parse_order(header));
    } else if (key == "shape") {
      set_once(header, key, fields.shape, parse_shape(header));
    } else {
      header.refuse(printable(key), "is not a field of the format (descr, fortran_order, shape)");
    }
    if (!header.take(',') && header.peek() != '}') header.refuse("header", "expected ',' or '}'");
  }
  if (!fields.type) header.refuse("descr", "is missing");
  if (!fields.fortran_order) header.refuse("fortran_order", "is missing");
  if (!fields.shape) header.refuse("shape", "is missing");
  if (!header.at_end()) header.refuse("header", "something follows the closing '}'");
  return fields;
}

/// Where the header text begins and how long it is: 2 length bytes in version 1, else 4.
std::pair<std::size_t, std::size_t> header_place(std::string_view file,
                                                 std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    fail(Exit::kBadInput, "{}: byte 0: magic: not a .npy file (expected 93 'NUMPY' and a header)",
         file);
  }
  const int version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3 || bytes[7] != std::byte{0}) {
    fail(Exit::kBadInput, "{}: byte 6: version: {}.{} is not 1.0, 2.0 or 3.0", file, version,
         std::to_integer<int>(bytes[7]));
  }
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) fail(Exit::kBadInput, "{}: byte 8: header length: truncated", file);
  const std::size_t length = little_endian(bytes.subspan(8, start - 8));
  if (length > bytes.size() - start) {
    fail(Exit::kBadInput,
         "{}: byte 8: header length: {} bytes announced, {} left in the file; it is truncated or "
         "damaged, copy it again",
         file, length, bytes.size() - start);
  }
  return {start, length};
}

}  // namespace

TensorTable parse_npy(std::string_view file, std::span<const std::byte> bytes, Unknown unknown) {
  const auto [start, length] = header_place(file, bytes);
  Header header(file, {reinterpret_cast<const char*>(bytes.data()) + start, length}, start);
  const HeaderFields fields = parse_fields(header, unknown);
  const DType* const type = fields.type->known;
  const auto count = element_count(*fields.shape, type == nullptr ? 1 : type->bits);
  if (!count) header.refuse("shape", "the size in bits does not fit 63 bits");
  const std::span<const std::byte> data = bytes.subspan(start + length);
  TensorTable table;
  Tensor& tensor = table.tensors.emplace_back();
  tensor.name = "data";
  tensor.dtype = fields.type->name;
  tensor.shape = *fields.shape;
  tensor.elements = *count;
  tensor.data = data;
  if (type == nullptr) return table;
  tensor.format = type->format;
  const std::uint64_t expected = *count * static_cast<std::uint64_t>(type->bits / 8);
  if (data.size() != expected) {
    fail(Exit::kBadInput,
         "{}: byte {}: data: {} bytes found, shape ({}) of {} needs {}; the file is {}", file,
         start + length, data.size(), fmt::join(*fields.shape, ", "), type->name, expected,
         data.size() < expected ? "truncated, copy it again" : "longer than its header says");
  }
  StridedView view{*fields.shape, {}, 0, static_cast<std::size_t>(type->bits / 8)};
  if (*fields.fortran_order) {  // the first index is the fastest
    std::uint64_t stride = 1;
    for (const std::uint64_t size : view.shape) {
      view.strides.push_back(stride);
      stride *= size;
    }
    if (!view.is_contiguous()) tensor.data = table.owned.emplace_back(view.gathered(data, *count));
  }
  return table;
}

TensorFileKind npy_file_kind() {
  return {"NumPy array", ".npy",
          [](std::span<const std::byte> bytes) { return text_of(bytes).starts_with("\x93N"); },
          [](std::string_view file, std::span<const std::byte> bytes) {
            return parse_npy(file, bytes);
          }};
}

}  // namespace mx::cli
