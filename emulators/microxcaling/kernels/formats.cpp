#include "emulators/microxcaling/kernels/formats.hpp"

#include <array>

#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {
namespace {

struct Row {
  int ebits;
  int mbits;
  int emax;
  Dyadic max_norm;
};

/// In the order of ElemFormat.
constexpr std::array kRows = {Row{0, 8, 0, {127, -6}},   Row{0, 4, 0, {7, -2}},
                              Row{0, 2, 0, {1, 0}},      Row{5, 4, 15, {7, 13}},
                              Row{4, 5, 8, {7, 6}},      Row{3, 4, 4, {7, 2}},
                              Row{2, 5, 2, {15, -1}},    Row{2, 3, 2, {3, 1}},
                              Row{5, 12, 15, {2047, 5}}, Row{8, 9, 127, {255, 120}}};
static_assert(kRows.size() == tokens<ElemFormat>().size());

constexpr std::array kAliases = {Token<ElemFormat>{ElemFormat::kFp4, "fp4_e2m1"},
                                 Token<ElemFormat>{ElemFormat::kFloat16, "fp16"},
                                 Token<ElemFormat>{ElemFormat::kBfloat16, "bf16"}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

Checked<ElemFormat> elem_format_from_str(std::string_view name) {
  const std::string wanted = lower(name);
  if (const auto found = parse_token<ElemFormat>(wanted)) return *found;
  for (const Token<ElemFormat>& alias : kAliases) {
    if (alias.text == wanted) return alias.value;
  }
  return Problem{"Exception: ('Undefined elem format', '" + wanted + "')"};
}

Checked<RoundingMode> rounding_from_str(std::string_view name) {
  if (const auto found = parse_token<RoundingMode>(name)) return *found;
  return Problem{"Exception: Unrecognized round method " + std::string(name)};
}

FormatParams get_format_params(ElemFormat format) {
  const Row& row = kRows[static_cast<std::size_t>(format)];
  return {row.ebits, row.mbits, row.emax, Fp64::rounded(row.max_norm), get_min_norm(row.ebits)};
}

std::uint64_t get_min_norm(int ebits) {
  if (ebits == 0) return 0;
  if (ebits > 12) return 0;
  return Fp64::rounded({1, 2 - (1 << (ebits - 1))});
}

Checked<std::uint64_t> get_max_norm(int ebits, int mbits) {
  if (ebits < 5) return Problem{"AssertionError: invalid for floats that don't define NaN"};
  if (ebits > 11) return Problem{"OverflowError: int too large to convert to float"};
  if (mbits < 2 || mbits > 54) return Problem{"ValueError: 0 to 52 mantissa bits are modelled"};
  const int emax = (1 << (ebits - 1)) - 1;
  // Python computes 2^emax times the integer significand first.
  if (emax + mbits - 1 > 1024) return Fp64::kInfinity;
  return Fp64::rounded({(std::uint64_t{1} << (mbits - 1)) - 1, emax - (mbits - 2)});
}

}  // namespace mx::emulators::microxcaling
