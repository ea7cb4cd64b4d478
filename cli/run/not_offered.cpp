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

bool is_list_of_suite(std::string_view field) { return field == "rounding" || field == "rule"; }

void add_option(std::string& text, std::string_view option, const Names& values) {
  if (values.empty()) return;
  text += fmt::format("{}{} {}", text.empty() ? "" : " ", option, fmt::join(values, ","));
}

/// The options that make a suite smaller, as they were given.
std::string restrictions(const ConfigOptions& options) {
  std::string text;
  if (options.has_profile()) add_option(text, "--profile", {options.profile});
  if (!is_all(options.formats)) add_option(text, "--format", options.formats);
  if (!is_all(options.sources)) add_option(text, "--source", options.sources);
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const PolicyOption& option = policy_options()[i];
    // Of other policies `all` is a value: that of amax_over.
    if (is_list_of_suite(option.name) && is_all(options.policies[i])) continue;
    add_option(text, option_name(option), options.policies[i]);
  }
  return text;
}

/// Those of policies that a suite varies by itself.
std::string told_text(const ConfigOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const PolicyOption& option = policy_options()[i];
    if (!is_list_of_suite(option.name)) add_option(text, option_name(option), options.policies[i]);
  }
  return text;
}

/// The whole suite, whatever was left out of the one that is run.
sim::SuiteSource whole_suite(const RunCommand& command, sim::SuiteOptions options) {
  RunCommand whole;
  whole.gen = command.gen;
  whole.gen.configs.profile = ConfigOptions().profile;
  whole.gen.configs.typed.erase("--profile");
  whole.gen.configs.formats.clear();
  whole.gen.configs.sources.clear();
  for (Names& names : whole.gen.configs.policies) names.clear();
  options.configs = run_configs(whole);
  options.extras = sim::ExtraPolicies::kPresent;
  options.told.clear();
  return sim::SuiteSource(options);
}

/// Configurations of the whole suite that the told policies do not allow.
std::size_t count_others(const sim::SuiteSource& all, const std::vector<sim::ToldPolicy>& told) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all.configs(), [&](const golden::Configuration& each) {
        const auto& config = std::get<QuantizerConfig>(each.what);
        return std::ranges::any_of(
            told, [&](const sim::ToldPolicy& policy) { return !policy.allows(config); });
      }));
}

}  // namespace

std::vector<sim::ToldPolicy> told_policies(const ConfigOptions& options) {
  std::vector<sim::ToldPolicy> told;
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const std::string_view name = policy_options()[i].name;
    if (options.policies[i].empty() || is_list_of_suite(name)) continue;
    told.push_back({find_policy_field(name), options.policies[i]});
  }
  return told;
}

LeftOutOfSuite left_out_of_suite(const RunCommand& command, sim::SuiteOptions options,
                                 const sim::SuiteSource& offered) {
  LeftOutOfSuite left;
  const auto add = [&](const sim::SuiteSource& wider, const sim::SuiteSource& narrower,
                       const std::string& why) {
    // Told policies may make more of one suite than the whole has.
    if (wider.size() <= narrower.size()) return;
    if (wider.configs().size() <= narrower.configs().size()) return;
    left.not_offered.push_back(
        {wider.configs().size() - narrower.configs().size(), wider.size() - narrower.size(), why});
  };
  options.refusal = nullptr;
  std::optional<sim::SuiteSource> chosen;
  if (offered.left_out() != 0) {
    chosen.emplace(options);
    add(*chosen, offered, "the device refuses them, the first because " + offered.first_refusal());
  }
  const std::string by_options = restrictions(command.gen.configs);
  if (by_options.empty()) return left;
  const sim::SuiteSource all = whole_suite(command, options);
  add(all, chosen ? *chosen : offered, "left out by " + by_options);
  if (options.told.empty()) return left;
  left.narrowed = {told_text(command.gen.configs), count_others(all, options.told),
                   all.configs().size()};
  return left;
}

}  // namespace mx::cli
