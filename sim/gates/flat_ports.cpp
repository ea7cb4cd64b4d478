#include "sim/gates/flat_ports.hpp"

#include <regex>
#include <set>

namespace mx::sim {

std::string with_flat_ports(std::string_view netlist) {
  static const std::regex kDeclared(R"(\[(\d+):0\]\[(\d+):0\] (\w+);)");
  // A plain name, which no escaped one ends with, and the number in brackets behind it.
  static const std::regex kUsed(R"((^|[^\w\\.$\]])([a-z]\w*)\[(\d+)\])");
  std::string text(netlist);
  std::set<std::string> names;
  std::string width;
  for (std::sregex_iterator at(text.begin(), text.end(), kDeclared), end; at != end; ++at) {
    names.insert((*at)[3]);
    width = std::to_string(std::stoi((*at)[2]) + 1);
  }
  text = std::regex_replace(text, kDeclared, "[($1+1)*($2+1)-1:0] $3;");
  std::string flat;
  std::size_t from = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), kUsed), end; at != end; ++at) {
    if (!names.contains((*at)[2])) continue;
    // Up to the bracket the text stays.
    const auto bracket = static_cast<std::size_t>(at->position(3)) - 1;
    flat.append(text, from, bracket - from);
    flat.append("[").append((*at)[3].str()).append("*").append(width);
    flat.append(" +: ").append(width).append("]");
    from = static_cast<std::size_t>(at->position() + at->length());
  }
  return flat + text.substr(from);
}

}  // namespace mx::sim
