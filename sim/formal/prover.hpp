// Obligations given to solvers: Yosys' SAT, and ABC.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sim/formal/obligation.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::sim {

enum class FormalVerdict : std::uint8_t {
  kProved,
  kHeld,  ///< for so many cycles from power-up, and no more is said
  kRefuted,
  kUndecided  ///< the time was over
};

struct FormalAnswer {
  FormalVerdict verdict = FormalVerdict::kUndecided;
  /// Of a refutation: its inputs, "word=3F800000 settings=0000008 ...", or in how many cycles.
  std::string example;
  /// Processor time of the solver, user and system, in the run that decided, which may have been an
  /// earlier one.
  double cpu_seconds = 0;
};

/// A question: an obligation's property, or its broken one. Members are those of an obligation.
struct FormalQuestion {
  std::string name;
  FormalEngine engine = FormalEngine::kSat;
  std::string text;
  int cycles = 0;
  NetlistMaking making{};
};

/// Asks the solver, `seconds` at most. Verdicts are kept in the cache of compiled programs
/// (sim/compile) under the digest of all that was read and Yosys' version, as the log that gives
/// them; undecided ones are not. `logs`, if not empty, is a folder that gets a copy, as NAME.log.
/// Throws ToolError where Yosys is missing, fails or says nothing.
[[nodiscard]] FormalAnswer ask_solver(const FormalQuestion& question,
                                      std::span<const RtlSource> sources, int seconds,
                                      const std::filesystem::path& logs);

}  // namespace mx::sim
