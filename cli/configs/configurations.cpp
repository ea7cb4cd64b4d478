#include "cli/configs/configurations.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "cli/base/error.hpp"
#include "cli/configs/choices.hpp"
#include "cli/configs/operations.hpp"
#include "cli/text/names.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/points/random_configs.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {

using golden::Configuration;
using golden::Operation;

namespace {

/// Repetition would count as coverage.
void refuse_repeated_formats(const ConfigOptions& options) {
  std::set<std::string_view> seen;
  for (const std::string& name : options.formats) {
    if (seen.insert(name).second) continue;
    fail(Exit::kUsage, "--format: {} is given twice; leave one out", printable(name));
  }
}

}  // namespace

std::vector<Configuration> configurations(const ConfigOptions& options,
                                          const ElementFormat& source) {
  std::vector<Configuration> list;
  // Of products they are A's and B's.
  const Operation operation = options.operation_kind();
  if (operation != Operation::kDot && operation != Operation::kMma) {
    refuse_repeated_formats(options);
  }
  switch (operation) {
    case Operation::kCvt:
      add_conversions(options, source, list);
      break;
    case Operation::kBlock:
      add_blocks(options, source, list);
      break;
    case Operation::kDot:
      add_dots(options, list);
      break;
    case Operation::kArith:
      add_arithmetic(options, list);
      break;
    case Operation::kCast:
      add_casts(options, source, list);
      break;
    case Operation::kDequantize:
      add_dequantizing(options, list);
      break;
    case Operation::kMma:
      add_mma(options, list);
      break;
  }
  return list;
}

std::vector<Configuration> drawn_configurations(const ConfigOptions& options,
                                                const ElementFormat& source, std::uint64_t seed,
                                                std::size_t count) {
  if (options.operation_kind() != Operation::kBlock) {
    fail(Exit::kUsage, "the suite policy is made of blocks; add --op block");
  }
  refuse_repeated_formats(options);
  const auto listed = [&](std::string_view field, const Names& all) {
    for (std::size_t i = 0; i < options.policies.size(); ++i) {
      if (policy_options()[i].name != field) continue;
      return options.policies[i].empty() ? all : expand_all(field, options.policies[i]);
    }
    return all;
  };
  refuse_policies(
      options, [](std::string_view name) { return name == "rounding" || name == "rule"; },
      "block --suite policy");
  golden::RandomFrom from;
  from.base.source = source;
  if (options.random_bits != 0) from.base.element.random_bits = options.random_bits;
  for (const std::string& name : format_names(options, all_formats())) {
    from.formats.push_back(sized(options, *require_block(options, name).block));
  }
  from.base.format = from.formats.front();
  for (const std::string& token : listed("rounding", all_roundings())) {
    from.roundings.push_back(require_token<Rounding>("value of --rounding", token));
  }
  for (const std::string& token : listed("rule", all_rules())) {
    from.rules.push_back(require_token<ScaleRule>("value of --rule", token));
  }
  std::vector<Configuration> list;
  for (const QuantizerConfig& config : golden::draw_configs(from, seed, count)) {
    list.push_back({config, {"mxgold-default", std::string(golden::kEveryPolicyDrawn), 0}});
    require_computable(list.back());
  }
  refuse_unread(options, list);
  return list;
}

Configuration under_profile(const Configuration& configuration, const ProfileChoice& profile) {
  Configuration result = configuration;
  result.origin = {profile.name(), "", 0};
  if (auto* const conversion = std::get_if<ConversionConfig>(&result.what)) {
    // The format itself, without what another profile said of it.
    ElementFormat destination =
        make_format(conversion->destination.name).value_or(conversion->destination);
    destination.name = conversion->destination.name;
    const FormatChoice format{destination.name, nullptr, &destination};
    const ProfiledFormat chosen = profiled(profile, format, conversion->source);
    const int random_bits = conversion->policy.random_bits;
    result.origin.masks =
        element_masks(*profile.profile, conversion->source, destination, profile.variant);
    *conversion = {conversion->source, chosen.element, chosen.policies.element};
    if (is_stochastic(conversion->policy.rounding)) conversion->policy.random_bits = random_bits;
  } else if (auto* const config = std::get_if<QuantizerConfig>(&result.what)) {
    BlockFormat block = config->format;
    if (const BlockFormat* const row = find_block_format(block.name)) block.element = row->element;
    const FormatChoice format{block.name, &block, &block.element};
    const ProfiledFormat chosen = profiled(profile, format, config->source, block.block_size);
    const int random_bits = config->element.random_bits;
    result.origin.masks = block_masks(*profile.profile, block, config->source, profile.variant);
    config->element = chosen.policies.element;
    config->block = chosen.policies.block;
    config->format.element = chosen.element;
    if (is_stochastic(config->element.rounding)) config->element.random_bits = random_bits;
    set_tensor_amax(result, decode(formats::fp32, config->tensor.amax));
  } else {
    fail(Exit::kUsage, "--profile {}: profiles speak of conversions and blocks, not of op {}",
         profile.name(), token_of(configuration.operation()));
  }
  if (const std::string problem = golden::problem_of(result); !problem.empty()) {
    fail(Exit::kUsage, "profile {}: {}", profile.name(), problem);
  }
  return result;
}

}  // namespace mx::cli
