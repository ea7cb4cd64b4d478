// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers, field by field: protobuf.dev/programming-guides/encoding. Three
// messages of ONNX are read, so a hundred lines take the place of a library and of generated code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mx::cli {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;           ///< of a varint or a fixed number
  std::span<const std::byte> bytes;  ///< of kBytes: a text, a message, packed numbers

  [[nodiscard]] bool is(std::uint32_t field, WireType wire) const {
    return number == field && type == wire;
  }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Reads a message from its begin. It never looks outside the bytes given.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The next field; nothing at the end or at the first problem.
  [[nodiscard]] std::optional<WireField> next();
  /// The next of packed varints; likewise.
  [[nodiscard]] std::optional<std::uint64_t> varint();

  /// Why reading ended, "" for the end of the message.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  /// The byte at which it did, from the begin of the message.
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::optional<std::span<const std::byte>> take(std::uint64_t count);
  std::optional<std::uint64_t> stop(std::string_view problem);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string_view problem_;
};

}  // namespace mx::cli
