// SHA-256 of a byte stream, by OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mx::golden {

using Digest = std::array<std::uint8_t, 32>;

/// An incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// The digest of everything so far; the object then starts over.
  [[nodiscard]] Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] Digest sha256(std::string_view text);
/// 64 lowercase hex digits.
[[nodiscard]] std::string to_hex(const Digest& digest);
/// The digest of exactly 64 lowercase hex digits, or nothing.
[[nodiscard]] std::optional<Digest> parse_digest(std::string_view hex);

}  // namespace mx::golden
