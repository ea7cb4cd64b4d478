// SPDX-License-Identifier: Apache-2.0
// The digest of a run's answers in order, whatever segment of it is done first.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "golden/bytes/sha256.hpp"

namespace mx::sim {

class OrderedDigest {
 public:
  /// Adds bytes of a segment, each segment's own in order.
  void add(std::size_t segment, std::span<const std::byte> bytes);
  /// No more bytes of that segment will come.
  void end(std::size_t segment);
  /// SHA-256, once every segment has ended.
  [[nodiscard]] std::string finish() { return golden::to_hex(all_.finish()); }

 private:
  struct Early {
    std::string bytes;
    bool has_ended = false;
  };

  std::size_t next_ = 0;  ///< the segment whose bytes are digested as they come
  std::map<std::size_t, Early> early_;
  golden::Sha256 all_;
};

}  // namespace mx::sim
