// The ports of a module as Verilator made them: what stands in the header of the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mx::sim {

struct Port {
  std::string name;    ///< as the module spells it
  std::string member;  ///< of the model
  bool is_input = true;
  unsigned width = 1;     ///< in all
  unsigned elements = 0;  ///< of an unpacked array, element 0 lowest; 0: it is none
  bool is_supported = true;
};

/// Every port in the text of a Verilated header.
[[nodiscard]] std::vector<Port> ports_of(std::string_view header);

}  // namespace mx::sim
