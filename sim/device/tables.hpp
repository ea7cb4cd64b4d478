// A description and the module's ports, checked against each other, as the tables that the bench
// is compiled with.
#pragma once

#include <string>
#include <vector>

#include "sim/device/description.hpp"
#include "sim/device/ports.hpp"

namespace mx::sim {

/// The text of mx_device.cpp. Throws golden::VectorError, naming file, member and remedy, for ports
/// that the module does not have, that do not fit, or that nothing is said of.
[[nodiscard]] std::string device_tables(const Description& description,
                                        const std::vector<Port>& ports);

}  // namespace mx::sim
