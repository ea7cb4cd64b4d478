#include "golden/explain/steps.hpp"

#include <string_view>

#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

std::string_view position_text(const Discarded& d) {
  if (d.exact()) return "on a value of the format";
  if (!d.guard()) return "below the midpoint";
  return d.sticky() ? "above the midpoint" : "at the midpoint";
}

/// Why round_up decided as it did.
std::string rule_text(const ElementPolicy& p, const Trace& t, bool negative, std::uint32_t random) {
  const std::string_view mode = token_of(p.rounding);
  const std::string_view result = t.rounded_up ? "magnitude up" : "magnitude stays";
  const Discarded& d = t.discarded;
  if (d.exact()) return filled("{}: exact, nothing is discarded", mode);
  if (is_stochastic(p.rounding)) {
    return filled("{}: N = {}, R = 0x{:x} added to the discarded fraction {}: {}", mode,
                  p.random_bits, random, fraction_text(d),
                  t.rounded_up ? "it carries, magnitude up" : "no carry, magnitude stays");
  }
  const RoundingFacts& facts = facts_of(p.rounding);
  const bool is_nearest = facts.kind == RoundingKind::kNearest;
  const bool is_tie = d.guard() && !d.sticky();
  const std::string_view sign = negative ? "negative" : "positive";
  std::string detail;
  if (!is_nearest || is_tie) {
    if (facts.looks == RoundingLooks::kParity) {
      detail = filled(", the lower neighbour is {}", t.odd ? "odd" : "even");
    } else if (facts.looks == RoundingLooks::kSign) {
      detail = filled("{}{}", is_nearest ? ", the value is " : " and ", sign);
    }
  }
  return filled("{}: {}{}: {}", mode, is_nearest ? position_text(d) : "inexact", detail, result);
}

/// What the rounding alone does not say of its result.
std::string result_text(const ElementPolicy& p, const ElementFormat& f, const Unpacked& x,
                        const Unpacked& result) {
  if (result.cls == ValueClass::kZero && x.negative && f.zero == ZeroKind::kPosAndNeg) {
    return filled("; a negative zero: zero_sign policy {}", token_of(p.zero_sign));
  }
  const bool is_int_min = f.kind == FormatKind::kTwosComplement && result.negative &&
                          compare_magnitude(result, decode(f, f.max_code)) > 0;
  return is_int_min ? filled("; below -max: int_min policy {}", token_of(p.int_min)) : "";
}

/// Overflow below -max of an integer asks whether there is one code more.
std::string overflow_text(const ElementPolicy& p, const ElementFormat& f, const Unpacked& x) {
  const bool is_negative_integer = f.kind == FormatKind::kTwosComplement && x.negative;
  return filled("overflow policy {}{}", token_of(p.overflow),
                is_negative_integer ? filled(", int_min policy {}", token_of(p.int_min)) : "");
}

/// Set before what becomes of a negative value that goes on to an unsigned format.
std::string sign_text(const ElementPolicy& p, const ElementFormat& f, const Unpacked& x) {
  const bool is_told =
      !f.is_signed && x.negative && (x.cls == ValueClass::kFinite || x.cls == ValueClass::kInf);
  return is_told ? filled("negative for an unsigned format: unsigned_negative policy {}; ",
                          token_of(p.unsigned_negative))
                 : "";
}

}  // namespace

std::string fraction_text(const Discarded& d) {
  const std::string text = short_decimal(unpack_integer(false, d.fraction, -64));
  return d.below ? text + " and a little more" : text;
}

std::string step_text(const ElementPolicy& p, const ElementFormat& f, const Trace& t,
                      const Unpacked& x, std::uint32_t random, const Unpacked& result) {
  switch (t.step) {
    case Trace::Step::kNan:
      return filled("NaN: nan policy {}{}", token_of(p.nan),
                    f.has_nan() ? "" : " on a format without NaN");
    case Trace::Step::kInfinity:
      return sign_text(p, f, x) + "infinity: " + overflow_text(p, f, x);
    case Trace::Step::kZero:
      return f.zero == ZeroKind::kNone
                 ? filled("zero in a format without: zero_in policy {}", token_of(p.zero_in))
                 : filled("zero: zero_sign policy {}", token_of(p.zero_sign));
    case Trace::Step::kUnsignedNegative:
      return filled("negative for an unsigned format: unsigned_negative policy {}",
                    token_of(p.unsigned_negative));
    case Trace::Step::kOverflowed:
      return filled("{}{}{}beyond the largest value: {}", sign_text(p, f, x),
                    t.has_neighbours ? rule_text(p, t, x.negative, random) : "",
                    t.has_neighbours ? "; " : "", overflow_text(p, f, x));
    case Trace::Step::kFlushed:
      return filled("{}; subnormal result flushed: dst_ftz {}", rule_text(p, t, x.negative, random),
                    token_of(p.dst_ftz));
    case Trace::Step::kRounded:
      return sign_text(p, f, x) + rule_text(p, t, x.negative, random) +
             result_text(p, f, x, result);
  }
  return {};
}

}  // namespace mx::golden
