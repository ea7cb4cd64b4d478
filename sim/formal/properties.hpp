// The statements, a list for each part of the RTL (docs/proofs.md).
#pragma once

#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// P1, for each element format: every source word under every scale code, each deterministic
/// rounding, overflow, NaN, zero-sign, int_min and source subnormal policy.
[[nodiscard]] std::vector<Obligation> lane_obligations();
/// P1s, for each element format: the same under stochastic rounding A of 8 bits, every random word.
[[nodiscard]] std::vector<Obligation> stochastic_lane_obligations();

/// P1f and P1fs, for each element format: code, underflow and saturated of a lane, kept or not.
[[nodiscard]] std::vector<Obligation> lane_flag_obligations();

/// P2, for each rule and element format: the scale code of a block with one number, with or without
/// NaN and infinities beside it, is that of the scale certificate, for every source word and
/// policy.
[[nodiscard]] std::vector<Obligation> scale_obligations();
/// P2.order: of two words that both count, the one with the larger magnitude has no smaller key.
[[nodiscard]] std::vector<Obligation> order_obligations();
/// P3: block records of several keys are those of their largest key.
[[nodiscard]] std::vector<Obligation> maximum_obligations();

/// P4: blocks leave the quantizer in order, each once, with its own answer, in bounded time,
/// whatever the sender and the receiver do in each cycle.
[[nodiscard]] std::vector<Obligation> stream_obligations();
/// P4n, for builds of each unit whose blocks have one beat: each block has the answer that the RTL,
/// held still, gives to it, whatever stands beside it in the stream.
[[nodiscard]] std::vector<Obligation> own_block_obligations();
/// P4t: blocks of several beats leave in order and in bounded time, over any number of cycles;
/// tkeep and tlast tell them apart.
[[nodiscard]] std::vector<Obligation> queue_obligations();

/// P5 and P5s for each element format: any lane of a block, inside the quantizer as it is wired,
/// has the code of its certificate. P6 for each published build of one format (rtl/synth_report):
/// so it is there.
[[nodiscard]] std::vector<Obligation> core_obligations();
/// P5.scale: the statement that leads from the whole core to P2, which is about one word.
[[nodiscard]] std::vector<Obligation> core_scale_obligations();

/// P5.lanes and P5.record: the lanes of the core are lanes alone, and are told what those are.
[[nodiscard]] std::vector<Obligation> core_lane_obligations();

/// P5.flags: underflow and saturated of a block are set where a lane sets them.
[[nodiscard]] std::vector<Obligation> core_flag_obligations();

/// P7 for each published build, and for the lanes that sweeps of netlists simulate: the netlist
/// that Yosys makes does what the RTL does.
[[nodiscard]] std::vector<Obligation> netlist_obligations();
/// One of them: a build (sim/formal/published.hpp), "Lanes=4 InFmtMask=2".
[[nodiscard]] Obligation netlist_obligation(const std::string& name, const std::string& build);

}  // namespace mx::sim
