// SPDX-License-Identifier: Apache-2.0
// Which profiles explain what an implementation did, which single policies, and what rules out the
// others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "golden/makers/classes.hpp"
#include "golden/makers/hypothesis.hpp"
#include "golden/makers/next_input.hpp"
#include "golden/makers/readings.hpp"
#include "golden/makers/structural.hpp"

namespace mx::golden {

/// Records of a longer log among which the contradictions of profiles are counted. Where a profile
/// explains all of it, deviations beside it are judged on those alone.
inline constexpr std::uint64_t kCountedRecords = 4096;

struct Identification {
  std::vector<Ruling> profiles;          ///< every profile and variant that speaks of the surface
  std::vector<HypothesisClass> classes;  ///< of profiles that explain the log
  /// Profiles with one policy changed (two, where no one change explains the log) that explain it
  /// and part from the profiles that do.
  std::vector<HypothesisClass> deviations;
  /// Where every profile that explains the log leaves some of it open: those profiles without what
  /// they leave open, as they are or with one policy changed, that explain all of it.
  std::vector<HypothesisClass> inside;
  /// Where no profile and no deviation in one policy explains the log: other readings of its words
  /// under which profiles explain it.
  std::vector<ReadLog> readings;
  /// Where no profile, no deviation in one policy and no reading explains the log: profiles on
  /// devices that do one thing more. Where random words are in the log and nobody who explains it
  /// takes any: those who would, if words were not what they are.
  std::vector<AlteredClass> structures;
  /// Where nothing explains the log: the profile, or the one with a policy changed, that the fewest
  /// records contradict when it leaves nothing open.
  std::optional<Ruling> closest;
  /// An input whose answer leaves the fewest of `classes`, of one with what is `inside`, or of it
  /// with `deviations`, or else of what else explains the log; nothing where none parts any two.
  std::optional<NextInput> next;
  int changed_policies = 0;    ///< 1 or 2: what `deviations` holds; 0: it is empty
  std::uint64_t tried = 0;     ///< configurations
  std::uint64_t searched = 0;  ///< records, of the first, that deviations were judged on
  std::uint64_t compared = 0;  ///< records of which some profile specifies something
  std::uint64_t telling = 0;   ///< records that contradict some profile, as far as they count
  [[nodiscard]] bool explains() const {
    return !classes.empty() || !deviations.empty() || !readings.empty() || !structures.empty();
  }
  /// Was any answer of the log compared with any profile's?
  [[nodiscard]] bool compared_anything() const;
};

/// Judges every profile. The log must have a record; what a profile leaves open counts for nothing.
/// The result does not depend on the number of threads.
[[nodiscard]] std::vector<Ruling> rule_on_profiles(const ImplementationLog& log, int threads = 1);

/// Judges every profile and every deviation, and groups those that explain the log.
[[nodiscard]] Identification identify(const ImplementationLog& log, int threads = 1);

}  // namespace mx::golden
