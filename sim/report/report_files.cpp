// The reports of a run for programs: JSON and JUnit.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "golden/bytes/json_text.hpp"
#include "golden/configuration/text.hpp"
#include "sim/report/junit.hpp"
#include "sim/report/policies.hpp"
#include "sim/report/report.hpp"
#include "sim/report/texts.hpp"
#include "sim/report/waivers.hpp"

namespace mx::sim {
namespace {

/// Blocks, the words of all answers and the elements among them, by what became of them.
std::vector<JUnitCount> counts_of(const Tally& tally) {
  return {{"blocks", tally.blocks},
          {"blocks_compared", tally.judged()},
          {"blocks_without_compared_word", tally.unjudged},
          {"wrong_blocks", tally.bad_blocks},
          {"elements", tally.elements},
          {"elements_compared", tally.codes.compared},
          {"elements_dont_care", tally.codes.dont_care},
          {"elements_open", tally.codes.open},
          {"elements_unobserved", tally.codes.unobserved},
          {"elements_waived", tally.codes.waived},
          {"words_compared", tally.words},
          {"words_dont_care", tally.dont_care},
          {"words_open", tally.open},
          {"words_unobserved", tally.unobserved},
          {"words_waived", tally.waived},
          {"elements_certified", tally.certified},
          {"elements_without_certificate", tally.uncertified},
          {"scales_certified", tally.certified_scales}};
}

/// The first mismatch of a configuration; nullptr where it has none.
const Mismatch* first_of(const RunResult& result, std::uint32_t config) {
  const auto found = std::ranges::lower_bound(result.first_of_each, config, {},
                                              [](const Mismatch& m) { return m.block.config; });
  const bool is_there = found != result.first_of_each.end() && found->block.config == config;
  return is_there ? &*found : nullptr;
}

}  // namespace

nlohmann::ordered_json policies_json(const golden::JudgedBy& judged_by) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : judged_by.policies) json[name] = value;
  return json;
}

nlohmann::ordered_json part_json(const RunPart& part) {
  return {{"shard", fmt::format("{}/{}", part.shard, part.shards)},
          {"only", part.only},
          {"whole", part.whole},
          {"left_to_other_runs", part.left_out()}};
}

std::string report_json(const RunResult& result, const ReportFacts& facts) {
  nlohmann::ordered_json report;
  const Tally total = result.tallies.total();
  report["verdict"] = result.interrupted != 0   ? "INTERRUPTED"
                      : result.exit_code() == 0 ? "PASS"
                                                : "FAIL";
  report["exit_code"] = result.exit_code();
  const std::string line = verdict_line(result, facts);
  report["line"] = line.substr(0, line.find('\n'));
  report["dut"] = facts.dut;
  report["input"] = facts.input;
  report["seed"] = facts.seed;
  report["profile"] = facts.judged_by.profile;
  report["policies"] = policies_json(facts.judged_by);
  report["observed"] = facts.observed.text();
  report["stall"] = facts.stall;
  report["reset"] = facts.reset;
  report["blocks"] = {{"declared", result.declared},         {"offered", result.drive.offered},
                      {"collected", result.drive.collected}, {"checked", total.blocks},
                      {"compared", total.judged()},          {"wrong", total.bad_blocks}};
  report["part"] = part_json(facts.part);
  report["elements"] = {{"all", total.elements},
                        {"checked", total.codes.compared},
                        {"dont_care", total.codes.dont_care},
                        {"open", total.codes.open},
                        {"unobserved", total.codes.unobserved},
                        {"waived", total.codes.waived},
                        {"wrong", total.bad_elements}};
  report["words"] = {{"compared", total.words},
                     {"dont_care", total.dont_care},
                     {"open", total.open},
                     {"unobserved", total.unobserved},
                     {"waived", total.waived}};
  report["blocks_without_compared_word"] = total.unjudged;
  report["certificates"] = {{"judge", facts.judge},
                            {"elements", total.certified},
                            {"scales", total.certified_scales},
                            {"elements_without", total.uncertified},
                            {"disagreements", result.disagreed}};
  report["not_offered"] = nlohmann::ordered_json::array();
  for (const NotOffered& each : facts.not_offered) {
    report["not_offered"].push_back(
        {{"configurations", each.configurations}, {"blocks", each.blocks}, {"why", each.why}});
  }
  report["narrowed"] = {{"by", facts.narrowed.by},
                        {"configurations_with_other_values", facts.narrowed.others},
                        {"configurations_of_suite", facts.narrowed.whole}};
  report["cycles"] = result.drive.cycles;
  report["resets"] = result.drive.resets;
  report["seconds"] = result.seconds;
  report["digest"] = result.digest;
  report["cells"] = nlohmann::ordered_json::array();
  ReferenceModel model(result.configs);
  for (std::uint32_t i = 0; i < result.tallies.cells().size(); ++i) {
    const Tally& cell = result.tallies.at(i);
    if (cell.blocks == 0) continue;
    nlohmann::ordered_json fields;
    for (const auto& [field, value] : golden::fields_of(result.configs[i])) fields[field] = value;
    nlohmann::ordered_json entry = {{"configuration", fields},
                                    {"wrong_elements", cell.bad_elements}};
    for (const auto& [name, count] : counts_of(cell)) entry[std::string(name)] = count;
    if (const Mismatch* const first = first_of(result, i)) {
      entry["first_mismatch"] = {{"block", first->index},
                                 {"text", mismatch_text(*first, model, facts)},
                                 {"replay", facts.replay(first->index, first->index + 1)}};
    }
    report["cells"].push_back(entry);
  }
  report["mismatches"] = nlohmann::ordered_json::array();
  for (const Mismatch& m : shown_of(result, facts)) {
    report["mismatches"].push_back({{"block", m.index},
                                    {"from", facts.describe(m.index)},
                                    {"configuration", m.block.config},
                                    {"source", m.block.source},
                                    {"random", m.block.random},
                                    {"keep", m.block.keep},
                                    {"expected_status", m.expected.status},
                                    {"device_status", m.actual.status},
                                    {"expected_codes", m.expected.codes},
                                    {"device_codes", m.actual.codes},
                                    {"replay", facts.replay(m.index, m.index + 1)}});
  }
  report["causes"] = causes_json(facts.causes, "block");
  report["waivers"] = waivers_json(result.waivers);
  report["protocol_failures"] = nlohmann::ordered_json::array();
  for (const ProtocolFailure& f : result.failures) {
    report["protocol_failures"].push_back({{"first", f.first},
                                           {"last", f.last},
                                           {"what", f.what},
                                           {"replay", facts.replay(f.first, f.last)}});
  }
  return golden::dumped(report, 2) + "\n";
}

