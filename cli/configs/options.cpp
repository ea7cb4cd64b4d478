#include "cli/configs/options.hpp"

#include <stdexcept>

#include "cli/base/error.hpp"
#include "cli/options/policies.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {

Names& policy_names(ConfigOptions& options, std::string_view field) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (policy_options()[i].name == field) return options.policies[i];
  }
  throw std::logic_error("no such policy");
}

bool ConfigOptions::has_profile() const {
  return profile != "mxgold-default" || is_typed("--profile");
}

golden::Operation ConfigOptions::operation_kind() const {
  return parse_token<golden::Operation>(op).value_or(golden::Operation::kBlock);
}

std::string ConfigOptions::cast_mode() const {
  return dot.mode == DotText().mode ? std::string(token_of(SystemMode::kStrict)) : dot.mode;
}

void add_config_options(const Command& app, ConfigOptions& options) {
  format_option(app, options.formats)
      .default_str("mxfp8_e4m3; cvt: e4m3fn; arith: fp32; mma: the unit's first");
  source_option(app, options.sources).default_str("fp32, or the tensors'");
  add_arith_options(app, options.arith);
  add_dot_options(app, options.dot);
  platform_option(app, options.platform);
  app.add_option("--addend", options.addend, "Dot: C + A * B, C in this format")
      .default_str("none");
  app.add_option("--unit", options.unit, "Mma: the matrix unit (mxgold list units)");
  app.add_option("--scale-format", options.scale_format,
                 "Mma: of units that take scales: e8m0, ue4m3")
      .default_str("the first that the unit takes");
  block_size_option(app, options.block_size);
  random_bits_option(app, options.random_bits);
  app.add_option("--tensor-amax", options.tensor_amax,
                 "Two-level formats: the tensor's largest magnitude")
      .default_str("several; with --input each tensor's own");
  profile_option(app, options.profile);
  options.policies.resize(policy_options().size());
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    policy_option(app, policy_options()[i], options.policies[i]);
  }
}

void note_typed(const Command& app, ConfigOptions& options) {
  for (const Option option : app.get_options()) {
    if (option.count() == 0) continue;
    for (const std::string& name : option.get_lnames()) options.typed.insert("--" + name);
  }
  if (options.is_typed("--blocks-as")) options.typed.insert("--profile");  // it is part of the name
}

void refuse_unused_options(const Command& app, const ConfigOptions& options) {
  const auto refuse = [&](std::string_view op, std::initializer_list<const char*> names) {
    if (options.op == op) return;
    for (const char* name : names) {
      if (app.count(name) == 0) continue;
      fail(Exit::kUsage, "{}: goes with --op {}, not {}", name, op, options.op);
    }
  };
  refuse("dot", {"--addend"});
  refuse("mma", {"--unit", "--scale-format"});
  if (options.op != "dequantize" && app.count("--result") != 0 && options.op != "dot" &&
      options.op != "mma") {
    fail(Exit::kUsage, "--result: goes with --op dot, dequantize and mma, not {}", options.op);
  }
  refuse("cast", {"--platform"});
  if (options.op != "cast") refuse("dot", {"--mode"});
  if (options.op == "cast" && app.count("--mode") != 0) {
    (void)require_token<SystemMode>("value of --mode", options.dot.mode);
  }
  refuse("arith", {"--operation", "--integer", "--out-of-range"});
  if (options.op == "arith") refuse_unused_integer(app, options.arith);
  refuse_unused_accumulator(app, options.dot);
  const bool has_source = options.op == "block" || options.op == "cvt" || options.op == "thr";
  if (!has_source) {
    for (const std::string_view name : {"--source", "--random-bits"}) {
      const bool is_used = options.op == "cast" && name == "--source";
      if (is_used || app.count(std::string(name)) == 0) continue;
      fail(Exit::kUsage, "{}: says nothing to --op {}", name, options.op);
    }
  }
  const bool has_tensors = options.op == "block" || options.op == "dequantize";
  if (!has_tensors && !options.tensor_amax.empty()) {
    fail(Exit::kUsage, "--tensor-amax: says nothing to --op {}", options.op);
  }
  const bool has_blocks = options.op == "block" || options.op == "dot" ||
                          options.op == "dequantize" || options.op == "mma";
  if (!has_blocks && options.block_size != 0) {
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

}  // namespace mx::cli
