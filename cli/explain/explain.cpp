// mxgold explain: one value or one block, step by step.
#include <array>
#include <charconv>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/base/made.hpp"
#include "cli/explain/cast.hpp"
#include "cli/explain/input.hpp"
#include "cli/explain/profiles.hpp"
#include "cli/explain/random.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/unread.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/tensors/level.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/explain/model.hpp"
#include "golden/explain/text.hpp"
#include "golden/explain/values.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExplainExamples = R"(
Inputs are numbers (1.0625, -3e-5, 0x1.8p-3, inf, nan), rounded once, ties_to_even, into the source
format, or its bits: 0x3F880000, or all its hexadecimal digits. Where those could be a decimal too,
naming --source says that they are bits.
With a block format the inputs are one block, missing elements +0, and the whole tensor unless
--tensor-amax or --tensor-scale says otherwise; with an element format each
stands alone. Several profiles give a table, a row each: where a row differs from the first, it
names the first policy that makes the difference once those before it are made equal.
With --scale the inputs are element codes of a block format, in hexadecimal, and what they mean is explained.
With a cast of an emulated system the inputs are one row: strict stands beside compat.

Examples:
  mxgold explain --format e4m3fn 1.0625
  mxgold explain --format e2m1fn --rounding ties_to_away 0.25 1.25 1.75 -inf
  mxgold explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F
  mxgold explain --format mxfp8_e4m3 --profile torchao-0.18 --profile torchao-0.18:rceil 449 1 nan
  mxgold explain --format e2m1fn --profile all 1.75
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 3 --random 6 1.03125
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 16 \
    --random-source ptx_rs_shared --rbits 12345678 1.03 1.03 1.03 1.03
  mxgold explain --format nvfp4 --tensor-amax 2688 0.01 0.02
  mxgold explain --format 'qtorch:float_quantize(exp=4,man=3,rounding=nearest)' 0.1 460 nan
  mxgold explain --format mxfp8_e5m2 --scale fe 3c 40 80
  mxgold explain --format mine --define 'name=mine, exp_bits=3, man_bits=2' 1.0625)";

struct ExplainOptions {
  std::vector<std::string> inputs;
  std::string format;
  std::string source = "fp32";
  int block_size = 0;
  RandomOptions random;
  std::string scale;            ///< of codes to dequantize, "" for none
  std::string result = "fp32";  ///< what those become
  bool is_json = false;
  bool names_source = false;
  TensorLevelOptions tensor_level;
  FormatOptions formats;
  PolicyOptions policies;
};

/// Formats that quantize takes, and e8m0: systems differ in conversions to it.
FormatChoice explained_format(FormatBook& book, const std::string& name) {
  if (name == formats::e8m0.name) return {name, nullptr, find_format(name)};
  return book.require(name);
}

