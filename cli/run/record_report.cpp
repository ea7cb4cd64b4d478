#include "cli/run/record_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/vectors/check_text.hpp"
#include "cli/verdict/verdict_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/judged_by.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/report/report.hpp"

namespace mx::cli {
namespace {

std::string mismatch_text(const sim::RecordMismatch& m, const RecordFacts& facts) {
  golden::RecordLines lines(facts.header.shape());
  const std::string place = facts.place(m.number);
  return fmt::format("MISMATCH record {} of {}{}\n{}  operands: {}\n  replay: {}\n", m.number,
                     facts.input, place.empty() ? "" : ", " + place,
                     difference(facts.header, m.expected, m.actual, 0, m.open),
                     lines.operands(m.expected, 0), facts.replay(m.number));
}

/// Right answers that the judges do not agree on: a defect of mxgold, whatever the device does.
std::string disagreements_text(const sim::RecordRun& run, const RecordFacts& facts) {
  golden::RecordLines lines(facts.header.shape());
  std::string text;
  const std::size_t shown = std::min(facts.shown, run.disagreements.size());
  for (const sim::RecordDisagreement& each : std::span(run.disagreements).first(shown)) {
    const bool is_scale = each.field == golden::Field::kScale;
    text += fmt::format(
        "JUDGES DISAGREE record {} of {}\n  {}: expected {:02x}, the certificate says {:02x}\n"
        "  operands: {}\n  replay: {}\n",
        each.number, facts.input, is_scale ? "scale" : fmt::format("element {}", each.lane),
        each.expected, each.certified, lines.operands(each.record, 0), facts.replay_all());
  }
  if (run.disagreed > shown) {
    text += fmt::format("({} more words on which the judges disagree)\n",
                        golden::with_commas(run.disagreed - shown));
  }
  return text;
}

std::string protocol_text(const sim::RecordRun& run, const RecordFacts& facts) {
  return fmt::format("PROTOCOL: {}\n{}  replay: {}\n", run.protocol(),
                     run.shift.empty() ? "" : "  " + run.shift + "\n", facts.replay_all());
}

/// Why a wrong record is wrong, in lines.
std::string told_of(const sim::RecordMismatch& m, const RecordFacts& facts) {
  golden::RecordLines lines(facts.header.shape());
  return difference(facts.header, m.expected, m.actual, 0, m.open) +
         "  operands: " + lines.operands(m.expected, 0);
}

void add_cells(const sim::RecordRun& run, const RecordFacts& facts, sim::RunReport& report) {
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    if (run.by_config[i].vectors == 0) continue;
    sim::ReportCell cell = sim::report_cell(facts.header.configs[i], run, i);
    cell.row = cell.name;
    cell.column = "records";
    if (const sim::RecordMismatch* const first = run.first_of(i)) {
      cell.first = {first->number, mismatch_text(*first, facts), facts.replay(first->number)};
    }
    report.cells.push_back(std::move(cell));
  }
}

void add_mismatches(const sim::RecordRun& run, const RecordFacts& facts, sim::RunReport& report) {
  const std::size_t shown = std::min(facts.shown, run.mismatches.size());
  for (const sim::RecordMismatch& each : std::span(run.mismatches).first(shown)) {
    sim::ReportMismatch mismatch =
        sim::mismatch_words(facts.header, each.expected, each.actual, each.open);
    mismatch.number = each.number;
    mismatch.from = facts.place(each.number);
    mismatch.text = told_of(each, facts);
    mismatch.replay = facts.replay(each.number);
    report.mismatches.push_back(std::move(mismatch));
  }
}

}  // namespace

std::string note_of(const RecordFacts& facts) {
  std::string text;
  for (const std::string& note : {facts.held, sim::part_text(facts.part, "records")}) {
    if (!note.empty()) text += (text.empty() ? "" : "; ") + note;
  }
  return text;
}

std::string record_verdict_line(const sim::RecordRun& run, const RecordFacts& facts) {
  std::string note = sim::judge_text(facts.judge);
  if (const std::string more = note_of(facts); !more.empty())
    note += (note.empty() ? "" : "; ") + more;
  return sim::record_verdict(run, facts.header, {facts.device, facts.seed, note});
}

