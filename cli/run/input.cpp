// The blocks of `mxgold run` on streams: a suite, the tensors of a file, or a golden file.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/base/command.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/not_offered.hpp"
#include "cli/run/options.hpp"
#include "cli/text/names.hpp"
#include "reference/policy/scale_rule.hpp"
#include "reference/profiles/refusal.hpp"
#include "sim/stimulus/tensor_source.hpp"
#include "sim/stimulus/vector_source.hpp"

namespace mx::cli {
namespace {

constexpr std::array<std::string_view, 3> kStreamSources = {"fp32", "bf16", "fp16"};

/// Have the formats the rules that `all` stands for? Others, as nvfp4, have their own.
bool take_all_rules(const ConfigOptions& options) {
  return std::ranges::all_of(options.formats, [&](const std::string& name) {
    if (name == "all") return true;
    const FormatChoice choice = options.book->require(name);
    return choice.block == nullptr || facts_of(choice.block->rule).kind == RuleKind::kPowerOfTwo;
  });
}

/// Lists that were left out become `all`.
ConfigOptions with_defaults(const RunCommand& command) {
  ConfigOptions options = command.gen.configs;
  if (options.formats.empty()) options.formats = {"all"};
  if (options.sources.empty() || is_all(options.sources)) {
    options.sources.assign(kStreamSources.begin(), kStreamSources.end());
  }
  const bool takes_all = command.gen.input.empty() || command.has_all_modes;
  if (takes_all && !options.has_profile()) {
    for (const std::string_view field : {"rounding", "rule"}) {
      Names& names = policy_names(options, field);
      const bool is_taken = field != "rule" || take_all_rules(options);
      if (names.empty() && is_taken) names = {"all"};
    }
  }
  return options;
}

/// Of the formats that were left out or listed, those that the profile speaks of from a source.
Names formats_of_profile(const ConfigOptions& options, const ElementFormat& source) {
  const ProfileChoice profile = require_profile(options.profile);
  Names formats;
  for (const BlockFormat& format : mx_block_formats()) {
    if (block_config(*profile.profile, format, source, profile.variant)) {
      formats.emplace_back(format.name);
    }
  }
  if (is_all(options.formats)) return formats;
  Names listed;
  for (const std::string& name : options.formats) {
    const FormatChoice choice = options.book->require(name);
    const bool speaks =
        choice.block == nullptr
            ? std::ranges::any_of(formats,
                                  [&](const std::string& each) {
                                    return find_block_format(each)->element == *choice.element;
                                  })
            : block_config(*profile.profile, *choice.block, source, profile.variant).has_value();
    if (speaks) listed.emplace_back(choice.name);
  }
  return listed;
}

/// What the device did not do one of, and who chose it.
[[noreturn]] void refuse_all(const RunCommand& command, std::string_view why) {
  const ConfigOptions& configs = command.gen.configs;
  fail(Exit::kUsage, "the device does none of these configurations{}: {}",
       configs.has_profile() ? " of --profile " + configs.profile : "", why);
}

RunInput suite_input(const RunCommand& command,
                     const std::function<std::string(const QuantizerConfig&)>& refusal) {
  sim::SuiteOptions options;
  options.configs = run_configs(command);
  // A profile sets every policy: its configurations are a suite by themselves.
  options.extras = command.gen.configs.has_profile() ? sim::ExtraPolicies::kAbsent
                                                     : sim::ExtraPolicies::kPresent;
  options.told = told_policies(command.gen.configs);
  options.size = command.gen.suite == "full" ? sim::SuiteSize::kFull : sim::SuiteSize::kSmoke;
  options.seed = command.gen.seed;
  options.elements = command.elements;
  options.random_bits = command.gen.configs.random_bits;
  options.refusal = refusal;
  options.threads = static_cast<unsigned>(thread_count(command.threads));
  RunInput input;
  auto source = std::make_unique<sim::SuiteSource>(options);
  if (source->configurations() == 0) {
    refuse_all(command, source->first_refusal());
  }
  input.note = fmt::format("{} configurations", source->configurations());
  if (source->left_out() != 0) {
    input.note += fmt::format(", {} left out, the first because {}", source->left_out(),
                              source->first_refusal());
  }
  for (const std::string_view field : {"rounding", "rule"}) {
    const std::string left = values_left_out(command, field, source->configs(), refusal);
    if (!left.empty()) input.note += ", without " + left;
  }
  const std::size_t extra = source->configs().size() - source->configurations();
  if (extra != 0) input.note += fmt::format(", {} more of other policies", extra);
  // A replay is a part of a run, which told it.
  if (command.only.empty()) {
    LeftOutOfSuite left = left_out_of_suite(command, options, *source);
    input.not_offered = std::move(left.not_offered);
    input.narrowed = std::move(left.narrowed);
  }
  input.chosen = source->configurations();
  input.source = std::move(source);
  input.name = "suite " + command.gen.suite;
  return input;
}

RunInput tensor_input(const RunCommand& command,
                      const std::function<std::string(const QuantizerConfig&)>& refusal) {
  RunInput input;
  input.file = std::make_unique<TensorFile>(TensorFile::open(command.gen.input));
  sim::Configurations configs;
  std::string first_refusal;
  const sim::Configurations wanted = run_configs(command);
  for (const golden::Configuration& each : wanted) {
    const std::string why = refusal(std::get<QuantizerConfig>(each.what));
    if (why.empty()) configs.push_back(each);
    if (first_refusal.empty()) first_refusal = why;
  }
  if (configs.empty()) refuse_all(command, first_refusal);
  std::vector<sim::TensorView> views;
  for (const Tensor* tensor : select_tensors(*input.file, command.gen.tensor)) {
    const bool is_run = std::ranges::any_of(configs, [&](const golden::Configuration& each) {
      return std::get<QuantizerConfig>(each.what).source.name == tensor->format->name;
    });
    if (!is_run) {
      fmt::print(stderr, "mxgold run: skipped tensor {}: {} is not among the sources run here\n",
                 printable(tensor->name), tensor->dtype);
      continue;
    }
    input.tensors.push_back(tensor);
    views.push_back({tensor->name, *tensor->format, tensor->shape, tensor->data, tensor->index});
  }
  if (views.empty() && !command.gen.configs.sources.empty()) {
    fail(Exit::kUsage, "{}: no tensor is {}; choose another --source", command.gen.input,
         fmt::join(command.gen.configs.sources, " or "));
  }
  if (views.empty()) fail(Exit::kBadInput, "{}: no tensor to run", command.gen.input);
  const std::size_t count = configs.size();
  const std::size_t refused = wanted.size() - count;
  if (refused != 0) {
    const sim::TensorSource whole(views, wanted, command.gen.seed);
    const sim::TensorSource offered(views, configs, command.gen.seed);
    input.not_offered.push_back({refused, whole.size() - offered.size(),
                                 "the device refuses them, the first because " + first_refusal});
  }
  auto source =
      std::make_unique<sim::TensorSource>(std::move(views), std::move(configs), command.gen.seed);
  input.note = fmt::format("{} tensors, {} values, {} configurations", input.tensors.size(),
                           source->values(), count);
  input.chosen = count;
  input.source = std::move(source);
  input.name = command.gen.input;
  return input;
}

RunInput vector_input(const RunCommand& command, std::unique_ptr<sim::VectorSource> vectors,
                      const std::function<std::string(const QuantizerConfig&)>& refusal) {
  for (std::size_t i = 0; i < vectors->configs().size(); ++i) {
    const auto& config = std::get<QuantizerConfig>(vectors->configs()[i].what);
    if (const std::string why = refusal(config); !why.empty()) {
      fail(Exit::kUsage, "{}: the device does not do configuration {} of this file: {}",
           command.vectors, i, why);
    }
  }
  RunInput input;
  input.name = command.vectors;
  input.chosen = vectors->configs().size();
  input.source = std::move(vectors);
  return input;
}

}  // namespace

sim::Configurations run_configs(const RunCommand& command) {
  ConfigOptions options = with_defaults(command);
  // The suite draws more configurations than these.
  const bool has_more = command.gen.input.empty() && !command.gen.configs.has_profile();
  if (has_more) options.unchecked.emplace_back("random_bits");
  sim::Configurations all;
  const Names formats = options.formats;
  for (const std::string& name : options.sources) {
    const ElementFormat& source = options.book->require_element("source format", name);
    options.formats = formats;
    if (options.has_profile()) {
      options.formats = formats_of_profile(options, source);
      if (options.formats.empty()) continue;
    }
    for (golden::Configuration& each : configurations(options, source)) {
      all.push_back(std::move(each));
    }
  }
  if (all.empty()) {
    const ProfileChoice profile = require_profile(options.profile);
    const BlockFormat& first = mx_block_formats().front();
    if (block_formats_of(*profile.profile).empty()) {
      (void)profiled(profile, {first.name, &first, &first.element}, formats::fp32);  // says so
    }
    fail(Exit::kUsage, "profile {} speaks of no block format and source chosen here",
         options.profile);
  }
  return all;
}

RunInput run_input(const RunCommand& command, std::unique_ptr<sim::VectorSource> vectors,
                   const std::function<std::string(const QuantizerConfig&)>& refusal) {
  if (!command.gen.input.empty()) return tensor_input(command, refusal);
  if (vectors) return vector_input(command, std::move(vectors), refusal);
  return suite_input(command, refusal);
}

}  // namespace mx::cli
