// The devices that `mxgold run --dut` names.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/run/options.hpp"
#include "cli/text/names.hpp"
#include "sim/block/fault.hpp"
#include "sim/dut/fast.hpp"
#include "sim/dut/process.hpp"
#include "sim/dut/reference.hpp"
#include "sim/dut/verilated.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kReference = "reference";
constexpr std::string_view kProcess = "process:";

const sim::Fault* fault_of(const std::string& dut) {
  if (dut.size() == kReference.size()) return nullptr;
  const std::string token = dut.substr(kReference.size() + 1);
  const sim::Fault* const fault = sim::find_fault(token);
  if (fault == nullptr) {
    std::vector<std::string_view> known;
    for (const sim::Fault& each : sim::all_faults()) known.push_back(each.token);
    throw Error(Exit::kUsage, unknown_name("fault", token, known));
  }
  return fault;
}

bool is_reference(const std::string& dut) {
  return dut == kReference || dut.starts_with(std::string(kReference) + ":");
}

RunDut process_dut(const RunCommand& command, const golden::VectorHeader& header) {
  sim::ProcessOptions options;
  options.command = command.dut.substr(kProcess.size());
  options.header = header;
  options.time_out = std::chrono::milliseconds(std::llround(command.time_out * 1000));
  if (options.command.empty()) {
    fail(Exit::kUsage, "--dut process: needs a command: --dut process:'./my_simulator --pipe'");
  }
  return {[options] { return std::make_unique<sim::ProcessDut>(options); }, true};
}

}  // namespace

std::vector<std::string_view> run_dut_names() {
  return {
#ifdef MX_HAVE_RTL
      "rtl",
#endif
      "reference", "cuda-host", "cuda", "process:COMMAND"};
}

RunDut run_dut(const RunCommand& command, const golden::VectorHeader& header) {
  const std::string& dut = command.dut;
  if (dut.starts_with(kProcess)) return process_dut(command, header);
  if (is_reference(dut)) {
    const sim::Fault* const fault = fault_of(dut);
    const golden::ConfigWordContext context = header.context;
    return {[context, fault] { return std::make_unique<sim::ReferenceDut>(context, fault); }};
  }
  if (dut == "cuda-host") {
    return {[] { return std::make_unique<sim::FastDut>(sim::FastTarget::kHost); }};
  }
  if (dut == "cuda") {
    return {[] { return std::make_unique<sim::FastDut>(sim::FastTarget::kDevice); }};
  }
  if (dut == "rtl") {
#ifdef MX_HAVE_RTL
    return {[] { return sim::make_rtl_dut(); }};
#else
    fail(Exit::kDut, "this build has no Verilated RTL; configure with MXGOLD_SIM=ON and verilator");
#endif
  }
  throw Error(Exit::kUsage, unknown_name("device", dut, run_dut_names()));
}

}  // namespace mx::cli
