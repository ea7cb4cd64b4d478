#include "Vmx_quantizer_checked.h"
#include "sim/dut/verilated.hpp"
#include "sim/dut/verilated_model.hpp"

namespace mx::sim {

std::unique_ptr<Dut> make_checked_rtl_dut() {
  return std::make_unique<VerilatedModel<Vmx_quantizer_checked>>("rtl with assertions");
}

}  // namespace mx::sim
