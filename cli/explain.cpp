// mxgold explain: one value or one block, step by step.
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "explain_model.hpp"
#include "explain_text.hpp"
#include "mx/cli/command.hpp"
#include "mx/cli/format_book.hpp"
#include "mx/cli/names.hpp"
#include "mx/cli/tensor_level.hpp"
#include "mx/philox.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Inputs are numbers (1.0625, -3e-5, 0x1.8p-3, inf, nan), rounded once, ties_to_even, into the source
format, or its bits: 0x3F880000, or all its hexadecimal digits. Where those could be a decimal too,
naming --source says that they are bits.
With a block format the inputs are one block, missing elements +0, and the whole tensor unless
--tensor-amax or --tensor-scale says otherwise; with an element format each
stands alone.

Examples:
  mxgold explain --format e4m3fn 1.0625
  mxgold explain --format e2m1fn --rounding ties_to_away 0.25 1.25 1.75 -inf
  mxgold explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 3 --random 6 1.03125
  mxgold explain --format nvfp4 --tensor-amax 2688 0.01 0.02
  mxgold explain --format mine --define 'name=mine, exp_bits=3, man_bits=2' 1.0625)";

struct Options {
  std::vector<std::string> inputs;
  std::string format;
  std::string source = "fp32";
  int block_size = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> random;
  bool is_json = false;
  bool names_source = false;
  TensorLevelOptions tensor_level;
  FormatOptions formats;
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

/// The largest finite magnitude: the block stands for its whole tensor.
Unpacked largest(const QuantizerConfig& config, const std::vector<ExplainInput>& inputs) {
  Unpacked amax;
  for (const ExplainInput& input : inputs) {
    const Unpacked x = decode_source(config.source, config.element, input.code);
    if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  return amax;
}

void explain(const Options& options) {
  Recipe recipe;
  recipe.book = options.formats.book();
  recipe.format = recipe.book->require(options.format);
  const FormatChoice& format = recipe.format;
  const ElementFormat& source = recipe.book->require_element("source", options.source);
  recipe.policies = options.policies.resolve(format.block);
  const Policies& policies = recipe.policies;
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
    recipe.block_size = options.block_size != 0 ? options.block_size : format.block->block_size;
    const std::string_view problem = Quantizer::problem(recipe.config(source));
    if (!problem.empty()) fail(Exit::kUsage, "{}", problem);
    options.tensor_level.check(recipe);
    QuantizerConfig config = recipe.config(source);
    config.tensor = options.tensor_level.level(recipe, source, largest(config, inputs));
    const bool is_sized = config.format.extent == BlockExtent::kElements;
    if (is_sized && inputs.size() > static_cast<std::size_t>(config.format.elements())) {
      fail(Exit::kUsage, "{} inputs for a block of {}; raise --block-size or give fewer",
           inputs.size(), config.format.elements());
    }
    result["block_size"] =
        is_sized ? static_cast<std::size_t>(config.format.elements()) : inputs.size();
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
  options->tensor_level.add_to(command);
  options->formats.add_to(command);
  options->policies.add_to(command);
  command.footer(kExamples);
  command.callback([options, source] {
    options->names_source = source->count() > 0;
    explain(*options);
  });
}

}  // namespace mx::cli
