#include "cli/configs/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cli/base/error.hpp"
#include "cli/options/unread.hpp"
#include "cli/text/names.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {
namespace {

const Names kAllFormats = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                           "mxfp6_e3m2", "mxfp4",      "mxint8"};
const Names kAllRoundings = {"ties_to_even",    "ties_to_away",   "toward_zero", "toward_negative",
                             "toward_positive", "away_from_zero", "to_odd",      "stochastic_a"};
const Names kAllRules = {"floor", "ceil", "rceil", "even_up"};

}  // namespace

const Names& all_formats() { return kAllFormats; }
const Names& all_roundings() { return kAllRoundings; }
const Names& all_rules() { return kAllRules; }

const Names& expand_all(std::string_view field, const Names& tokens) {
  if (!is_all(tokens)) return tokens;
  if (field == "rounding") return kAllRoundings;
  return field == "rule" ? kAllRules : tokens;
}

bool is_element_policy(std::string_view name) {
  const PolicyField* const field = find_policy_field(name);
  return field != nullptr && field->scope == FieldScope::kElement;
}

namespace {

/// The tokens that are meant, each once: RNE is ties_to_even.
Names tokens_of(const PolicyOption& field, const Names& given) {
  Names tokens;
  for (const std::string& each : given) {
    const std::string token(require_known("value of " + option_name(field), each, field.values()));
    if (std::ranges::find(tokens, token) != tokens.end()) {
      fail(Exit::kUsage, "{}: {} is given twice; leave one out", option_name(field),
           printable(token));
    }
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace

std::vector<Policies> combinations(const ConfigOptions& options, const Policies& start) {
  std::vector<Policies> list{start};
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (options.policies[i].empty()) continue;
    const PolicyOption& field = policy_options()[i];
    const Names tokens = tokens_of(field, expand_all(field.name, options.policies[i]));
    std::vector<Policies> wider;
    for (const Policies& policies : list) {
      for (const std::string& token : tokens) {
        Policies chosen = policies;
        (void)field.set(chosen, token);
        wider.push_back(chosen);
      }
    }
    list = std::move(wider);
  }
  return list;
}

Names given_policies(const ConfigOptions& options) {
  Names given;
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (!options.policies[i].empty()) given.emplace_back(policy_options()[i].name);
  }
  if (options.random_bits != 0) given.emplace_back("random_bits");
  return given;
}

std::string chosen_text(const ConfigOptions& options) {
  return fmt::format("{}", fmt::join(given_policies(options), ","));
}

void refuse_unread(const ConfigOptions& options, std::span<const golden::Configuration> list) {
  Names given = given_policies(options);
  std::erase_if(given, [&](const std::string& name) {
    return std::ranges::find(options.unchecked, name) != options.unchecked.end();
  });
  std::vector<PolicyReader> readers;
  for (const golden::Configuration& each : list) {
    if (const auto* const c = std::get_if<ConversionConfig>(&each.what)) {
      readers.push_back({c->destination, c->policy, {}});
    } else if (const auto* const q = std::get_if<QuantizerConfig>(&each.what)) {
      readers.push_back({q->format.element, q->element, q->block});
    } else if (const auto* const a = std::get_if<golden::ArithmeticCase>(&each.what)) {
      readers.push_back({a->arithmetic.format, a->arithmetic.policy, {}});
    }
  }
  refuse_unread_policies(given, readers);
}

void refuse_policies(const ConfigOptions& options, bool (*has)(std::string_view name),
                     std::string_view operation) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const PolicyOption& field = policy_options()[i];
    if (options.policies[i].empty() || has(field.name)) continue;
    fail(Exit::kUsage, "{}: --op {} has no such policy", option_name(field), operation);
  }
}

const Names& format_names(const ConfigOptions& options, const Names& otherwise) {
  if (options.formats.empty()) return otherwise;
  return is_all(options.formats) ? kAllFormats : options.formats;
}

FormatChoice require_block(const ConfigOptions& options, const std::string& name) {
  const FormatChoice choice = options.book->require(name);
  if (choice.block != nullptr) return choice;
  for (const BlockFormat& format : mx_block_formats()) {
    if (format.element == *choice.element) return {format.name, &format, &format.element};
  }
  fail(Exit::kUsage,
       "{}: an element format; --op {} takes block formats (mxgold list formats shows them, "
       "--define makes one: 'name=mine, element={}, block_size=32')",
       name, options.op, name);
}

BlockFormat sized(const ConfigOptions& options, const BlockFormat& format) {
  BlockFormat result = format;
  if (options.block_size == 0) return result;
  if (format.extent != BlockExtent::kElements) {
    fail(Exit::kUsage, "--block-size: a block of {} reaches as far as its {}; give --lanes",
         format.name, token_of(format.extent));
  }
  result.block_size = options.block_size;
  return result;
}

void require_default_profile(const ConfigOptions& options) {
  if (options.profile == "mxgold-default") return;
  fail(Exit::kUsage, "--profile {}: profiles speak of conversions and blocks, not of --op {}",
       options.profile, options.op);
}

void require_computable(const golden::Configuration& configuration) {
  const std::string problem = golden::problem_of(configuration);
  if (problem.empty()) return;
  if (const auto* const config = std::get_if<QuantizerConfig>(&configuration.what)) {
    fail(Exit::kUsage, "{} from {} with {} and {}: {}", config->format.name, config->source.name,
         token_of(config->element.rounding), token_of(config->block.rule), problem);
  }
  fail(Exit::kUsage, "{}", problem);
}

}  // namespace mx::cli
