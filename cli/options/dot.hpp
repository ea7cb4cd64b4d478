// The options of dot products: how the sum is made, and the accumulator.
#pragma once

#include <string>

#include "cli/line/command.hpp"
#include "cli/options/format_book.hpp"
#include "reference/dot/model.hpp"

namespace mx::cli {

/// As the command line spells them; the defaults are those of DotConfig and AccumulatorModel.
struct DotText {
  std::string mode = "exact_once";
  std::string result = "fp32";
  int group = 32;
  int align_bits = 24;
  std::string align_rounding = "toward_zero";
  std::string order = "sequential";
  std::string carry = "aligned";
  std::string align = "leading_one";
  std::string normalize = "every_step";
  std::string acc_format = "fp32";
  std::string acc_rounding = "ties_to_even";
  std::string acc_overflow = "none_inf_or_nan";
  std::string acc_ftz = "none";
  std::string acc_zero_sign = "positive";
};

/// Adds --mode, --result and the group Accumulator. `text` must stay in place.
void add_dot_options(const Command& command, DotText& text);

/// Error kUsage for an option of the accumulator under another mode.
void refuse_unused_accumulator(const Command& command, const DotText& text);

/// The configuration; rounding and overflow are the caller's. Error kUsage for unknown tokens.
[[nodiscard]] DotConfig dot_config(const DotText& text, FormatBook& book, const BlockFormat& a,
                                   const BlockFormat& b);

}  // namespace mx::cli
