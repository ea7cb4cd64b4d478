#include "reference/catalog/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "reference/catalog/check.hpp"
#include "reference/policy/policy.hpp"

namespace mx {
namespace {

constexpr std::array kKinds = {Token<FormatKind>{FormatKind::kFloat, "float"},
                               Token<FormatKind>{FormatKind::kTwosComplement, "twos_compl_fixed"},
                               Token<FormatKind>{FormatKind::kSignMagnitude, "sign_mag_fixed"},
                               Token<FormatKind>{FormatKind::kTapered, "tapered"}};
constexpr std::array kZeros = {Token<ZeroKind>{ZeroKind::kPosAndNeg, "pos_and_neg"},
                               Token<ZeroKind>{ZeroKind::kPosOnly, "pos_only"},
                               Token<ZeroKind>{ZeroKind::kNone, "none"}};
constexpr std::array kInfs = {Token<InfKind>{InfKind::kNone, "none"},
                              Token<InfKind>{InfKind::kIeeeTop, "ieee_top"},
                              Token<InfKind>{InfKind::kP3109Top, "p3109_top"}};
constexpr std::array kNans = {Token<NanKind>{NanKind::kNone, "none"},
                              Token<NanKind>{NanKind::kIeeeAll, "ieee_all"},
                              Token<NanKind>{NanKind::kOuterOnePerSign, "outer_one_per_sign"},
                              Token<NanKind>{NanKind::kNegZeroSlot, "neg_zero_slot"},
                              Token<NanKind>{NanKind::kTopCode, "top_code"}};
constexpr std::array kParities = {Token<Parity>{Parity::kCodeLsb, "code_lsb"},
                                  Token<Parity>{Parity::kImplicitOdd, "implicit_odd"}};
constexpr std::array kUnused = {Token<UnusedBits>{UnusedBits::kMustBeZero, "must_be_zero"},
                                Token<UnusedBits>{UnusedBits::kIgnored, "ignored"}};
constexpr std::array kBools = {Token<bool>{true, "true"}, Token<bool>{false, "false"}};

constexpr std::array kFields = {
    FormatField{"kind", "float | exp_only | twos_compl_fixed | sign_mag_fixed",
                "how a code carries a value (float)"},
    FormatField{"bits", "1..64", "width of a code (the sum of its parts)"},
    FormatField{"storage_bits", "8 | 16 | 32 | 64", "of the word that holds it (the least)"},
    FormatField{"unused_bits", "must_be_zero | ignored", "storage above the code (must_be_zero)"},
    FormatField{"signed", "true | false", "is there a sign bit (true; exp_only: false)"},
    FormatField{"exp_bits", "0..16", "floats: exponent field"},
    FormatField{"man_bits", "0..52", "floats: stored significand bits"},
    FormatField{"bias", "-65536..65536",
                "floats: of the exponent field (2^(exp_bits-1) - 1; with neg_zero_slot one more)"},
    FormatField{"frac_bits", "-1024..1024", "fixed kinds: a value is i * 2^-frac_bits"},
    FormatField{"has_subnormal", "true | false",
                "exponent field 0 holds subnormals (true where there is room)"},
    FormatField{"zero", "pos_and_neg | pos_only | none", "the zeros (all that fit)"},
    FormatField{"inf", "none | ieee_top | p3109_top", "the codes of infinities (none)"},
    FormatField{"nan", "none | ieee_all | outer_one_per_sign | neg_zero_slot | top_code",
                "the codes of NaN (none)"},
    FormatField{"max_code", "a code", "of the largest finite value (the last below Inf and NaN)"},
    FormatField{"canonical_nan_code", "a code", "the NaN that is written (the layout's)"},
    FormatField{"parity", "code_lsb | implicit_odd", "what even means at a tie (code_lsb)"}};

template <typename E, std::size_t N>
bool write_token(const std::array<Token<E>, N>& tokens, std::string_view text, E& value) {
  for (const Token<E>& token : tokens) {
    if (token.text != text) continue;
    value = token.value;
    return true;
  }
  return false;
}

template <typename E, std::size_t N>
std::string_view text_of(const std::array<Token<E>, N>& tokens, E value) {
  for (const Token<E>& token : tokens) {
    if (token.value == value) return token.text;
  }
  return {};
}

bool write_number(std::string_view text, int low, int high, int& value) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (number < low || number > high) return false;
  value = number;
  return true;
}

bool write_code(std::string_view text, std::uint64_t& value) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, is_hex ? 16 : 10);
  return error == std::errc{} && stop == end;
}

