// The verdicts of mutants as text and JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/base/error.hpp"
#include "sim/mutate/campaign.hpp"

namespace mx::cli {

struct MutationReport {
  std::span<const sim::Campaign> campaigns;
  std::string rtl;  ///< whose netlists these are: "netlist (sources ...)"
  std::uint64_t seed = 0;
  double gate = 100;             ///< percent
  std::size_t least_judged = 1;  ///< fewer are below the gate
};

/// Every mutant that was not killed, the counts of each build, the verdict.
[[nodiscard]] std::string text_of(const MutationReport& report);
/// Every mutant.
[[nodiscard]] std::string json_of(const MutationReport& report);
[[nodiscard]] Exit exit_of(const MutationReport& report);

}  // namespace mx::cli
