// The canonical spelling and the documented variants.
#include "emulators/dmx/format/joined.hpp"
#include "emulators/dmx/format/reader.hpp"
#include "emulators/dmx/format/shorthand.hpp"

namespace mx::emulators::dmx {
namespace {

/// Reads fields and remembers the first problem.
class Fields {
 public:
  explicit Fields(std::string_view text) : reader_(text) {}

  void literal(std::string_view expected) {
    if (!failed() && !reader_.literal(expected)) {
      refuse(joined({"'", expected, "' is expected"}));
    }
  }
  [[nodiscard]] bool takes(std::string_view expected) {
    return !failed() && reader_.literal(expected);
  }
  [[nodiscard]] std::int64_t integer() {
    if (failed()) return 0;
    const auto value = reader_.plain_integer();
    if (!value) refuse("an integer without leading zeros is expected");
    return value.value_or(0);
  }
  /// An integer of either sign; `+` where `plus` allows it.
  [[nodiscard]] std::int64_t signed_integer(bool plus) {
    const bool negative = takes("-");
    const bool marked = negative || (plus && takes("+"));
    const std::int64_t value = integer();
    if (marked && value == 0) refuse("zero has no sign");
    return negative ? -value : value;
  }
  /// One of two or three letters; the first says yes.
  [[nodiscard]] bool flag(std::string_view letters) {
    if (failed()) return false;
    const char c = reader_.peek();
    if (c == '\0' || letters.find(c) == std::string_view::npos) {
      refuse(joined({"one of '", letters, "' is expected"}));
      return false;
    }
    reader_.skip(1);
    return c == letters[0];
  }
  [[nodiscard]] Rounding rounding() {
    if (failed()) return Rounding::kNearest;
    const auto found = rounding_of(reader_.peek());
    if (!found)
      refuse("a rounding is expected: one of 'UDNS'");
    else
      reader_.skip(1);
    return found.value_or(Rounding::kNearest);
  }
  /// Does a rounding stand here, with nothing but the parenthesis after it?
  [[nodiscard]] bool at_rounding() const {
    return rounding_of(reader_.peek()) && reader_.rest().size() == 2;
  }
  void end() {
    if (!failed() && !reader_.at_end()) refuse("the shorthand should end here");
  }
  /// What a constructor asserts, at the place where its spelling began.
  void require(std::size_t position, std::string_view problem) {
    if (failed() || problem.empty()) return;
    problem.remove_prefix(problem.find(": ") + 2);
    problem_ = joined({"ValueError: position ", std::to_string(position), ": ", problem});
  }
  void refuse(std::string_view what) {
    if (failed()) return;
    problem_ = joined({"ValueError: position ", std::to_string(reader_.position()), ": ", what});
  }
  [[nodiscard]] bool failed() const { return !problem_.empty(); }
  [[nodiscard]] std::size_t position() const { return reader_.position(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  Reader reader_;
  std::string problem_;
};

constexpr std::int64_t kFar = 1'000'000;

int narrowed_strictly(std::int64_t value) {
  return static_cast<int>(value > kFar ? kFar : value < -kFar ? -kFar : value);
}

FixedPoint fixed_point(Fields& fields) {
  const std::size_t first = fields.position();
  FixedPoint format;
  fields.literal("XP[");
  format.precision = fields.integer();
  fields.literal(",");
  format.fraction = fields.signed_integer(true);
  fields.literal("](");
  format.clamp = fields.flag("C_U");  // U and A are documented
  format.symmetric = fields.flag("S_A");
  format.rounding = fields.rounding();
  fields.literal(")");
  fields.require(first, problem_of(format));
  return format;
}

FloatingPoint floating_point(Fields& fields) {
  const std::size_t first = fields.position();
  FloatingPoint format;
  fields.literal("FP[");
  format.is_unsigned = fields.flag("01");
  fields.literal("|");
  format.exponent = narrowed_strictly(fields.integer());
  fields.literal("|");
  format.mantissa = narrowed_strictly(fields.integer());
  fields.literal(",");
  format.bias = narrowed_strictly(fields.signed_integer(false));
  fields.literal("](");
  format.flush_subnormal = fields.flag("F_");
  format.rounding = fields.rounding();
  fields.literal(")");
  fields.require(first, problem_of(format));
  return format;
}

BlockFloatingPoint block_floating_point(Fields& fields) {
  BlockFloatingPoint format;
  fields.literal("BFP[");
  format.precision = narrowed_strictly(fields.integer());
  fields.literal("|8]{");
  format.block_size = fields.integer();
  const bool has_axis = fields.takes(",");
  if (has_axis) format.axis = fields.signed_integer(false);
  fields.literal("}(");
  // With an axis the documentation has both (N) and (SN).
  if (!has_axis || !fields.at_rounding()) format.symmetric = fields.flag("S_");
  format.rounding = fields.rounding();
  fields.literal(")");
  fields.require(0, problem_of(format));
  return format;
}

std::int64_t block_size(Fields& fields) {
  fields.literal("{");
  const std::int64_t size = fields.integer();
  fields.literal("}");
  return size;
}

ScaledBlockFloatingPoint scaled(Fields& fields) {
  ScaledBlockFloatingPoint format;
  fields.literal("SBFP<");
  format.block_format = fixed_point(fields);
  fields.literal("><");
  format.scaler_format = floating_point(fields);
  fields.literal(">");
  format.block_size = block_size(fields);
  fields.require(0, problem_of(format));
  return format;
}

Mxfp mxfp(Fields& fields) {
  Mxfp format;
  fields.literal("MXFP");
  if (fields.takes("<")) {
    format.element_format = floating_point(fields);
    fields.literal(">");
  } else {
    const std::int64_t precision = fields.integer();
    FloatingPoint element{.flush_subnormal = false};
    fields.literal("[E");
    element.exponent = narrowed_strictly(fields.integer());
    fields.literal("M");
    element.mantissa = narrowed_strictly(fields.integer());
    fields.literal("]");
    if (element.exponent >= 1 && element.exponent <= 8) {
      element.bias = (1 << (element.exponent - 1)) - 1;
    }
    fields.require(4, problem_of(element));
    const bool fits = precision == std::int64_t{1} + element.exponent + element.mantissa;
    fields.require(4, fits ? "" : ": the precision is not 1 + E + M");
    format.element_format = element;
  }
  format.block_size = block_size(fields);
  fields.require(0, problem_of(format));
  return format;
}

BlockFloatingPoint mxint(Fields& fields) {
  BlockFloatingPoint format{.is_mxint = true};
  fields.literal("MXINT");
  format.precision = narrowed_strictly(fields.integer());
  format.block_size = block_size(fields);
  fields.require(0, problem_of(format));
  return format;
}

Format read(Fields& fields, std::string_view text) {
  if (text.starts_with("XP")) return fixed_point(fields);
  if (text.starts_with("FP")) return floating_point(fields);
  if (text.starts_with("BFP")) return block_floating_point(fields);
  if (text.starts_with("SBFP")) return scaled(fields);
  if (text.starts_with("MXFP")) return mxfp(fields);
  if (text.starts_with("MXINT")) return mxint(fields);
  if (!fields.takes("SAME")) fields.refuse("SAME, XP, FP, BFP, SBFP, MXFP or MXINT is expected");
  return Same{};
}

}  // namespace

Checked<Format> strict_shorthand(std::string_view text) {
  Fields fields(text);
  const Format format = read(fields, text);
  fields.end();
  if (fields.failed()) return Problem{fields.problem()};
  return format;
}

}  // namespace mx::emulators::dmx