bool write_storage(std::string_view text, int& value) {
  return (text == "8" || text == "16" || text == "32" || text == "64") &&
         write_number(text, 8, 64, value);
}

/// Writes one field; false for a value that is none of its own.
bool write_field(ElementFormat& f, std::string_view field, std::string_view value) {
  if (field == "kind") return write_token(kKinds, value, f.kind);
  if (field == "bits") return write_number(value, 1, 64, f.bits);
  if (field == "storage_bits") return write_storage(value, f.storage_bits);
  if (field == "unused_bits") return write_token(kUnused, value, f.unused_bits);
  if (field == "signed") return write_token(kBools, value, f.is_signed);
  if (field == "exp_bits") return write_number(value, 0, 16, f.exp_bits);
  if (field == "man_bits") return write_number(value, 0, 52, f.man_bits);
  if (field == "bias") return write_number(value, -65536, 65536, f.bias);
  if (field == "frac_bits") return write_number(value, -1024, 1024, f.frac_bits);
  if (field == "has_subnormal") return write_token(kBools, value, f.has_subnormal);
  if (field == "zero") return write_token(kZeros, value, f.zero);
  if (field == "inf") return write_token(kInfs, value, f.inf);
  if (field == "nan") return write_token(kNans, value, f.nan);
  if (field == "max_code") return write_code(value, f.max_code);
  if (field == "canonical_nan_code") return write_code(value, f.canonical_nan);
  return write_token(kParities, value, f.parity);
}

std::string hex_text(std::uint64_t code) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), code, 16);
  std::string text(digits.data(), end);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return "0x" + text;
}

int least_storage(int bits) { return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64; }

/// The layouts' own largest finite code and NaN, for a format whose fields fit its bits.
std::uint64_t natural_max_code(const ElementFormat& f) {
  const std::uint64_t top = f.magnitude_mask();
  if (f.is_fixed()) return top;
  if (f.inf == InfKind::kIeeeTop) return f.inf_code() - 1;
  const std::uint64_t below_inf = f.inf == InfKind::kP3109Top ? f.inf_code() - 1 : top;
  if (f.nan == NanKind::kIeeeAll) {
    return std::min(below_inf, ((std::uint64_t{1} << f.exp_bits) - 1) << f.man_bits);
  }
  const bool top_is_nan = f.nan == NanKind::kOuterOnePerSign || f.nan == NanKind::kTopCode;
  return top_is_nan ? std::min(below_inf, top - 1) : below_inf;
}

std::uint64_t natural_nan(const ElementFormat& f) {
  switch (f.nan) {
    case NanKind::kNone:
      return 0;
    case NanKind::kIeeeAll:
      return f.man_bits == 0 ? 0
                             : ((std::uint64_t{1} << f.exp_bits) - 1) << f.man_bits |
                                   std::uint64_t{1} << (f.man_bits - 1);
    case NanKind::kOuterOnePerSign:
      return f.magnitude_mask();
    case NanKind::kNegZeroSlot:
      return f.sign_bit();
    case NanKind::kTopCode:
      return f.code_mask();
  }
  return 0;
}

