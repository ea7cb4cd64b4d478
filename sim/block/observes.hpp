// What of an answer a device gives at all.
#pragma once

#include <span>
#include <string>

#include "reference/policy/checked.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// What a device gives; the rest is not compared and counts as unobserved.
struct Observes {
  bool scale = true;
  bool codes = true;
  bool flags = true;  ///< the status bits
  bool keep = true;
  bool last = true;
  bool operator==(const Observes&) const = default;

  /// "scale,code,flags,keep,last", without what is not given.
  [[nodiscard]] std::string text() const;
  /// What both give.
  [[nodiscard]] Observes operator&(const Observes& other) const;
  /// An answer with the right values in place of what is not given.
  [[nodiscard]] BlockOut completed(const BlockOut& actual, const BlockOut& expected) const;
};

/// Of names as text() writes them; `all` alone is everything. The problem: another name, or nothing
/// of scale, code and flags.
[[nodiscard]] Checked<Observes> parse_observes(std::span<const std::string> names);

}  // namespace mx::sim
