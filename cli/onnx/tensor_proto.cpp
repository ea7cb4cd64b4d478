// SPDX-License-Identifier: Apache-2.0
#include "cli/onnx/tensor_proto.hpp"

#include <fmt/ranges.h>

#include <array>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/stored_type.hpp"
#include "cli/onnx/wire.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

// Fields of TensorProto.
constexpr std::uint32_t kProtoDims = 1;
constexpr std::uint32_t kProtoDataType = 2;
constexpr std::uint32_t kProtoSegment = 3;
constexpr std::uint32_t kProtoFloatData = 4;
constexpr std::uint32_t kProtoInt32Data = 5;
constexpr std::uint32_t kProtoInt64Data = 7;
constexpr std::uint32_t kProtoName = 8;
constexpr std::uint32_t kProtoRawData = 9;
constexpr std::uint32_t kProtoDoubleData = 10;
constexpr std::uint32_t kProtoUint64Data = 11;
constexpr std::uint32_t kProtoExternalData = 13;
constexpr std::uint32_t kProtoDataLocation = 14;

/// TensorProto.DataType, in the order of its numbers from 1.
struct OnnxType {
  std::string_view name;    ///< as safetensors spells it, where it has the type
  int bits = 0;             ///< 0: no words of one width
  std::uint32_t field = 0;  ///< that holds them, if not raw_data
  bool is_packed = false;   ///< there, too, several codes share an entry of a byte
};

constexpr std::array kOnnxTypes = {
    OnnxType{"F32", 32, kProtoFloatData},     OnnxType{"U8", 8, kProtoInt32Data},
    OnnxType{"I8", 8, kProtoInt32Data},       OnnxType{"U16", 16, kProtoInt32Data},
    OnnxType{"I16", 16, kProtoInt32Data},     OnnxType{"I32", 32, kProtoInt32Data},
    OnnxType{"I64", 64, kProtoInt64Data},     OnnxType{"STRING"},
    OnnxType{"BOOL", 8, kProtoInt32Data},     OnnxType{"F16", 16, kProtoInt32Data},
    OnnxType{"F64", 64, kProtoDoubleData},    OnnxType{"U32", 32, kProtoUint64Data},
    OnnxType{"U64", 64, kProtoUint64Data},    OnnxType{"C64", 64, kProtoFloatData},
    OnnxType{"C128", 128, kProtoDoubleData},  OnnxType{"BF16", 16, kProtoInt32Data},
    OnnxType{"F8_E4M3", 8, kProtoInt32Data},  OnnxType{"F8_E4M3FNUZ", 8, kProtoInt32Data},
    OnnxType{"F8_E5M2", 8, kProtoInt32Data},  OnnxType{"F8_E5M2FNUZ", 8, kProtoInt32Data},
    OnnxType{"U4", 4, kProtoInt32Data, true}, OnnxType{"I4", 4, kProtoInt32Data, true},
    OnnxType{"F4", 4, kProtoInt32Data, true}, OnnxType{"F8_E8M0", 8, kProtoInt32Data},
    OnnxType{"U2", 2, kProtoInt32Data, true}, OnnxType{"I2", 2, kProtoInt32Data, true},
    OnnxType{"F6_E2M3", 6, kProtoInt32Data},  OnnxType{"F6_E3M2", 6, kProtoInt32Data}};

/// Appends words of 64 bits or fewer, low bits first.
class WordWriter {
 public:
  explicit WordWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  void add(std::uint64_t word, int bits) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
    held_ |= (word & mask) << held_bits_;
    for (held_bits_ += bits; held_bits_ >= 8; held_bits_ -= 8) {
      bytes_.push_back(static_cast<std::byte>(held_ & 0xFF));
      held_ >>= 8;
    }
    ++count_;
  }
  /// Ends the last byte; how many words there were.
  std::uint64_t finish() {
    if (held_bits_ != 0) bytes_.push_back(static_cast<std::byte>(held_));
    return count_;
  }

 private:
  std::vector<std::byte>& bytes_;
  std::uint64_t held_ = 0;
  int held_bits_ = 0;
  std::uint64_t count_ = 0;
};

class ProtoReader {
 public:
  ProtoReader(std::string_view file, std::span<const std::byte> message, std::size_t index,
              TensorTable& table)
      : file_(file), message_(message), index_(index), table_(table) {}

