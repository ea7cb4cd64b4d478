// SPDX-License-Identifier: Apache-2.0
// Does each block of a stream get the answer that is its own, whatever else is in the pipeline?
//
// Beside the RTL in its stream stands the RTL held still: one block at its inputs for ever, its
// random word too, nothing waits, so that every register holds what it makes of that block. In the
// stream the block is one of many, at any place. Where it stands is counted from outside: beats
// that were taken, that left, that drew a random word. For each place that can be, this is the
// largest set of registers that hold what those of the RTL held still do, each time a block is at
// that place: found from the way in, register by register, and asked of ABC one cycle at a time.
// Everything else, registers and inputs, is free. The question is whether the answer that leaves
// is that of the RTL held still.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/gates/circuit.hpp"

namespace mx::sim {

/// Two circuits without registers, in AIGER: the same inputs, outputs that must be equal.
struct OwnBlockQuestion {
  std::string stream, still;
  std::size_t places = 0;     ///< of a block, by handshake and counts
  std::size_t cycles = 0;     ///< that are different for the registers of data
  std::size_t outputs = 0;    ///< bits that are compared
  std::size_t handshake = 0;  ///< registers of the handshake
  std::string foreign;        ///< the first register that looks at the block and at something else
};

/// Of a unit whose blocks have one beat. `withheld` is the port that the block of the
/// stream does not share with the one held still, "s_axis_tuser[25]": a control; "" for none.
/// Throws ToolError where a port is missing.
[[nodiscard]] OwnBlockQuestion own_block_question(const Circuit& rtl, const std::string& withheld);

/// Another word where other circuits are made of the same RTL: verdicts are kept under it.
inline constexpr std::string_view kOwnBlockForm = "4";

/// The same of rtl.aig and rtl.map in a folder; leaves stream.aig and still.aig there for ABC.
/// `one` is an input that is 1 in each beat that is offered, or "". Says in a line what is
/// compared.
[[nodiscard]] std::string ask_own_block(const std::filesystem::path& folder, const std::string& one,
                                        const std::string& withheld);

/// Of that line and ABC's log where they differ: the output, and what is not the block's own.
[[nodiscard]] std::string foreign_of(const std::string& log);

}  // namespace mx::sim
