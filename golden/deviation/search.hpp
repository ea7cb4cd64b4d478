// SPDX-License-Identifier: Apache-2.0
// The search for deviations that explain answers: one at a time, then two at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/deviation/deviation.hpp"

namespace mx::golden {

/// Does a device give the answer of this number? Wrong answers come first, then right ones.
using Gives = std::function<bool(std::size_t answer)>;

/// Answers of a device, on which deviations are tried.
struct Evidence {
  std::size_t wrong = 0;
  std::size_t right = 0;
  /// Makes a device with all of these deviations.
  std::function<Gives(std::vector<Deviation>)> device;
  /// Does a deviation change the configuration of this answer?
  std::function<bool(const Deviation&, std::size_t answer)> concerns;
};

/// A deviation that may be tried.
struct DeviationCandidate {
  Deviation deviation;
  std::string text;     ///< "rounding ties_to_away for ties_to_even (spec F15)"
  std::string subject;  ///< of two with one subject a device has one
};

/// Deviations that explain some wrong answers and contradict no right one.
struct DeviationMatch {
  std::vector<Deviation> deviations;
  std::string text;             ///< "as with rounding ties_to_away for ties_to_even (spec F15)"
  std::vector<bool> explained;  ///< which wrong answers
};

/// The wrong answers that a device gives; nothing where it gives none of them, or would not give
/// a right one. Nothing else is a cause.
[[nodiscard]] std::optional<std::vector<bool>> explained_by(const Evidence& evidence,
                                                            const Gives& gives);

/// Every candidate that explains something, in their order.
[[nodiscard]] std::vector<DeviationMatch> single_matches(
    const Evidence& evidence, std::span<const DeviationCandidate> candidates);

/// Every two candidates that explain at least half of the wrong answers, and at least three that
/// `known` has not: fewer may be chance. The order of the two does not matter.
[[nodiscard]] std::vector<DeviationMatch> pair_matches(
    const Evidence& evidence, std::span<const DeviationCandidate> candidates,
    const std::vector<bool>& known);

/// A smallest set of deviations under which `explains` holds: a single one where there is one (the
/// first), else all of them less those that can be left out. All of them together must satisfy it.
[[nodiscard]] std::vector<Deviation> sufficient(
    const std::vector<Deviation>& all,
    const std::function<bool(std::span<const Deviation>)>& explains);

}  // namespace mx::golden
