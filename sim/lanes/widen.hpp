// Many lanes at once: the netlist of one lane, each wire of it as wide as there are lanes.
//
// Yosys makes flip-flops and two-input gates of the bench with one lane. A gate is a bitwise
// operation, so a wire of one bit may carry a vector with a bit for each lane, and the gates then
// compute all lanes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/rtl/faults.hpp"

namespace mx::sim {

/// Lanes of a wide netlist.
inline constexpr int kWideLanesOfWord = 64;

/// `yosys -V`. Throws DutError where there is none.
[[nodiscard]] std::string yosys_version();

/// A netlist as Yosys writes it, wide: `[31:0] words_i` becomes `[31:0][63:0] words_i`; the clock
/// stays. Throws golden::VectorError for a line that is no declaration, gate or flip-flop.
[[nodiscard]] std::string widened_text(std::string_view netlist);

/// The sources with the bench lane_sweep, as one wide netlist. `folder` takes the files between.
/// Throws golden::VectorError where Yosys refuses them.
[[nodiscard]] std::vector<RtlSource> widened(const std::vector<RtlSource>& sources,
                                             const std::filesystem::path& folder);

}  // namespace mx::sim
