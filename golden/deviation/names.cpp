#include "golden/deviation/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "golden/configuration/policies.hpp"

namespace mx::golden {
namespace {

std::optional<int> integer_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  constexpr int kMost = 1 << 16;  // beyond every exponent and code of a scale
  return is_whole && value >= -kMost && value <= kMost ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> hex_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

/// What a value is.
enum class Kind : std::uint8_t {
  kSubnormals,
  kSpecials,
  kOperation,
  kUnit,
  kOutOfRange,
  kInteger,
  kBits,
  kCodes
};

bool is_of_blocks(Operation operation) { return operation == Operation::kBlock; }
bool has_source(Operation operation) {
  return operation == Operation::kBlock || operation == Operation::kCvt;
}
bool has_scale(Operation operation) {
  return operation == Operation::kBlock || operation == Operation::kCast;
}
bool has_flags(Operation operation) {
  return operation != Operation::kCast && operation != Operation::kDequantize &&
         operation != Operation::kMma;
}
bool is_scalar(Operation operation) { return operation == Operation::kArith; }
bool is_mma(Operation operation) { return operation == Operation::kMma; }
bool is_any(Operation) { return true; }

struct Member {
  std::string_view name;
  Kind kind;
  bool (*is_of)(Operation);
  bool (*apply)(const Deviation&, DeviatingConfiguration&);
};

template <std::optional<int> DeviatingConfiguration::*End>
bool set_end(const Deviation& deviation, DeviatingConfiguration& changed) {
  if (!has_exponent_scale(changed.configuration)) return false;
  changed.*End = integer_in(deviation.to);
  return true;
}

bool has_readings(const DeviatingConfiguration& changed) {
  const ElementFormat* const source = source_of(changed.configuration);
  return source != nullptr && is_ieee_like(*source);
}

/// Another minimum, maximum or comparison: operations between which a device may confuse NaNs,
/// zeros and the order.
bool set_operation(const Deviation& deviation, DeviatingConfiguration& changed) {
  auto* const c = std::get_if<ArithmeticCase>(&changed.configuration.what);
  const auto to = *parse_token<ArithmeticOperation>(deviation.to);
  if (c == nullptr || to == c->operation || !is_of_one_kind(to, c->operation)) return false;
  c->operation = to;
  return true;
}

/// Another unit that takes the operands.
bool set_unit(const Deviation& deviation, DeviatingConfiguration& changed) {
  auto* const c = std::get_if<UnitCase>(&changed.configuration.what);
  if (c == nullptr || deviation.to == c->on.unit.name) return false;
  UnitConfig other = c->on;
  other.unit = *find_unit(deviation.to);
  if (!UnitDot::problem(other).empty()) return false;
  c->on = other;
  return true;
}

/// Another number in a unit's row, where its way to sum reads it.
bool set_unit_number(const Deviation& deviation, DeviatingConfiguration& changed) {
  auto* const c = std::get_if<UnitCase>(&changed.configuration.what);
  if (c == nullptr) return false;
  MatrixUnit& unit = c->on.unit;
  const int value = *integer_in(deviation.to);
  const bool is_aligned = unit.sum == UnitSum::kAligned;
  if (deviation.field == "group") {
    constexpr int kMost = 1024;
    const bool has_groups = is_aligned || unit.sum == UnitSum::kExact;
    if (!has_groups || value < 1 || value > kMost || value == unit.group) return false;
    unit.group = value;
    return true;
  }
  if (deviation.field == "fraction_bits") {
    constexpr int kLeast = 8, kMost = 40;
    if (unit.fraction_bits == 0 || value < kLeast || value > kMost) return false;
    if (value == unit.fraction_bits) return false;
    unit.fraction_bits = value;
    return true;
  }
  std::optional<int>& zero =
      c->on.result == formats::fp16 ? unit.zero_exponent16 : unit.zero_exponent32;
  if (unit.fraction_bits == 0 || zero == value) return false;
  zero = value;
  return true;
}

bool set_out_of_range(const Deviation& deviation, DeviatingConfiguration& changed) {
  auto* const c = std::get_if<ArithmeticCase>(&changed.configuration.what);
  const auto to = *parse_token<OutOfRange>(deviation.to);
  if (c == nullptr || c->operation != ArithmeticOperation::kToInteger) return false;
  if (to == c->arithmetic.integer.out_of_range) return false;
  c->arithmetic.integer.out_of_range = to;
  return true;
}

constexpr std::array kMembers = {
    Member{"operation", Kind::kOperation, is_scalar, set_operation},
    Member{"unit", Kind::kUnit, is_mma, set_unit},
    Member{"group", Kind::kInteger, is_mma, set_unit_number},
    Member{"fraction_bits", Kind::kInteger, is_mma, set_unit_number},
    Member{"zero_exponent", Kind::kInteger, is_mma, set_unit_number},
    Member{"out_of_range", Kind::kOutOfRange, is_scalar, set_out_of_range},
    Member{"source_subnormals", Kind::kSubnormals, has_source,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             if (!has_readings(changed)) return false;
             changed.subnormals = *parse_token<SubnormalReading>(deviation.to);
             return true;
           }},
    Member{"source_specials", Kind::kSpecials, has_source,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             if (!has_readings(changed)) return false;
             changed.specials = *parse_token<SpecialReading>(deviation.to);
             return true;
           }},
    Member{"scale_bottom", Kind::kInteger, is_of_blocks, set_end<&DeviatingConfiguration::lowest>},
    Member{"scale_top", Kind::kInteger, is_of_blocks, set_end<&DeviatingConfiguration::highest>},
    Member{"scale_offset", Kind::kInteger, is_of_blocks,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             if (!has_exponent_scale(changed.configuration)) return false;
             changed.scale_offset = *integer_in(deviation.to);
             return true;
           }},
    Member{"shown_scale_offset", Kind::kInteger, has_scale,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             changed.shown_scale_offset = *integer_in(deviation.to);
             return true;
           }},
    Member{"scale_codes", Kind::kCodes, has_scale,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             changed.scale_codes[*hex_in(deviation.from)] = *hex_in(deviation.to);
             return true;
           }},
    Member{"codes", Kind::kCodes, is_any,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             changed.codes[*hex_in(deviation.from)] = *hex_in(deviation.to);
             return true;
           }},
    Member{"flags_missing", Kind::kBits, has_flags,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             changed.flags_missing = *hex_in(deviation.to);
             return true;
           }},
    Member{"flags_set", Kind::kBits, has_flags,
           [](const Deviation& deviation, DeviatingConfiguration& changed) {
             changed.flags_set = *hex_in(deviation.to);
             return true;
           }}};

