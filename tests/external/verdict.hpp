// What the judges written in C++ share: arguments, counts, exit codes.
#pragma once

#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "report.hpp"

namespace mx::external {

/// Exit codes, those of judge.py.
inline constexpr int kAgreed = 0;
inline constexpr int kMismatch = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNothingCompared = 5;
inline constexpr int kSkipped = 77;

/// [SURFACE] [--wrong] [--exhaustive]: one part alone; a wrong policy, which must end in a
/// mismatch; every binary32 input.
struct Arguments {
  std::string_view surface;
  bool wrong = false;
  bool exhaustive = false;

  [[nodiscard]] bool wants(std::string_view name) const {
    return surface.empty() || surface == name;
  }
};

[[nodiscard]] inline Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text == "--wrong") {
      arguments.wrong = true;
    } else if (text == "--exhaustive") {
      arguments.exhaustive = true;
    } else {
      arguments.surface = text;
    }
  }
  return arguments;
}

/// Says why nothing runs and what changes that.
[[nodiscard]] inline int skip(std::string_view judge, std::string_view reason) {
  std::cout << "SKIP " << judge << ": " << reason << '\n';
  return kSkipped;
}

/// The sum over the parts of a judge.
struct Verdict {
  std::string_view judge;
  std::uint64_t cases = 0;
  std::uint64_t mismatches = 0;

  void add(std::string_view what, const oracle::Report& report) {
    cases += report.cases();
    mismatches += report.mismatches();
    std::cout << "  " << what << ": " << report.cases() << " compared, " << report.mismatches()
              << " differ\n";
    if (report.mismatches() != 0) std::cout << report.text() << '\n';
  }

  [[nodiscard]] int finish() const {
    const bool agreed = cases != 0 && mismatches == 0;
    std::cout << (agreed ? "PASS " : "FAIL ") << judge << ": " << cases << " comparisons, "
              << mismatches << " differ\n";
    if (cases == 0) return kNothingCompared;
    return agreed ? kAgreed : kMismatch;
  }
};

}  // namespace mx::external
