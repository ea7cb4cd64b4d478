// What the judges written in C++ share: arguments, counts, exit codes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/support/report.hpp"

namespace mx::external {

/// Exit codes, those of judge.py.
inline constexpr int kAgreed = 0;
inline constexpr int kMismatch = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNothingCompared = 5;
inline constexpr int kSkipped = 77;

/// [SURFACE] [--wrong] [--exhaustive [--shard=I/N]]: one part alone; a wrong policy, which must end
/// in a mismatch; every binary32 input, or the I-th of N equal parts of them, I = 0..N-1.
struct Arguments {
  std::string_view surface;
  bool wrong = false;
  bool exhaustive = false;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  bool valid = true;

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
    } else if (text.starts_with("--shard=")) {
      const char* number = text.data() + 8;
      char* end = nullptr;
      arguments.shard = std::strtoull(number, &end, 10);
      arguments.shards = *end == '/' ? std::strtoull(end + 1, &end, 10) : 0;
      arguments.valid &= *end == '\0' && arguments.shard < arguments.shards;
    } else if (text.starts_with("-")) {
      arguments.valid = false;
    } else {
      arguments.surface = text;
    }
  }
  return arguments;
}

/// What main() does about arguments that are none.
[[nodiscard]] inline int usage(std::string_view judge) {
  std::cerr << "usage: " << judge << " [SURFACE] [--wrong] [--exhaustive [--shard=I/N]]\n";
  return kUsage;
}

/// Says why nothing runs and what changes that.
[[nodiscard]] inline int skip(std::string_view judge, std::string_view reason) {
  std::cout << "SKIP " << judge << ": " << reason << '\n';
  return kSkipped;
}

/// The sum over the parts of a judge.
struct Verdict {
  std::string_view judge;
  bool wrong = false;  ///< a wrong policy is compared: every part has to see it
  std::uint64_t cases = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t unnoticed = 0;

  void add(std::string_view what, const oracle::Report& report) {
    cases += report.cases();
    mismatches += report.mismatches();
    std::cout << "  " << what << ": " << report.cases() << " compared, " << report.mismatches()
              << " differ\n";
    if (report.mismatches() != 0) std::cout << report.text() << '\n';
    if (wrong && report.mismatches() == 0) {
      ++unnoticed;
      std::cout << "  " << what << ": the wrong policy went unnoticed\n";
    }
  }

  [[nodiscard]] int finish() const {
    const bool agreed = cases != 0 && mismatches == 0;
    std::cout << (agreed ? "PASS " : "FAIL ") << judge << ": " << cases << " comparisons, "
              << mismatches << " differ\n";
    if (cases == 0 || unnoticed != 0) return kNothingCompared;
    return agreed ? kAgreed : kMismatch;
  }
};

}  // namespace mx::external
