// Suites: the numbered stimulus of one configuration. Vector i of a suite is a pure function of the
// configuration, the options and i. Classes and their reasons: spec V10.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx {

/// Named sets of stimulus.
#define MX_SUITE_KIND(X)                                                                      \
  X(kSmoke, "smoke")   /* a reduced directed set and a few random vectors; seconds for all */ \
  X(kDirected, "dir")  /* every directed class in full; sorted, duplicates removed */         \
  X(kRandom, "rnd")    /* seeded, the classes in turn */                                      \
  X(kPolicy, "policy") /* the same, the configurations drawn too and taking turns */
MX_POLICY(VectorSuite, MX_SUITE_KIND);

}  // namespace mx

namespace mx::golden {
using SuiteKind = VectorSuite;

/// A stimulus class of a suite and how many vectors it made (before duplicates were removed).
struct StimulusClass {
  std::string_view name;
  std::uint64_t count = 0;
};

/// How many of `vectors` that take turns among `n` fall to number c.
[[nodiscard]] constexpr std::uint64_t turns_of(std::uint64_t vectors, std::uint64_t n,
                                               std::uint64_t c) {
  return vectors / n + (c < vectors % n ? 1 : 0);
}

/// The classes of a suite whose vectors take turns: vector i is of class i modulo their number.
[[nodiscard]] inline std::vector<StimulusClass> taking_turns(
    std::span<const std::string_view> names, std::uint64_t vectors) {
  std::vector<StimulusClass> classes;
  const std::uint64_t n = names.size();
  for (std::uint64_t c = 0; c < n; ++c) {
    classes.push_back({names[c], turns_of(vectors, n, c)});
  }
  return classes;
}

class DirectedShelf;

struct SuiteOptions {
  SuiteKind kind = SuiteKind::kDirected;
  std::uint64_t seed = 0;
  std::uint64_t drawn = 0;  ///< kRandom and kPolicy: how many; ignored by the others
  int lanes = 1;            ///< elements a record has room for
  Lengths lengths = Lengths::kFull;
  /// Where suites of many configurations find what they share (block_directed.hpp); each makes its
  /// own without it. Not asked once the suite is made.
  DirectedShelf* shelf = nullptr;
};

class Suite {
 public:
  Suite() = default;
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;
  virtual ~Suite() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// How many directed vectors were dropped because an equal one was there.
  [[nodiscard]] virtual std::uint64_t duplicates() const { return 0; }
  [[nodiscard]] virtual std::span<const StimulusClass> classes() const = 0;
  /// Writes the operands of vector i into record `at` (not config, tuser and open). Random words
  /// stay zero where the configuration takes none. Thread-safe.
  virtual void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const = 0;
  /// The same for vectors [first, first + n) and the records from `at` on.
  virtual void fill_run(std::uint64_t first, std::size_t n, RecordBatch& batch,
                        std::size_t at) const {
    for (std::size_t k = 0; k < n; ++k) fill(first + k, batch, at + k);
  }
};

/// Throws std::invalid_argument where there is no such suite for the configuration, and
/// std::logic_error where a planned class came out empty.
[[nodiscard]] std::unique_ptr<const Suite> make_suite(const Configuration& configuration,
                                                      const SuiteOptions& options);

}  // namespace mx::golden
