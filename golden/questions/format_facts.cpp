#include "golden/questions/format_facts.hpp"

#include <bit>

#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {
namespace {

/// Both signs of a range of magnitudes.
std::vector<CodeRange> with_signs(const ElementFormat& f, CodeRange range) {
  if (!f.is_signed) return {range};
  return {range, {range.first | f.sign_bit(), range.last | f.sign_bit()}};
}

}  // namespace

std::vector<CodeRange> nan_codes(const ElementFormat& f) {
  const std::uint64_t top = f.magnitude_mask();
  switch (f.nan) {
    case NanKind::kNone:
      return {};
    case NanKind::kIeeeAll:
      return with_signs(f, {(((std::uint64_t{1} << f.exp_bits) - 1) << f.man_bits) + 1, top});
    case NanKind::kOuterOnePerSign:
      return with_signs(f, {top, top});
    case NanKind::kNegZeroSlot:
      return {{f.sign_bit(), f.sign_bit()}};
    case NanKind::kTopCode:
      return {{f.code_mask(), f.code_mask()}};
  }
  return {};
}

std::vector<CodeRange> inf_codes(const ElementFormat& f) {
  if (!f.has_inf()) return {};
  return with_signs(f, {f.inf_code(), f.inf_code()});
}

std::string ranges_text(const ElementFormat& format, const std::vector<CodeRange>& ranges) {
  std::string text;
  for (const CodeRange& range : ranges) {
    text += filled("{}{}", text.empty() ? "" : ", ", hex_code(format, range.first));
    if (range.last != range.first) text += filled("-{}", hex_code(format, range.last));
  }
  return text.empty() ? "-" : text;
}

std::optional<std::uint64_t> negative_zero_code(const ElementFormat& f) {
  if (f.zero != ZeroKind::kPosAndNeg) return std::nullopt;
  return f.sign_bit();
}

std::optional<std::uint64_t> one_code(const ElementFormat& f) {
  const Encoded one = encode(unpack_integer(false, 1, 0), f, {}, 0);
  if ((one.flags & kFlagInexact) != 0) return std::nullopt;
  return one.code;
}

Unpacked largest_value(const ElementFormat& f) { return decode(f, f.max_code); }

Unpacked smallest_positive(const ElementFormat& f) {
  if (f.zero == ZeroKind::kNone) return decode(f, 0);
  const bool skips = f.kind == FormatKind::kFloat && !f.has_subnormal;
  return decode(f, skips ? std::uint64_t{1} << f.man_bits : 1);
}

std::optional<Unpacked> smallest_normal(const ElementFormat& f) {
  if (f.kind != FormatKind::kFloat || f.emax() < f.emin()) return std::nullopt;
  return unpack_integer(false, 1, f.emin());
}

std::optional<Unpacked> smallest_subnormal(const ElementFormat& f) {
  const Unpacked least = smallest_positive(f);
  if (f.kind != FormatKind::kFloat || least.exponent >= f.emin()) return std::nullopt;
  return least;
}

std::string brief(const Unpacked& x) {
  const std::string decimal = exact_decimal(x);
  if (x.cls != ValueClass::kFinite || decimal.size() <= 10) return decimal;
  const int zeros = std::countr_zero(x.significand);
  const std::string sign = x.negative ? "-" : "";
  if (zeros == 63) return filled("{}2^{}", sign, x.exponent);
  Unpacked scaled = x;
  scaled.exponent = 0;
  scaled.negative = false;
  const std::string significand = exact_decimal(scaled);
  if (significand.size() <= 12) return filled("{}{} * 2^{}", sign, significand, x.exponent);
  // A largest value: 2^(e+1) - 2^(e-p).
  const std::uint64_t kept = x.significand >> zeros;
  if ((kept & (kept + 1)) == 0) {
    return filled("{}(2 - 2^{}) * 2^{}", sign, zeros - 63, x.exponent);
  }
  return short_decimal(x);
}

std::string fields_text(const ElementFormat& f) {
  const int sign = f.is_signed ? 1 : 0;
  switch (f.kind) {
    case FormatKind::kFloat:
      return filled("{}/{}/{}", sign, f.exp_bits, f.man_bits);
    case FormatKind::kTwosComplement:
      return filled("{}int * 2^{}", f.is_signed ? "" : "u", -f.frac_bits);
    case FormatKind::kSignMagnitude:
      return filled("sign, int * 2^{}", -f.frac_bits);
    case FormatKind::kTapered:
      return "tapered";
  }
  return {};
}

}  // namespace mx::golden
