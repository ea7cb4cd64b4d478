// The Verilated quantizer by name, also where the build has none.
#include "sim/dut/kind.hpp"
#include "sim/dut/verilated.hpp"

namespace mx::sim {

DutKind rtl_dut() {
  DutKind kind{.name = "rtl",
               .argument = "",
               .help = "the Verilated quantizer",
               .random_bits = kRtlRandomBits,
               .zeroes_dont_care = true};  // spec R6
#ifdef MX_HAVE_RTL
  kind.make = [](const DutRequest&) -> DutFactory { return make_rtl_dut; };
#else
  kind.missing = "this build has no Verilated RTL; configure with MXGOLD_SIM=ON and verilator";
#endif
  return kind;
}

}  // namespace mx::sim
