#include "cli/run/shrink.hpp"

#include <fmt/format.h>

#include "cli/text/command_text.hpp"
#include "cli/trust/trust.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/waves/waves.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "sim/judge/explain.hpp"
#include "sim/record/interrupt.hpp"
#include "sim/shrink/replay_file.hpp"

namespace mx::cli {
namespace {

constexpr const char* kNothing = "shrink: nothing failed, no file written\n";
constexpr const char* kNotAlone =
    "shrink: the failure does not show in a run of its own, no file written\n";

sim::ShrinkLimits limits_of(const RunCommand& command) {
  sim::ShrinkLimits limits;
  limits.time = std::chrono::seconds(static_cast<long>(command.shrink_time));
  return limits;
}

template <typename Small>
std::string summary_of(const RunCommand& command, const Small& small, std::string_view thing) {
  const std::size_t questions = small.shrunk.failure.questions.size();
  return fmt::format(
      "shrink: {} -> {} {}, {} -> {} words that are not at rest, in {} runs, {}\n  replay: "
      "{} replay {}{}\n",
      golden::with_commas(small.questions_before), golden::with_commas(questions), thing,
      golden::with_commas(small.words_before), golden::with_commas(small.words),
      golden::with_commas(small.shrunk.tries),
      small.shrunk.is_minimal ? "no further step fails" : "time or runs were over before the end",
      program_word(), shell_quoted(command.shrink), trust_option(command.dut));
}

}  // namespace

std::string shown_text(const sim::Case& failure, const sim::StreamOutcome& outcome) {
  std::string text;
  sim::ReferenceModel model(failure.configs);
  for (const sim::Mismatch& mismatch : outcome.mismatches) {
    text += fmt::format("MISMATCH block {}\n{}", mismatch.index, sim::explain(mismatch, model));
  }
  if (!outcome.protocol.empty()) text += fmt::format("PROTOCOL: {}\n", outcome.protocol);
  return text;
}

std::string shown_text(const golden::VectorHeader& header, const sim::RecordRun& run) {
  std::string text;
  for (const sim::RecordMismatch& m : run.mismatches) {
    text += fmt::format("MISMATCH record {}\n{}", m.number,
                        difference(header, m.expected, m.actual, 0, m.open));
  }
  if (!run.protocol().empty()) text += fmt::format("PROTOCOL: {}\n", run.protocol());
  return text;
}

ShrunkStream write_shrunk_stream(const RunCommand& command, const sim::BlockSource& source,
                                 const sim::RunResult& result, const sim::RunOptions& options,
                                 const sim::DutFactory& make, golden::NewFile& file) {
  if (result.failures.empty() && result.mismatches.empty()) return {kNothing};
  const auto small = sim::shrink_stream(source, result, options, make, limits_of(command));
  if (!small) return {kNotAlone};
  sim::ReplayFile replay;
  replay.device = command.dut;
  replay.observe = command.observe;
  replay.shown = shown_text(small->shrunk.failure, small->failure);
  replay.failure = small->shrunk.failure;
  replay.compare = small->setting.compare;
  replay.seed = small->setting.seed;
  replay.segment = small->setting.segment;
  file.write(sim::replay_json(replay));
  file.commit();
  return {summary_of(command, *small, "blocks") + replay.shown, small};
}

std::string stream_waves(const RunCommand& command, const ShrunkStream& shrunk,
                         const sim::BlockSource& source, const sim::RunResult& result,
                         const sim::RunOptions& options, const sim::DutFactory& make,
                         golden::NewFile& file) {
  const std::string rtl(run_dut_argument(command.dut));
  if (shrunk.small) {
    return write_rtl_waves(rtl, shrunk.small->shrunk.failure, shrunk.small->setting,
                           shrunk.small->failure, command.waves, file);
  }
  if (result.failures.empty() && result.mismatches.empty()) {
    return "waves: nothing failed, no file written\n";
  }
  const auto failing = sim::failing_stream(source, result, options, make, limits_of(command));
  if (!failing) return "waves: the failure does not show in a run of its own, no file written\n";
  return write_rtl_waves(rtl, failing->failure, failing->setting, failing->outcome, command.waves,
                         file);
}

ShrunkRecords write_shrunk_records(const RunCommand& command,
                                   const std::vector<golden::RecordBatch>& records,
                                   const sim::RecordRun& seen, const sim::RecordSetting& setting,
                                   golden::NewFile& file) {
  if (records.empty()) return {kNothing};
  for (const golden::RecordBatch& lot : records) {
    const auto small = sim::shrink_records(lot, seen, setting, limits_of(command));
    if (sim::InterruptWatch::caught() != 0) return {"shrink: interrupted, no file written\n"};
    if (!small) continue;
    sim::ReplayFile replay;
    replay.kind = sim::ReplayKind::kRecords;
    replay.device = command.dut;
    replay.observe = command.observe;
    replay.header = setting.header;
    replay.header.configs = small->shrunk.failure.configs;
    replay.header.count = small->shrunk.failure.questions.size();
    replay.shown = shown_text(replay.header, small->failure);
    replay.failure = small->shrunk.failure;
    replay.compare = setting.options.compare;
    replay.program = {command.pipe, command.answer_prefix,
                      command.judge == "oracle" ? "both" : "reference", command.time_out,
                      command.start_time_out.value_or(command.time_out)};
    if (const sim::DutKind& kind = run_dut_kind(command.dut); kind.is_described || kind.is_plugin) {
      replay.program.stall = command.stall;
      replay.program.reset = command.reset;
      replay.program.seed = command.gen.seed;
    }
    file.write(sim::replay_json(replay));
    file.commit();
    return {summary_of(command, *small, "records") + replay.shown, small};
  }
  return {kNotAlone};
}

}  // namespace mx::cli
