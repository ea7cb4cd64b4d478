// mxgold explain: one value or one block, step by step.
#include <memory>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/explain/cast.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/options/unread.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/tensors/level.hpp"
#include "golden/explain/arithmetic.hpp"
#include "golden/explain/question.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExplainExamples = R"(
Inputs are numbers (1.0625, -3e-5, 0x1.8p-3, inf, nan), rounded once, ties_to_even, into the source
format, or its bits: 0x3F880000, or all its hexadecimal digits. Where those could be a decimal too,
naming --source says that they are bits.
With a block format the inputs are one block, missing elements +0, and the whole tensor unless
--tensor-amax or --tensor-scale says otherwise; with an element format each
is converted alone. Several profiles give a table, a row each: where a row differs from the first, it
names the first policy that makes the difference once those before it are made equal.
With --scale the inputs are element codes of a block format, in hexadecimal, and what they mean is explained.
With a cast of an emulated system the inputs are one row: strict is shown beside compat.
With --op the inputs are the operands of one operation in --format: its bits in all their digits,
or numbers. Shown are the exact result, its rounding, the code and the flags.
Random words of --random are decimal, or hexadecimal behind 0x; shown they are hexadecimal, as they
are written in vectors and in logs.

Examples:
  mxgold explain --format e4m3fn 1.0625
  mxgold explain --format e2m1fn --rounding ties_to_away 0.25 1.25 1.75 -inf
  mxgold explain --format mxfp8_e4m3 --source fp32 40490FDB BF400000 3C000000 3A83126F
  mxgold explain --format mxfp8_e4m3 --profile torchao-0.18 --profile torchao-0.18:rceil 449 1 nan
  mxgold explain --format e2m1fn --profile all 1.75
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 3 --random 6 1.03125
  mxgold explain --format e4m3fn --rounding stochastic_a --random-bits 16 \
    --random-source ptx_rs_shared --rbits 12345678 1.03 1.03 1.03 1.03
  mxgold explain --op mul --format bf16 3F81 3FB8
  mxgold explain --format nvfp4 --tensor-amax 2688 0.01 0.02
  mxgold explain --format 'qtorch:float_quantize(exp=4,man=3,rounding=nearest)' 0.1 460 nan
  mxgold explain --format mxfp8_e5m2 --scale fe 3c 40 80
  mxgold explain --format mine --define 'name=mine, exp_bits=3, man_bits=2' 1.0625)";

struct ExplainOptions {
  golden::ExplainQuestion question;
  std::string operation;
  std::string source = "fp32";
  std::string result = "fp32";
  std::uint64_t seed = kDefaultSeed;
  bool is_json = false;
  TensorLevelOptions tensor_level;
  FormatOptions formats;
  PolicyOptions policies;
};

