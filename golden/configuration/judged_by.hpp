// Whose policies configurations have, in a few words: what a verdict says of the rules that answers
// were judged by.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/configuration/configuration.hpp"

namespace mx::golden {

struct JudgedBy {
  /// "mxgold-default", "te"; several are joined by commas; "" where no profile speaks of the
  /// operation.
  std::string profile;
  /// Name and value of policies that are not their defaults; several values are joined by bars.
  /// Rounding and rule are what names of sets and scoreboards are made of, and stand there.
  std::vector<std::pair<std::string, std::string>> policies;

  /// "nan keep_sign, int_min allow"; "" for none.
  [[nodiscard]] std::string policies_text() const;
  /// "profile te with nan keep_sign"; "" where there is nothing to say.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] JudgedBy judged_by(std::span<const Configuration> configs);

}  // namespace mx::golden
