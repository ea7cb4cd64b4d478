// The options of dot products: how the sum is made, and the accumulator.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/line/command.hpp"
#include "cli/options/format_book.hpp"
#include "reference/dot/fields.hpp"

namespace mx::cli {

/// An option of the accumulator.
struct AccumulatorText {
  AccumulatorField field;
  std::string option;                    ///< "--align-bits"
  std::variant<int, std::string> value;  ///< as typed
};

/// Each with its default.
[[nodiscard]] std::vector<AccumulatorText> accumulator_texts();

/// As the command line spells them; the defaults are those of DotConfig and AccumulatorModel.
struct DotText {
  std::string mode = "exact_once";
  std::string result = "fp32";
  std::vector<AccumulatorText> accumulator = accumulator_texts();
};

/// Adds --mode, --result and the group Accumulator. `text` must stay in place.
void add_dot_options(const Command& command, DotText& text);

/// Error kUsage for an option of the accumulator under another mode.
void refuse_unused_accumulator(const Command& command, const DotText& text);

/// The configuration; rounding and overflow are the caller's. Error kUsage for unknown tokens.
[[nodiscard]] DotConfig dot_config(const DotText& text, FormatBook& book, const BlockFormat& a,
                                   const BlockFormat& b);

}  // namespace mx::cli
