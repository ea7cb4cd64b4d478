#include "cli/options/dot.hpp"

#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr const char* kAccumulator = "Accumulator (--mode accumulator)";

}  // namespace

void add_dot_options(const Command& command, DotText& text) {
  command
      .add_option(
          "--mode", text.mode,
          "Dot: exact_once | fp32_seq | fp32_tree | block_exact_fp32_seq | accumulator; casts of "
          "systems: strict (their default) | compat")
      .capture_default_str();
  command.add_option("--result", text.result, "Dot, dequantize, mma: format of the results")
      .capture_default_str();
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    return command.add_option(name, value, meaning).capture_default_str().group(kAccumulator);
  };
  add("--group", text.group, "Products added in one step").range(1, 1024);
  add("--align-bits", text.align_bits, "Bits kept below the largest exponent").range(2, 56);
  add("--align-rounding", text.align_rounding,
      "How lower bits are lost: toward_zero, to_odd (sticky), any rounding");
  add("--order", text.order, "Order of the products: sequential | strided | reversed");
  add("--carry", text.carry, "The running sum: aligned | afterwards");
  add("--align", text.align, "To the largest leading_one | exponent_sum");
  add("--normalize", text.normalize, "When the sum is normalized: every_step | at_end");
  add("--acc-format", text.acc_format, "Format of the running sum");
  add("--acc-rounding", text.acc_rounding, "Its rounding");
  add("--acc-overflow", text.acc_overflow, "What it does beyond its range");
  add("--acc-ftz", text.acc_ftz, "Its subnormals: none | pre | post | post_unbounded");
  add("--acc-zero-sign", text.acc_zero_sign,
      "An exact sum of zero: positive | ieee (of a fused multiply-add)");
}

void refuse_unused_accumulator(const Command& command, const DotText& text) {
  if (text.mode == "accumulator") return;
  for (const Option option : command.get_options()) {
    if (option.get_group() != kAccumulator || option.count() == 0) continue;
    fail(Exit::kUsage, "{}: goes with --mode accumulator, not {}", option.get_name(),
         printable(text.mode));
  }
}

namespace {

AccumulatorModel accumulator_of(const DotText& text, FormatBook& book) {
  return {
      .group = text.group,
      .alignment_bits = text.align_bits,
      .align_rounding = require_token<Rounding>("value of --align-rounding", text.align_rounding),
      .order = require_token<DotOrder>("value of --order", text.order),
      .carry = require_token<DotCarry>("value of --carry", text.carry),
      .align = require_token<DotAlign>("value of --align", text.align),
      .normalize = require_token<DotNormalize>("value of --normalize", text.normalize),
      .format = book.require_element("value of --acc-format", text.acc_format),
      .rounding = require_token<Rounding>("value of --acc-rounding", text.acc_rounding),
      .overflow = require_token<Overflow>("value of --acc-overflow", text.acc_overflow),
      .ftz = require_token<ResultSubnormals>("value of --acc-ftz", text.acc_ftz),
      .zero_sign = require_token<DotZeroSign>("value of --acc-zero-sign", text.acc_zero_sign)};
}

}  // namespace

DotConfig dot_config(const DotText& text, FormatBook& book, const BlockFormat& a,
                     const BlockFormat& b) {
  return {.a = a,
          .b = b,
          .mode = require_token<DotMode>("value of --mode", text.mode),
          .result = book.require_element("value of --result", text.result),
          .accumulator = accumulator_of(text, book)};
}

}  // namespace mx::cli
