// The options of scalar operations: which one, and between what integers and floats it converts.
#pragma once

#include <string>

#include "cli/line/command.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"

namespace mx::cli {

/// As the command line spells them; the defaults are those of ArithmeticCase.
struct ArithText {
  std::string operation = "add";
  std::string integer = "i32";
  std::string out_of_range = "saturate_nan_max";
};

/// Adds --operation, --integer and --out-of-range. `text` must stay in place.
void add_arith_options(const Command& command, ArithText& text);

/// Error kUsage for --integer or --out-of-range beside an operation that has none.
void refuse_unused_integer(const Command& command, const ArithText& text);

/// Error kUsage for unknown tokens.
[[nodiscard]] ArithmeticOperation arith_operation(const ArithText& text);
[[nodiscard]] IntegerConversion integer_conversion(const ArithText& text);

/// The options again, those with a meaning, with a blank before each.
[[nodiscard]] std::string arith_options_text(const ArithText& text);

}  // namespace mx::cli
