// The directed blocks of one configuration, class by class: spec V10.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "golden/points/block_kit.hpp"
#include "golden/stimulus/suite.hpp"

namespace mx::golden {

/// All that directed blocks depend on. Configurations that differ in nothing else have the same
/// ones, those under two roundings that draw no random words for example.
struct DirectedFrom {
  ElementFormat source;  ///< fp32, bf16 or fp16
  ElementFormat element;
  ScaleRule rule = ScaleRule::kFloor;
  ScaleSat scale_sat = ScaleSat::kClamp;
  Rounding rounding = Rounding::kTiesToEven;  ///< that where no random words are drawn
  int random_bits = 0;                        ///< 0 there
  SuiteKind kind = SuiteKind::kDirected;      ///< or kSmoke
  std::uint64_t seed = 0;
  int lanes = 1;
  Lengths lengths = Lengths::kFull;
  bool operator==(const DirectedFrom&) const = default;
};

[[nodiscard]] DirectedFrom directed_from(const QuantizerConfig& config,
                                         const SuiteOptions& options);

struct DirectedBlocks {
  std::vector<std::vector<Lane>> blocks;  ///< sorted, each once
  std::vector<StimulusClass> classes;
  std::uint64_t duplicates = 0;
};

/// Blocks may be shorter than from.lanes where lengths vary. Throws std::logic_error if a class
/// came out empty.
[[nodiscard]] DirectedBlocks make_directed_blocks(const DirectedFrom& from);

/// Directed blocks of many configurations, made once each. Thread-safe.
class DirectedShelf {
 public:
  [[nodiscard]] std::shared_ptr<const DirectedBlocks> of(const DirectedFrom& from);

 private:
  struct Entry {
    explicit Entry(const DirectedFrom& asked) : from(asked) {}
    DirectedFrom from;
    std::once_flag made;
    std::shared_ptr<const DirectedBlocks> blocks;
  };

  std::mutex mutex_;
  std::deque<Entry> entries_;  ///< guarded by mutex_, but for what an entry holds
};

}  // namespace mx::golden
