#include "cli/options/unread_by_config.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/base/error.hpp"
#include "cli/options/policies.hpp"
#include "golden/compare/block_difference.hpp"
#include "golden/compare/causes.hpp"

namespace mx::cli {
namespace {

/// Policies that some scale rules read and others do not.
constexpr std::array<std::string_view, 6> kOfRules = {
    "ratio_op", "even_carry", "scale_floor", "four_over_six", "scale_rounding", "scale_overflow"};

/// Does any value of the policy make another configuration of this one?
bool is_read(const PolicyOption& field, const QuantizerConfig& config) {
  const QuantizerConfig normal = golden::normalized(config);
  return std::ranges::any_of(field.values(), [&](std::string_view value) {
    Policies policies{config.element, config.block};
    QuantizerConfig changed = config;
    if (!field.set(policies, value)) return false;
    changed.element = policies.element;
    changed.block = policies.block;
    return !golden::same_settings(golden::normalized(changed), normal);
  });
}

bool is_given(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option != nullptr && option->count() != 0;
}

}  // namespace

void refuse_unread_policies(const CLI::App& command, const FormatChoice& format,
                            const QuantizerConfig& config) {
  for (const PolicyOption& field : policy_options()) {
    const std::string name = option_name(field);
    if (!is_given(command, name)) continue;
    if (format.block == nullptr) {
      const bool is_of_blocks = find_policy_field(field.name)->scope == FieldScope::kBlock;
      // How values return to a type is a matter of element formats too.
      if (!is_of_blocks || field.name == "dequant_overflow") continue;
      fail(Exit::kUsage, "{}: a policy of blocks, and {} has none; leave it out", name,
           format.name);
    }
    if (std::ranges::find(kOfRules, field.name) == kOfRules.end()) continue;
    if (is_read(field, config)) continue;
    fail(Exit::kUsage, "{}: rule {} does not read it with {}; leave it out, or give another --rule",
         name, token_of(config.block.rule), format.name);
  }
  if (is_given(command, "--random-bits") && !is_stochastic(config.element.rounding)) {
    fail(Exit::kUsage,
         "--random-bits: rounding {} draws no random words; leave it out, or give a stochastic "
         "--rounding",
         token_of(config.element.rounding));
  }
}

}  // namespace mx::cli
