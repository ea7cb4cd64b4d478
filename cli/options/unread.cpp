#include "cli/options/unread.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/base/error.hpp"
#include "cli/options/policies.hpp"
#include "reference/policy/scale_rule.hpp"
#include "reference/policy/token.hpp"

namespace mx::cli {
namespace {

/// A policy that some rules read, and the others do not look at.
struct RulePolicy {
  std::string_view name;
  bool (*is_read_by)(const ScaleRuleFacts&);
};

bool projects_maximum(const ScaleRuleFacts& rule) { return rule.rule == ScaleRule::kMaxabsFinite; }

constexpr std::array kRulePolicies = {
    RulePolicy{"ratio_op", [](const ScaleRuleFacts& rule) { return rule.reads_ratio_op; }},
    RulePolicy{"even_carry", [](const ScaleRuleFacts& rule) { return rule.reads_even_carry; }},
    RulePolicy{"scale_floor",
               [](const ScaleRuleFacts& rule) { return rule.kind == RuleKind::kReal; }},
    RulePolicy{"four_over_six",
               [](const ScaleRuleFacts& rule) { return rule.reads_four_over_six; }},
    RulePolicy{"scale_rounding", projects_maximum},
    RulePolicy{"scale_overflow", projects_maximum},
    RulePolicy{"elem_scaling",
               [](const ScaleRuleFacts& rule) { return rule.elements != RuleElements::kByRule; }}};

}  // namespace

void refuse_without(const CLI::App& command, std::string_view option, std::string_view other) {
  if (command.get_option(std::string(option))->count() == 0) return;
  if (command.get_option(std::string(other))->count() != 0) return;
  fail(Exit::kUsage, "{}: goes with {}", option, other);
}

void refuse_given(const CLI::App& command, std::span<const std::string_view> options,
                  std::string_view why) {
  for (const std::string_view option : options) {
    if (command.get_option(std::string(option))->count() != 0) {
      fail(Exit::kUsage, "{}: {}", option, why);
    }
  }
}

void refuse_unread_policies(std::span<const std::string> given,
                            std::span<const BlockPolicy> blocks) {
  for (const RulePolicy& policy : kRulePolicies) {
    const bool is_given = std::ranges::find(given, policy.name) != given.end();
    const bool is_read = std::ranges::any_of(
        blocks, [&](const BlockPolicy& block) { return policy.is_read_by(facts_of(block.rule)); });
    if (!is_given || is_read || blocks.empty()) continue;
    std::vector<std::string_view> readers;
    for (const ScaleRuleFacts& rule : kScaleRules) {
      if (policy.is_read_by(rule)) readers.push_back(token_of(rule.rule));
    }
    fail(Exit::kUsage, "{}: rule {} does not read it; {} {}",
         option_name(*find_policy_option(policy.name)), token_of(blocks.front().rule),
         fmt::join(readers, ", "), readers.size() == 1 ? "does" : "do");
  }
}

void refuse_block_policies(std::span<const std::string> given, std::string_view format) {
  for (const std::string& name : given) {
    if (find_policy_field(name)->scope != FieldScope::kBlock) continue;
    fail(Exit::kUsage, "{}: a policy of blocks, and {} has none; leave it out",
         option_name(*find_policy_option(name)), format);
  }
}

bool reads_rule_back(const BlockFormat& format, ScaleRule rule) {
  return format.tensor_scale != TensorScale::kNone || facts_of(rule).returns_in_fp32;
}

}  // namespace mx::cli
