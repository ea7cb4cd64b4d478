#include "mx/format_table.hpp"

#include <array>

#include "mx/unpacked.hpp"

namespace mx {
namespace {

constexpr std::array kFormats = {
    formats::fp64,         formats::fp32,        formats::tf32,  formats::bf16,
    formats::fp16,         formats::e4m3fn,      formats::e5m2,  formats::e3m2fn,
    formats::e2m3fn,       formats::e2m1fn,      formats::int8,  formats::e4m3fnuz,
    formats::e5m2fnuz,     formats::e4m3b11fnuz, formats::e4m3,  formats::e3m4,
    formats::e3m4fn_intel, formats::e3m0,        formats::hif8,  formats::e8m0,
    formats::e8m0_cann,    formats::ue4m3,       formats::ue5m3, formats::ue6m2,
    formats::bfp_exp8,     formats::bfp_exp5};

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string_view invalid_float_reason(const ElementFormat& f) {
  if (f.exp_bits < 0 || f.man_bits < 0 || f.man_bits > 52 || f.exp_bits > 16) {
    return "a float needs 0..16 exponent bits and 0..52 stored significand bits";
  }
  if ((f.is_signed ? 1 : 0) + f.exp_bits + f.man_bits != f.bits) {
    return "bits is not sign + exponent + significand bits";
  }
  if (f.bias < -65536 || f.bias > 65536) return "the bias lies outside -65536..65536";
  if (f.inf == InfKind::kIeeeTop && f.exp_bits == 0) return "ieee_top needs an exponent field";
  if (f.nan == NanKind::kIeeeAll && (f.exp_bits == 0 || f.man_bits == 0)) {
    return "ieee_all needs an exponent field and a stored significand";
  }
  return {};
}

std::string_view invalid_special_reason(const ElementFormat& f) {
  if (f.nan == NanKind::kNegZeroSlot && (!f.is_signed || f.zero != ZeroKind::kPosOnly)) {
    return "the NaN slot of -0 needs a signed format with only +0";
  }
  if (f.zero == ZeroKind::kPosOnly && f.is_signed && f.kind == FormatKind::kFloat &&
      f.nan != NanKind::kNegZeroSlot) {
    return "a signed float with only +0 leaves the code of -0 undefined";
  }
  if (f.nan == NanKind::kTopCode && f.is_signed) return "top_code NaN needs an unsigned format";
  if (f.zero == ZeroKind::kPosAndNeg && !f.is_signed) return "an unsigned format has no -0";
  if (f.nan != NanKind::kNone && decode(f, f.canonical_nan).cls != ValueClass::kNan) {
    return "canonical_nan does not decode to NaN";
  }
  return {};
}

}  // namespace

std::span<const ElementFormat> all_formats() { return kFormats; }

const ElementFormat* find_format(std::string_view name) {
  return find_row<ElementFormat>(kFormats, name);
}

std::string_view invalid_reason(const ElementFormat& f) {
  if (f.bits < 1 || f.bits > 64) return "bits lies outside 1..64";
  if (f.is_signed && f.bits < 2) return "a signed format needs at least 2 bits";
  if (f.storage_bits != 8 && f.storage_bits != 16 && f.storage_bits != 32 && f.storage_bits != 64) {
    return "storage_bits is not 8, 16, 32 or 64";
  }
  if (f.storage_bits < f.bits) return "storage_bits is less than bits";
  if (f.kind == FormatKind::kTapered) {
    return f.bits == 8 && f.max_code == formats::hif8.max_code ? std::string_view{}
                                                               : "hif8 is the only tapered format";
  }
  if (f.is_fixed()) {
    if (f.frac_bits < -1024 || f.frac_bits > 1024) return "frac_bits lies outside -1024..1024";
    return f.max_code == f.magnitude_mask() ? std::string_view{}
                                            : "max_code of a fixed format is its top";
  }
  if (const std::string_view reason = invalid_float_reason(f); !reason.empty()) return reason;
  if (const std::string_view reason = invalid_special_reason(f); !reason.empty()) return reason;
  if (f.max_code == 0 || f.max_code > f.magnitude_mask()) return "max_code is not a magnitude code";
  if (decode(f, f.max_code).cls != ValueClass::kFinite)
    return "max_code does not decode to a finite value";
  if (f.max_code < f.magnitude_mask() && decode(f, f.max_code + 1).cls == ValueClass::kFinite) {
    return "the code after max_code is finite too";
  }
  return {};
}

}  // namespace mx
