// What the bench is compiled with for one device, as C++.
#pragma once

#include <string>

#include "sim/device/fit.hpp"

namespace mx::sim {

/// The text of mx_device.cpp: the tables, and the model's pins by number (sim/bench/made.hpp).
[[nodiscard]] std::string device_source(const FittedDevice& device);

}  // namespace mx::sim
