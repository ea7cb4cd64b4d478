// Conversions of elements, blocks, and the way back.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/base/error.hpp"
#include "cli/configs/choices.hpp"
#include "cli/configs/operations.hpp"
#include "cli/options/unread.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/configuration/text.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;
using golden::Operation;

/// Largest magnitudes of tensors for suites of two-level formats: scale 1, ordinary data, ends.
constexpr std::array<std::string_view, 5> kTensorMaxima = {"2688", "1", "0x1.7p-2", "0x1p100",
                                                           "0x1p-100"};

/// N of the random words: what was asked for, then what a profile that draws says, then the
/// device's.
void set_random_bits(const ConfigOptions& options, const Policies& profile, ElementPolicy& policy) {
  const bool is_told =
      is_stochastic(profile.element.rounding) || facts_of(profile.block.rule).draws;
  if (options.random_bits == 0 || (options.has_device_random_bits && is_told)) return;
  policy.random_bits = options.random_bits;
}

bool is_dequantize_policy(std::string_view name) {
  const PolicyField* const field = find_policy_field(name);
  return field != nullptr && golden::is_policy_of(Operation::kDequantize, *field);
}

/// Does a device take the tensor scale? One that was asked for is refused where it does not.
bool is_taken(const ConfigOptions& options, const Configuration& configuration) {
  if (options.tensor_scales.empty() || !options.tensor_amax.empty()) return true;
  const golden::ConfigurationFields fields = golden::fields_of(configuration);
  const auto field = std::ranges::find(fields, "stored_tensor_scale",
                                       &golden::ConfigurationFields::value_type::first);
  return field == fields.end() ||
         std::ranges::find(options.tensor_scales, field->second) != options.tensor_scales.end();
}

/// A configuration for each tensor level of a two-level format.
void add_levels(const ConfigOptions& options, const Configuration& configuration,
                std::vector<Configuration>& list) {
  const auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
  const BlockFormat& format = config != nullptr
                                  ? config->format
                                  : std::get<golden::DequantizeCase>(configuration.what).format;
  if (format.tensor_scale == TensorScale::kNone) {
    if (!options.tensor_amax.empty()) {
      fail(Exit::kUsage, "--tensor-amax: {} has no tensor scale; nvfp4 is a format that has one",
           format.name);
    }
    list.push_back(configuration);
    return;
  }
  const auto add = [&](std::string_view text) {
    const auto amax = golden::parse_number(std::string(text));
    if (!amax || amax->cls != ValueClass::kFinite || amax->negative) {
      fail(Exit::kUsage, "--tensor-amax {}: give a finite number above 0 (448, 1e-3, 0x1.8p-3)",
           text);
    }
    Configuration leveled = configuration;
    set_tensor_amax(leveled, *amax);
    if (!is_taken(options, leveled)) return;
    if (golden::problem_of(leveled).empty() || !options.tensor_amax.empty()) {
      require_computable(leveled);
      list.push_back(leveled);
    }
  };
  if (!options.tensor_amax.empty()) return add(options.tensor_amax);
  const std::size_t before = list.size();
  for (const std::string_view text : kTensorMaxima) add(text);
  if (list.size() == before) {
    fail(Exit::kUsage, "{}: the device takes tensor scale {} alone; give --tensor-amax",
         format.name, fmt::join(options.tensor_scales, ", "));
  }
}

}  // namespace

void add_conversions(const ConfigOptions& options, const ElementFormat& source,
                     std::vector<Configuration>& list) {
  refuse_policies(options, is_element_policy, "cvt");
  const ProfileChoice profile = require_profile(options.profile);
  const Names defaults{"e4m3fn"};
  for (const std::string& name : format_names(options, defaults)) {
    const FormatChoice named = options.book->require(name);
    const FormatChoice format{named.element->name, nullptr, named.element};
    const ProfiledFormat chosen = profiled(profile, format, source);
    for (const Policies& policies : combinations(options, chosen.policies)) {
      ConversionConfig conversion{source, chosen.element, policies.element};
      set_random_bits(options, chosen.policies, conversion.policy);
      const Masks masks = element_masks(*profile.profile, source, *format.element, profile.variant);
      list.push_back({conversion, {profile.name(), chosen_text(options), masks}});
    }
  }
  refuse_unread(options, list);
}

void add_blocks(const ConfigOptions& options, const ElementFormat& source,
                std::vector<Configuration>& list) {
  const ProfileChoice profile = require_profile(options.profile);
  const Names defaults{"mxfp8_e4m3"};
  for (const std::string& name : format_names(options, defaults)) {
    const FormatChoice format = require_block(options, name);
    const ProfiledFormat chosen = profiled(profile, format, source, options.block_size);
    const Masks masks = block_masks(*profile.profile, *format.block, source, profile.variant);
    for (const Policies& policies : combinations(options, chosen.policies)) {
      QuantizerConfig config{source, sized(options, *format.block), policies.element,
                             policies.block};
      config.format.element = chosen.element;
      set_random_bits(options, chosen.policies, config.element);
      const Configuration configuration{config, {profile.name(), chosen_text(options), masks}};
      require_computable(configuration);
      add_levels(options, configuration, list);
    }
  }
  refuse_unread(options, list);
}

void add_dequantizing(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(options, is_dequantize_policy, "dequantize");
  const ProfileChoice profile = require_profile(options.profile);
  const Names defaults{"mxfp8_e4m3"};
  const ElementFormat& result =
      options.book->require_element("value of --result", options.dot.result);
  for (const std::string& name : format_names(options, defaults)) {
    const FormatChoice format = require_block(options, name);
    const ProfiledFormat chosen = profiled(profile, format, formats::fp32, options.block_size);
    Policies start;
    start.block.dequant_overflow = chosen.policies.block.dequant_overflow;
    start.block.rule = chosen.policies.block.rule;
    for (const Policies& policies : combinations(options, start)) {
      golden::DequantizeCase what{.format = sized(options, *format.block),
                                  .result = result,
                                  .how = {policies.element.rounding, policies.element.dst_ftz},
                                  .overflow = policies.block.dequant_overflow,
                                  .rule = policies.block.rule};
      what.format.element = chosen.element;
      const Configuration configuration{what, {profile.name(), chosen_text(options), 0}};
      require_computable(configuration);
      add_levels(options, configuration, list);
    }
  }
  const Names given = given_policies(options);
  const bool has_rule = std::ranges::find(given, "rule") != given.end();
  const bool is_read = std::ranges::any_of(list, [](const Configuration& each) {
    const auto& what = std::get<golden::DequantizeCase>(each.what);
    return reads_rule_back(what.format, what.rule);
  });
  if (has_rule && !is_read) {
    fail(Exit::kUsage, "--rule: says nothing of the way back from {}, which has no tensor scale",
         std::get<golden::DequantizeCase>(list.front().what).format.name);
  }
}

void set_tensor_amax(Configuration& configuration, const Unpacked& amax) {
  if (auto* const values = std::get_if<golden::DequantizeCase>(&configuration.what)) {
    if (values->format.tensor_scale == TensorScale::kNone) return;
    values->tensor_scale = tensor_level(values->blocks(), amax).scale;
    return;
  }
  auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
  if (config == nullptr || config->format.tensor_scale == TensorScale::kNone) return;
  config->tensor = {};
  config->tensor = tensor_level(*config, amax);
}

}  // namespace mx::cli