/// The largest finite magnitude: the block stands for its whole tensor.
Unpacked largest(const QuantizerConfig& config, std::span<const golden::ExplainInput> inputs) {
  Unpacked amax;
  for (const golden::ExplainInput& input : inputs) {
    const Unpacked x = decode_flushed(config.source, config.element, input.code);
    if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  return amax;
}

/// The profiles named; `all` are those that speak of the format, mxgold-default first, each by
/// default and by its variants.
std::vector<ProfileChoice> chosen_profiles(const ExplainOptions& options,
                                           const FormatChoice& format,
                                           const ElementFormat& source) {
  std::vector<ProfileChoice> chosen;
  for (const std::string& name : options.policies.profiles()) {
    if (name != "all") {
      chosen.push_back(require_profile(name));
      continue;
    }
    for (const Profile& profile : all_profiles()) {
      const std::vector<std::string_view> variants =
          format.block != nullptr ? block_variants(profile, *format.block, source)
                                  : element_variants(profile, source, *format.element);
      for (const std::string_view variant : variants) {
        chosen.push_back({&profile, std::string(variant)});
      }
    }
  }
  return chosen;
}

/// The format under one profile. `recipe` has the format; its policies become the profile's.
golden::ExplainedCase case_of(const ExplainOptions& options, const ProfileChoice& profile,
                              Recipe recipe, const ElementFormat& source,
                              std::span<const golden::ExplainInput> inputs) {
  const FormatChoice& format = recipe.format;
  const ProfiledFormat chosen =
      options.policies.resolve(profile, format, source, options.block_size);
  recipe.policies = chosen.policies;
  if (chosen.element != *format.element) recipe.profiled_element = chosen.element;
  golden::ExplainedCase result{
      .profile = profile.name(),
      .format = format.name,
      .is_block = format.block != nullptr,
      .config = {source, {}, chosen.policies.element, chosen.policies.block},
      .changes = options.policies.given_text()};
  result.config.format.element = chosen.element;
  if (format.block == nullptr) {
    result.masks = element_masks(*profile.profile, source, *format.element, profile.variant);
    return result;
  }
  recipe.block_size = options.block_size != 0 ? options.block_size : format.block->block_size;
  result.masks = block_masks(*profile.profile, recipe.block(), source, profile.variant);
  result.config = recipe.config(source);
  const std::string_view problem = Quantizer::problem(result.config);
  if (!problem.empty()) fail(Exit::kUsage, "{}", problem);
  options.tensor_level.check(recipe);
  result.config.tensor = options.tensor_level.level(recipe, source, largest(result.config, inputs));
  const BlockFormat& block = result.config.format;
  if (block.extent == BlockExtent::kElements &&
      inputs.size() > static_cast<std::size_t>(block.elements())) {
    fail(Exit::kUsage, "{} inputs for a block of {}; raise --block-size or give fewer",
         inputs.size(), block.elements());
  }
  return result;
}

/// What only blocks have, of an element format.
void refuse_block_options(const ExplainOptions& options, const Recipe& recipe) {
  if (options.block_size != 0) {
    fail(Exit::kUsage, "--block-size: {} has no blocks; leave it out", options.format);
  }
  options.tensor_level.check(recipe);
  refuse_block_policies(options.policies.given(), options.format);
}

/// Options that no case reads.
void refuse_unread_options(const Command& command, const ExplainOptions& options,
                           std::span<const golden::ExplainedCase> cases) {
  std::vector<PolicyReader> readers;
  for (const golden::ExplainedCase& each : cases) {
    readers.push_back({each.config.format.element, each.config.element, {}});
    if (each.is_block) readers.back().block = each.config.block;
  }
  refuse_unread_policies(options.policies.given(), readers);
  constexpr std::array<std::string_view, 5> kDrawing = {"--random", "--random-source", "--rbits",
                                                        "--random-bits", "--seed"};
  if (std::ranges::none_of(readers, draws)) {
    refuse_given(
        command, kDrawing,
        "nothing here draws; it goes with a stochastic rounding (--rounding stochastic_a)");
  }
}

void explain(const Command& command, const ExplainOptions& options) {
  Recipe recipe;
  recipe.book = options.formats.book();
  recipe.format = explained_format(*recipe.book, options.format);
  if (recipe.format.block == nullptr) {
    refuse_block_options(options, recipe);
  } else if (options.block_size != 0 && recipe.format.block->extent != BlockExtent::kElements) {
    fail(Exit::kUsage, "--block-size: a block of {} is the whole axis or tensor; leave it out",
         options.format);
  }
  const FormatChoice& format = recipe.format;
  const ElementFormat& source = recipe.book->require_element("source", options.source);
  const std::vector<ProfileChoice> profiles = chosen_profiles(options, format, source);
  const Policies policies =
      options.policies.resolve(profiles.front(), format, source, options.block_size).policies;
  std::vector<golden::ExplainInput> inputs;
  for (const std::string& text : options.inputs) {
    inputs.push_back(
        parse_input(source, text, options.names_source ? BitsFirst::kYes : BitsFirst::kNo));
  }
  set_random(options.random, source, *format.element, policies.element, inputs);
  std::vector<golden::ExplainedCase> cases;
  for (const ProfileChoice& profile : profiles) {
    cases.push_back(case_of(options, profile, recipe, source, inputs));
  }
  refuse_unread_options(command, options, cases);
  nlohmann::ordered_json result = cases.size() == 1 ? golden::explain_case(cases.front(), inputs)
                                                    : compare_profiles(cases, inputs);
  if (options.is_json) {
    fmt::print("{}\n", golden::dumped(result, 2));
  } else if (cases.size() > 1) {
    print_comparison(result);
  } else {
    fmt::print("{}", golden::explanation_text(result));
  }
}

}  // namespace

namespace {

/// Options that a cast reads besides its inputs.
constexpr std::string_view kExplainedCastOptions[] = {"--format", "--source", "--random", "--json",
                                                      "--help"};

void explain_by_system(const Command& command, const ExplainOptions& options) {
  refuse_other_options(command, kExplainedCastOptions, options.format);
  CastExplanation what{options.format, options.inputs, options.source, options.names_source, {},
                       options.is_json};
  for (const std::uint64_t word : options.random.random) {
    if (word >> 32 != 0) fail(Exit::kUsage, "--random {}: a random word has 32 bits", word);
    what.random.push_back(static_cast<std::uint32_t>(word));
  }
  explain_cast(what);
}

}  // namespace

