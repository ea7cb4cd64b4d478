// SPDX-License-Identifier: Apache-2.0
// Which hypotheses explain a whole log: each configuration is judged once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "golden/makers/hypothesis.hpp"

namespace mx::golden {

/// A set of configurations, each once.
class Distinct {
 public:
  explicit Distinct(const Surface& surface) : surface_(surface) {}
  bool insert(const Subject& subject);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const Surface& surface_;
  std::unordered_map<std::uint64_t, std::vector<Subject>> known_;  ///< by a digest of policies
  std::size_t size_ = 0;
};

/// Finds hypotheses that explain every record, and some answer of them that tells.
class DeviationSearch {
 public:
  /// `profiles` outlive it, and count as tried. Their log begins with this one.
  DeviationSearch(const ImplementationLog& log, const Rulings& profiles, int threads);

  /// Judges those whose configuration is new.
  void add(const std::vector<Hypothesis>& hypotheses);

  [[nodiscard]] const std::vector<Hypothesis>& found() const { return found_; }
  [[nodiscard]] std::uint64_t tried() const { return known_.size(); }

 private:
  void suspect(std::size_t record);

  const ImplementationLog& log_;
  const Rulings& profiles_;
  int threads_;
  Distinct known_;
  std::vector<Hypothesis> found_;
  std::vector<std::size_t> suspects_;
};

}  // namespace mx::golden
