// SPDX-License-Identifier: Apache-2.0
// What the page asks, as text: a line "NAME VALUE" for each thing that is asked or given.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mx::explorer {

/// "ask explain\nsource fp32\nformat mxfp4\nprofile te\ninput 1.5\ninput nan".
class Question {
 public:
  explicit Question(std::string_view text);

  /// The value of a name, the last where it is there more than once; "" where it is not.
  [[nodiscard]] std::string one(std::string_view name) const;
  /// Every value of a name, in order.
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace mx::explorer
