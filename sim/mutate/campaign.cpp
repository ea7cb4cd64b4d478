#include "sim/mutate/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/parallel/threads.hpp"
#include "sim/netlist/build.hpp"
#include "sim/prove/proof.hpp"

namespace mx::sim {
namespace {

/// Without verdicts, but for what is no mutant of logic.
Campaign begun(const CampaignOptions& options, const CampaignPlan& plan) {
  Campaign campaign;
  campaign.build = options.build;
  campaign.possible = plan.netlist.all.size();
  for (const Mutation& mutation : plan.mutants) {
    Mutant& mutant = campaign.mutants.emplace_back();
    mutant.mutation = mutation;
    if (!mutation.is_of_logic()) mutant.verdict = MutantVerdict::kInvalid;
  }
  return campaign;
}

class Runner {
 public:
  Runner(const CampaignOptions& options, const CampaignPlan& plan)
      : options_(options), plan_(plan), stimulus_(options.build, options.seed) {}

  Campaign run() {
    Campaign campaign = begun(options_, plan_);
    say(fmt::format("{}: {} mutants of {} possible, seed {}; compiling", options_.build.name(),
                    campaign.mutants.size(), campaign.possible, options_.seed));
    const NetlistLibrary library(
        compile_mutants(plan_.netlist, plan_.mutants, options_.work).string());
    // Most mutants fall to the first blocks, and most of the others are proved sooner than tried
    // on.
    check_original(library, Portion::kFirst);
    try_open(library, Portion::kFirst, campaign.mutants);
    prove_open(ProofRange::kLocal, campaign.mutants);
    check_original(library, Portion::kMost);
    try_open(library, Portion::kMost, campaign.mutants);
    prove_open(ProofRange::kNear, campaign.mutants);
    prove_open(ProofRange::kWide, campaign.mutants);
    if (options_.effort == CampaignEffort::kFull && !open_of(campaign.mutants).empty()) {
      stimulus_.complete();
      check_original(library, Portion::kRest);
      try_open(library, Portion::kRest, campaign.mutants);
    }
    ask_about_killed(campaign);
    campaign.blocks = stimulus_.blocks();
    return campaign;
  }

 private:
  void say(std::string_view text) const {
    if (options_.say) options_.say(text);
  }

  [[nodiscard]] static std::vector<std::size_t> open_of(const std::vector<Mutant>& mutants) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
      const MutantVerdict verdict = mutants[i].verdict;
      if (verdict == MutantVerdict::kUndecided || verdict == MutantVerdict::kSurvivor) {
        open.push_back(i);
      }
    }
    return open;
  }

  // The netlist itself must pass what its mutants shall not.
  void check_original(const NetlistLibrary& library, Portion portion) const {
    const auto kill = stimulus_.try_mutant(library, 0, portion, Comparison::kPresent);
    if (!kill) return;
    throw DutError(
        fmt::format("the netlist without a mutant does not pass: {}: {}", kill->where, kill->what));
  }

  // A mutant that a block tells from the original is not equivalent to it.
  void ask_about_killed(Campaign& campaign) const {
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < campaign.mutants.size(); ++i) {
      const bool is_killed = campaign.mutants[i].verdict == MutantVerdict::kKilled;
      if (is_killed && asked.size() < options_.prove_killed) asked.push_back(i);
    }
    std::vector<Mutation> mutations;
    for (const std::size_t i : asked) mutations.push_back(campaign.mutants[i].mutation);
    for (const ProofRange range : {ProofRange::kLocal, ProofRange::kNear}) {
      const std::vector<Proof> proofs = prove(mutations, range);
      for (std::size_t k = 0; k < asked.size(); ++k) {
        auto& found = campaign.contradictions;
        if (proofs[k].result != ProofResult::kEquivalent) continue;
        if (std::ranges::find(found, asked[k]) == found.end()) found.push_back(asked[k]);
      }
    }
    campaign.asked_killed = asked.size();
  }

  void try_open(const NetlistLibrary& library, Portion portion,
                std::vector<Mutant>& mutants) const {
    const std::vector<std::size_t> open = open_of(mutants);
    share_work(
        open.size(), 1, static_cast<int>(options_.threads), [&](std::uint64_t k, std::uint64_t) {
          const std::size_t i = open[k];
          Mutant& mutant = mutants[i];
          mutant.kill =
              stimulus_.try_mutant(library, static_cast<int>(i) + 1, portion, options_.comparison);
          if (mutant.kill) mutant.verdict = MutantVerdict::kKilled;
        });
    say(fmt::format("{}: {} of {} killed by {}", options_.build.name(),
                    open.size() - open_of(mutants).size(), open.size(), text_of(portion)));
  }

  [[nodiscard]] static std::string_view text_of(Portion portion) {
    switch (portion) {
      case Portion::kFirst:
        return "the first blocks";
      case Portion::kMost:
        return "walking blocks, stalls and resets";
      case Portion::kRest:
        break;
    }
    return "the whole suite";
  }

  [[nodiscard]] std::vector<Proof> prove(const std::vector<Mutation>& mutants,
                                         ProofRange range) const {
    return prove_equivalence(plan_.netlist, mutants,
                             {range, options_.work, options_.prove_seconds, options_.threads});
  }

  void prove_open(ProofRange range, std::vector<Mutant>& mutants) const {
    const std::vector<std::size_t> open = open_of(mutants);
    if (open.empty()) return;
    std::vector<Mutation> asked;
    for (const std::size_t i : open) asked.push_back(mutants[i].mutation);
    const std::vector<Proof> proofs = prove(asked, range);
    for (std::size_t k = 0; k < open.size(); ++k) {
      Mutant& mutant = mutants[open[k]];
      mutant.proof = proofs[k].text;
      if (proofs[k].result == ProofResult::kEquivalent) {
        mutant.verdict = MutantVerdict::kEquivalent;
      } else if (proofs[k].result == ProofResult::kDiffers) {
        mutant.verdict = MutantVerdict::kSurvivor;
      }
    }
    say(fmt::format("{}: {} of {} proved equivalent", options_.build.name(),
                    open.size() - open_of(mutants).size(), open.size()));
  }

  const CampaignOptions& options_;
  const CampaignPlan& plan_;
  TrialStimulus stimulus_;
};

}  // namespace

std::string_view token_of(MutantVerdict verdict) {
  switch (verdict) {
    case MutantVerdict::kInvalid:
      return "invalid";
    case MutantVerdict::kKilled:
      return "killed";
    case MutantVerdict::kEquivalent:
      return "equivalent";
    case MutantVerdict::kSurvivor:
      return "survivor";
    case MutantVerdict::kUndecided:
      break;
  }
  return "undecided";
}

std::size_t Campaign::count(MutantVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(mutants, verdict, &Mutant::verdict));
}

std::size_t Campaign::judged() const {
  return mutants.size() - count(MutantVerdict::kInvalid) - count(MutantVerdict::kEquivalent);
}

CampaignPlan plan_campaign(const CampaignOptions& options) {
  CampaignPlan plan{make_netlist(options.rtl, options.build, options.work), options.given};
  if (plan.mutants.empty()) {
    plan.mutants = draw_mutations(plan.netlist.all, options.count, options.seed);
  }
  return plan;
}

Campaign run_campaign(const CampaignOptions& options, const CampaignPlan& plan) {
  return Runner(options, plan).run();
}

}  // namespace mx::sim
