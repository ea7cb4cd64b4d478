// Makes a failing case smaller for as long as it fails. spec V11.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "sim/shrink/case.hpp"

namespace mx::sim {

struct ShrinkOptions {
  /// Does the case fail as the first one did? Runs a fresh device.
  std::function<bool(const Case&)> fails;
  Slots slots;
  /// "" if the device computes a configuration.
  std::function<std::string(const golden::Configuration&)> refusal;
  std::uint64_t most_tries = 20000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct Shrunk {
  Case failure;
  std::uint64_t tries = 0;
  /// No single further step fails; false where tries or time ran out before.
  bool is_minimal = false;
};

/// Leaves out resets, stalls and questions, sets policies to their defaults and words to rest, and
/// tries simpler words, in turn, until no step is left. The given case must fail.
[[nodiscard]] Shrunk shrink(Case failure, const ShrinkOptions& options);

}  // namespace mx::sim
