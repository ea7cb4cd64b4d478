// What refutes a statement, as a block through the whole of our RTL, simulated.
#pragma once

#include <optional>
#include <string>

#include "sim/formal/obligation.hpp"
#include "sim/shrink/replay_file.hpp"

namespace mx::cli {

/// The block for an example of a solver: that of P5 and P6 as it stands, words of P2 in lanes of
/// their own, of P1 the word beside a number that brings its scale about. Codes of the
/// configuration that mean nothing become 0. Nothing where the example is of no block.
[[nodiscard]] std::optional<sim::ReplayFile> block_of(const sim::Obligation& obligation,
                                                      const std::string& example,
                                                      const std::string& rtl);

/// Simulates it and says in lines what the RTL answers and what is right, or why it cannot be. The
/// file for `mxgold replay` is left in `folder`, if that is not "", where the two differ.
[[nodiscard]] std::string replayed(const sim::Obligation& obligation, const std::string& example,
                                   const std::string& rtl, const std::string& folder);

}  // namespace mx::cli