const Member* find_member(std::string_view name) {
  const auto found = std::ranges::find(kMembers, name, &Member::name);
  return found == kMembers.end() ? nullptr : &*found;
}

template <typename E>
std::string tokens_text() {
  std::string text;
  for (const Token<E>& token : tokens<E>())
    text += (text.empty() ? "" : ", ") + std::string(token.text);
  return text;
}

/// "" or what a value has to be.
std::string expected_of(const Member& member, const Deviation& deviation) {
  const bool has_from = !deviation.from.empty();
  switch (member.kind) {
    case Kind::kSubnormals:
      return !has_from && parse_token<SubnormalReading>(deviation.to)
                 ? ""
                 : "one of " + tokens_text<SubnormalReading>();
    case Kind::kSpecials:
      return !has_from && parse_token<SpecialReading>(deviation.to)
                 ? ""
                 : "one of " + tokens_text<SpecialReading>();
    case Kind::kOperation:
      return !has_from && parse_token<ArithmeticOperation>(deviation.to)
                 ? ""
                 : "one of " + tokens_text<ArithmeticOperation>();
    case Kind::kUnit:
      return !has_from && find_unit(deviation.to) != nullptr ? "" : "a unit that mxgold list names";
    case Kind::kOutOfRange:
      return !has_from && parse_token<OutOfRange>(deviation.to)
                 ? ""
                 : "one of " + tokens_text<OutOfRange>();
    case Kind::kInteger:
      return !has_from && integer_in(deviation.to) ? "" : "an integer";
    case Kind::kBits:
      return !has_from && hex_in(deviation.to).value_or(0) != 0 ? "" : "hexadecimal bits as text";
    case Kind::kCodes:
      break;
  }
  return hex_in(deviation.from) && hex_in(deviation.to)
             ? ""
             : R"(an object of hexadecimal codes, {"FF": "FE"})";
}

