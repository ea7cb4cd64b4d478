// mxgold explain: one value or one block, step by step.
#include <charconv>
#include <memory>

#include "explain_model.hpp"
#include "explain_text.hpp"
#include "mx/cli/command.hpp"
#include "mx/cli/names.hpp"
#include "mx/philox.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Inputs are numbers (1.0625, -3e-5, 0x1.8p-3, inf, nan), rounded once, ties_to_even, into the source
format, or its bits: 0x3F880000, or all its hexadecimal digits. Where those could be a decimal too,
naming --source says that they are bits.
With a block format the inputs are one block, missing elements +0; with an element format each
stands alone.

Examples:
  mxgold explain --format e4m3fn 1.0625
  mxgold explain --format e2m1fn --rounding ties_to_away 0.25 1.25 1.75 -inf
  mxgold explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 3 --random 6 1.03125)";

struct Options {
  std::vector<std::string> inputs;
  std::string format;
  std::string source = "fp32";
  int block_size = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> random;
  bool is_json = false;
  bool names_source = false;
  PolicyOptions policies;
};

/// R of each input: the given ones in turn (one alone serves all), else the counter's.
void set_random(const Options& options, int random_bits, std::vector<ExplainInput>& inputs) {
  if (options.random.size() > 1 && options.random.size() != inputs.size()) {
    fail(Exit::kUsage, "--random: {} numbers for {} inputs; give one, or one each",
         options.random.size(), inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].random = counter_random(options.seed, 0, i, random_bits);
    if (options.random.empty()) continue;
    const std::uint64_t random = options.random.size() == 1 ? options.random[0] : options.random[i];
    if (random >> random_bits != 0) {
      fail(Exit::kUsage, "--random {}: needs to be below 2^{} (--random-bits)", random,
           random_bits);
    }
    inputs[i].random = static_cast<std::uint32_t>(random);
  }
}

void explain(const Options& options) {
  const FormatChoice format = require_format(options.format);
  const ElementFormat& source = require_element_format("source", options.source);
  const Policies policies = options.policies.resolve();
  std::vector<ExplainInput> inputs;
  for (const std::string& text : options.inputs) {
    inputs.push_back(
        parse_input(source, text, options.names_source ? BitsFirst::kYes : BitsFirst::kNo));
  }
  set_random(options, policies.element.random_bits, inputs);
  nlohmann::ordered_json result = {
      {"format", format.name}, {"source", source.name}, {"profile", options.policies.profile()}};
  for (const PolicyField& field : policy_fields()) {
    result["policies"][std::string(field.name)] = field.get(policies);
  }
  if (format.block == nullptr) {
    result["values"] = nlohmann::ordered_json::array();
    for (const ExplainInput& input : inputs) {
      result["values"].push_back(explain_value({source, *format.element, policies.element}, input));
    }
  } else {
    QuantizerConfig config{source, *format.block, policies.element, policies.block};
    if (options.block_size != 0) config.format.block_size = options.block_size;
    const std::string_view problem = Quantizer::problem(config);
    if (!problem.empty()) fail(Exit::kUsage, "{}", problem);
    if (inputs.size() > static_cast<std::size_t>(config.format.block_size)) {
      fail(Exit::kUsage, "{} inputs for a block of {}; raise --block-size or give fewer",
           inputs.size(), config.format.block_size);
    }
    result["block_size"] = config.format.block_size;
    result["block"] = explain_block(Quantizer(config), inputs);
  }
  if (options.is_json) {
    fmt::print("{}\n", result.dump(2));
  } else {
    print_explanation(result);
  }
}

}  // namespace

void add_explain(CLI::App& root, Exit&) {
  CLI::App& command = *root.add_subcommand("explain", "One value or one block, step by step");
  const auto options = std::make_shared<Options>();
  command.add_option("INPUT", options->inputs, "Numbers or bits of the source format")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--format", options->format, "Block or element format (mxgold list)")
      ->required();
  const CLI::Option* const source =
      command
          .add_option("--source", options->source, "Source format; inputs are bits if they can be")
          ->capture_default_str();
  command
      .add_option("--block-size", options->block_size, "Elements a block (default: the format's)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--random", options->random, "R of the stochastic roundings: one, or one each")
      ->check(check_unsigned)
      ->delimiter(',')
      ->expected(1, -1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command.add_option("--seed", options->seed, "Key of the random bits where --random is not given")
      ->check(check_unsigned)
      ->capture_default_str();
  command.add_flag("--json", options->is_json, "For machines");
  options->policies.add_to(command);
  command.footer(kExamples);
  command.callback([options, source] {
    options->names_source = source->count() > 0;
    explain(*options);
  });
}

}  // namespace mx::cli
