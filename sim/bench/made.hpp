// What the program writes for a device: mx_device.cpp.
#pragma once

#include <memory>

#include "sim/bench/drive.hpp"

class VerilatedContext;

namespace mx::bench {

[[nodiscard]] const Tables& made_tables();
[[nodiscard]] std::unique_ptr<Device> make_device(VerilatedContext* context);

}  // namespace mx::bench
