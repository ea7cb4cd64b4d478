// The smoke suite through the harness against a mutated mx_quantizer of 32 lanes: exit status and
// verdict of `mxgold run --dut rtl --suite smoke`.
#include <cstdio>

#include MX_MODEL_HEADER
#include "sim/dut/verilated_model.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

int run_smoke() {
  const auto make_dut = [] { return std::make_unique<VerilatedModel<MX_MODEL>>("mutant"); };
  RunOptions options;
  options.stop_after = 1;
  const RunResult result = run(test::smoke(), make_dut, options);
  if (!result.failures.empty()) std::puts(result.failures[0].what.c_str());
  std::printf("exit code %d, %llu blocks wrong\n", result.exit_code(),
              static_cast<unsigned long long>(result.tallies.total().bad_blocks));
  return result.exit_code();
}

}  // namespace
}  // namespace mx::sim

int main() { return mx::sim::run_smoke(); }