std::string report_junit(const RunResult& result, const ReportFacts& facts) {
  JUnitReport report(facts.input, facts.dut, result.seconds);
  std::vector<JUnitCount> counts = counts_of(result.tallies.total());
  NotOffered sum;
  for (const NotOffered& each : facts.not_offered) {
    sum.configurations += each.configurations;
    sum.blocks += each.blocks;
  }
  counts.push_back({"configurations_not_offered", sum.configurations});
  counts.push_back({"blocks_not_offered", sum.blocks});
  counts.push_back({"blocks_left_to_other_runs", facts.part.left_out()});
  counts.push_back({"configurations_with_other_values", facts.narrowed.others});
  report.add_counts(counts);
  report.add_facts({{"seed", std::to_string(facts.seed)},
                    {"digest", result.digest},
                    {"profile", facts.judged_by.profile},
                    {"policies", facts.judged_by.policies_text()},
                    {"stall", facts.stall},
                    {"reset", facts.reset},
                    {"observed", facts.observed.text()},
                    {"narrowed_by", facts.narrowed.by}});
  ReferenceModel model(result.configs);
  for (std::uint32_t i = 0; i < result.tallies.cells().size(); ++i) {
    const Tally& cell = result.tallies.at(i);
    if (cell.blocks == 0) continue;
    report.add_case(golden::summary_of(result.configs[i]), counts_of(cell));
    if (cell.judged() == 0) {
      report.fail(fmt::format("nothing compared in {} blocks", cell.blocks), "");
    } else if (const Mismatch* const first = first_of(result, i)) {
      report.fail(fmt::format("{} of {} blocks differ", cell.bad_blocks, cell.blocks),
                  mismatch_text(*first, model, facts));
    }
  }
  add_waivers(report, result.waivers);
  report.add_text(verdict_line(result, facts));
  report.add_text(causes_text(facts.causes, result.tallies.total().bad_blocks, "block"));
  report.add_case("protocol", {});
  if (result.interrupted != 0) report.break_off(verdict_line(result, facts), "");
  if (result.exit_code() == 4 || result.exit_code() == 6) {
    std::string text = disagreements_text(result, facts);
    for (const ProtocolFailure& failure : result.failures) text += failure_text(failure, facts);
    report.break_off(verdict_line(result, facts), text);
  }
  return report.text();
}

}  // namespace mx::sim
