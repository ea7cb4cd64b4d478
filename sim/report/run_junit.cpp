// SPDX-License-Identifier: Apache-2.0
// A run as JUnit XML: a case for each configuration, for each waiver and for the protocol.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/report/junit.hpp"
#include "sim/report/run_report.hpp"
#include "sim/report/waivers.hpp"

namespace mx::sim {
namespace {

/// Transactions, the words of all answers and the elements among them, by what became of them.
std::vector<JUnitCount> counts_of(const ReportCounts& counts, const std::string& thing) {
  const golden::Verdict& verdict = counts.verdict;
  const golden::ElementCounts& codes = verdict.codes;
  std::vector<JUnitCount> list = {{thing + "s", verdict.vectors},
                                  {thing + "s_compared", verdict.judged()},
                                  {thing + "s_without_compared_word", verdict.unjudged},
                                  {"wrong_" + thing + "s", verdict.mismatches},
                                  {"elements", codes.all()},
                                  {"elements_compared", codes.compared},
                                  {"elements_dont_care", codes.dont_care},
                                  {"elements_open", codes.open},
                                  {"elements_unobserved", codes.unobserved},
                                  {"elements_waived", codes.waived},
                                  {"words_compared", verdict.words},
                                  {"words_dont_care", verdict.dont_care},
                                  {"words_open", verdict.open},
                                  {"words_unobserved", verdict.unobserved},
                                  {"words_waived", verdict.waived}};
  if (counts.certificates) {
    list.push_back({"elements_certified", counts.certificates->elements});
    list.push_back({"elements_without_certificate", counts.certificates->without});
    list.push_back({"scales_certified", counts.certificates->scales});
  }
  return list;
}

std::vector<JUnitCount> counts_of_run(const RunReport& report) {
  std::vector<JUnitCount> counts = counts_of(report.counts, report.thing);
  NotOffered sum;
  for (const NotOffered& each : report.not_offered) {
    sum.configurations += each.configurations;
    sum.blocks += each.blocks;
  }
  counts.push_back({"configurations_not_offered", sum.configurations});
  counts.push_back({"blocks_not_offered", sum.blocks});
  counts.push_back({report.thing + "s_left_to_other_runs", report.part.left_out()});
  counts.push_back({"configurations_with_other_values", report.narrowed.others});
  return counts;
}

void add_cells(const RunReport& report, JUnitReport& junit) {
  for (const ReportCell& cell : report.cells) {
    const golden::Verdict& verdict = cell.counts.verdict;
    junit.add_case(cell.name, counts_of(cell.counts, report.thing));
    if (verdict.judged() == 0) {
      junit.fail(fmt::format("nothing compared in {} {}s", verdict.vectors, report.thing), "");
    } else if (verdict.mismatches != 0) {
      junit.fail(
          fmt::format("{} of {} {}s differ", verdict.mismatches, verdict.vectors, report.thing),
          cell.first ? cell.first->text : "");
    }
  }
}

/// What kept the run from a verdict on the device.
void add_protocol(const RunReport& report, JUnitReport& junit) {
  junit.add_case("protocol", {});
  std::string text = report.disagreements;
  for (const ReportFailure& failure : report.failures) text += failure.text;
  if (report.interrupted != 0 || report.exit_code == 4 || report.exit_code == 6) {
    junit.break_off(report.line, text);
  }
}

}  // namespace

std::string report_junit(const RunReport& report) {
  JUnitReport junit(report.input, report.dut, report.seconds);
  junit.add_counts(counts_of_run(report));
  junit.add_facts({{"set_id", report.set_id},
                   {"seed", std::to_string(report.seed)},
                   {"set_seed", std::to_string(report.set_seed)},
                   {"digest", report.digest},
                   {"profile", report.judged_by.profile},
                   {"policies", report.judged_by.policies_text()},
                   {"judge", report.judge},
                   {"observed", report.observed},
                   {"narrowed_by", report.narrowed.by},
                   {"held_to", report.held_to}});
  for (const auto& [name, value] : report.schedule) junit.add_facts({{name, value}});
  add_cells(report, junit);
  add_waivers(junit, report.waivers);
  junit.add_text(report.line + "\n");
  junit.add_text(causes_text(report.causes, report.counts.verdict.mismatches, report.thing));
  add_protocol(report, junit);
  return junit.text();
}

}  // namespace mx::sim
