// The Verilated quantizer by name, also where the build has none.
#include "sim/dut/kind.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {

DutKind rtl_dut() {
  DutKind kind{.name = "rtl",
               .argument = "[:FAULT|FOLDER|UNIT,NAME=VALUE,...]",
               .help = "our RTL: the quantizer, or UNIT mx_dequantizer, mx_nvfp4_quantizer, mx_dot",
               .random_bits = kRtlRandomBits,
               .zeroes_dont_care = true};  // spec R6
#ifdef MX_HAVE_RTL
  kind.make = [](const DutRequest& request) -> DutFactory {
    if (request.argument.empty()) return make_rtl_dut;
    const RtlBuild build = load_rtl(request.argument, Tracing::kAbsent);
    return [build, name = "rtl:" + request.argument] {
      return make_loaded_rtl_dut(name, *build.functions, build.fault, nullptr);
    };
  };
#else
  kind.missing = "this build has no Verilated RTL; configure with MXGOLD_SIM=ON and verilator";
#endif
  return kind;
}

#ifndef MX_HAVE_RTL
std::span<const RtlFile> rtl_files() { return {}; }
std::unique_ptr<Dut> make_loaded_rtl_dut(const std::string&, const RtlFunctions&, int,
                                         RtlRecording*) {
  return nullptr;
}
#endif

}  // namespace mx::sim
