// The operands that a cast reads besides its tensor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/casts/cast.hpp"

namespace mx::casts {

/// A cast that reads operands is one of these as well.
class ReadsOperands {
 public:
  virtual ~ReadsOperands() = default;

  /// Every name that CastInput::operand() is asked for.
  [[nodiscard]] virtual std::vector<std::string_view> operands() const = 0;
};

/// The names of the operands that a cast reads; none of one that reads its tensor alone.
[[nodiscard]] std::vector<std::string_view> operands_of(const Cast& cast);

/// Why the operands of an input cannot be the cast's ("" if they can): a name that it does not
/// read, or one twice.
[[nodiscard]] std::string operand_problem(const Cast& cast,
                                          const std::vector<std::string_view>& names);

}  // namespace mx::casts
