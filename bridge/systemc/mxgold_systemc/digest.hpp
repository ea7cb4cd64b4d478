// SHA-256, and the digest of answers that `mxgold run` prints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "mxgold_systemc/beats.hpp"

namespace mxgold {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* bytes, std::size_t count);
  /// The digest so far; a new one begins.
  [[nodiscard]] Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string to_hex(const Sha256::Digest& digest);

/// Of the answers to blocks, in order: scale code, codes, flags. It is the digest of `mxgold run`
/// over the same blocks (32 lanes).
class AnswerDigest {
 public:
  void add(const std::uint8_t* codes, int lanes, std::uint16_t user);
  [[nodiscard]] std::string finish() { return to_hex(all_.finish()); }

 private:
  Sha256 all_;
};

}  // namespace mxgold