ZeroKind natural_zero(const ElementFormat& f, bool is_exponent_only) {
  if (is_exponent_only) return ZeroKind::kNone;
  const bool one_zero =
      !f.is_signed || f.nan == NanKind::kNegZeroSlot || f.kind == FormatKind::kTwosComplement;
  return one_zero ? ZeroKind::kPosOnly : ZeroKind::kPosAndNeg;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The first comma that stands in no parentheses.
std::size_t find_comma(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::span<const FormatField> format_fields() { return kFields; }

std::string_view kind_token(const ElementFormat& f) {
  const bool is_exponent_only =
      f.kind == FormatKind::kFloat && f.man_bits == 0 && f.zero == ZeroKind::kNone;
  return is_exponent_only ? "exp_only" : text_of(kKinds, f.kind);
}
std::string_view zero_token(ZeroKind kind) { return text_of(kZeros, kind); }
std::string_view inf_token(InfKind kind) { return text_of(kInfs, kind); }
std::string_view nan_token(NanKind kind) { return text_of(kNans, kind); }

std::vector<std::pair<std::string_view, std::string>> describe_format(const ElementFormat& f) {
  std::vector<std::pair<std::string_view, std::string>> fields;
  if (f.kind == FormatKind::kTapered) return fields;
  const auto add = [&](std::string_view name, std::string_view value) {
    fields.emplace_back(name, value);
  };
  add("kind", kind_token(f));
  add("bits", std::to_string(f.bits));
  add("storage_bits", std::to_string(f.storage_bits));
  if (f.storage_bits != f.bits) add("unused_bits", text_of(kUnused, f.unused_bits));
  add("signed", text_of(kBools, f.is_signed));
  if (f.is_fixed()) {
    add("frac_bits", std::to_string(f.frac_bits));
    return fields;
  }
  add("exp_bits", std::to_string(f.exp_bits));
  add("man_bits", std::to_string(f.man_bits));
  add("bias", std::to_string(f.bias));
  if (f.man_bits > 0 && f.zero != ZeroKind::kNone) {
    add("has_subnormal", text_of(kBools, f.has_subnormal));
  }
  add("zero", zero_token(f.zero));
  add("inf", inf_token(f.inf));
  add("nan", nan_token(f.nan));
  add("max_code", hex_text(f.max_code));
  if (f.has_nan()) add("canonical_nan_code", hex_text(f.canonical_nan));
  if (f.man_bits == 0) add("parity", text_of(kParities, f.parity));
  return fields;
}

std::string FormatProblem::text() const {
  std::string result = "field '" + field + "'";
  if (!value.empty()) result += ", value '" + value + "'";
  return result + ": " + reason + "; " + remedy;
}

FormatProblem FormatDraft::problem(std::string_view field, std::string_view reason,
                                   std::string_view remedy) const {
  const auto given = given_.find(field);
  return {std::string(field), given == given_.end() ? "" : given->second, std::string(reason),
          std::string(remedy)};
}

std::optional<FormatProblem> FormatDraft::set(std::string_view field, std::string_view value) {
  const auto known = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const FormatField& each) { return each.name == field; });
  if (known == kFields.end()) {
    std::string names = "the fields are name";
    for (const FormatField& each : kFields) names += ", " + std::string(each.name);
    return FormatProblem{std::string(field), std::string(value), "no such field",
                         field == "int_min" ? "it is a policy: --int-min" : names};
  }
  const auto [entry, is_new] = given_.emplace(field, value);
  if (!is_new) return problem(field, "the field is there twice", "keep one of them");
  if (field == "kind" && value == "exp_only") {
    is_exponent_only_ = true;
    return std::nullopt;
  }
  if (field == "kind" && value == "tapered") {
    return problem(field, "hif8 is the only tapered format", "use the name hif8");
  }
  if (write_field(format_, field, value)) return std::nullopt;
  return problem(field, "not a value of this field", "give " + std::string(known->values));
}

std::optional<FormatProblem> FormatDraft::complete(ElementFormat& f) const {
  if (is_exponent_only_) {
    f.kind = FormatKind::kFloat;
    if (!has("signed")) f.is_signed = false;
    if (f.man_bits != 0) return problem("man_bits", "exp_only has none", "leave it out");
    if (has("zero") && f.zero != ZeroKind::kNone) {
      return problem("zero", "exp_only has no zero", "leave it out, or use kind = float");
    }
  }
  const int sign = f.is_signed ? 1 : 0;
  if (f.is_fixed()) {
    for (const std::string_view field : {"exp_bits", "man_bits", "bias", "has_subnormal"}) {
      if (has(field)) return problem(field, "belongs to floats", "leave it out");
    }
    for (const std::string_view field : {"bits", "frac_bits"}) {
      if (!has(field)) return problem(field, "missing", "a fixed format needs it");
    }
  } else {
    if (has("frac_bits")) return problem("frac_bits", "belongs to fixed kinds", "leave it out");
    const bool has_man = has("man_bits") || is_exponent_only_;
    const int known = (has("bits") ? 1 : 0) + (has("exp_bits") ? 1 : 0) + (has_man ? 1 : 0);
    if (known < 2) {
      return problem(has("bits") || !has("exp_bits") ? "exp_bits" : "man_bits", "missing",
                     "a float needs two of bits, exp_bits and man_bits");
    }
    if (!has("bits")) f.bits = sign + f.exp_bits + f.man_bits;
    if (!has("exp_bits")) f.exp_bits = f.bits - sign - f.man_bits;
    if (!has_man) f.man_bits = f.bits - sign - f.exp_bits;
  }
  return std::nullopt;
}