std::string record_verdict_text(const sim::RecordRun& run, const RecordFacts& facts,
                                const std::string& again) {
  VerdictText verdict;
  verdict.things = "records";
  verdict.result = first_clause(record_verdict_line(run, facts));
  const bool is_counted = run.interrupted != 0 || run.verdict.vectors == run.declared;
  if (!is_counted) {
    verdict.result += fmt::format(
        "; {} of {} records checked, {} differ", golden::with_commas(run.verdict.vectors),
        golden::with_commas(run.declared), golden::with_commas(run.verdict.mismatches));
  }
  const bool has_seed_of_set = facts.header.seed != facts.seed;
  verdict.result += fmt::format(
      "; {}, seed {}{}, dut {}", facts.header.set_id(), facts.seed,
      has_seed_of_set ? fmt::format(" (the set's: {})", facts.header.seed) : "", facts.device);
  for (const std::string& more : {golden::judged_by(facts.header.configs).text(), run.shift}) {
    if (!more.empty()) verdict.result += "; " + more;
  }
  verdict.counts = run.verdict;
  verdict.what = sim::judge_text(facts.judge);
  if (facts.judge == "certificate") verdict.authority = "certificate";
  verdict.left_out = {note_of(facts)};
  const bool is_whole = run.interrupted == 0;
  verdict.again = is_whole && !run.mismatches.empty() ? facts.replay(run.mismatches.front().number)
                  : is_whole && !run.protocol().empty() ? facts.replay_all()
                                                        : again;
  verdict.digest = run.digest;
  return three_lines(verdict);
}

std::string record_failures(const sim::RecordRun& run, const RecordFacts& facts) {
  std::string text = disagreements_text(run, facts);
  const std::size_t shown = std::min(facts.shown, run.mismatches.size());
  for (std::size_t i = 0; i < shown; ++i) text += mismatch_text(run.mismatches[i], facts);
  const std::uint64_t more = run.verdict.mismatches - shown;
  if (more != 0) {
    text += fmt::format("({} more wrong records counted, not shown; --errors N shows more)\n",
                        golden::with_commas(more));
  }
  text += sim::causes_text(facts.causes, run.verdict.mismatches, "record");
  return run.protocol().empty() ? text : text + protocol_text(run, facts);
}

sim::RunReport record_report(const sim::RecordRun& run, const RecordFacts& facts) {
  sim::RunReport report;
  report.thing = "record";
  report.exit_code = run.exit_code();
  report.interrupted = run.interrupted;
  report.line = whole_line(record_verdict_line(run, facts));
  report.again = facts.replay_all();
  report.dut = facts.dut;
  report.device = facts.device;
  report.operation = token_of(facts.header.op);
  report.input = facts.input;
  report.set_id = facts.header.set_id();
  report.seed = facts.seed;
  report.set_seed = facts.header.seed;
  report.judged_by = golden::judged_by(facts.header.configs);
  report.judge = facts.judge;
  report.observed = facts.observed.text(facts.header.shape());
  report.schedule = facts.schedule;
  report.held_to = facts.held;
  report.part = facts.part;
  report.declared = run.declared;
  report.offered = run.declared;
  report.collected = run.verdict.vectors;
  report.counts = {run.verdict, run.certificates()};
  report.seconds = run.seconds;
  report.digest = run.digest;
  add_cells(run, facts, report);
  add_mismatches(run, facts, report);
  if (!run.protocol().empty()) {
    for (const sim::ProtocolFailure& each : run.failures) {
      report.failures.push_back({each.first, each.last, each.what, "", facts.replay_all()});
    }
    report.failures.front().text = protocol_text(run, facts);
  }
  report.out_of_step = run.shift;
  report.disagreements = disagreements_text(run, facts);
  report.disagreed = run.disagreed;
  report.causes = facts.causes;
  report.waivers = run.waivers;
  return report;
}

}  // namespace mx::cli
