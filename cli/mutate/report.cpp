#include "cli/mutate/report.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

using sim::MutantVerdict;

constexpr std::array kVerdicts = {MutantVerdict::kKilled, MutantVerdict::kEquivalent,
                                  MutantVerdict::kSurvivor, MutantVerdict::kUndecided,
                                  MutantVerdict::kInvalid};

struct Totals {
  std::size_t made = 0, judged = 0, killed = 0, asked_killed = 0, contradictions = 0;
};

Totals totals_of(const MutationReport& report) {
  Totals totals;
  for (const sim::Campaign& campaign : report.campaigns) {
    totals.made += campaign.mutants.size();
    totals.judged += campaign.judged();
    totals.killed += campaign.count(MutantVerdict::kKilled);
    totals.asked_killed += campaign.asked_killed;
    totals.contradictions += campaign.contradictions.size();
  }
  return totals;
}

/// Killed of those judged, in percent; 0 where there are none.
double score_of(std::size_t killed, std::size_t judged) {
  return judged == 0 ? 0 : 100 * static_cast<double>(killed) / static_cast<double>(judged);
}

std::string_view verdict_word(Exit exit) {
  switch (exit) {
    case Exit::kPass:
      return "PASS";
    case Exit::kBadInput:
      return "NOTHING JUDGED";
    default:
      return "FAIL";
  }
}

}  // namespace

Exit exit_of(const MutationReport& report) {
  const Totals totals = totals_of(report);
  if (totals.contradictions != 0) return Exit::kInternal;
  if (totals.judged == 0) return Exit::kBadInput;
  // Products instead of a quotient: a gate of 100 lets nothing through.
  const double reached = 100 * static_cast<double>(totals.killed);
  const bool is_below = reached < report.gate * static_cast<double>(totals.judged);
  return is_below || totals.judged < report.least_judged ? Exit::kCoverage : Exit::kPass;
}

std::string text_of(const MutationReport& report) {
  std::string text;
  for (const sim::Campaign& campaign : report.campaigns) {
    const std::string build = campaign.build.name();
    for (const sim::Mutant& mutant : campaign.mutants) {
      if (mutant.verdict == MutantVerdict::kKilled) continue;
      text += fmt::format("{} {}: {}{}{}\n", build, sim::token_of(mutant.verdict),
                          mutant.mutation.text(), mutant.proof.empty() ? "" : ": ", mutant.proof);
    }
    for (const std::size_t i : campaign.contradictions) {
      text += fmt::format("{} CONTRADICTION: killed, and proved equivalent: {}\n", build,
                          campaign.mutants[i].mutation.text());
    }
  }
  for (const sim::Campaign& campaign : report.campaigns) {
    text += fmt::format("{}: {} mutants of {} possible:", campaign.build.name(),
                        campaign.mutants.size(), campaign.possible);
    for (const MutantVerdict verdict : kVerdicts) {
      text += fmt::format("{} {} {}", verdict == kVerdicts.front() ? "" : ",",
                          campaign.count(verdict), sim::token_of(verdict));
    }
    text += fmt::format("; score {}/{} = {:.2f} %; {} blocks\n",
                        campaign.count(MutantVerdict::kKilled), campaign.judged(),
                        score_of(campaign.count(MutantVerdict::kKilled), campaign.judged()),
                        campaign.blocks);
  }
  const Totals totals = totals_of(report);
  if (totals.asked_killed != 0) {
    text += fmt::format("{} killed mutants asked about, {} of them proved equivalent\n",
                        totals.asked_killed, totals.contradictions);
  }
  return text +
         fmt::format("{} mutation score {}/{} = {:.2f} %, gate {} % of at least {}, seed {}\n",
                     verdict_word(exit_of(report)), totals.killed, totals.judged,
                     score_of(totals.killed, totals.judged), report.gate, report.least_judged,
                     report.seed);
}

std::string json_of(const MutationReport& report) {
  using nlohmann::ordered_json;
  const Totals totals = totals_of(report);
  ordered_json out = {{"mxgold", version()},
                      {"rtl", report.rtl},
                      {"seed", report.seed},
                      {"gate", report.gate},
                      {"least_judged", report.least_judged},
                      {"verdict", verdict_word(exit_of(report))},
                      {"made", totals.made},
                      {"judged", totals.judged},
                      {"killed", totals.killed},
                      {"score", score_of(totals.killed, totals.judged)},
                      {"builds", ordered_json::array()}};
  for (const sim::Campaign& campaign : report.campaigns) {
    ordered_json build = {{"build", campaign.build.name()},
                          {"possible", campaign.possible},
                          {"made", campaign.mutants.size()}};
    for (const MutantVerdict verdict : kVerdicts) {
      build[std::string(sim::token_of(verdict))] = campaign.count(verdict);
    }
    build["blocks"] = campaign.blocks;
    build["proved_though_killed"] = campaign.contradictions.size();
    ordered_json& mutants = build["mutants"] = ordered_json::array();
    for (const sim::Mutant& mutant : campaign.mutants) {
      const sim::Mutation& m = mutant.mutation;
      ordered_json each = {{"cell", m.cell},
                           {"port", m.port},
                           {"bit", m.bit},
                           {"mode", m.mode},
                           {"source", m.source},
                           {"command", m.command(0)},
                           {"verdict", sim::token_of(mutant.verdict)}};
      if (!m.wire.empty()) each["wire"] = fmt::format("{}[{}]", m.wire, m.wire_bit);
      if (m.control >= 0) each["control_bit"] = m.control;
      if (mutant.kill) {
        each["killed_by"] = {{"block", mutant.kill->block},
                             {"where", mutant.kill->where},
                             {"what", mutant.kill->what}};
      } else {
        each["proof"] = mutant.proof;
      }
      mutants.push_back(each);
    }
    out["builds"].push_back(build);
  }
  return golden::dumped(out, 2) + "\n";
}

}  // namespace mx::cli
