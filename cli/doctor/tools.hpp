// Programs and packages of this machine that mxgold works with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mx::cli {

struct Tool {
  std::string_view group;    ///< heading: "Simulators"
  std::string_view name;     ///< "verilator"
  std::string_view purpose;  ///< what mxgold does with it
  std::string_view remedy;   ///< how to get it
  bool is_found = false;
  std::string version{};  ///< "" where it is not known
};

/// All that mxgold looks for, in the order of the listing, as this machine has them.
[[nodiscard]] std::vector<Tool> tools_here();

}  // namespace mx::cli
