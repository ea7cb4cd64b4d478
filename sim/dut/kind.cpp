#include "sim/dut/kind.hpp"

#include <utility>

// One line a device: NAME stands for `DutKind NAME_dut()` in namespace mx::sim.
#define MX_DUT_KINDS(ROW) \
  ROW(rtl)                \
  ROW(reference)          \
  ROW(cpu)                \
  ROW(cuda_host)          \
  ROW(cuda)               \
  ROW(systemc)            \
  ROW(process)            \
  ROW(device)             \
  ROW(plugin)

namespace mx::sim {

#define MX_DECLARE(name) DutKind name##_dut();
MX_DUT_KINDS(MX_DECLARE)
#undef MX_DECLARE

namespace {

std::vector<DutKind>& rows() {
#define MX_ROW(name) name##_dut(),
  static std::vector<DutKind> rows = {MX_DUT_KINDS(MX_ROW)};
#undef MX_ROW
  return rows;
}

}  // namespace

void add_dut_kind(DutKind kind) { rows().insert(rows().begin(), std::move(kind)); }

std::span<const DutKind> all_dut_kinds() { return rows(); }

}  // namespace mx::sim
