// Which profiles explain what an implementation did, which single policies, and what rules out the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/identify/deviation.hpp"
#include "golden/identify/implementation_log.hpp"
#include "golden/identify/record.hpp"
#include "golden/identify/surface.hpp"

namespace mx::golden {

/// A profile, or one with policies changed.
struct Hypothesis {
  Candidate base;
  std::vector<Deviation> changes;
  Subject subject;
  AnswerCounts counts = {};  ///< of the log it was judged on
  /// "te", "te with inf_block=scale_nan"
  [[nodiscard]] std::string name() const;
};

/// The first record that a hypothesis does not explain.
struct Contradiction {
  std::size_t record = 0;  ///< index into the log
  BlockAnswer expected;    ///< in the log's terms: codes, or binary32 values
  OpenParts open;          ///< what of it counts for nothing
};

/// A profile and what a log says about it.
struct Ruling {
  Hypothesis hypothesis;
  bool judged = true;              ///< false: it draws random words, and the log has none
  std::uint64_t contradicted = 0;  ///< records that it does not explain
  std::uint64_t left_open = 0;     ///< records of which it leaves something open
  AnswerCounts counts = {};        ///< zeros where it was not judged
  std::optional<Contradiction> first;
  /// Agreement of nothing compared is none.
  [[nodiscard]] bool explains() const { return judged && contradicted == 0 && counts.compared > 0; }
};

/// Hypotheses that explain a log and that nothing this module tries tells apart.
struct HypothesisClass {
  std::vector<Hypothesis> members;
  /// An input on which the first member and that of the first class part; nothing for the first.
  std::optional<Difference> from_first;
};

struct Identification {
  std::vector<Ruling> profiles;          ///< every profile and variant that speaks of the surface
  std::vector<HypothesisClass> classes;  ///< of profiles that explain the log
  /// Profiles with one policy changed (two, where no one change explains the log) that explain it
  /// and part from the profiles that do.
  std::vector<HypothesisClass> deviations;
  /// Where every profile that explains the log leaves some of it open: those profiles without what
  /// they leave open, as they are or with one policy changed, that explain all of it.
  std::vector<HypothesisClass> inside;
  /// Where nothing explains the log: the profile, or the one with a policy changed, that the fewest
  /// records contradict when it leaves nothing open.
  std::optional<Ruling> closest;
  int changed_policies = 0;  ///< 1 or 2: what `deviations` holds; 0: it is empty
  std::uint64_t tried = 0;   ///< configurations
  /// Was any answer of the log compared with any profile's?
  [[nodiscard]] bool compared_anything() const;
};

/// Judges every profile. The log must have a record; what a profile leaves open counts for nothing.
/// The result does not depend on the number of threads.
[[nodiscard]] std::vector<Ruling> rule_on_profiles(const ImplementationLog& log, int threads = 1);

/// Judges every profile and every deviation, and groups those that explain the log.
[[nodiscard]] Identification identify(const ImplementationLog& log, int threads = 1);

}  // namespace mx::golden
