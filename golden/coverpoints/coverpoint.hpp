// What coverage counts: bins, in coverpoints, in a covergroup for each configuration. spec V10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mx::golden {

/// Can a bin be hit at all? What is not proved unreachable counts.
enum class Reach : std::uint8_t { kOpen, kUnreachable };

struct Bin {
  std::string name;
  std::uint64_t hits = 0;
  Reach reach = Reach::kOpen;
  bool operator==(const Bin&) const = default;
};

/// How many bins there are and were hit.
struct Score {
  std::uint64_t bins = 0;  ///< that count: all but the unreachable ones
  std::uint64_t hit = 0;
  std::uint64_t unreachable = 0;
  std::uint64_t contradicted = 0;  ///< proved unreachable, and hit: the proof is wrong

  Score& operator+=(const Score& other);
  bool operator==(const Score&) const = default;
  [[nodiscard]] bool complete() const { return hit == bins && contradicted == 0; }
  /// Hit bins of all in hundredths of a percent, rounded down: 10000 only where none is missing.
  [[nodiscard]] std::uint64_t per_10000() const { return bins == 0 ? 10000 : hit * 10000 / bins; }
};

/// A question with its possible answers.
struct Coverpoint {
  std::string name;     ///< one word
  std::string meaning;  ///< for a person
  std::vector<Bin> bins;

  Coverpoint() = default;
  Coverpoint(std::string point, std::string what)
      : name(std::move(point)), meaning(std::move(what)) {}

  void hit(std::size_t bin) { ++bins[bin].hits; }
  [[nodiscard]] Score score() const;
  /// Bins that no witness hit are unreachable. The witnesses must stand for every input.
  void exclude_what(const Coverpoint& witnesses);
  bool operator==(const Coverpoint&) const = default;
};

/// All coverpoints of one configuration.
struct Covergroup {
  std::string configuration;  ///< its fields in one line: what is merged is equal in it
  std::string name;           ///< for a person
  std::uint64_t samples = 0;  ///< vectors looked at
  std::vector<Coverpoint> points;

  [[nodiscard]] Score score() const;
  /// Does another have the same coverpoints and bins?
  [[nodiscard]] bool matches(const Covergroup& other) const;
  /// "" for the bins of `model`; else the first that is missing, unknown, doubled or elsewhere.
  [[nodiscard]] std::string difference_to(const Covergroup& model) const;
  /// Adds the counts of one that matches.
  void add(const Covergroup& other);
};

/// Adds a group to those of its configuration, or as a new one. False where one of the same
/// configuration has other bins: made by another version.
[[nodiscard]] bool merge(std::vector<Covergroup>& groups, const Covergroup& group);

}  // namespace mx::golden
