// The bench of statements about the stream, and what it counts: mx_proof without its last line.
#pragma once

#include <string>

#include "sim/formal/lane_thresholds.hpp"
#include "sim/formal/obligation.hpp"
#include "sim/stream/kinds.hpp"

namespace mx::sim {

struct StreamQuestion {
  Kinds kinds;
  LaneRounding rounding = LaneRounding::kDeterministic;
  Shape shape;
  Property property = Property::kRight;  ///< the broken one has the marked block leave a beat early
  std::string keep;                      ///< Verilog: tkeep of the beat that is offered
  std::string answers{};  ///< Verilog: what is asserted of a beat that leaves, beside tlast
};

/// Beats in flight at most, cycles in which a ready receiver waits for a whole block, and cycles in
/// which its sender waits.
[[nodiscard]] int in_flight(const Shape& shape);
[[nodiscard]] int waits(const Shape& shape);
[[nodiscard]] int refused(const Shape& shape);

/// Beats of blocks, one of which is marked, and noise where nothing is valid or read. Where a beat
/// leaves, `leaves` says whether the marked block does; marked_out and others_out count the beats
/// of a block that have left.
[[nodiscard]] std::string stream_text(const StreamQuestion& question);

}  // namespace mx::sim
