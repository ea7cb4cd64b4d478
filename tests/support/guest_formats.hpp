// Rows of formats.md section 6.3 beyond the built-in table. The generic algorithms must already be
// right for them: the next format is a row, not new code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/format/table.hpp"

namespace mx::oracle {

namespace detail {

struct FloatRow {
  const char* name;
  int bits;
  bool is_signed;
  int exp_bits;
  int man_bits;
  int bias;
  bool has_subnormal;
  ZeroKind zero;
  InfKind inf;
  NanKind nan;
  std::uint64_t max_code;
  std::uint64_t canonical_nan;
  Parity parity = Parity::kCodeLsb;
};

inline ElementFormat to_format(const FloatRow& row) {
  ElementFormat f;
  f.name = row.name;
  f.bits = row.bits;
  f.storage_bits = row.bits <= 8 ? 8 : 16;
  f.kind = FormatKind::kFloat;
  f.is_signed = row.is_signed;
  f.exp_bits = row.exp_bits;
  f.man_bits = row.man_bits;
  f.bias = row.bias;
  f.has_subnormal = row.has_subnormal;
  f.zero = row.zero;
  f.inf = row.inf;
  f.nan = row.nan;
  f.max_code = row.max_code;
  f.canonical_nan = row.canonical_nan;
  f.parity = row.parity;
  return f;
}

inline ElementFormat fixed(const char* name, int bits, bool is_signed, int frac_bits) {
  ElementFormat f;
  f.name = name;
  f.bits = bits;
  f.storage_bits = 8;
  f.kind = FormatKind::kTwosComplement;
  f.is_signed = is_signed;
  f.frac_bits = frac_bits;
  f.zero = ZeroKind::kPosOnly;
  f.max_code = (std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return f;
}

/// binary{K}p{P}{s|u}{e|f}: formats.md section 3.2.
inline ElementFormat p3109(const char* name, int k, int p, bool is_signed, bool extended) {
  const int bias = 1 << (is_signed ? k - p - 1 : k - p);
  const std::uint64_t all = (std::uint64_t{1} << k) - 1;
  const std::uint64_t half = std::uint64_t{1} << (k - 1);
  const std::uint64_t top = is_signed ? half - 1 : all - 1;
  return to_format({name, k, is_signed, is_signed ? k - p : k - p + 1, p - 1, bias, true,
                    ZeroKind::kPosOnly, extended ? InfKind::kP3109Top : InfKind::kNone,
                    is_signed ? NanKind::kNegZeroSlot : NanKind::kTopCode, extended ? top - 1 : top,
                    is_signed ? half : all});
}

}  // namespace detail

inline const std::vector<ElementFormat>& guest_formats() {
  using enum ZeroKind;
  using N = NanKind;
  static const std::vector<ElementFormat> all = [] {
    constexpr InfKind no = InfKind::kNone;
    constexpr InfKind ieee = InfKind::kIeeeTop;
    const std::vector<detail::FloatRow> rows = {
        {"e3m0", 4, true, 3, 0, 3, true, kPosAndNeg, no, N::kNone, 7, 0},
        {"e4m3fnuz", 8, true, 4, 3, 8, true, kPosOnly, no, N::kNegZeroSlot, 0x7F, 0x80},
        {"e5m2fnuz", 8, true, 5, 2, 16, true, kPosOnly, no, N::kNegZeroSlot, 0x7F, 0x80},
        {"e4m3b11fnuz", 8, true, 4, 3, 11, true, kPosOnly, no, N::kNegZeroSlot, 0x7F, 0x80},
        {"e4m3", 8, true, 4, 3, 7, true, kPosAndNeg, ieee, N::kIeeeAll, 0x77, 0x7C},
        {"e3m4", 8, true, 3, 4, 3, true, kPosAndNeg, ieee, N::kIeeeAll, 0x6F, 0x78},
        {"e3m4fn_intel", 8, true, 3, 4, 3, true, kPosAndNeg, no, N::kOuterOnePerSign, 0x7E, 0x7F},
        {"e8m0_cann", 8, false, 8, 0, 127, true, kPosOnly, no, N::kTopCode, 0xFE, 0xFF},
        {"ue4m3", 7, false, 4, 3, 7, true, kPosOnly, no, N::kTopCode, 0x7E, 0x7F},
        {"ue5m3", 8, false, 5, 3, 15, true, kPosOnly, no, N::kTopCode, 0xFE, 0xFF},
        {"ue6m2", 8, false, 6, 2, 48, false, kNone, no, N::kTopCode, 0xFE, 0xFF},
        // The ml_dtypes tie rule for a format without stored significand bits.
        {"e8m0_implicit_odd", 8, false, 8, 0, 127, false, kNone, no, N::kTopCode, 0xFE, 0xFF,
         Parity::kImplicitOdd},
        // No subnormals, but significand bits: results below the smallest normal flush.
        {"e4m3_no_subnormal", 8, true, 4, 3, 7, false, kPosAndNeg, ieee, N::kIeeeAll, 0x77, 0x7C},
    };
    std::vector<ElementFormat> formats;
    formats.reserve(rows.size());
    for (const detail::FloatRow& row : rows) formats.push_back(detail::to_format(row));
    formats.push_back(detail::p3109("binary8p4se", 8, 4, true, true));
    formats.push_back(detail::p3109("binary8p3se", 8, 3, true, true));
    formats.push_back(detail::p3109("binary8p3sf", 8, 3, true, false));
    formats.push_back(detail::p3109("binary4p2sf", 4, 2, true, false));
    formats.push_back(detail::p3109("binary6p3sf", 6, 3, true, false));
    formats.push_back(detail::p3109("binary8p1uf", 8, 1, false, false));
    formats.push_back(detail::p3109("binary8p4uf", 8, 4, false, false));
    formats.push_back(detail::p3109("binary8p8uf", 8, 8, false, false));
    formats.push_back(detail::p3109("binary8p7sf", 8, 7, true, false));
    formats.push_back(detail::p3109("binary8p1se", 8, 1, true, true));
    formats.push_back(detail::p3109("binary8p4ue", 8, 4, false, true));
    formats.push_back(detail::p3109("binary8p1ue", 8, 1, false, true));
    formats.push_back(detail::p3109("binary3p2se", 3, 2, true, true));
    formats.push_back(detail::p3109("binary10p5sf", 10, 5, true, false));
    formats.push_back(detail::fixed("int4", 4, true, 2));
    formats.push_back(detail::fixed("int2", 2, true, 0));
    formats.push_back(detail::fixed("uint8_f4", 8, false, 4));
    return formats;
  }();
  return all;
}

/// Built-in and guest formats together, each name once: a guest that the table has too is a second
/// transcript of its row and stands back for it.
inline std::vector<ElementFormat> every_format() {
  std::vector<ElementFormat> all(all_formats().begin(), all_formats().end());
  for (const ElementFormat& guest : guest_formats()) {
    if (!find_format(guest.name)) all.push_back(guest);
  }
  return all;
}

}  // namespace mx::oracle
