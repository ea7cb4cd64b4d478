// The sets of vector instructions that the kernels are compiled for: for tests and measurements.
// Calls use the best one that the machine has.
#pragma once

#include <string_view>
#include <vector>

namespace mx::fast {

/// Those that this machine has, best first; empty where this build has no kernels.
[[nodiscard]] std::vector<std::string_view> cpu_targets();

/// Those that this machine has and this build has not, best first: a plain build has the fallback
/// and one other.
[[nodiscard]] std::vector<std::string_view> cpu_targets_left_out();

/// Holds the calls of all threads to one of them while it lives; not while calls run.
class OnlyCpuTarget {
 public:
  explicit OnlyCpuTarget(std::string_view name);
  ~OnlyCpuTarget();
  OnlyCpuTarget(const OnlyCpuTarget&) = delete;
  OnlyCpuTarget& operator=(const OnlyCpuTarget&) = delete;
};

}  // namespace mx::fast
