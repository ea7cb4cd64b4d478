#include "sim/dut/verilated.hpp"

#include "Vmx_quantizer.h"
#include "sim/dut/verilated_model.hpp"

namespace mx::sim {

std::unique_ptr<Dut> make_rtl_dut() {
  return std::make_unique<VerilatedModel<Vmx_quantizer>>("rtl");
}

}  // namespace mx::sim
