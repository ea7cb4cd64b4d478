// Processor time of the solvers, summed over the statements of a kind: P1, P1s, P2.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/prove/outcome.hpp"

namespace mx::cli {

struct KindCost {
  std::string kind;  ///< the name of its statements up to the first point
  std::size_t statements = 0;
  double cpu_seconds = 0;
  double control_cpu_seconds = 0;
};

/// In the order of their first statements.
[[nodiscard]] std::vector<KindCost> costs_of(std::span<const Outcome> outcomes);

/// A line each, and one for all where there are several.
[[nodiscard]] std::string cost_text(std::span<const Outcome> outcomes);

}  // namespace mx::cli
