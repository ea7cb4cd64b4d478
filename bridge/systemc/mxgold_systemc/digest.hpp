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

/// Of the answers to blocks, in order: codes, scale code, flags. It is the line `digest` of
/// `mxgold run` over the same blocks (32 lanes, --segment at its default).
class AnswerDigest {
 public:
  void add(const std::uint8_t* codes, int lanes, std::uint16_t user);
  [[nodiscard]] std::string finish();

 private:
  static constexpr int kSegment = 2048;  ///< blocks of a segment of a run
  void end_segment();

  Sha256 segment_;
  Sha256 all_;
  int blocks_ = 0;
};

}  // namespace mxgold
