#include "cli/options/arith.hpp"

#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {

void add_arith_options(const Command& command, ArithText& text) {
  command
      .add_option("--operation", text.operation,
                  "Arith: add | subtract | multiply | divide | fma | sqrt | remainder | "
                  "round_to_integral | minimum | maximum | minimum_number | maximum_number | "
                  "min_num | max_num | select_minimum | select_maximum | "
                  "compare_{quiet,signaling}_{equal,less,less_equal} | to_integer | from_integer")
      .capture_default_str();
  command
      .add_option("--integer", text.integer,
                  "Arith, to_integer and from_integer: i8 | u8 | i16 | u16 | i32 | u32 | i64 | u64")
      .capture_default_str();
  command
      .add_option("--out-of-range", text.out_of_range,
                  "Arith, to_integer: saturate_nan_max (RISC-V) | saturate_nan_zero (ARM) | "
                  "indefinite (x86)")
      .capture_default_str();
}

void refuse_unused_integer(const Command& command, const ArithText& text) {
  const ArithmeticOperation operation = arith_operation(text);
  if (command.count("--integer") != 0 && !has_integer(operation)) {
    fail(Exit::kUsage, "--integer: goes with --operation to_integer and from_integer, not {}",
         text.operation);
  }
  if (command.count("--out-of-range") != 0 && operation != ArithmeticOperation::kToInteger) {
    fail(Exit::kUsage, "--out-of-range: goes with --operation to_integer, not {}", text.operation);
  }
}

ArithmeticOperation arith_operation(const ArithText& text) {
  return require_token<ArithmeticOperation>("value of --operation", text.operation);
}

IntegerConversion integer_conversion(const ArithText& text) {
  return {.type = require_token<IntegerType>("value of --integer", text.integer),
          .out_of_range = require_token<OutOfRange>("value of --out-of-range", text.out_of_range)};
}

std::string arith_options_text(const ArithText& text) {
  const ArithmeticOperation operation = arith_operation(text);
  std::string options = " --operation " + text.operation;
  if (has_integer(operation)) options += " --integer " + text.integer;
  if (operation == ArithmeticOperation::kToInteger) {
    options += " --out-of-range " + text.out_of_range;
  }
  return options;
}

}  // namespace mx::cli
