// Writes rtl/mx_pkg.sv to standard output: the codes of the configuration word from tuser_table.hpp
// and the constants of the destination formats from the reference's format table.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/policy.hpp"

namespace {

using mx::ElementFormat;
using mx::FormatKind;

constexpr unsigned kFractionBits = 7;  // fraction bits that the scale rules look at

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

void put(const std::string& line) { std::puts(line.c_str()); }

/// Codes and small numbers in decimal, bit patterns (5 bits and more) in hexadecimal.
std::string literal(int width, std::uint64_t value) {
  std::string digits = std::to_string(value);
  if (width >= 5) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    digits.clear();
    for (int low = (width - 1) / 4 * 4; low >= 0; low -= 4) digits += kDigits[(value >> low) & 15];
  }
  return std::to_string(width) + (width >= 5 ? "'h" : "'d") + digits;
}

void put_code(std::string_view prefix, std::string_view token, int width, std::uint64_t code) {
  put("  localparam logic [" + std::to_string(width - 1) + ":0] " + std::string(prefix) + "_" +
      upper(token) + " = " + literal(width, code) + ";");
}

std::string_view name_of(std::string_view name) { return name; }
template <typename E>
std::string_view name_of(E value) {
  return mx::token_of(value);
}

template <typename Codes>
void put_codes(std::string_view prefix, const mx::golden::ConfigWordField& field,
               const Codes& codes) {
  put("");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    put_code(prefix, name_of(codes[i]), field.width, i);
  }
}

bool is_fixed(const ElementFormat& f) { return f.kind == FormatKind::kTwosComplement; }
/// Exponent of the leading bit of the smallest normal value; fixed point has one binade.
int emin_of(const ElementFormat& f) { return is_fixed(f) ? f.emax() : f.emin(); }
/// The fraction of the largest value, left-aligned in kFractionBits bits.
std::uint64_t max_fraction(const ElementFormat& f) {
  const int bits = f.rule_man_bits();
  const std::uint64_t trailing = f.max_code & ((std::uint64_t{1} << bits) - 1);
  return trailing << (static_cast<int>(kFractionBits) - bits);
}
/// The code of Inf, else of NaN, else of the largest value: what leaves the finite range.
std::uint64_t beyond_code(const ElementFormat& f) {
  if (f.has_inf()) return f.inf_code();
  return f.has_nan() ? f.canonical_nan : f.max_code;
}

/// One constant table over the format codes.
template <typename Value>
void put_table(std::string_view comment, std::string_view name, int width, Value value_of) {
  put("");
  put("  // " + std::string(comment));
  const std::string range = width == 1 ? "" : "[" + std::to_string(width - 1) + ":0] ";
  put("  function automatic logic " + range + std::string(name) + "(input logic [2:0] fmt);");
  put("    case (fmt)");
  for (std::string_view format : mx::golden::kFormatCodes) {
    const auto value = static_cast<std::uint64_t>(value_of(*mx::find_format(format)));
    put("      FMT_" + upper(format) + ": " + std::string(name) + " = " + literal(width, value) +
        ";");
  }
  put("      default: " + std::string(name) + " = " + literal(width, 0) + ";");
  put("    endcase");
  put("  endfunction");
}

/// The places of a word's fields, and its width.
template <typename Fields>
void put_fields(std::string_view comment, const Fields& fields, std::string_view width) {
  put("");
  put("  // " + std::string(comment));
  for (const mx::golden::ConfigWordField& field : fields) {
    put("  localparam int " + upper(field.name) + "_LSB = " + std::to_string(field.lsb) + ";");
    put("  localparam int " + upper(field.name) + "_WIDTH = " + std::to_string(field.width) + ";");
  }
  const mx::golden::ConfigWordField& last = fields.back();
  put("  localparam int " + std::string(width) + " = " + std::to_string(last.lsb + last.width) +
      ";");
}

/// A field of a record that travels between modules of the quantizer, from bit 0 upwards.
struct RecordField {
  std::string_view name;
  int width = 0;
};