std::optional<FormatProblem> FormatDraft::fill(ElementFormat& format) const {
  ElementFormat f = format_;
  if (auto wrong = complete(f)) return wrong;
  if (!has("storage_bits")) f.storage_bits = least_storage(f.bits);
  const bool fits = f.bits >= (f.is_signed ? 2 : 1) && f.bits <= 64 &&
                    (f.is_fixed() ||
                     (f.exp_bits >= 0 && f.exp_bits <= 16 && f.man_bits >= 0 && f.man_bits <= 52 &&
                      (f.is_signed ? 1 : 0) + f.exp_bits + f.man_bits == f.bits));
  if (fits) {
    const int half = f.exp_bits == 0 ? 1 : 1 << (f.exp_bits - 1);
    if (!has("bias") && !f.is_fixed()) f.bias = f.nan == NanKind::kNegZeroSlot ? half : half - 1;
    if (!has("zero")) f.zero = natural_zero(f, is_exponent_only_);
    const bool has_room = f.man_bits > 0 && f.zero != ZeroKind::kNone && !f.is_fixed();
    if (has("has_subnormal") && f.has_subnormal && !has_room) {
      return problem("has_subnormal", "there is no room for subnormals",
                     "they need man_bits and a zero");
    }
    if (f.parity == Parity::kImplicitOdd && (f.man_bits != 0 || f.is_fixed())) {
      return problem("parity", "implicit_odd is for floats without man_bits", "leave it out");
    }
    // Fixed formats do not read the field; the table has it set there.
    if (!has("has_subnormal")) f.has_subnormal = has_room || f.is_fixed();
    if (!has("max_code")) f.max_code = natural_max_code(f);
    if (!has("canonical_nan_code")) f.canonical_nan = natural_nan(f);
  }
  if (const FormatFault fault = find_fault(f)) {
    return problem(fault.field, fault.reason, fault.remedy);
  }
  if (f.unused_bits == UnusedBits::kIgnored && f.storage_bits == f.bits) {
    return problem("unused_bits", "the code fills its word: none are unused", "leave it out");
  }
  format = f;
  return std::nullopt;
}

std::optional<FormatProblem> FormatDraft::finish(ElementFormat& format) const {
  ElementFormat f;
  if (auto wrong = fill(f)) return wrong;
  if (const auto code = find_unstable_code(f)) {
    return FormatProblem{"max_code", hex_text(*code),
                         "this code does not come back from encode(decode(code))",
                         "check bias, zero and the layouts (docs/spec/formats.md F6.2)"};
  }
  format = f;
  return std::nullopt;
}

std::string_view without_parentheses(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return text;
  return trimmed(text.substr(1, text.size() - 2));
}

std::optional<FormatProblem> split_pairs(std::string_view text,
                                         std::vector<std::pair<std::string, std::string>>& pairs) {
  pairs.clear();
  while (true) {
    const std::size_t comma = find_comma(text);
    const std::string_view pair = trimmed(text.substr(0, comma));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return FormatProblem{std::string(pair.substr(0, 64)), "", "not of the form field=value",
                           "write name=tiny, exp_bits=3, man_bits=1"};
    }
    pairs.emplace_back(trimmed(pair.substr(0, equals)), trimmed(pair.substr(equals + 1)));
    if (comma == std::string_view::npos) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
}

std::string format_text(const ElementFormat& format) {
  std::string text = "name=" + std::string(format.name);
  for (const auto& [field, value] : describe_format(format)) {
    text += ", " + std::string(field) + "=" + value;
  }
  return text;
}

std::optional<FormatProblem> parse_format_text(std::string_view text, std::string& name,
                                               ElementFormat& format) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (auto wrong = split_pairs(text, pairs)) return wrong;
  FormatDraft draft;
  name.clear();
  for (const auto& [field, value] : pairs) {
    if (field != "name") {
      if (auto wrong = draft.set(field, value)) return wrong;
      continue;
    }
    if (!name.empty()) return FormatProblem{"name", value, "the field is there twice", "keep one"};
    name = value;
    if (is_format_name(name)) continue;
    return FormatProblem{"name", name, "not a name",
                         "a letter, then letters, digits and underscores, 64 at most"};
  }
  if (name.empty()) return FormatProblem{"name", "", "missing", "a format needs a name"};
  return draft.finish(format);
}

bool is_format_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || name.size() > 64 || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

}  // namespace mx
