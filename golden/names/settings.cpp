// SPDX-License-Identifier: Apache-2.0
#include "golden/names/settings.hpp"

#include <algorithm>
#include <array>

#include "golden/names/names.hpp"
#include "golden/text/filled.hpp"
#include "reference/policy/scale_rule.hpp"
#include "reference/policy/token.hpp"

namespace mx::golden {
namespace {

/// A policy that some rules read, and the others do not look at.
struct RulePolicy {
  std::string_view name;
  bool (*is_read_by)(const ScaleRuleFacts&);
};

/// A block's scale where it has special elements or zeros alone; maxabs_finite says it itself.
bool leaves_special_blocks(const ScaleRuleFacts& rule) { return !rule.takes_every_block; }

/// maxabs_finite and nvfp4_ggml round scales themselves, the scales of nvfp4_torchao are at least
/// 2^-6 anyway, and those of hif4 have no subnormals.
bool stores_with_floor(const ScaleRuleFacts& rule) {
  return rule.kind == RuleKind::kReal && !rule.takes_every_block &&
         rule.rule != ScaleRule::kNvfp4Ggml && rule.rule != ScaleRule::kNvfp4Torchao &&
         rule.rule != ScaleRule::kHif4;
}

bool projects_maximum(const ScaleRuleFacts& rule) { return rule.rule == ScaleRule::kMaxabsFinite; }

constexpr std::array kRulePolicies = {
    RulePolicy{"ratio_op", [](const ScaleRuleFacts& rule) { return rule.reads_ratio_op; }},
    RulePolicy{"even_carry", [](const ScaleRuleFacts& rule) { return rule.reads_even_carry; }},
    RulePolicy{"scale_floor", stores_with_floor},
    RulePolicy{"scale_sat",
               [](const ScaleRuleFacts& rule) { return rule.kind == RuleKind::kPowerOfTwo; }},
    RulePolicy{"amax_over", leaves_special_blocks},
    RulePolicy{"nan_block", leaves_special_blocks},
    RulePolicy{"inf_block", leaves_special_blocks},
    RulePolicy{"zero_block_scale", leaves_special_blocks},
    RulePolicy{"four_over_six",
               [](const ScaleRuleFacts& rule) { return rule.reads_four_over_six; }},
    RulePolicy{"scale_rounding", projects_maximum},
    RulePolicy{"scale_overflow", projects_maximum},
    RulePolicy{"elem_scaling",
               [](const ScaleRuleFacts& rule) { return rule.elements != RuleElements::kByRule; }}};

/// Does a rule, or a conversion to a format like e8m0, round as the quirk says (spec F11.5)?
bool reads_quirk(const PolicyReader& reader) {
  if (!reader.block) {
    return reader.element.zero == ZeroKind::kNone && reader.element.man_bits == 0;
  }
  const RuleQuirk quirk = facts_of(reader.block->rule).quirk;
  switch (reader.policy.e8m0_quirk) {
    case E8m0Quirk::kOnnxUp:
      return quirk == RuleQuirk::kUp;
    case E8m0Quirk::kMldtypesNearest:
    case E8m0Quirk::kOnnxNearest:
      return quirk == RuleQuirk::kNearest;
    case E8m0Quirk::kNone:
      break;
  }
  return quirk != RuleQuirk::kNone;
}

/// A policy that matters to some formats alone.
struct FormatPolicy {
  std::string_view name;
  bool (*is_read_by)(const PolicyReader&);
  std::string_view readers;
};

constexpr std::array kFormatPolicies = {
    FormatPolicy{"int_min",
                 [](const PolicyReader& reader) {
                   return reader.element.kind == FormatKind::kTwosComplement &&
                          reader.element.is_signed;
                 },
                 "signed integers in two's complement do"},
    FormatPolicy{"unsigned_negative",
                 [](const PolicyReader& reader) { return !reader.element.is_signed; },
                 "formats without a sign do"},
    FormatPolicy{"zero_in",
                 [](const PolicyReader& reader) { return reader.element.zero == ZeroKind::kNone; },
                 "formats without a zero do"},
    FormatPolicy{
        "zero_sign",
        [](const PolicyReader& reader) { return reader.element.zero == ZeroKind::kPosAndNeg; },
        "formats with a zero of either sign do"},
    FormatPolicy{"e8m0_quirk", reads_quirk,
                 "formats like e8m0 do, and of blocks rule rceil (onnx_up) and rule nearest_val "
                 "(the others)"}};

void refuse_format_policies(std::span<const std::string> given,
                            std::span<const PolicyReader> readers, Spelling spelling) {
  const PolicyReader& first = readers.front();
  if (std::ranges::find(given, "random_bits") != given.end() &&
      std::ranges::none_of(readers, draws)) {
    throw Refusal(filled("{}: rounding {} draws no random words; leave it out",
                         spelled(spelling, "random_bits"), token_of(first.policy.rounding)));
  }
  for (const FormatPolicy& policy : kFormatPolicies) {
    const bool is_given = std::ranges::find(given, policy.name) != given.end();
    if (!is_given || std::ranges::any_of(readers, policy.is_read_by)) continue;
    const std::string of_rule =
        first.block ? filled(" under rule {}", token_of(first.block->rule)) : "";
    throw Refusal(filled("{}: {}{} does not read it; {}", spelled(spelling, policy.name),
                         first.element.name, policy.name == "e8m0_quirk" ? of_rule : "",
                         policy.readers));
  }
}

std::vector<std::string_view> every_policy() {
  std::vector<std::string_view> names;
  for (const PolicyField& field : policy_fields()) names.push_back(field.name);
  return names;
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view value, Spelling spelling) {
  const std::vector<std::string_view> known = find_policy_field(name)->values();
  const std::string argument = spelled(spelling, name);
  throw Refusal(known.empty()
                    ? filled("{} {}: give a number of 1 to 32", argument, printable(value))
                    : unknown_name("value of " + argument, value, known));
}

}  // namespace

bool is_read(std::string_view name, const PolicyReader& reader) {
  if (name == "random_bits") return draws(reader);
  const auto of_format = std::ranges::find(kFormatPolicies, name, &FormatPolicy::name);
  if (of_format != kFormatPolicies.end()) return of_format->is_read_by(reader);
  const auto of_rule = std::ranges::find(kRulePolicies, name, &RulePolicy::name);
  if (of_rule == kRulePolicies.end()) return true;
  return reader.block && of_rule->is_read_by(facts_of(reader.block->rule));
}

void require_policies(const Settings& settings) {
  for (const auto& [name, value] : settings) {
    if (find_policy_field(name) != nullptr) continue;
    throw Refusal(unknown_name("policy", name, every_policy()), Refusal::Kind::kName);
  }
}

void apply(const Settings& settings, Policies& policies, Spelling spelling) {
  require_policies(settings);
  for (const auto& [name, value] : settings) {
    if (set_policy(policies, name, value) == FieldError::kNone) continue;
    const std::string_view meant =
        known_as("value of " + spelled(spelling, name), value, find_policy_field(name)->values());
    const bool is_known = !meant.empty() && set_policy(policies, name, meant) == FieldError::kNone;
    if (!is_known) refuse_value(name, value, spelling);
  }
}

std::vector<std::string> names_of(const Settings& settings) {
  std::vector<std::string> names;
  for (const auto& [name, value] : settings) names.push_back(name);
  return names;
}

std::string text_of(const Settings& settings, Spelling spelling) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) texts.push_back(spelled(spelling, name, value));
  return joined(texts, spelling == Spelling::kNames ? ", " : " ");
}

