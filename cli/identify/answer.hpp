// SPDX-License-Identifier: Apache-2.0
// The answer of identify on what is asked of whole files: casts, matrix units, the way back from
// blocks. The same five lines as for logs of codes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/error.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// Somebody who may have made the answers of a file.
struct Maker {
  std::string name;
  std::string variant = {};    ///< of several that have one name: "compat/x86"
  std::uint64_t compared = 0;  ///< words
  std::uint64_t agree = 0;
  std::uint64_t open = 0;     ///< words that nothing settles
  std::uint64_t refused = 0;  ///< records that it does not take
  std::string first;          ///< where it differs first
  golden::Tree facts;         ///< what else JSON has of it

  /// "h100_f16", "qtorch:... (compat/x86)"
  [[nodiscard]] std::string text() const {
    return variant.empty() ? name : name + " (" + variant + ")";
  }
  [[nodiscard]] bool explains() const { return refused == 0 && compared != 0 && agree == compared; }
};

/// What became of the records of a file.
class RecordTally {
 public:
  explicit RecordTally(std::size_t records) : compared_(records), telling_(records) {}
  void note(std::size_t record, bool agrees) {
    compared_[record] = 1;
    if (!agrees) telling_[record] = 1;
  }
  [[nodiscard]] std::size_t records() const { return compared_.size(); }
  [[nodiscard]] std::uint64_t compared() const;  ///< with the word of some maker
  [[nodiscard]] std::uint64_t telling() const;   ///< of those that contradict some maker

 private:
  std::vector<std::uint8_t> compared_;
  std::vector<std::uint8_t> telling_;
};

/// An input that parts makers.
struct PartingInput {
  std::string input;
  std::vector<std::string> answers;  ///< "3f80 from h100_f16 and 1 more"
};

/// Of some inputs, given by number, the one on which the makers named give the most different
/// answers: the first. An answer "" is none. Makers that part on none are `alike`.
struct Partings {
  std::vector<std::vector<std::size_t>> alike;  ///< makers that no input parts, by number
  std::vector<PartingInput> best;               ///< at most one
};
[[nodiscard]] Partings partings_of(
    const std::vector<std::string>& names, std::size_t inputs,
    const std::function<std::string(std::size_t maker, std::size_t input)>& answer,
    const std::function<std::string(std::size_t input)>& input_text);

/// What was asked, and what was found.
struct WholeAnswer {
  std::string what;        ///< "mxfp4 -> fp32"
  std::string_view kind;   ///< of makers: "sets of policies"
  std::string_view words;  ///< what is compared: "values"
  std::vector<Maker> makers;
  RecordTally tally{0};
  Partings partings;               ///< of the makers that explain, in their order
  std::vector<std::string> notes;  ///< lines for --verbose
};

/// Prints five lines, with `is_verbose` every maker; JSON has all of it. kPass where a maker
/// explains everything, kMismatch where none does, kBadInput where nothing was compared.
[[nodiscard]] Exit report(WholeAnswer answer, bool is_verbose, bool is_json);

}  // namespace mx::cli