std::string policy_problem(const PolicyField& field, const Deviation& deviation) {
  const auto is_value = [&](const std::string& text) {
    Policies ignored;
    return field.write(ignored, text);
  };
  const std::string& wrong = is_value(deviation.to) ? deviation.from : deviation.to;
  if (is_value(deviation.to) && (deviation.from.empty() || is_value(deviation.from))) return {};
  const std::vector<std::string_view> values =
      field.values == nullptr ? std::vector<std::string_view>() : field.values();
  return fmt::format("as.{}: '{}': {}", deviation.field, wrong,
                     values.empty() ? std::string("give one of its values")
                                    : fmt::format("give one of {}", fmt::join(values, ", ")));
}

bool is_number(const Deviation& deviation) {
  const Member* const member = find_member(deviation.field);
  return member != nullptr && member->kind == Kind::kInteger;
}

}  // namespace

std::vector<std::string> deviation_names(Operation operation) {
  std::vector<std::string> names;
  for (const PolicyField& field : policy_fields()) {
    if (is_policy_of(operation, field)) names.emplace_back(field.name);
  }
  for (const Member& member : kMembers) {
    if (member.is_of(operation)) names.emplace_back(member.name);
  }
  if (!names.empty()) {
    for (const Structure& each : structures()) {
      if (names.back() != each.name) names.emplace_back(each.name);
    }
  }
  return names;
}

std::string problem_of(const Deviation& deviation, Operation operation) {
  const PolicyField* const field = find_policy_field(deviation.field);
  if (field != nullptr && is_policy_of(operation, *field)) return policy_problem(*field, deviation);
  if (const std::string values = structure_values(deviation.field); !values.empty()) {
    if (find_structure(deviation.field, deviation.to) != nullptr && deviation.from.empty()) {
      return {};
    }
    return fmt::format("as.{}: '{}': give one of {}", deviation.field, deviation.to, values);
  }
  const Member* const member = find_member(deviation.field);
  if (member == nullptr || !member->is_of(operation)) {
    return fmt::format("as has a member '{}'; known for {}: {}", deviation.field,
                       token_of(operation), fmt::join(deviation_names(operation), ", "));
  }
  const std::string expected = expected_of(*member, deviation);
  if (expected.empty()) return {};
  const std::string from = deviation.from.empty() ? "" : "'" + deviation.from + "' to ";
  return fmt::format("as.{}: {}'{}': give {}", deviation.field, from, deviation.to, expected);
}

bool apply(const Deviation& deviation, DeviatingConfiguration& changed) {
  const Member* const member = find_member(deviation.field);
  if (member != nullptr) return member->apply(deviation, changed);
  if (const Structure* const found = find_structure(deviation.field, deviation.to)) {
    if (!found->is_of(changed.configuration)) return false;
    changed.structures.push_back(found);
    return true;
  }
  std::optional<Policies> policies = policies_of(changed.configuration);
  if (!policies || !apply(deviation, *policies)) return false;
  changed.configuration = with_policies(std::move(changed.configuration), *policies);
  return true;
}

std::vector<Deviation> in_short(std::vector<Deviation> deviations,
                                std::span<const Configuration> configurations) {
  for (Deviation& deviation : deviations) {
    const PolicyField* const field = find_policy_field(deviation.field);
    const bool is_everywhere =
        field != nullptr && std::ranges::all_of(configurations, [&](const Configuration& each) {
          const std::optional<Policies> policies = policies_of(each);
          const std::string value = policies ? field->read(*policies) : "";
          return value == deviation.from || value == deviation.to;
        });
    if (is_everywhere) deviation.from.clear();
  }
  return deviations;
}

std::string as_text(std::span<const Deviation> deviations) {
  std::string text;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const Deviation& deviation = deviations[i];
    const bool is_first = i == 0 || deviations[i - 1].field != deviation.field;
    const bool is_last = i + 1 == deviations.size() || deviations[i + 1].field != deviation.field;
    if (i != 0) text += ", ";
    if (is_first) text += fmt::format("\"{}\": ", deviation.field);
    if (deviation.from.empty()) {
      text += is_number(deviation) ? deviation.to : fmt::format("\"{}\"", deviation.to);
    } else {
      text += fmt::format("{}\"{}\": \"{}\"{}", is_first ? "{" : "", deviation.from, deviation.to,
                          is_last ? "}" : "");
    }
  }
  return "\"as\": {" + text + "}";
}

}  // namespace mx::golden