bool draws(const PolicyReader& reader) {
  return is_stochastic(reader.policy.rounding) ||
         (reader.block && facts_of(reader.block->rule).draws);
}

void refuse_unread_policies(std::span<const std::string> given,
                            std::span<const PolicyReader> readers, Spelling spelling) {
  if (readers.empty()) return;
  refuse_format_policies(given, readers, spelling);
  std::vector<BlockPolicy> blocks;
  for (const PolicyReader& reader : readers) {
    if (reader.block) blocks.push_back(*reader.block);
  }
  for (const RulePolicy& policy : kRulePolicies) {
    const bool is_given = std::ranges::find(given, policy.name) != given.end();
    const bool is_read = std::ranges::any_of(
        blocks, [&](const BlockPolicy& block) { return policy.is_read_by(facts_of(block.rule)); });
    if (!is_given || is_read || blocks.empty()) continue;
    std::vector<std::string_view> rules;
    for (const ScaleRuleFacts& rule : kScaleRules) {
      if (policy.is_read_by(rule)) rules.push_back(token_of(rule.rule));
    }
    throw Refusal(filled("{}: rule {} does not read it; {} {}", spelled(spelling, policy.name),
                         token_of(blocks.front().rule), joined(rules, ", "),
                         rules.size() == 1 ? "does" : "do"));
  }
}

void refuse_block_policies(std::span<const std::string> given, std::string_view format,
                           Spelling spelling) {
  for (const std::string& name : given) {
    if (find_policy_field(name)->scope != FieldScope::kBlock) continue;
    throw Refusal(filled("{}: a policy of blocks, and {} has none; leave it out",
                         spelled(spelling, name), format));
  }
}

bool reads_rule_back(const BlockFormat& format, ScaleRule rule) {
  return format.tensor_scale != TensorScale::kNone || facts_of(rule).returns_in_fp32;
}

}  // namespace mx::golden