constexpr RecordField kLane[] = {{"nonzero", 1}, {"inf", 1},      {"nan", 1},
                                 {"sign", 1},    {"exponent", 9}, {"significand", 0}};
constexpr RecordField kControl[] = {
    {"inf_min", 1},  {"inf_code", 7},  {"nan_opposite", 1}, {"nan_keep", 1}, {"nan_code", 7},
    {"man_bits", 4}, {"shift_one", 3}, {"shift_base", 6},   {"base", 9},     {"block_nan", 1}};
constexpr RecordField kPack[] = {
    {"nearest", 1},   {"tie_odd", 1},       {"tie_positive", 1},  {"tie_negative", 1},
    {"up_even", 1},   {"up_positive", 1},   {"up_negative", 1},   {"stochastic", 1},
    {"max_code", 7},  {"top_nan", 1},       {"is_fixed", 1},      {"allow_min", 1},
    {"sign_mask", 8}, {"over_positive", 8}, {"over_negative", 8}, {"flush", 1}};

/// The places of a record's fields and its width; a field without width is whatever is on top.
void put_record(std::string_view comment, const std::string& prefix,
                std::span<const RecordField> fields) {
  put("");
  put("  // " + std::string(comment));
  int lsb = 0;
  for (const RecordField& field : fields) {
    const std::string name = "  localparam int " + prefix + "_" + upper(field.name);
    put(name + "_LSB = " + std::to_string(lsb) + ";");
    if (field.width > 1) put(name + "_WIDTH = " + std::to_string(field.width) + ";");
    lsb += field.width;
  }
  put("  localparam int " + prefix + "_WIDTH = " + std::to_string(lsb) + ";");
}

void put_records() {
  put_record("A lane's part of a beat between mx_lane_front and mx_lane_back.", "LANE", kLane);
  put_record("What a block tells mx_lane_align: see mx_lane_control.", "CTL", kControl);
  put_record("What a block tells mx_lane_pack: see mx_pack_control.", "PACK", kPack);
}

void put_all_codes() {
  namespace g = mx::golden;
  namespace f = mx::golden::config_word_field;
  put("");
  put("  // Codes of each field.");
  put_codes("FMT", f::kFormat, g::kFormatCodes);
  put_code("FMT", "nvfp4", f::kFormat.width, g::kNvfp4Code);
  put("  localparam int NUM_FORMATS = " + std::to_string(g::kFormatCodes.size()) + ";");
  put_codes("RND", f::kRounding, g::kRoundingCodes);
  put_code("RND", "stochastic", f::kRounding.width, g::kStochasticCode);
  put_codes("RULE", f::kRule, g::kRuleCodes);
  put_codes("SRC", f::kSource, g::kSourceCodes);
  put_codes("OVERFLOW", f::kOverflow, g::kOverflowCodes);
  put_codes("AMAX", f::kAmaxOver, g::kAmaxOverCodes);
  put_codes("INF_BLOCK", f::kInfBlock, g::kInfBlockCodes);
  put_codes("NAN_SCALE_CODES", f::kNanScaleCodes, g::kNanScaleCodesCodes);
  put_codes("EVEN_CARRY", f::kEvenCarry, g::kEvenCarryCodes);
  put_codes("NAN", f::kNan, g::kNanCodes);
  put_codes("ZERO_BLOCK", f::kZeroBlockScale, g::kZeroBlockScaleCodes);
  put_codes("SCALE_SAT", f::kScaleSat, g::kScaleSatCodes);
  put_codes("INT_MIN", f::kIntMin, g::kIntMinCodes);
  put_codes("ZERO_SIGN", f::kZeroSign, g::kZeroSignCodes);
  put_codes("SRC_FTZ", f::kSrcFtz, g::kSrcFtzCodes);
  put_codes("DEQ_OVERFLOW", g::dequantizer_field::kOverflow, g::kDequantOverflowCodes);
}

