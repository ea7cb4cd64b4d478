// What dmx tells of a format: sizes, identifiers. spec S5.1.
#pragma once

#include <vector>

#include "emulators/common/interface.hpp"
#include "emulators/dmx/format/format.hpp"

namespace mx::emulators::dmx {

/// repr, blocked, bit_precision, bytes_per_elem, bfp_id, largest_representable_power_of_two: those
/// that the class has.
[[nodiscard]] std::vector<Property> properties_of(const Format& format, Mode mode);

/// The identifier of a name in the package's frozen table, 0 where it stands in no row.
[[nodiscard]] int bfp_id_of(std::string_view name);

}  // namespace mx::emulators::dmx
