// SPDX-License-Identifier: Apache-2.0
#include "sim/record/ordered_digest.hpp"

namespace mx::sim {

void OrderedDigest::add(std::size_t segment, std::span<const std::byte> bytes) {
  if (segment == next_) {
    all_.update(bytes);
  } else {
    early_[segment].bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

void OrderedDigest::end(std::size_t segment) {
  early_[segment].has_ended = true;
  for (auto found = early_.find(next_); found != early_.end(); found = early_.find(next_)) {
    all_.update(std::as_bytes(std::span(found->second.bytes)));
    if (!found->second.has_ended) {
      found->second.bytes.clear();
      return;
    }
    early_.erase(found);
    ++next_;
  }
}

}  // namespace mx::sim