void put_tables() {
  put_table("Stored significand bits.", "man_bits", 3,
            [](const ElementFormat& f) { return f.rule_man_bits(); });
  put_table("-emin: minus the exponent of the smallest normal value.", "abs_emin", 4,
            [](const ElementFormat& f) { return -emin_of(f); });
  put_table("floor(log2(largest value)).", "emax", 4,
            [](const ElementFormat& f) { return f.emax(); });
  put_table("Largest magnitude code.", "max_code", 7,
            [](const ElementFormat& f) { return f.max_code; });
  put_table("Fraction of the largest value: a run of ones from the top, then zeros.",
            "max_fraction", kFractionBits, max_fraction);
  put_table("Magnitude code of the canonical NaN; of the largest value where there is no NaN.",
            "nan_code", 7, [](const ElementFormat& f) {
              return f.has_nan() ? f.canonical_nan & f.magnitude_mask() : f.max_code;
            });
  put_table("Magnitude code of Inf, else of NaN, else of the largest value.", "beyond_code", 7,
            beyond_code);
  put_table("Has a NaN code.", "has_nan", 1, [](const ElementFormat& f) { return f.has_nan(); });
  put_table("The sign bit of a code; 0 for two's complement.", "sign_mask", 8,
            [](const ElementFormat& f) { return is_fixed(f) ? 0 : f.sign_bit(); });
  put_table("Two's complement integer.", "is_fixed", 1, is_fixed);
}

/// A property of the enabled formats together, from bit n of a mask for format code n.
void put_over_formats(std::string_view comment, std::string_view type, const std::string& name,
                      std::string_view step) {
  put("");
  put("  // " + std::string(comment));
  put("  function automatic " + std::string(type) + " " + name + "(input logic [6:0] formats);");
  put("    int f;");
  put("    " + name + " = '0;");
  put("    for (f = 0; f < NUM_FORMATS; f++) begin");
  put("      if (formats[f]) begin");
  put("        " + std::string(step));
  put("      end");
  put("    end");
  put("  endfunction");
}

void put_formats_together() {
  put_over_formats("The most stored significand bits of the enabled formats.", "logic [2:0]",
                   "most_man_bits",
                   "if (man_bits(f[2:0]) > most_man_bits) most_man_bits = man_bits(f[2:0]);");
  put_over_formats("-emin of the enabled format with the smallest emin.", "logic [3:0]",
                   "most_abs_emin",
                   "if (abs_emin(f[2:0]) > most_abs_emin) most_abs_emin = abs_emin(f[2:0]);");
  put_over_formats("The magnitude bits that any enabled format has.", "logic [6:0]",
                   "magnitude_mask", "magnitude_mask = magnitude_mask | nan_code(f[2:0]);");
}

}  // namespace

int main() {
  put("// SPDX-License-Identifier: Apache-2.0");
  put("// Codes of the configuration and status words, constants of the destination formats.");
  put("// Generated by mx_pkg_gen from the format table and the table of codes; do not edit: "
      "change");
  put("// the tables and run mx_pkg_gen again (a test compares).");
  put("//");
  put("// Example: mx_pkg::max_code(mx_pkg::FMT_E4M3FN) is 7'h7E, the code of 448.");
  put("`default_nettype none");
  put("");
  put("// A table entry that no module uses yet is not a defect.");
  put("// verilator lint_off UNUSEDPARAM");
  put("package mx_pkg;");
  put_fields("Fields of the configuration word: lowest bit and width.",
             mx::golden::kConfigWordFields, "CFG_WIDTH");
  put("  localparam int POLICY_LSB = " + std::to_string(mx::golden::kPolicyLsb) + ";");
  put_fields("Fields of the dequantizer's word.", mx::golden::kDequantizerFields, "DEQ_WIDTH");
  put_all_codes();
  put("");
  put("  // Bits of the status word above the scale code.");
  for (const mx::golden::StatusBit& status : mx::golden::kStatusBits) {
    put("  localparam int STATUS_" + upper(status.name) + " = " + std::to_string(status.bit) + ";");
  }
  put_records();
  put_tables();
  put_formats_together();
  put("endpackage");
  put("// verilator lint_on UNUSEDPARAM");
  put("");
  put("`default_nettype wire");
  return std::fflush(stdout) == 0 ? 0 : 1;
}
