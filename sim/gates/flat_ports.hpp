// A netlist whose wires are vectors of vectors, for Yosys 0.23, which reads none.
#pragma once

#include <string>
#include <string_view>

namespace mx::sim {

/// The text of sim/lanes/widen.hpp with one range for each wire: `[31:0][63:0] words_i` becomes
/// `[2047:0] words_i`, and `words_i[3]` `words_i[3*64 +: 64]`. All else stays.
[[nodiscard]] std::string with_flat_ports(std::string_view netlist);

}  // namespace mx::sim
