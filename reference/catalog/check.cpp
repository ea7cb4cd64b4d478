#include "reference/catalog/check.hpp"

#include <algorithm>
#include <vector>

#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/number/unpacked.hpp"

namespace mx {
namespace {

FormatFault width_fault(const ElementFormat& f) {
  if (f.bits < 1 || f.bits > 64) return {"bits", "bits lies outside 1..64", "give 1 to 64"};
  if (f.is_signed && f.bits < 2) {
    return {"bits", "a signed format needs at least 2 bits", "give more bits or signed = false"};
  }
  if (f.storage_bits != 8 && f.storage_bits != 16 && f.storage_bits != 32 && f.storage_bits != 64) {
    return {"storage_bits", "storage_bits is not 8, 16, 32 or 64", "leave it out, or give one"};
  }
  if (f.storage_bits < f.bits) {
    return {"storage_bits", "storage_bits is less than bits", "leave it out, or give more"};
  }
  return {};
}

FormatFault fixed_fault(const ElementFormat& f) {
  if (f.frac_bits < -1024 || f.frac_bits > 1024) {
    return {"frac_bits", "frac_bits lies outside -1024..1024", "give a number in that range"};
  }
  if (f.max_code != f.magnitude_mask()) {
    return {"max_code", "max_code of a fixed format is its top", "leave it out"};
  }
  if (f.nan != NanKind::kNone) {
    return {"nan", "every code of a fixed format is a number", "set nan to none"};
  }
  if (f.inf != InfKind::kNone) {
    return {"inf", "every code of a fixed format is a number", "set inf to none"};
  }
  if (f.kind == FormatKind::kSignMagnitude) {
    if (!f.is_signed) {
      return {"signed", "sign-magnitude needs a sign", "use twos_compl_fixed for unsigned"};
    }
    if (f.zero == ZeroKind::kPosAndNeg) return {};
    return {"zero", "sign-magnitude has both zeros: nothing else fits the code of -0",
            "set zero to pos_and_neg"};
  }
  if (f.zero == ZeroKind::kPosOnly) return {};
  return {"zero", "two's complement has one zero, the code 0", "set zero to pos_only"};
}

FormatFault float_fault(const ElementFormat& f) {
  if (f.exp_bits < 0 || f.exp_bits > 16) {
    return {"exp_bits", "a float needs 0..16 exponent bits", "give a number in that range"};
  }
  if (f.man_bits < 0 || f.man_bits > 52) {
    return {"man_bits", "a float needs 0..52 stored significand bits", "give one in that range"};
  }
  if ((f.is_signed ? 1 : 0) + f.exp_bits + f.man_bits != f.bits) {
    return {"bits", "bits is not sign + exponent + significand bits", "leave out one of them"};
  }
  if (f.bias < -65536 || f.bias > 65536) {
    return {"bias", "the bias lies outside -65536..65536", "give a number in that range"};
  }
  if (f.inf == InfKind::kIeeeTop && f.exp_bits == 0) {
    return {"inf", "ieee_top needs an exponent field", "use p3109_top or none"};
  }
  if (f.nan == NanKind::kIeeeAll && (f.exp_bits == 0 || f.man_bits == 0)) {
    return {"nan", "ieee_all needs an exponent field and a stored significand",
            "use outer_one_per_sign, top_code or none"};
  }
  return {};
}

FormatFault zero_fault(const ElementFormat& f) {
  if (f.zero == ZeroKind::kPosAndNeg && !f.is_signed) {
    return {"zero", "an unsigned format has no -0", "set zero to pos_only or none"};
  }
  if (f.nan == NanKind::kNegZeroSlot && (!f.is_signed || f.zero != ZeroKind::kPosOnly)) {
    return {"nan", "the NaN slot of -0 needs a signed format with only +0",
            "set zero to pos_only, or use another NaN layout"};
  }
  if (f.zero == ZeroKind::kPosOnly && f.is_signed && f.nan != NanKind::kNegZeroSlot) {
    return {"zero", "a signed float with only +0 leaves the code of -0 undefined",
            "set nan to neg_zero_slot, or zero to pos_and_neg"};
  }
  return {};
}

bool is_finite(const ElementFormat& f, std::uint64_t code) {
  const ValueClass cls = decode(f, code).cls;
  return cls == ValueClass::kFinite || cls == ValueClass::kZero;
}

FormatFault special_fault(const ElementFormat& f) {
  if (f.nan == NanKind::kTopCode && f.is_signed) {
    return {"nan", "top_code NaN needs an unsigned format",
            "use outer_one_per_sign, or signed = false"};
  }
  if (f.has_inf() && decode(f, f.inf_code()).cls != ValueClass::kInf) {
    return {"inf", "the code of Inf is a NaN: the layouts of inf and nan overlap",
            "choose another layout for one of them"};
  }
  if (!f.has_nan() && f.canonical_nan != 0) {
    return {"canonical_nan_code", "there is no NaN: nan is none", "leave it out, or give nan"};
  }
  if (f.has_nan() && f.canonical_nan > f.code_mask()) {
    return {"canonical_nan_code", "canonical_nan has bits above the format's width",
            "give a code of the format"};
  }
  if (f.has_nan() && decode(f, f.canonical_nan).cls != ValueClass::kNan) {
    return {"canonical_nan_code", "canonical_nan does not decode to NaN",
            "leave it out, or give a code of the NaN layout"};
  }
  return {};
}

FormatFault range_fault(const ElementFormat& f) {
  if (f.max_code == 0 || f.max_code > f.magnitude_mask()) {
    return {"max_code", "max_code is not a magnitude code",
            "give a code from 1 to the largest magnitude"};
  }
  if (decode(f, f.max_code).cls != ValueClass::kFinite) {
    return {"max_code", "max_code does not decode to a finite value",
            "leave it out: it is the last code below Inf and NaN"};
  }
  if (f.max_code < f.magnitude_mask() && is_finite(f, f.max_code + 1)) {
    return {"max_code", "the code after max_code is finite too",
            "leave it out: it is the last code below Inf and NaN"};
  }
  // Layouts change their class at these codes only, so nothing finite hides between them.
  const std::uint64_t top = f.magnitude_mask();
  for (const std::uint64_t code : {f.has_inf() ? f.inf_code() + 1 : top, top - 1, top}) {
    if (code > f.max_code && code <= top && is_finite(f, code)) {
      return {"inf", "codes above Inf or NaN are finite", "use a NaN layout that fills the top"};
    }
  }
  return {};
}

/// Magnitude codes to look at, ascending.
std::vector<std::uint64_t> magnitudes(const ElementFormat& f) {
  std::vector<std::uint64_t> codes;
  if (f.bits <= 16) {
    for (std::uint64_t m = 0; m <= f.magnitude_mask(); ++m) codes.push_back(m);
    return codes;
  }
  const int low = f.is_fixed() ? std::max(f.bits - 12, 0) : f.man_bits;
  const std::uint64_t tail = (std::uint64_t{1} << low) - 1;
  const std::uint64_t last = f.magnitude_mask() >> low;
  const std::uint64_t step = last / 1024 + 1;
  for (std::uint64_t field = 0; field <= last;
       field += field < 8 || last - field < step + 8 ? 1 : step) {
    for (const std::uint64_t t :
         {std::uint64_t{0}, std::uint64_t{1}, tail / 2, tail / 2 + 1, tail - 1, tail}) {
      codes.push_back(field << low | (t & tail));
    }
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

bool comes_back(const ElementFormat& f, std::uint64_t code) {
  const Unpacked x = decode(f, code);
  if (x.cls == ValueClass::kNan) return true;
  ElementPolicy policy;
  policy.overflow = Overflow::kPropagateInf;
  policy.int_min = IntMin::kAllow;
  return std::ranges::all_of(tokens<Rounding>(), [&](const Token<Rounding>& rounding) {
    policy.rounding = rounding.value;
    return is_stochastic(rounding.value) || encode(x, f, policy, 0).code == code;
  });
}

/// Codes of exponent field 0 that stand for zero besides the zero code.
bool is_spare_zero(const ElementFormat& f, std::uint64_t magnitude) {
  return f.kind == FormatKind::kFloat && !f.has_subnormal && f.zero != ZeroKind::kNone &&
         magnitude >> f.man_bits == 0 && magnitude != 0;
}

}  // namespace

FormatFault find_fault(const ElementFormat& f) {
  if (const FormatFault fault = width_fault(f)) return fault;
  if (f.kind == FormatKind::kTapered) {
    if (f.bits == 8 && f.max_code == formats::hif8.max_code) return {};
    return {"kind", "hif8 is the only tapered format", "use the name hif8"};
  }
  if (f.is_fixed()) return fixed_fault(f);
  if (const FormatFault fault = float_fault(f)) return fault;
  if (const FormatFault fault = zero_fault(f)) return fault;
  if (const FormatFault fault = special_fault(f)) return fault;
  return range_fault(f);
}

std::optional<std::uint64_t> find_unstable_code(const ElementFormat& f) {
  if (f.kind == FormatKind::kTapered) return std::nullopt;
  std::optional<Unpacked> before;
  for (const std::uint64_t m : magnitudes(f)) {
    if (is_spare_zero(f, m)) continue;
    for (const std::uint64_t code : {m, m | f.sign_bit()}) {
      if (!comes_back(f, code)) return code;
    }
    const Unpacked x = decode(f, m);
    if (x.cls != ValueClass::kFinite && x.cls != ValueClass::kZero) continue;
    if (before && compare_magnitude(*before, x) >= 0) return m;
    before = x;
  }
  return std::nullopt;
}

std::string_view invalid_reason(const ElementFormat& format) { return find_fault(format).reason; }

}  // namespace mx
