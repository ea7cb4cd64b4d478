// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict/stream_verdict.hpp"

#include <fmt/format.h>

#include "cli/verdict/verdict_text.hpp"

namespace mx::cli {
namespace {

std::string result_of(const sim::RunResult& result, const sim::ReportFacts& facts) {
  const sim::Tally total = result.tallies.total();
  std::string text = result.exit_code() == 0
                         ? fmt::format("PASS {0}/{0} blocks", sim::with_commas(total.judged()))
                         : first_clause(sim::verdict_line(result, facts));
  if (result.interrupted == 0 && total.blocks != result.declared) {
    text += fmt::format("; {} of {} blocks checked", sim::with_commas(total.blocks),
                        sim::with_commas(result.declared));
  }
  text += fmt::format("; {}, seed {}, dut {}", facts.input, facts.seed, facts.dut);
  if (facts.observed != sim::Observes{}) text += ", observed " + facts.observed.text();
  const std::string policies = facts.judged_by.text();
  return policies.empty() ? text : text + "; " + policies;
}

}  // namespace

golden::Verdict counts_of(const sim::Tally& total) {
  golden::Verdict counts;
  counts.vectors = total.blocks;
  counts.mismatches = total.bad_blocks;
  counts.unjudged = total.unjudged;
  counts.words = total.words;
  counts.dont_care = total.dont_care;
  counts.open = total.open;
  counts.unobserved = total.unobserved;
  counts.waived = total.waived;
  return counts;
}

std::string stream_verdict(const sim::RunResult& result, const sim::ReportFacts& facts,
                           const std::string& again) {
  VerdictText verdict;
  verdict.things = "blocks";
  verdict.result = result_of(result, facts);
  verdict.what = sim::judge_text(facts.judge);
  if (facts.judge == "certificate") verdict.authority = "certificate";
  verdict.counts = counts_of(result.tallies.total());
  for (const sim::NotOffered& each : facts.not_offered) {
    verdict.left_out.push_back(fmt::format("{} blocks of {} configurations not offered: {}",
                                           sim::with_commas(each.blocks),
                                           sim::with_commas(each.configurations), each.why));
  }
  verdict.left_out.push_back(sim::narrowed_text(facts.narrowed));
  verdict.left_out.push_back(sim::part_text(facts.part, "blocks"));
  verdict.again = again;
  verdict.digest = result.digest;
  return three_lines(verdict);
}

}  // namespace mx::cli
