#include "cli/vectors/gen_configs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <stdexcept>

#include "cli/base/error.hpp"
#include "cli/options/unread.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/stimulus/drawn_configs.hpp"
#include "golden/text/exact.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;
using golden::Operation;

/// What `all` stands for: the formats, roundings and rules of the default RTL build.
const Names kAllFormats = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                           "mxfp6_e3m2", "mxfp4",      "mxint8"};
const Names kAllRoundings = {"ties_to_even",    "ties_to_away",   "toward_zero", "toward_negative",
                             "toward_positive", "away_from_zero", "to_odd",      "stochastic_a"};
const Names kAllRules = {"floor", "ceil", "rceil", "even_up"};
/// Largest magnitudes of tensors for suites of two-level formats: scale 1, ordinary data, ends.
constexpr std::array<std::string_view, 5> kTensorMaxima = {"2688", "1", "0x1.7p-2", "0x1p100",
                                                           "0x1p-100"};

const Names& expand_all(std::string_view field, const Names& tokens) {
  if (!is_all(tokens)) return tokens;
  if (field == "rounding") return kAllRoundings;
  return field == "rule" ? kAllRules : tokens;
}

/// Every combination of the listed policies over a starting point, the last field fastest.
std::vector<Policies> combinations(const ConfigOptions& options, const Policies& start) {
  std::vector<Policies> list{start};
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (options.policies[i].empty()) continue;
    const PolicyOption& field = policy_options()[i];
    std::vector<Policies> wider;
    for (const Policies& policies : list) {
      for (const std::string& token : expand_all(field.name, options.policies[i])) {
        Policies chosen = policies;
        if (!field.set(chosen, token)) {
          fail(Exit::kUsage, "{}",
               unknown_name("value of " + option_name(field), token, field.values()));
        }
        wider.push_back(chosen);
      }
    }
    list = std::move(wider);
  }
  return list;
}

/// The policies that were given, by name.
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

/// Error kUsage for a policy that was given and that an operation has not.
void refuse_policies(const ConfigOptions& options, auto has, std::string_view operation) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const PolicyOption& field = policy_options()[i];
    if (options.policies[i].empty() || has(field.name)) continue;
    fail(Exit::kUsage, "{}: --op {} has no such policy", option_name(field), operation);
  }
}

bool is_element_policy(std::string_view name) {
  const PolicyField* const field = find_policy_field(name);
  return field != nullptr && field->scope == FieldScope::kElement;
}

const Names& format_names(const ConfigOptions& options, const Names& otherwise) {
  if (options.formats.empty()) return otherwise;
  return is_all(options.formats) ? kAllFormats : options.formats;
}

/// The block format of a name; an element stands for the MX format that has it.
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

void require_computable(const Configuration& configuration) {
  const std::string problem = golden::problem_of(configuration);
  if (problem.empty()) return;
  if (const auto* const config = std::get_if<QuantizerConfig>(&configuration.what)) {
    fail(Exit::kUsage, "{} from {} with {} and {}: {}", config->format.name, config->source.name,
         token_of(config->element.rounding), token_of(config->block.rule), problem);
  }
  fail(Exit::kUsage, "{}", problem);
}

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
      if (options.random_bits != 0) conversion.policy.random_bits = options.random_bits;
      const Masks masks = element_masks(*profile.profile, source, *format.element, profile.variant);
      list.push_back({conversion, {profile.name(), chosen_text(options), masks}});
    }
  }
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
    if (golden::problem_of(leveled).empty() || !options.tensor_amax.empty()) {
      require_computable(leveled);
      list.push_back(leveled);
    }
  };
  if (!options.tensor_amax.empty()) return add(options.tensor_amax);
  for (const std::string_view text : kTensorMaxima) add(text);
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
      if (options.random_bits != 0) config.element.random_bits = options.random_bits;
      const Configuration configuration{config, {profile.name(), chosen_text(options), masks}};
      require_computable(configuration);
      add_levels(options, configuration, list);
    }
  }
  std::vector<BlockPolicy> blocks;
  for (const Configuration& each : list) {
    blocks.push_back(std::get<QuantizerConfig>(each.what).block);
  }
  refuse_unread_policies(given_policies(options), blocks);
}

bool is_dot_policy(std::string_view name) { return name == "rounding" || name == "overflow"; }

