// The operands of a whole vector file: a pure function of its header. What the name of a set says
// can be made again and compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/stimulus/suite.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// The suite of a header's name, or nothing where its vectors come from elsewhere (tensors).
[[nodiscard]] std::optional<SuiteKind> suite_kind(const VectorHeader& header);

/// The vectors of all configurations, before they are cut into shards: those of configuration 0
/// first, except in `policy`, where the configurations take turns.
class Stimulus {
 public:
  /// The header names a suite; shard and count are not looked at. It must live as long. Throws as
  /// make_suite.
  explicit Stimulus(const VectorHeader& header);
  ~Stimulus();

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] const std::vector<StimulusClass>& classes() const;
  [[nodiscard]] std::uint64_t duplicates() const;
  /// Replaces the batch by the operands of vectors [first, last), config and tuser included, `open`
  /// not. Thread-safe.
  void fill(std::uint64_t first, std::uint64_t last, RecordBatch& batch) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The vectors of a shard: numbers [first, first + count) of `total`, lengths that differ by one at
/// most.
struct ShardRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
[[nodiscard]] ShardRange shard_range(std::uint64_t total, std::uint64_t shard,
                                     std::uint64_t shards);

}  // namespace mx::golden
