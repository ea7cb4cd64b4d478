// Deviations: a subject with one policy changed to another value.
#pragma once

#include <string>
#include <vector>

#include "golden/identify/surface.hpp"

namespace mx::golden {

/// A policy that an implementation has differently from a profile.
struct PolicyChange {
  std::string field;
  std::string from;
  std::string to;
  bool operator==(const PolicyChange&) const = default;
};

struct Deviation {
  PolicyChange change;
  Subject subject;
};

/// Every policy field of the surface changed to every other value, as far as the result is a legal
/// configuration that is not the same by definition. In the order of policy_fields().
[[nodiscard]] std::vector<Deviation> deviations(const Surface& surface, const Subject& subject);

/// Does anything in the subject draw random words?
[[nodiscard]] bool draws_random(const Surface& surface, const Subject& subject);

}  // namespace mx::golden
