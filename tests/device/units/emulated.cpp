// The device of plugin.cpp where there is none: the reference answers.
#include "tests/device/matrix/emulated.hpp"

namespace mx::probe {

Answer ask_device(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                  const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  return ask_reference(instruction, a, b, c);
}

std::string device_name() { return "the reference"; }

std::string obstacle() { return ""; }

}  // namespace mx::probe
