#include "emulators/casts/casts.hpp"

#include <iterator>

#include "emulators/aimet/aimet.hpp"
#include "emulators/dmx/dmx.hpp"
#include "emulators/microxcaling/text/microxcaling_cast.hpp"
#include "emulators/qtorch/cast.hpp"
#include "emulators/torchmx/casts.hpp"

namespace mx::emulators {
namespace {

struct Package {
  std::string_view name;
  Checked<CastPointer> (*make)(std::string_view body, const Setting& setting);
};

/// One line for each package.
constexpr Package kPackages[] = {
    {"aimet", aimet::make_cast},           //
    {"dmx", dmx::make_dmx_cast},           //
    {"microxcaling", microxcaling::make},  //
    {"qtorch", qtorch::make},              //
    {"torchmx", torchmx::make},            //
};

}  // namespace

std::string_view package_name(std::size_t index) {
  return index < std::size(kPackages) ? kPackages[index].name : std::string_view{};
}

Checked<CastPointer> make_cast(std::string_view text, const Setting& setting) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Package& each : kPackages) {
    if (colon != std::string_view::npos && each.name == name) {
      return each.make(text.substr(colon + 1), setting);
    }
  }
  std::string names;
  for (const Package& each : kPackages) {
    names += ' ';
    names += each.name;
  }
  return Problem{"ValueError: position 0: a system and a colon are expected, one of" + names};
}

}  // namespace mx::emulators
