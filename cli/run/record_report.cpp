#include "cli/run/record_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/vectors/check_text.hpp"
#include "cli/verdict/verdict_text.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/judged_by.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/report/junit.hpp"
#include "sim/report/policies.hpp"
#include "sim/report/report.hpp"
#include "sim/report/waivers.hpp"

namespace mx::cli {
namespace {

std::vector<sim::JUnitCount> counts_of(const golden::Verdict& verdict) {
  return {{"records", verdict.vectors},
          {"judged", verdict.judged()},
          {"mismatches", verdict.mismatches},
          {"words_compared", verdict.words},
          {"words_dont_care", verdict.dont_care},
          {"words_open", verdict.open},
          {"words_unobserved", verdict.unobserved},
          {"words_waived", verdict.waived}};
}

nlohmann::ordered_json counts_json(const golden::Verdict& verdict) {
  nlohmann::ordered_json json;
  for (const auto& [name, count] : counts_of(verdict)) json[std::string(name)] = count;
  return json;
}

std::string mismatch_text(const sim::RecordMismatch& m, const RecordFacts& facts) {
  golden::RecordLines lines(facts.header.shape());
  return fmt::format("MISMATCH record {} of {}\n{}  operands: {}\n  replay: {}\n", m.number,
                     facts.input, difference(facts.header, m.expected, m.actual, 0, m.open),
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

std::string_view verdict_word(const sim::RecordRun& run) {
  if (run.interrupted != 0) return "INTERRUPTED";
  if (run.exit_code() == 3) return "NOTHING COMPARED";
  return run.exit_code() == 0 ? "PASS" : "FAIL";
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

std::string record_json(const sim::RecordRun& run, const RecordFacts& facts) {
  nlohmann::ordered_json json = counts_json(run.verdict);
  json["verdict"] = verdict_word(run);
  json["exit_code"] = run.exit_code();
  json["line"] = whole_line(record_verdict_line(run, facts));
  json["dut"] = facts.dut;
  json["input"] = facts.input;
  json["set_id"] = facts.header.set_id();
  json["seed"] = facts.seed;
  json["set_seed"] = facts.header.seed;
  const golden::JudgedBy judged_by = golden::judged_by(facts.header.configs);
  json["profile"] = judged_by.profile;
  json["policies"] = sim::policies_json(judged_by);
  json["judge"] = facts.judge;
  json["observed"] = facts.observed.text(facts.header.shape());
  json["held_to"] = facts.held;
  for (const auto& [name, value] : facts.schedule) json[name] = value;
  json["declared"] = run.declared;
  json["part"] = sim::part_json(facts.part);
  json["protocol_failure"] = run.protocol();
  json["replay"] = run.protocol().empty() ? "" : facts.replay_all();
  json["out_of_step"] = run.shift;
  json["waivers"] = sim::waivers_json(run.waivers);
  json["digest"] = run.digest;
  if (const auto certificates = run.certificates()) {
    json["certificates"] = {{"elements", certificates->elements},
                            {"scales", certificates->scales},
                            {"elements_without", certificates->without},
                            {"disagreements", run.disagreed}};
  }
  json["causes"] = sim::causes_json(facts.causes, "record");
  json["cells"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    nlohmann::ordered_json cell = counts_json(run.by_config[i]);
    for (const auto& [field, value] : golden::fields_of(facts.header.configs[i])) {
      cell["configuration"][field] = value;
    }
    if (const sim::RecordMismatch* const first = run.first_of(i)) {
      cell["first_mismatch"] = {{"record", first->number},
                                {"text", mismatch_text(*first, facts)},
                                {"replay", facts.replay(first->number)}};
    }
    json["cells"].push_back(cell);
  }
  return golden::dumped(json, 2) + "\n";
}

std::string record_junit(const sim::RecordRun& run, const RecordFacts& facts) {
  sim::JUnitReport report(facts.input, facts.dut, run.seconds);
  std::vector<sim::JUnitCount> counts = counts_of(run.verdict);
  if (const auto certificates = run.certificates()) {
    counts.push_back({"elements_certified", certificates->elements});
    counts.push_back({"elements_without_certificate", certificates->without});
    counts.push_back({"scales_certified", certificates->scales});
  }
  counts.push_back({"records_left_to_other_runs", facts.part.left_out()});
  report.add_counts(counts);
  const golden::JudgedBy judged_by = golden::judged_by(facts.header.configs);
  report.add_facts({{"set_id", facts.header.set_id()},
                    {"seed", std::to_string(facts.seed)},
                    {"set_seed", std::to_string(facts.header.seed)},
                    {"digest", run.digest},
                    {"profile", judged_by.profile},
                    {"policies", judged_by.policies_text()},
                    {"judge", facts.judge},
                    {"observed", facts.observed.text(facts.header.shape())},
                    {"held_to", facts.held}});
  for (const auto& [name, value] : facts.schedule) report.add_facts({{name, value}});
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    const golden::Verdict& verdict = run.by_config[i];
    if (verdict.vectors == 0) continue;
    report.add_case(golden::summary_of(facts.header.configs[i]), counts_of(verdict));
    if (verdict.passed()) continue;
    const sim::RecordMismatch* const first = run.first_of(i);
    report.fail(verdict.headline(), first == nullptr ? "" : mismatch_text(*first, facts));
  }
  sim::add_waivers(report, run.waivers);
  report.add_text(record_verdict_line(run, facts));
  report.add_text(sim::causes_text(facts.causes, run.verdict.mismatches, "record"));
  report.add_case("protocol", {});
  if (run.interrupted != 0) {
    report.break_off(fmt::format("INTERRUPTED by signal {}", run.interrupted), "");
  } else if (run.disagreed != 0) {
    report.break_off("judges disagree", disagreements_text(run, facts));
  } else if (!run.protocol().empty()) {
    report.break_off(run.protocol(), protocol_text(run, facts));
  }
  return report.text();
}

}  // namespace mx::cli