namespace {

std::uint64_t bits_of(std::string_view of, const std::string& text, std::uint64_t mask) {
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (error != std::errc{} || end != digits.data() + digits.size() || (bits & ~mask) != 0) {
    fail(Exit::kUsage, "{} {}: give hexadecimal bits up to {:x}", of, printable(text), mask);
  }
  return bits;
}

std::uint64_t scale_mask(const BlockFormat& format) {
  const int bits = format.scale_bits();
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::vector<std::uint64_t> typed_codes(const ExplainOptions& options, const BlockFormat& format) {
  std::vector<std::uint64_t> codes;
  for (const std::string& text : options.inputs) {
    codes.push_back(bits_of("INPUT", text, format.element.code_mask()));
  }
  if (format.extent == BlockExtent::kElements &&
      codes.size() > static_cast<std::size_t>(format.elements())) {
    fail(Exit::kUsage, "{} codes for a block of {}", codes.size(), format.elements());
  }
  return codes;
}

/// Policies of the way there, which codes have behind them.
void refuse_quantizing_policies(const ExplainOptions& options, const FormatChoice& format,
                                const ProfiledFormat& chosen) {
  for (const std::string& name : options.policies.given()) {
    const bool is_read = name == "rule" ? reads_rule_back(*format.block, chosen.policies.block.rule)
                                        : golden::is_policy_of(golden::Operation::kDequantize,
                                                               *find_policy_field(name));
    if (is_read) continue;
    const PolicyOption* const policy = find_policy_option(name);
    fail(Exit::kUsage, "{}: says nothing of codes of {} under a scale",
         policy == nullptr ? "--random-bits" : option_name(*policy), options.format);
  }
}

void explain_codes(const ExplainOptions& options) {
  Recipe recipe;
  recipe.book = options.formats.book();
  recipe.format = recipe.book->require(options.format);
  if (recipe.format.block == nullptr) {
    fail(Exit::kUsage, "--scale: {} is an element format; give a block format", options.format);
  }
  if (options.policies.profiles().size() > 1) {
    fail(Exit::kUsage, "--profile {}: codes under a scale are explained by one profile",
         fmt::join(options.policies.profiles(), ","));
  }
  const ProfiledFormat chosen =
      options.policies.resolve(recipe.format, formats::fp32, options.block_size);
  refuse_quantizing_policies(options, recipe.format, chosen);
  recipe.policies = chosen.policies;
  recipe.block_size =
      options.block_size != 0 ? options.block_size : recipe.format.block->block_size;
  options.tensor_level.check(recipe);
  golden::ExplainedValues what{
      .what = {.format = *recipe.format.block,
               .result = recipe.book->require_element("value of --result", options.result),
               .how = {chosen.policies.element.rounding, chosen.policies.element.dst_ftz},
               .overflow = chosen.policies.block.dequant_overflow,
               .rule = chosen.policies.block.rule},
      .scale = 0,
      .codes = {},
      .profile = options.policies.profile(),
      .changes = options.policies.given_text()};
  what.what.format.block_size = recipe.block_size;
  what.what.format.element = chosen.element;
  what.what.tensor_scale = options.tensor_level.level(recipe, formats::fp32, {}).scale;
  if (const std::string why = golden::problem_of({what.what, {}}); !why.empty()) {
    fail(Exit::kUsage, "{}", why);
  }
  const std::vector<std::uint64_t> codes = typed_codes(options, what.what.format);
  what.scale = bits_of("--scale", options.scale, scale_mask(what.what.format));
  what.codes = codes;
  const nlohmann::ordered_json json = golden::explain_values(what);
  fmt::print("{}", options.is_json ? golden::dumped(json, 2) + "\n" : golden::values_text(json));
}

}  // namespace

void add_explain(const Command& root, Exit&) {
  const Command command = root.add_subcommand("explain", "One value or one block, step by step");
  const auto options = std::make_shared<ExplainOptions>();
  command.add_option("INPUT", options->inputs, "Numbers or bits of the source format")
      .required()
      .take_all();
  format_option(command, options->format).required();
  const Option source = source_option(command, options->source);
  block_size_option(command, options->block_size);
  as_list(command
              .add_option("--random", options->random.random,
                          "R of the stochastic roundings: one, or one each")
              .check(check_unsigned));
  command.add_option("--random-source", options->random.source,
                     "How R is made of the words of --rbits: ptx_rs_shared (inputs in operand "
                     "order) or amd_top_bits");
  as_list(command.add_option("--rbits", options->random.rbits,
                             "Hexadecimal words, as many as --random-source takes for the inputs"));
  seed_option(command, options->random.seed);
  const Option scale = command.add_option("--scale", options->scale,
                                          "Bits of a scale: the inputs are codes under it");
  command.add_option("--result", options->result, "Format that --scale gives")
      .capture_default_str();
  json_option(command, options->is_json);
  options->tensor_level.add_to(command);
  options->formats.add_to(command);
  options->policies.add_to(command, ProfileCount::kMany);
  command.footer(kExplainExamples);
  command.callback([options, source, scale, command] {
    options->names_source = source.count() > 0;
    if (scale.count() == 0 && command.count("--result") != 0) {
      fail(Exit::kUsage, "--result: goes with --scale");
    }
    if (is_cast(options->format)) return explain_by_system(command, *options);
    if (scale.count() == 0) return explain(command, *options);
    for (const char* name : {"--source", "--random", "--random-source", "--rbits", "--seed"}) {
      if (command.count(name) == 0) continue;
      fail(Exit::kUsage, "{}: says nothing of codes under a scale", name);
    }
    explain_codes(*options);
  });
}

}  // namespace mx::cli
