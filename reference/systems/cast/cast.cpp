#include "reference/systems/cast/cast.hpp"

#include <iterator>

#include "reference/systems/aimet/aimet.hpp"
#include "reference/systems/dmx/dmx.hpp"
#include "reference/systems/microxcaling/text/microxcaling_cast.hpp"
#include "reference/systems/qtorch/cast.hpp"
#include "reference/systems/torchmx/casts.hpp"

namespace mx::systems {
namespace {

struct System {
  std::string_view name;
  Checked<CastPointer> (*make)(std::string_view body, const Setting& setting);
};

/// One line for each system.
constexpr System kSystems[] = {
    {"aimet", aimet::make_cast},           //
    {"dmx", dmx::make_dmx_cast},           //
    {"microxcaling", microxcaling::make},  //
    {"qtorch", qtorch::make},              //
    {"torchmx", torchmx::make},            //
};

}  // namespace

std::string_view system_name(std::size_t index) {
  return index < std::size(kSystems) ? kSystems[index].name : std::string_view{};
}

Checked<CastPointer> make_cast(std::string_view text, const Setting& setting) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const System& each : kSystems) {
    if (colon != std::string_view::npos && each.name == name) {
      return each.make(text.substr(colon + 1), setting);
    }
  }
  std::string names;
  for (const System& each : kSystems) {
    names += ' ';
    names += each.name;
  }
  return Problem{"ValueError: position 0: a system and a colon are expected, one of" + names};
}

}  // namespace mx::systems
