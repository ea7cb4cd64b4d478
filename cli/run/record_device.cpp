// The devices and judges of runs over records, as options name them.
#include <algorithm>
#include <cmath>

#include "cli/base/command.hpp"
#include "cli/run/options.hpp"
#include "cli/vectors/verify_oracle.hpp"
#include "sim/record/process.hpp"
#include "sim/record/reference.hpp"

namespace mx::cli {

std::unique_ptr<sim::RecordDevice> make_record_device(const RunCommand& command,
                                                      const sim::DutKind& kind,
                                                      const golden::Observed& observed) {
  const std::string argument(run_dut_argument(command.dut));
  if (kind.is_program) {
    const auto measured = [](double seconds) {
      return std::chrono::milliseconds(std::llround(seconds * 1000));
    };
    sim::ProcessOptions options{argument, measured(command.time_out)};
    if (command.start_time_out) options.start_time_out = measured(*command.start_time_out);
    options.channel = command.pipe == "fifo" ? sim::Channel::kFifo : sim::Channel::kStdio;
    options.answer_prefix = command.answer_prefix;
    options.observed = observed;
    return std::make_unique<sim::ProcessDevice>(options);
  }
  if (kind.name != "reference") {
    fail(Exit::kUsage,
         "--dut {}: takes blocks of 32 lanes of bytes; process: and reference take "
         "every operation and every block format",
         kind.name);
  }
  const sim::RecordFault* const fault = sim::find_record_fault(argument);
  if (!argument.empty() && fault == nullptr) {
    std::vector<std::string_view> known;
    for (const sim::RecordFault& each : sim::record_faults()) known.push_back(each.token);
    fail(Exit::kUsage, "--dut {}: a fault of blocks on streams; here give one of {}", command.dut,
         fmt::join(known, ", "));
  }
  return std::make_unique<sim::ReferenceDevice>(fault);
}

std::vector<golden::AnswererFactory> judges_of(const RunCommand& command) {
  if (command.judge == "oracle") return {oracle_answerer()};
  if (command.judge == "certificate") {
    fail(Exit::kUsage,
         "--judge certificate: certificates alone judge devices with a clock; give reference, both "
         "or oracle");
  }
  if (command.judge != "reference" && command.judge != "both") {
    fail(Exit::kUsage, "--judge '{}': give reference, both or oracle", command.judge);
  }
  return {};
}

}  // namespace mx::cli
