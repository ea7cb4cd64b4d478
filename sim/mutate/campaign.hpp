// All mutants of a build, each with its verdict.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/mutate/trial.hpp"
#include "sim/netlist/build.hpp"
#include "sim/netlist/mutation.hpp"
#include "sim/netlist/netlist.hpp"

namespace mx::sim {

enum class MutantVerdict : std::uint8_t {
  kInvalid,     ///< no mutant of the logic: a clock pin, the enable of an asynchronous read
  kKilled,      ///< the smoke suite caught it
  kEquivalent,  ///< proved: no input tells
  kSurvivor,    ///< not caught, and a state and an input are known under which it differs
  kUndecided    ///< not caught, and the proof did not end
};

/// "killed".
[[nodiscard]] std::string_view token_of(MutantVerdict verdict);

struct Mutant {
  Mutation mutation;
  MutantVerdict verdict = MutantVerdict::kUndecided;
  std::optional<Kill> kill;
  std::string proof;  ///< what was proved, or the state and input that tell
};

/// kQuick leaves out the rest of the suite, for mutants that need it.
enum class CampaignEffort : std::uint8_t { kQuick, kFull };

struct CampaignOptions {
  std::filesystem::path rtl;
  std::filesystem::path work;
  NetlistBuild build;
  std::size_t count = 100;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  Comparison comparison = Comparison::kPresent;
  std::vector<Mutation> given;  ///< instead of drawn ones
  int prove_seconds = 60;       ///< for one mutant
  CampaignEffort effort = CampaignEffort::kFull;
  std::size_t prove_killed = 0;  ///< control: so many killed mutants are asked about as well
  std::function<void(std::string_view)> say;  ///< what is going on
};

struct Campaign {
  NetlistBuild build;
  std::size_t possible = 0;  ///< mutations of the netlist, of which the mutants were drawn
  std::uint64_t blocks = 0;  ///< of the stimulus
  std::vector<Mutant> mutants;
  std::size_t asked_killed = 0;             ///< killed mutants that the prover was asked about
  std::vector<std::size_t> contradictions;  ///< of them those that it called equivalent

  [[nodiscard]] std::size_t count(MutantVerdict verdict) const;
  /// Neither invalid nor equivalent.
  [[nodiscard]] std::size_t judged() const;
};

/// A netlist and the mutants of it to be tried, the drawn or the given ones.
struct CampaignPlan {
  NetlistFiles netlist;  ///< in the work folder
  std::vector<Mutation> mutants;
};

/// Throws ToolError.
[[nodiscard]] CampaignPlan plan_campaign(const CampaignOptions& options);

/// Tries the mutants of a plan of these options, or some of them. Throws ToolError, and DutError if
/// the netlist without a mutant does not pass.
[[nodiscard]] Campaign run_campaign(const CampaignOptions& options, const CampaignPlan& plan);

}  // namespace mx::sim
