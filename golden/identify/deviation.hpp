// Subjects with one policy, or two, changed to other values.
#pragma once

#include <vector>

#include "golden/deviation/deviation.hpp"
#include "golden/identify/surface.hpp"

namespace mx::golden {

/// A subject, and how it deviates from the one that it was made of.
struct DeviatingSubject {
  std::vector<Deviation> deviations;
  Subject subject;
};

/// Every policy field of the surface changed to every other value, as far as the result is a legal
/// configuration that is not the same by definition. In the order of policy_fields().
[[nodiscard]] std::vector<DeviatingSubject> deviations(const Surface& surface,
                                                       const Subject& subject);

/// Every two fields changed at once, as far as the result is legal and neither of the two changes
/// is without effect beside the other; whatever each does alone.
[[nodiscard]] std::vector<DeviatingSubject> deviation_pairs(const Surface& surface,
                                                            const Subject& subject);

/// Does anything in the subject draw random words?
[[nodiscard]] bool draws_random(const Surface& surface, const Subject& subject);

}  // namespace mx::golden
