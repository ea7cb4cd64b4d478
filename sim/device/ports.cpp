#include "sim/device/ports.hpp"

#include <algorithm>
#include <regex>

namespace mx::sim {
namespace {

/// Verilator spells what C++ names may not hold as three underscores, 0 and two hex digits.
std::string module_name(const std::string& member) {
  static const std::regex kCoded("___0([0-9A-F]{2})");
  std::string name;
  std::size_t at = 0;
  for (std::sregex_iterator each(member.begin(), member.end(), kCoded), end; each != end; ++each) {
    const auto start = static_cast<std::size_t>(each->position());
    name += member.substr(at, start - at) + '_';
    name += static_cast<char>(std::stoi((*each)[1], nullptr, 16));
    at = start + static_cast<std::size_t>(each->length());
  }
  return name + member.substr(at);
}

}  // namespace

std::vector<Port> ports_of(std::string_view header) {
  // VL_IN8(&clk,0,0); VL_OUTW(&data,255,0,8); VL_IN16((&v)[4],15,0);
  static const std::regex kPort(
      R"(VL_(IN|OUT|INOUT)(8|16|64|W)?\((\(?)&(\w+)\)?((\[\d+\])*),(\d+),(\d+))");
  const std::string text(header);
  std::vector<Port> ports;
  for (std::sregex_iterator each(text.begin(), text.end(), kPort), end; each != end; ++each) {
    const std::smatch& match = *each;
    Port port;
    port.member = match[4];
    port.name = module_name(port.member);
    port.is_input = match[1] == "IN";
    const std::string sizes = match[5];
    port.is_supported = match[1] != "INOUT" && std::ranges::count(sizes, '[') <= 1;
    port.width = static_cast<unsigned>(std::stoul(match[7]) - std::stoul(match[8]) + 1);
    if (!sizes.empty()) {
      port.elements = static_cast<unsigned>(std::stoul(sizes.substr(1)));
      port.width *= port.elements;
    }
    ports.push_back(port);
  }
  return ports;
}

}  // namespace mx::sim
