// SPDX-License-Identifier: Apache-2.0
// A run on streams as what JSON, JUnit and the page print.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "golden/configuration/text.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/judge/explain.hpp"
#include "sim/report/report.hpp"
#include "sim/report/texts.hpp"

namespace mx::sim {
namespace {

/// The first mismatch of a configuration; nothing where it has none.
std::optional<ReportFirst> first_of(const RunResult& result, std::size_t config,
                                    const ReportFacts& facts, ReferenceModel& model) {
  const auto found = std::ranges::find_if(
      result.first_of_each, [&](const Mismatch& m) { return m.block.config == config; });
  if (found == result.first_of_each.end()) return std::nullopt;
  return ReportFirst{found->index, mismatch_text(*found, model, facts),
                     facts.replay(found->index, found->index + 1)};
}

void add_cells(const RunResult& result, const ReportFacts& facts, ReferenceModel& model,
               RunReport& report) {
  const RecordRun& run = result.records;
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    if (run.by_config[i].vectors == 0) continue;
    const QuantizerConfig& config = config_at(result.configs, static_cast<std::uint32_t>(i));
    ReportCell cell = report_cell(result.configs[i], run, i);
    cell.row =
        fmt::format("{} {}", config.format.element.name,
                    is_stochastic(config.element.rounding) ? std::string_view("stochastic")
                                                           : token_of(config.element.rounding));
    cell.column = token_of(config.block.rule);
    cell.first = first_of(result, i, facts, model);
    report.cells.push_back(std::move(cell));
  }
}

void add_mismatches(const RunResult& result, const ReportFacts& facts, ReferenceModel& model,
                    RunReport& report) {
  const golden::VectorHeader header = block_header(result.configs);
  for (std::size_t i = 0; i < shown_of(result, facts).size(); ++i) {
    const RecordMismatch& record = result.records.mismatches[i];
    const std::uint64_t number = record.number;
    ReportMismatch mismatch = mismatch_words(header, record.expected, record.actual, record.open);
    mismatch.number = number;
    mismatch.from = facts.describe(number);
    mismatch.text = explain(result.mismatches[i], model);
    mismatch.replay = facts.replay(number, number + 1);
    report.mismatches.push_back(std::move(mismatch));
  }
}

}  // namespace

RunReport report_of(const RunResult& result, const ReportFacts& facts) {
  RunReport report;
  report.thing = "block";
  report.exit_code = result.exit_code();
  report.interrupted = result.interrupted;
  report.line = verdict_line(result, facts);
  report.line.resize(report.line.find('\n'));
  report.again = facts.replay(0, result.declared);
  report.dut = facts.asked.empty() ? facts.dut : facts.asked;
  report.device = facts.dut;
  report.operation = "block";
  report.input = facts.input;
  report.seed = facts.seed;
  report.set_seed = facts.seed;
  report.judged_by = facts.judged_by;
  report.judge = facts.judge;
  report.observed = facts.observed.text();
  report.schedule = {{"stall", facts.stall}, {"reset", facts.reset}};
  report.not_offered = facts.not_offered;
  report.narrowed = facts.narrowed;
  report.part = facts.part;
  report.declared = result.declared;
  report.offered = result.drive.offered;
  report.collected = result.drive.collected;
  report.counts = {result.records.verdict, result.records.certificates()};
  report.clock = {result.drive.cycles, result.drive.resets};
  report.seconds = result.seconds;
  report.digest = result.digest;
  ReferenceModel model(result.configs);
  add_cells(result, facts, model, report);
  add_mismatches(result, facts, model, report);
  for (const ProtocolFailure& each : result.failures) {
    report.failures.push_back({each.first, each.last, each.what, failure_text(each, facts),
                               facts.replay(each.first, each.last)});
  }
  report.disagreements = disagreements_text(result, facts);
  report.disagreed = result.disagreed;
  report.causes = facts.causes;
  report.waivers = result.waivers;
  return report;
}

}  // namespace mx::sim
