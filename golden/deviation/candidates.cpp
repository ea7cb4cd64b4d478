#include "golden/deviation/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include <fmt/ranges.h>

#include "golden/configuration/policies.hpp"
#include "golden/deviation/deviating_answers.hpp"
#include "golden/deviation/names.hpp"

namespace mx::golden {
namespace {

struct ReadingWords {
  const char* name;
  const char* value;
  const char* text;
};
constexpr std::array kReadings = {
    ReadingWords{"source_subnormals", "leading_one",
                 "source subnormals read as 1.m * 2^-bias (spec F7)"},
    ReadingWords{"source_subnormals", "forced_one",
                 "source subnormals read as 1.m * 2^(1-bias) (spec F7)"},
    ReadingWords{"source_subnormals", "half", "source subnormals read as 0.m * 2^-bias (spec F7)"},
    ReadingWords{"source_specials", "numbers",
                 "Inf and NaN of the source read as numbers (spec F7)"}};

/// Adds every value of every policy that a configuration with a wrong answer does not have.
void add_policies(const VectorHeader& header, std::span<const AnswerAt> wrong,
                  std::vector<DeviationCandidate>& list) {
  const bool has_random = header.random_words == RandomWords::kPresent;
  for (const PolicyField& field : policy_fields()) {
    if (!is_policy_of(header.op, field)) continue;
    if (field.name == "random_bits" && !has_random) continue;
    std::set<std::string> present;
    for (const AnswerAt& m : wrong) {
      const auto policies = policies_of(header.configs[m.expected.config(m.i)]);
      if (policies) present.insert(field.read(*policies));
    }
    for (const std::string& from : present) {
      for (Deviation& each : deviations_from(field, from)) {
        std::string text = fmt::format("{} {} for {} (spec F15)", each.field, each.to, from);
        list.push_back({std::move(each), std::move(text), std::string(field.name)});
      }
    }
  }
}

void add_readings(std::vector<DeviationCandidate>& list) {
  // Subnormals and specials are read apart, but of two readings a device has one.
  for (const ReadingWords& each : kReadings) {
    list.push_back({{each.name, "", each.value}, each.text, "reading"});
  }
}

/// Where scales may be held: at those that a device gave in place of lower or higher ones, and,
/// where it gave what is no code, one below the range: the least of a signed byte is 2^-128.
struct ScaleEnds {
  std::set<int> lowest, highest;
};
ScaleEnds scale_ends(const VectorHeader& header, std::span<const AnswerAt> wrong) {
  ScaleEnds ends;
  std::optional<int> least, most;
  for (const AnswerAt& m : wrong) {
    const Configuration& configuration = header.configs[m.expected.config(m.i)];
    if (!has_exponent_scale(configuration) || !m.expected.has(Field::kScale)) continue;
    const ScaleFormat& scale = std::get<QuantizerConfig>(configuration.what).format.scale;
    const std::uint64_t right = m.expected.word(Field::kScale, m.i);
    const std::uint64_t given = m.actual.word(Field::kScale, m.i);
    if (given == kNoCode) {
      ends.lowest.insert(-scale.bias - 1);
      continue;
    }
    const int exponent = static_cast<int>(given) - scale.bias;
    const bool is_number = right <= scale.max_code && given <= scale.max_code;
    if (is_number && given > right) least = std::min(least.value_or(exponent), exponent);
    if (is_number && given < right) most = std::max(most.value_or(exponent), exponent);
  }
  if (least) ends.lowest.insert(*least);
  if (most) ends.highest.insert(*most);
  return ends;
}

void add_scale_ends(const VectorHeader& header, std::span<const AnswerAt> wrong,
                    std::vector<DeviationCandidate>& list) {
  const ScaleEnds ends = scale_ends(header, wrong);
  const auto add = [&](const char* name, int exponent, const char* how) {
    list.push_back({{name, "", std::to_string(exponent)},
                    fmt::format("scales {} 2^{} (spec F4)", how, exponent),
                    how});
  };
  for (const int exponent : ends.lowest) add("scale_bottom", exponent, "held at the bottom at");
  for (const int exponent : ends.highest) add("scale_top", exponent, "held at the top at");
}

/// Adds the operations that may be meant instead, and other rules of what an integer does not hold.
void add_operations(const VectorHeader& header, std::span<const AnswerAt> wrong,
                    std::vector<DeviationCandidate>& list) {
  std::set<ArithmeticOperation> operations;
  for (const AnswerAt& m : wrong) {
    const auto* const c = std::get_if<ArithmeticCase>(&header.configs[m.expected.config(m.i)].what);
    if (c != nullptr) operations.insert(c->operation);
  }
  const auto add = [&](std::string name, std::string_view value) {
    std::string text = fmt::format("{} {} (spec F1.2)", name, value);
    list.push_back({{name, "", std::string(value)}, std::move(text), name});
  };
  for (const Token<ArithmeticOperation>& other : tokens<ArithmeticOperation>()) {
    const auto is_like = [&](ArithmeticOperation each) {
      return each != other.value && is_of_one_kind(each, other.value);
    };
    if (std::ranges::any_of(operations, is_like)) add("operation", other.text);
  }
  if (!operations.contains(ArithmeticOperation::kToInteger)) return;
  for (const Token<OutOfRange>& rule : tokens<OutOfRange>()) add("out_of_range", rule.text);
}

/// Adds the other units that may be meant instead, and other numbers in a unit's row: groups of
/// products, fraction bits near the unit's, the exponents of zeros that units of spec U1 have.
void add_units(const VectorHeader& header, std::vector<DeviationCandidate>& list) {
  if (header.op != Operation::kMma) return;
  // Units that sum alike are one deviation, named together.
  std::vector<const MatrixUnit*> units;
  for (const MatrixUnit& unit : matrix_units()) {
    const bool is_possible = std::ranges::any_of(header.configs, [&](const auto& each) {
      UnitConfig on = std::get<UnitCase>(each.what).on;
      on.unit = unit;
      return UnitDot::problem(on).empty();
    });
    if (is_possible) units.push_back(&unit);
  }
  while (!units.empty()) {
    const MatrixUnit& first = *units.front();
    std::vector<std::string_view> names;
    std::erase_if(units, [&](const MatrixUnit* unit) {
      const bool is_alike = sums_alike(first, *unit);
      if (is_alike) names.push_back(unit->name);
      return is_alike;
    });
    list.push_back({{"unit", "", std::string(first.name)},
                    fmt::format("unit {} (spec {})", fmt::join(names, ", "), first.source),
                    "unit"});
  }
  const auto add = [&](const char* name, int value) {
    list.push_back(
        {{name, "", std::to_string(value)}, fmt::format("{} {} (spec U1)", name, value), name});
  };
  for (int group = 1; group <= 128; group *= 2) add("group", group);
  std::set<int> fractions, zeros;
  for (const Configuration& each : header.configs) {
    const UnitConfig& on = std::get<UnitCase>(each.what).on;
    constexpr int kNear = 4;
    for (int away = -kNear; away <= kNear; ++away) {
      if (on.unit.fraction_bits != 0) fractions.insert(on.unit.fraction_bits + away);
    }
    const bool is_fp16 = on.result == formats::fp16;
    zeros.insert(on.result.emin());
    for (const MatrixUnit& unit : matrix_units()) {
      const auto& zero = is_fp16 ? unit.zero_exponent16 : unit.zero_exponent32;
      if (zero) zeros.insert(*zero);
    }
  }
  for (const int fraction : fractions) add("fraction_bits", fraction);
  for (const int zero : zeros) add("zero_exponent", zero);
}

/// Adds what no policy says, where it can change the answer of a configuration.
void add_structures(const VectorHeader& header, std::span<const AnswerAt> wrong,
                    std::vector<DeviationCandidate>& list) {
  std::set<std::size_t> configs;
  for (const AnswerAt& m : wrong) configs.insert(m.expected.config(m.i));
  for (const Structure& each : structures()) {
    const auto is_of = [&](std::size_t config) { return each.is_of(header.configs[config]); };
    if (std::ranges::none_of(configs, is_of)) continue;
    // A device has one of them: two at once would explain too much by chance.
    list.push_back({{std::string(each.name), "", each.value}, each.text, "structure"});
  }
}

}  // namespace

std::vector<DeviationCandidate> candidates_for(const VectorHeader& header,
                                               std::span<const AnswerAt> wrong) {
  std::vector<DeviationCandidate> list;
  add_operations(header, wrong, list);
  add_units(header, list);
  add_policies(header, wrong, list);
  if (header.op == Operation::kDequantize) {
    // Few values are rounded, so that a rounding is rarely what makes the ends of the range differ.
    // Not std::ranges: clang 14 does not compile the subrange that g++ 12's library returns.
    std::stable_partition(list.begin(), list.end(), [](const DeviationCandidate& each) {
      return each.subject != "rounding";
    });
  }
  add_readings(list);
  add_scale_ends(header, wrong, list);
  add_structures(header, wrong, list);
  return list;
}

}  // namespace mx::golden
