// What a known deviation says of a device, as data: what it does otherwise, and for which inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mx::golden {

/// One thing that a device does otherwise, by name: a policy with another value, another reading of
/// the source, scales or codes changed. golden/otherwise/change.hpp has the names.
struct Change {
  std::string name;  ///< "rounding", "scale_bottom"
  std::string from;  ///< the value that is replaced; "": any
  std::string to;    ///< "ties_to_away", "-128"
  bool operator==(const Change&) const = default;
};

/// First and last.
using CodeRange = std::pair<std::uint64_t, std::uint64_t>;

/// Inputs by what they hold. Everything that is named has to be there.
struct InputPredicate {
  std::vector<std::string> has;             ///< kinds of values and of blocks (spec V10)
  std::optional<CodeRange> scale;           ///< codes of the operand's scale
  std::optional<CodeRange> expected_scale;  ///< codes of the right answer's scale

  [[nodiscard]] bool is_empty() const { return has.empty() && !scale && !expected_scale; }
};

}  // namespace mx::golden
