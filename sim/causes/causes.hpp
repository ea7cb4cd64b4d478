// Wrong blocks, grouped by what would make just these answers: a deviation, a fault of the list,
// or what the differences have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/deviation/deviation.hpp"
#include "sim/block/model.hpp"
#include "sim/judge/mismatch.hpp"

namespace mx::sim {

/// Wrong answers that one cause explains.
struct Cause {
  std::string text;         ///< "as with rounding ties_to_away for ties_to_even (spec F15)"
  std::uint64_t count = 0;  ///< of those looked at
  std::uint64_t first = 0;  ///< the number of the first of them
  std::vector<std::size_t> which = {};     ///< their places among those looked at
  std::vector<golden::Deviation> as = {};  ///< what the device does, where names say it
  /// The member of a waiver that covers them and contradicts no right answer looked at:
  /// `"as": {"rounding": "ties_to_away"}`; "" where none is known.
  std::string waiver = {};
  /// Right answers that it was tried on, and contradicts none of; 0 for what only describes.
  std::uint64_t right = 0;
};

/// What might make wrong answers.
struct Hypothesis {
  /// A deviation, or two at once; a fault of the list; what differences have in common. Of two
  /// that explain as much the earlier one of a list is named.
  enum class Kind : std::uint8_t { kDeviation, kDefect, kDifference };
  Kind kind = Kind::kDeviation;
  std::string text;
  std::vector<bool> explained;             ///< which of the wrong answers it makes, bit for bit
  std::vector<golden::Deviation> as = {};  ///< the same by names, where there are any
};

/// A code that differs.
struct WrongCode {
  std::size_t lane = 0;
  std::uint64_t right = 0, given = 0;
};
/// What the wrong codes of one answer have in common, in words: "only the code of lane 7", "only
/// codes 06 for 07", "only codes off by +1".
[[nodiscard]] std::vector<std::string> code_differences(std::span<const WrongCode> codes,
                                                        int digits);

/// One hypothesis for each of the words that describe the wrong answers: `words[i]` of answer i.
void add_differences(const std::vector<std::vector<std::string>>& words,
                     std::vector<Hypothesis>& list);

/// Hypotheses that explain the wrong answers between them, the one that explains most first; the
/// last may be that no cause is known. `numbers`: of the wrong answers; `right`: how many right
/// answers none of the hypotheses contradicts, but for differences.
[[nodiscard]] std::vector<Cause> fewest_causes(const std::vector<Hypothesis>& list,
                                               std::span<const std::uint64_t> numbers,
                                               std::uint64_t right);

/// Of wrong blocks on streams. A policy or a defect is no cause where it would change an answer
/// that was right. Both spans are of the run's configurations.
[[nodiscard]] std::vector<Cause> causes_of(std::span<const Mismatch> wrong,
                                           std::span<const Mismatch> right,
                                           const Configurations& configs);

/// A line for each cause under a headline: "causes of 256 of the 9,587 wrong blocks:"; of more than
/// twelve the first. Below it the member of a waiver, where there is one. "" for none.
/// `thing`: "block".
[[nodiscard]] std::string causes_text(std::span<const Cause> causes, std::uint64_t wrong,
                                      std::string_view thing);

}  // namespace mx::sim