void require_default_profile(const ConfigOptions& options) {
  if (options.profile == "mxgold-default") return;
  fail(Exit::kUsage, "--profile {}: profiles speak of conversions and blocks, not of --op {}",
       options.profile, options.op);
}

void add_dots(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(options, is_dot_policy, "dot");
  require_default_profile(options);
  const Names defaults{"mxfp8_e4m3"};
  const Names& names = format_names(options, defaults);
  if (names.size() > 2) fail(Exit::kUsage, "--format: give one block format, or A's and B's");
  const FormatChoice a = require_block(options, names.front());
  const FormatChoice b = require_block(options, names.back());
  Policies start;
  start.element.overflow = DotConfig().overflow;
  for (const Policies& policies : combinations(options, start)) {
    golden::DotCase what;
    what.dot =
        dot_config(options.dot, *options.book, sized(options, *a.block), sized(options, *b.block));
    what.dot.rounding = policies.element.rounding;
    what.dot.overflow = policies.element.overflow;
    if (!options.addend.empty()) {
      what.addend = golden::Addend::kPresent;
      what.dot.addend = options.book->require_element("value of --addend", options.addend);
    }
    const Configuration configuration{what, {"mxgold-default", chosen_text(options), 0}};
    require_computable(configuration);
    list.push_back(configuration);
  }
}

bool is_dequantize_policy(std::string_view name) {
  const PolicyField* const field = find_policy_field(name);
  return field != nullptr && golden::is_policy_of(Operation::kDequantize, *field);
}

/// Under the block policies that a profile has for the format; whatever else it says is of blocks.
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

void add_arithmetic(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(options, is_element_policy, "arith");
  require_default_profile(options);
  const Names defaults{"fp32"};
  const ArithmeticOperation operation = arith_operation(options.arith);
  const IntegerConversion integer = integer_conversion(options.arith);
  for (const std::string& name : format_names(options, defaults)) {
    const ElementFormat& format = options.book->require_element("format", name);
    Policies start;
    start.element = Arithmetic::ieee(format).policy;
    for (const Policies& policies : combinations(options, start)) {
      const Configuration configuration{
          golden::ArithmeticCase{operation, {format, policies.element, integer}},
          {"mxgold-default", chosen_text(options), 0}};
      require_computable(configuration);
      list.push_back(configuration);
    }
  }
}

void add_casts(const ConfigOptions& options, const ElementFormat& source,
               std::vector<Configuration>& list) {
  refuse_policies(
      options, [](std::string_view) { return false; }, "cast");
  require_default_profile(options);
  const auto type = tensor_type(source.name);
  if (!type) fail(Exit::kUsage, "--source {}: systems cast fp32, bf16, fp16 and fp64", source.name);
  if (options.formats.empty()) {
    fail(Exit::kUsage, "--op cast: give --format 'SYSTEM:BODY', as in 'dmx:MXFP8[E4M3]{{32}}'");
  }
  for (const std::string& text : rejoined(options.formats)) {
    const systems::CastPointer cast = require_cast(text, options.cast_mode(), options.platform);
    const std::string canonical = text.substr(0, text.find(':') + 1) + cast->text();
    const systems::Setting setting{*parse_token<SystemMode>(options.cast_mode()),
                                   *parse_token<Platform>(options.platform)};
    const Configuration configuration{golden::CastCase{canonical, setting, *type},
                                      {"mxgold-default", "", 0}};
    require_computable(configuration);
    list.push_back(configuration);
  }
}

}  // namespace

Names& policy_names(ConfigOptions& options, std::string_view field) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (policy_options()[i].name == field) return options.policies[i];
  }
  throw std::logic_error("no such policy");
}

bool has_other_policies(const ConfigOptions& options) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const std::string_view name = policy_options()[i].name;
    if (!options.policies[i].empty() && name != "rounding" && name != "rule") return true;
  }
  return options.profile != "mxgold-default";
}

Operation ConfigOptions::operation_kind() const {
  return parse_token<Operation>(op).value_or(Operation::kBlock);
}

std::string ConfigOptions::cast_mode() const {
  return dot.mode == DotText().mode ? std::string(token_of(SystemMode::kStrict)) : dot.mode;
}

