// The digest of a run over streams, which is that of a run over records of the same blocks.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "golden/bytes/sha256.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// The answers as the results of records are stored (docs/vector-format.md): of each block scale,
/// codes, flags, a byte each.
[[nodiscard]] std::string answer_bytes(std::span<const BlockOut> answers);

/// SHA-256 over the answers of segments in their order, whichever is done first: how blocks are cut
/// into segments leaves no trace.
class AnswerDigest {
 public:
  void add(std::size_t segment, std::string bytes);
  /// In hexadecimal, once every segment was added.
  [[nodiscard]] std::string finish() { return golden::to_hex(all_.finish()); }

 private:
  golden::Sha256 all_;
  std::size_t next_ = 0;
  std::map<std::size_t, std::string> early_;  ///< segments behind one that is not done
};

}  // namespace mx::sim
