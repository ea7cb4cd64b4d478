#include "sim/dut/kind.hpp"

#include <array>

// One line a device: NAME stands for `DutKind NAME_dut()` in namespace mx::sim.
#define MX_DUT_KINDS(ROW) \
  ROW(rtl)                \
  ROW(reference)          \
  ROW(cuda_host)          \
  ROW(cuda)               \
  ROW(process)            \
  ROW(device)             \
  ROW(plugin)

namespace mx::sim {

#define MX_DECLARE(name) DutKind name##_dut();
MX_DUT_KINDS(MX_DECLARE)
#undef MX_DECLARE

std::span<const DutKind> all_dut_kinds() {
#define MX_ROW(name) name##_dut(),
  static const std::array kKinds = {MX_DUT_KINDS(MX_ROW)};
#undef MX_ROW
  return kKinds;
}

}  // namespace mx::sim
