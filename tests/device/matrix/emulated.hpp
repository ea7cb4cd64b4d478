// What the reference's matrix units (reference/unit) answer in place of a device.
#pragma once

#include "tests/device/matrix/ask.hpp"

namespace mx::probe {

/// As ask_device(), by the unit to which the instruction belongs.
Answer ask_reference(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                     const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c);

}  // namespace mx::probe
