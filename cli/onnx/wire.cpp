// SPDX-License-Identifier: Apache-2.0
#include "cli/onnx/wire.hpp"

#include "cli/files/byte_order.hpp"

namespace mx::cli {

std::optional<std::uint64_t> WireReader::stop(std::string_view problem) {
  problem_ = problem;
  return std::nullopt;
}

std::optional<std::span<const std::byte>> WireReader::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    problem_ = "a field reaches beyond the end";
    return std::nullopt;
  }
  const auto part = bytes_.subspan(at_, count);
  at_ += count;
  return part;
}

std::optional<std::uint64_t> WireReader::varint() {
  if (!problem_.empty() || at_ == bytes_.size()) return std::nullopt;
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) return stop("a number does not end");
    const auto byte = std::to_integer<std::uint64_t>(bytes_[at_]);
    if (shift == 63 && byte > 1) return stop("a number has more than 64 bits");
    ++at_;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return stop("a number has more than 64 bits");
}

std::optional<WireField> WireReader::next() {
  const std::optional<std::uint64_t> tag = varint();
  if (!tag) return std::nullopt;
  WireField field;
  field.number = static_cast<std::uint32_t>(*tag >> 3);
  if (*tag >> 3 == 0 || *tag >> 32 != 0) {
    problem_ = "a field has no legal number";
    return std::nullopt;
  }
  field.type = static_cast<WireType>(*tag & 7);
  switch (field.type) {
    case WireType::kVarint:
    case WireType::kBytes: {
      if (at_ == bytes_.size()) problem_ = "a field reaches beyond the end";
      const std::optional<std::uint64_t> value = varint();
      if (!value) return std::nullopt;
      field.value = *value;
      break;
    }
    case WireType::kFixed64:
    case WireType::kFixed32: {
      const auto bytes = take(field.type == WireType::kFixed64 ? 8 : 4);
      if (!bytes) return std::nullopt;
      field.value = little_endian(*bytes);
      return field;
    }
    default:
      problem_ = "a field is of a kind that ONNX does not use";
      return std::nullopt;
  }
  if (field.type != WireType::kBytes) return field;
  const auto bytes = take(field.value);
  if (!bytes) return std::nullopt;
  field.bytes = *bytes;
  return field;
}

}  // namespace mx::cli