bool is_decimal(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// `--random 1 2 3` without another word could mean one word and inputs, or three words.
void refuse_ambiguous_words(const Command& command, const ExplainOptions& options) {
  const Names& inputs = options.question.inputs;
  if (options.question.random.random.size() != 1) return;
  std::size_t input = 0;
  bool follows = false;
  Names doubtful;
  for (const Option& each : command.parse_order()) {
    const bool is_input = each.get_name() == "INPUT";
    if (follows && is_input && is_decimal(inputs[input])) {
      doubtful.push_back(inputs[input]);
    } else {
      follows = each.get_name() == "--random";
    }
    if (is_input) ++input;
  }
  if (doubtful.empty() || inputs.size() == 1) return;
  fail(Exit::kUsage,
       "--random {0} {1}: may be words or inputs; write words with commas, --random {0},{2}, and "
       "inputs before --random",
       command.find_option("--random")->results().front(), fmt::join(doubtful, " "),
       fmt::join(doubtful, ","));
}

/// Options that an operation does not read.
constexpr std::string_view kNotOfOperations[] = {
    "--source", "--block-size", "--random",      "--random-source", "--rbits",  "--seed",
    "--scale",  "--result",     "--tensor-amax", "--tensor-scale",  "--profile"};

void explain_operation(const Command& command, const ExplainOptions& options) {
  refuse_given(command, kNotOfOperations, "says nothing to --op, whose operands are of --format");
  golden::ArithmeticQuestion question;
  question.operation = options.operation;
  question.format = options.question.format;
  question.inputs = options.question.inputs;
  question.settings = options.policies.settings();
  question.spelling = golden::Spelling::kOptions;
  const std::shared_ptr<FormatBook> book = options.formats.book();
  book->note_namesake(question.format);
  const golden::Answer answer =
      asked([&] { return golden::explain_arithmetic(question, book->catalog()); });
  fmt::print("{}", options.is_json ? answer.data.indented_json() + "\n" : answer.text);
}

/// Options that a cast reads besides its inputs.
constexpr std::string_view kExplainedCastOptions[] = {"--format", "--source", "--random", "--json",
                                                      "--help"};

void explain_by_system(const Command& command, const ExplainOptions& options) {
  const golden::ExplainQuestion& question = options.question;
  refuse_other_options(command, kExplainedCastOptions, question.format);
  CastExplanation what{
      question.format, question.inputs, options.source, command.count("--source") != 0, {},
      options.is_json};
  for (const std::uint64_t word : question.random.random) {
    if (word >> 32 != 0) fail(Exit::kUsage, "--random {}: a random word has 32 bits", word);
    what.random.push_back(static_cast<std::uint32_t>(word));
  }
  explain_cast(what);
}

void explain(const Command& command, const ExplainOptions& options) {
  golden::ExplainQuestion question = options.question;
  const auto is_given = [&](const char* option) { return command.count(option) != 0; };
  if (is_given("--source")) question.source = options.source;
  if (is_given("--result")) question.result = options.result;
  if (is_given("--seed")) question.random.seed = options.seed;
  question.profiles = options.policies.profiles();
  question.settings = options.policies.settings();
  question.level = options.tensor_level.texts();
  question.spelling = golden::Spelling::kOptions;
  const std::shared_ptr<FormatBook> book = options.formats.book();
  book->note_namesake(question.format);
  const golden::Answer answer = asked([&] { return golden::explain(question, book->catalog()); });
  fmt::print("{}", options.is_json ? answer.data.indented_json() + "\n" : answer.text);
}

}  // namespace

void add_explain(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("explain", "Show how one value or one block is converted, step by step");
  const auto options = std::make_shared<ExplainOptions>();
  golden::ExplainQuestion& question = options->question;
  command.add_option("INPUT", question.inputs, "Numbers or bits of the source format")
      .required()
      .take_all();
  format_option(command, question.format).required();
  source_option(command, options->source);
  block_size_option(command, question.block_size);
  as_list(command
              .add_option("--random", question.random.random,
                          "R of the stochastic roundings, decimal or hexadecimal behind 0x: one, "
                          "or one each")
              .check(check_unsigned))
      .type_name("UINT[,UINT]");
  command.add_option("--op", options->operation,
                     "Operation on operands of --format, rounded once: add | sub | mul | div | fma "
                     "| sqrt | remainder | round_to_integral");
  command.add_option("--random-source", question.random.source,
                     "How R is made of the words of --rbits: ptx_rs_shared (inputs in operand "
                     "order) or amd_top_bits");
  as_list(command.add_option("--rbits", question.random.rbits,
                             "Hexadecimal words, as many as --random-source takes for the inputs"));
  seed_option(command, options->seed);
  command.add_option("--scale", question.scale, "Bits of a scale: the inputs are codes under it");
  command.add_option("--result", options->result, "Format that --scale gives")
      .capture_default_str();
  json_option(command, options->is_json);
  options->tensor_level.add_to(command);
  options->formats.add_to(command);
  options->policies.add_to(command, ProfileCount::kMany);
  command.footer(kExplainExamples);
  command.callback([options, command] {
    // The program puts a space in front of -inf and -nan, which CLI11 would take for options.
    for (std::string& input : options->question.inputs) {
      if (input.starts_with(' ')) input.erase(0, 1);
    }
    refuse_ambiguous_words(command, *options);
    if (!options->operation.empty()) return explain_operation(command, *options);
    is_cast(options->question.format) ? explain_by_system(command, *options)
                                      : explain(command, *options);
  });
}

}  // namespace mx::cli
