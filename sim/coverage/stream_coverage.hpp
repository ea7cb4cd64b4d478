// Which bins of the coverage model the blocks of a run hit. spec V10.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "golden/coverage/collector.hpp"
#include "sim/block/block.hpp"
#include "sim/block/model.hpp"

namespace mx::sim {

/// Collects for some of a run's configurations; blocks of others are passed over.
class StreamCoverage {
 public:
  /// Configurations [first, last) of `configs`, which must live as long.
  StreamCoverage(const Configurations& configs, std::uint32_t first, std::uint32_t last);

  /// A block with its expected answer and what of it is not compared. Lanes that are not kept count
  /// as the end of the block where they are its last, and as zeros elsewhere.
  void sample(const BlockIn& block, const BlockOut& expected, const BlockOpen& open);

  [[nodiscard]] std::vector<golden::Covergroup> groups() const;

 private:
  void store(const BlockOpen& open);

  golden::VectorHeader header_;
  std::uint32_t first_;
  golden::RecordBatch batch_;
  std::array<std::uint64_t, (kLanes + 2 + 7) / 8> open_{};  ///< as a field `open`
  std::vector<std::unique_ptr<golden::Collector>> collectors_;
  std::vector<std::uint64_t> samples_;
};

}  // namespace mx::sim
