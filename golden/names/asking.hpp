// SPDX-License-Identifier: Apache-2.0
// Who asks a question, and what is said where it cannot be answered.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "golden/text/tree.hpp"
#include "reference/policy/checked.hpp"

namespace mx::golden {

/// How the one who asks writes the names of arguments.
enum class Spelling : std::uint8_t {
  kOptions,  ///< a command line: "--block-size 16"
  kNames     ///< a library: "block_size=16"
};

/// "block_size" as it is written.
[[nodiscard]] std::string spelled(Spelling spelling, std::string_view name);
/// With its value.
[[nodiscard]] std::string spelled(Spelling spelling, std::string_view name, std::string_view value);
/// `hint` for a command line, which has words of its own; "" for a library.
[[nodiscard]] std::string_view hint(Spelling spelling, std::string_view words);

/// A question that has no answer: the message names the argument, its value and the remedy.
class Refusal : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { kFormat, kName, kValue };

  explicit Refusal(const std::string& message, Kind kind = Kind::kValue)
      : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;  ///< what is wrong: the name of a format, that of an argument, or anything else
};

/// What a checked factory made; a Refusal with its problem where it made nothing.
template <typename T>
[[nodiscard]] T made(Checked<T> checked) {
  if (!checked) throw Refusal(std::string(checked.problem()));
  return std::move(checked).value();
}

/// What a question gets.
struct Answer {
  Tree data;
  std::string text;   ///< lines with their line feeds; it says nothing that the data do not
  bool holds = true;  ///< what a program ends with: were two the same, was anything explained
};

}  // namespace mx::golden