void add_config_options(CLI::App& app, ConfigOptions& options) {
  format_option(app, options.formats)->default_str("mxfp8_e4m3; cvt: e4m3fn; arith: fp32");
  source_option(app, options.sources)->default_str("fp32, or the tensors'");
  add_arith_options(app, options.arith);
  add_dot_options(app, options.dot);
  platform_option(app, options.platform);
  app.add_option("--addend", options.addend, "Dot: C + A * B, C in this format")
      ->default_str("none");
  block_size_option(app, options.block_size);
  random_bits_option(app, options.random_bits);
  app.add_option("--tensor-amax", options.tensor_amax,
                 "Two-level formats: the tensor's largest magnitude")
      ->default_str("several; with --input each tensor's own");
  profile_option(app, options.profile)->group("Policies");
  options.policies.resize(policy_options().size());
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    policy_option(app, policy_options()[i], options.policies[i]);
  }
}

void refuse_unused_options(const CLI::App& app, const ConfigOptions& options) {
  const auto refuse = [&](std::string_view op, std::initializer_list<const char*> names) {
    if (options.op == op) return;
    for (const char* name : names) {
      if (app.get_option(name)->count() == 0) continue;
      fail(Exit::kUsage, "{}: goes with --op {}, not {}", name, op, options.op);
    }
  };
  refuse("dot", {"--addend"});
  if (options.op != "dequantize" && app.get_option("--result")->count() != 0 &&
      options.op != "dot") {
    fail(Exit::kUsage, "--result: goes with --op dot and dequantize, not {}", options.op);
  }
  refuse("cast", {"--platform"});
  if (options.op != "cast") refuse("dot", {"--mode"});
  if (options.op == "cast" && app.get_option("--mode")->count() != 0) {
    (void)require_token<SystemMode>("value of --mode", options.dot.mode);
  }
  refuse("arith", {"--operation", "--integer", "--out-of-range"});
  if (options.op == "arith") refuse_unused_integer(app, options.arith);
  refuse_unused_accumulator(app, options.dot);
  const bool has_source = options.op == "block" || options.op == "cvt" || options.op == "thr";
  if (!has_source) {
    for (const std::string_view name : {"--source", "--tensor-amax", "--random-bits"}) {
      const bool is_used = (options.op == "cast" && name == "--source") ||
                           (options.op == "dequantize" && name == "--tensor-amax");
      if (is_used || app.get_option(std::string(name))->count() == 0) continue;
      fail(Exit::kUsage, "{}: says nothing to --op {}", name, options.op);
    }
  }
  if (options.op != "block" && options.op != "dot" && options.op != "dequantize" &&
      options.block_size != 0) {
    fail(Exit::kUsage, "--block-size: says nothing to --op {}", options.op);
  }
}

std::string one_source(const ConfigOptions& options, std::string_view otherwise) {
  if (options.sources.size() > 1) {
    fail(Exit::kUsage, "--source {}: a vector file has one source format; run gen once for each",
         fmt::join(options.sources, ","));
  }
  return options.sources.empty() ? std::string(otherwise) : options.sources.front();
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

std::vector<Configuration> configurations(const ConfigOptions& options,
                                          const ElementFormat& source) {
  std::vector<Configuration> list;
  switch (options.operation_kind()) {
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
  }
  return list;
}

std::vector<Configuration> drawn_configurations(const ConfigOptions& options,
                                                const ElementFormat& source, std::uint64_t seed,
                                                std::size_t count) {
  if (options.operation_kind() != Operation::kBlock) {
    fail(Exit::kUsage, "the suite policy is made of blocks; add --op block");
  }
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
  golden::DrawnFrom from;
  from.base.source = source;
  if (options.random_bits != 0) from.base.element.random_bits = options.random_bits;
  for (const std::string& name : format_names(options, kAllFormats)) {
    from.formats.push_back(sized(options, *require_block(options, name).block));
  }
  from.base.format = from.formats.front();
  for (const std::string& token : listed("rounding", kAllRoundings)) {
    from.roundings.push_back(require_token<Rounding>("value of --rounding", token));
  }
  for (const std::string& token : listed("rule", kAllRules)) {
    from.rules.push_back(require_token<ScaleRule>("value of --rule", token));
  }
  std::vector<Configuration> list;
  for (const QuantizerConfig& config : golden::draw_configs(from, seed, count)) {
    list.push_back({config, {"mxgold-default", "every policy, drawn", 0}});
    require_computable(list.back());
  }
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
