#include "cli/run/not_offered.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/options/policies.hpp"

namespace mx::cli {

std::string values_left_out(const RunCommand& command, std::string_view field,
                            const sim::Configurations& configs,
                            const std::function<std::string(const QuantizerConfig&)>& refusal) {
  ConfigOptions typed = command.gen.configs;
  const Names& names = policy_names(typed, field);
  if (!names.empty() && !is_all(names)) return {};
  const PolicyOption& option = *find_policy_option(field);
  Names left;
  for (const std::string_view token : option.values()) {
    const auto policies_of = [](const QuantizerConfig& config) {
      return Policies{config.element, config.block};
    };
    if (std::ranges::any_of(configs, [&](const golden::Configuration& each) {
          return option.get(policies_of(std::get<QuantizerConfig>(each.what))) == token;
        })) {
      continue;
    }
    golden::Configuration other = configs.front();
    auto& config = std::get<QuantizerConfig>(other.what);
    Policies policies = policies_of(config);
    option.set(policies, token);
    config.element = policies.element;
    config.element.random_bits = command.gen.configs.random_bits;
    config.block = policies.block;
    if (golden::problem_of(other).empty() && refusal(config).empty()) left.emplace_back(token);
  }
  if (left.empty()) return {};
  return fmt::format("{} {}{} of the device ({})", left.size(), field, left.size() == 1 ? "" : "s",
                     fmt::join(left, ", "));
}

namespace {

/// The options that make a suite smaller, as they were given.
std::string restrictions(const ConfigOptions& options) {
  std::string text;
  const auto add = [&](std::string_view option, const Names& values) {
    if (values.empty() || is_all(values)) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", option, fmt::join(values, ","));
  };
  add("--format", options.formats);
  add("--source", options.sources);
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    add(option_name(policy_options()[i]), options.policies[i]);
  }
  return text;
}

}  // namespace

std::vector<sim::NotOffered> left_out_of_suite(const RunCommand& command, sim::SuiteOptions options,
                                               const sim::SuiteSource& offered) {
  std::vector<sim::NotOffered> list;
  const auto add = [&](const sim::SuiteSource& wider, const sim::SuiteSource& narrower,
                       const std::string& why) {
    const sim::NotOffered more{wider.configs().size() - narrower.configs().size(),
                               wider.size() - narrower.size(), why};
    if (more.configurations != 0) list.push_back(more);
  };
  const std::string by_options = restrictions(command.gen.configs);
  const bool is_standard = !has_other_policies(command.gen.configs);
  options.refusal = nullptr;
  std::optional<sim::SuiteSource> chosen;
  if (offered.left_out() != 0) {
    chosen.emplace(options);
    add(*chosen, offered, "the device refuses them, the first because " + offered.first_refusal());
  }
  if (by_options.empty() || !is_standard) return list;
  RunCommand whole;
  whole.gen = command.gen;
  whole.gen.configs.formats.clear();
  whole.gen.configs.sources.clear();
  for (Names& names : whole.gen.configs.policies) names.clear();
  options.configs = run_configs(whole);
  options.extras = sim::ExtraPolicies::kPresent;
  const sim::SuiteSource all(options);
  const sim::SuiteSource& here = chosen ? *chosen : offered;
  if (all.size() > here.size()) add(all, here, "left out by " + by_options);
  return list;
}

}  // namespace mx::cli