  void read() {
    read_fields();
    if (tensor_.name.empty()) tensor_.name = "data";
    if (is_external_) {
      refuse(
          "data_location: its data lie in another file, which mxgold does not open; load the "
          "model with onnx.load and save it with onnx.save, or save the tensor alone with "
          "numpy.save(onnx.numpy_helper.to_array(tensor))");
    }
    if (number_ == 0 || number_ > kOnnxTypes.size()) {
      refuse("data_type: {} is none that mxgold knows of ONNX", number_);
    }
    const OnnxType& type = kOnnxTypes[number_ - 1];
    tensor_.dtype = std::string(type.name);
    const auto count = element_count(tensor_.shape, 128);
    if (!count) refuse("dims: the size of the shape does not fit 56 bits");
    tensor_.elements = *count;
    if (const DType* const known = find_dtype(type.name); known != nullptr) {
      tensor_.format = known->format;
    }
    tensor_.stored = find_stored_type(type.name);
    if (type.bits != 0) set_data(type);
    table_.tensors.push_back(std::move(tensor_));
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Exit::kBadInput, "{}: tensor {}{}: {}", file_, index_,
         tensor_.name.empty() ? "" : " (" + printable(tensor_.name) + ")",
         fmt::format(format, std::forward<Args>(args)...));
  }

  void read_fields() {
    WireReader reader(message_);
    while (const auto field = reader.next()) take(*field);
    if (!reader.problem().empty()) {
      refuse("byte {} of it: {}; the file is truncated or damaged, or no ONNX tensor", reader.at(),
             reader.problem());
    }
  }

  void take(const WireField& field) {
    const bool is_bytes = field.type == WireType::kBytes;
    switch (field.number) {
      case kProtoDims:
        return take_dims(field);
      case kProtoDataType:
        if (field.type == WireType::kVarint) number_ = field.value;
        return;
      case kProtoSegment:
        refuse("segment: a part of a tensor; save it whole");
      case kProtoName:
        if (is_bytes) tensor_.name = std::string(field.text());
        return;
      case kProtoRawData:
        if (is_bytes) raw_ = field.bytes;
        return;
      case kProtoExternalData:
        is_external_ = true;
        return;
      case kProtoDataLocation:
        is_external_ = is_external_ || field.value != 0;
        return;
      case kProtoFloatData:
      case kProtoInt32Data:
      case kProtoInt64Data:
      case kProtoDoubleData:
      case kProtoUint64Data:
        return typed_.push_back(field);
      default:
        return;
    }
  }

  void take_dims(const WireField& field) {
    if (field.type == WireType::kVarint) return take_length(field.value);
    WireReader packed(field.bytes);
    while (const auto length = packed.varint()) take_length(*length);
    if (!packed.problem().empty()) refuse("dims: {}", packed.problem());
  }

  void take_length(std::uint64_t length) {
    constexpr std::size_t kMostDims = 64;
    if (length >> 63 != 0) refuse("dims: a length is negative");
    if (tensor_.shape.size() == kMostDims) refuse("dims: more than {} dimensions", kMostDims);
    tensor_.shape.push_back(length);
  }

  void set_data(const OnnxType& type) {
    const std::uint64_t bytes = (tensor_.elements * static_cast<std::uint64_t>(type.bits) + 7) / 8;
    if (raw_ && !typed_.empty()) refuse("raw_data: stands beside other data; one must go");
    tensor_.data = raw_ ? *raw_ : typed_data(type, bytes);
    if (tensor_.data.size() != bytes) {
      refuse("{}: {} bytes of data, shape [{}] of {} needs {}", raw_ ? "raw_data" : "data",
             tensor_.data.size(), fmt::join(tensor_.shape, ", "), type.name, bytes);
    }
  }

  /// The words of the fields that are no raw_data, in a buffer of the table.
  std::span<const std::byte> typed_data(const OnnxType& type, std::uint64_t bytes) {
    std::vector<std::byte>& words = table_.owned.emplace_back();
    WordWriter writer(words);
    const bool is_fixed = type.field == kProtoFloatData || type.field == kProtoDoubleData;
    for (const WireField& field : typed_) {
      if (field.number != type.field) {
        refuse("field {}: {} is held by field {}", field.number, type.name, type.field);
      }
      if (is_fixed) {
        add_fixed(field, type.field == kProtoFloatData ? 4 : 8, words);
      } else {
        add_varints(field, type.is_packed ? 8 : type.bits, writer);
      }
    }
    const std::uint64_t entries = writer.finish();
    const std::uint64_t needed = type.is_packed ? bytes : tensor_.elements;
    if (!is_fixed && entries != needed) {
      refuse("field {}: {} numbers, shape [{}] of {} needs {}", type.field, entries,
             fmt::join(tensor_.shape, ", "), type.name, needed);
    }
    return words;
  }

  void add_fixed(const WireField& field, std::size_t size, std::vector<std::byte>& words) const {
    if (field.type == WireType::kBytes) {
      words.insert(words.end(), field.bytes.begin(), field.bytes.end());
      return;
    }
    if (field.type != (size == 4 ? WireType::kFixed32 : WireType::kFixed64)) {
      refuse("field {}: its numbers are of another width", field.number);
    }
    for (std::size_t i = 0; i < size; ++i) {
      words.push_back(static_cast<std::byte>(field.value >> (8 * i) & 0xFF));
    }
  }

  void add_varints(const WireField& field, int bits, WordWriter& writer) const {
    if (field.type == WireType::kVarint) return writer.add(field.value, bits);
    if (field.type != WireType::kBytes) refuse("field {}: no whole numbers", field.number);
    WireReader packed(field.bytes);
    while (const auto entry = packed.varint()) writer.add(*entry, bits);
    if (!packed.problem().empty()) refuse("field {}: {}", field.number, packed.problem());
  }

  std::string_view file_;
  std::span<const std::byte> message_;
  std::size_t index_;
  TensorTable& table_;
  Tensor tensor_;
  std::uint64_t number_ = 0;  ///< of the type
  bool is_external_ = false;
  std::optional<std::span<const std::byte>> raw_;
  std::vector<WireField> typed_;
};

}  // namespace

void add_tensor_proto(std::string_view file, std::span<const std::byte> message, std::size_t index,
                      TensorTable& table) {
  ProtoReader(file, message, index, table).read();
}

}  // namespace mx::cli
