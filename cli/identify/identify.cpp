// mxgold identify: which profiles explain what an implementation did.
#include <fmt/format.h>

#include <memory>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/identify/casts.hpp"
#include "cli/identify/checkpoint_log.hpp"
#include "cli/identify/operation.hpp"
#include "cli/identify/units.hpp"
#include "cli/identify/values.hpp"
#include "cli/options/common.hpp"
#include "cli/systems/system_options.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/kept_input.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/identify/log_file.hpp"
#include "golden/questions/identification.hpp"

namespace mx::cli {
namespace {

using golden::ImplementationLog;

constexpr const char* kIdentifyExamples = R"(
LOG holds inputs and outputs of an implementation: a vector file (.tv, .mem, .bin, .jsonl) or text, - for
standard input. Text: a line SOURCE TARGET [values] [random [decimal]] [tensor], then a record a
line, bit patterns and random words in hexadecimal, words of random decimal in decimal; see
docs/identify.md.
  fp32 e4m3fn                     bf16 mxfp4
  3f880000 38                     40e0 3f80 | 7f | 7 2
--emit-stimulus writes at most --count inputs in that form, chosen to tell the profiles and their
deviations in one policy apart: run them through the implementation and add its outputs.

The answer is five lines: who; how many records were compared; how many of them tell anything, which
is contradict at least one profile; the input that would decide next. --verbose has the rest.
Outputs that are not known (x) and those that a profile does not specify are counted, not compared.
Agreement of nothing explains nothing, nor does that of a profile to which all that tells is
unspecified.

Weights in blocks, as ModelOpt and compressed-tensors write them, are a log beside the weights that
they were made of: --tensors-in MODEL --tensors-out CHECKPOINT, both .safetensors or the
.safetensors.index.json of a model in pieces; so are MXFP4 and NVFP4 of two .gguf files. So are tensors before and after a cast of an emulated
system, or a vector file of --op cast; strict and compat of each platform are tried. Of a vector
file of --op dequantize every rounding, dst_ftz, dequant_overflow and rule is tried, of one of
--op mma every matrix unit. The answer is the same five lines.

Exit code: 0 a profile, or one with policies changed, explains every record; 1 none does; 2 usage, or
no profile defines the format; 3 the log is malformed, or holds nothing that could be compared.

Examples:
  mxgold identify --emit-stimulus e4m3fn --source bf16 > inputs.txt
  mxgold identify log.txt
  mxgold identify --tensors-in model.safetensors --tensors-out model-nvfp4.safetensors
  mxgold identify --tensors-in x.npy --tensors-out y.npy --format 'dmx:BFP[8|8]{64}(SN)'
  mxgold gen --suite smoke --format mxfp4 -o - | my_device | mxgold identify -)";

struct IdentifyOptions {
  std::string log;
  std::string stimulus;
  std::string source = "fp32";
  std::size_t count = 1000;
  bool has_count = false;
  bool has_source = false;
  std::string input;
  std::string output;
  Names casts;
  bool stochastic = false;
  int threads = 0;
  bool is_verbose = false;
  bool is_json = false;
};

Exit emit(const IdentifyOptions& options) {
  FormatCatalog catalog;
  const golden::TellingQuestion question{.source = options.source,
                                         .format = options.stimulus,
                                         .count = options.count,
                                         .is_stochastic = options.stochastic,
                                         .spelling = golden::Spelling::kOptions};
  const golden::Answer answer = asked([&] { return golden::telling_inputs(question, catalog); });
  fmt::print("{}", answer.text);
  return Exit::kPass;
}

/// The answer, and with --verbose all that was found, which an empty line parts from it.
std::string shown(const golden::Answer& answer, const IdentifyOptions& options) {
  if (options.is_json) return answer.data.indented_json() + "\n";
  if (options.is_verbose) return answer.text;
  return answer.text.substr(0, answer.text.find("\n\n") + 1);
}

/// The answer to a log, with notes on what it was made of.
golden::Answer answer_to(const ImplementationLog& log, const IdentifyOptions& options,
                         const Names& notes = {}) {
  return asked([&] {
    return golden::identified(log, thread_count(options.threads), golden::Spelling::kOptions,
                              notes);
  });
}

Exit judge(const golden::Answer& answer, const IdentifyOptions& options) {
  fmt::print("{}", shown(answer, options));
  return answer.holds ? Exit::kPass : Exit::kMismatch;
}

Exit judge_checkpoint(const IdentifyOptions& options) {
  if (options.casts.size() > 1) {
    fail(Exit::kUsage, "--format: {} holds weights in blocks; name one block format",
         options.output);
  }
  CheckpointQuestion question{options.input, options.output,
                              options.casts.empty() ? "" : options.casts.front(),
                              options.has_source ? options.source : "", options.count};
  const CheckpointLog made = checkpoint_log(question);
  const golden::Answer answer = answer_to(made.log, options, made.notes);
  if (answer.holds) return judge(answer, options);
  question.order = ScaleOrder::kSwizzled;
  CheckpointLog turned = checkpoint_log(question);
  if (!turned.is_swizzled || made.is_swizzled) return judge(answer, options);
  turned.notes.push_back("the scales were read as swizzled, which their shape does not say");
  const golden::Answer other = answer_to(turned.log, options, turned.notes);
  if (!other.holds) return judge(answer, options);
  if (!options.is_json) {
    fmt::print(
        "layout: the scales lie swizzled, in tiles of 128 x 4; in the order of their rows "
        "nothing explains them\n");
  }
  return judge(other, options);
}

/// Other logs say their own source and have their own inputs.
void require_no_choice(const IdentifyOptions& options) {
  if (!options.has_count && !options.has_source) return;
  fail(Exit::kUsage, "{} goes with --emit-stimulus, or with a checkpoint as --tensors-out",
       options.has_count ? "--count" : "--source");
}

Exit run(const IdentifyOptions& options, const std::string& log) {
  const std::optional<golden::Operation> operation = operation_in(log);
  if (!options.input.empty() || operation == golden::Operation::kCast) {
    if (!options.input.empty() && (options.output.empty() || !options.log.empty())) {
      fail(Exit::kUsage, "--tensors-in: goes with --tensors-out, and without a LOG");
    }
    if (!options.stimulus.empty()) {
      fail(Exit::kUsage, "--emit-stimulus: writes inputs and judges none; ask for it alone");
    }
    if (!options.input.empty() && is_checkpoint(options.output)) return judge_checkpoint(options);
    require_no_choice(options);
    return identify_casts({log, options.input, options.output, rejoined(options.casts),
                           options.is_verbose, options.is_json});
  }
  if (!options.casts.empty() || !options.output.empty()) {
    fail(Exit::kUsage,
         "--format and --tensors-out go with --tensors-in, or with a vector file of --op cast");
  }
  if (options.log.empty() == options.stimulus.empty()) {
    fail(Exit::kUsage, "name a LOG, or a format after --emit-stimulus; see --help");
  }
  if (!options.stimulus.empty() && options.is_json) {
    fail(Exit::kUsage, "--json goes with a LOG; inputs are written as text");
  }
  if (!options.stimulus.empty()) return emit(options);
  require_no_choice(options);
  if (operation == golden::Operation::kDequantize) {
    return identify_values(log, options.is_verbose, options.is_json);
  }
  if (operation == golden::Operation::kMma) {
    return identify_units(log, options.is_verbose, options.is_json);
  }
  FormatCatalog catalog(emulators::make_cast);
  return judge(answer_to(golden::read_log(log, catalog), options), options);
}

/// Every kind of log is asked for its own, so a pipe is kept.
Exit run(const IdentifyOptions& options) {
  if (options.log.empty()) return run(options, "");
  const golden::KeptInput log(options.log);
  try {
    return run(options, log.path());
  } catch (const golden::VectorError& error) {
    throw golden::VectorError(log.renamed(error.what()));
  } catch (const Error& error) {
    throw Error(error.exit(), log.renamed(error.what()));
  }
}

}  // namespace

void add_identify(const Command& root, Exit& exit) {
  const auto options = std::make_shared<IdentifyOptions>();
  const Command command = root.add_subcommand(
      "identify", "Find the systems whose rules explain your inputs and outputs");
  command.add_option("LOG", options->log, "Inputs and outputs, - for standard input");
  const Option emit =
      command.add_option("--emit-stimulus", options->stimulus,
                         "Write telling inputs for this destination or block format");
  const Option source = source_option(command, options->source);
  source.default_str("fp32, of a checkpoint its own");
  const Option count =
      command
          .add_option("--count", options->count,
                      "Most inputs of --emit-stimulus; blocks of a checkpoint, beside the first of "
                      "each scale code")
          .range(1, 100000)
          .capture_default_str();
  command
      .add_flag("--stochastic", options->stochastic,
                "Tell stochastic roundings apart too: inputs come with random words")
      .needs(emit);
  as_input(command.add_option("--tensors-in", options->input,
                              "The weights of a checkpoint, or the tensors that went into a cast"));
  const Option out = command.add_option(
      "--tensors-out", options->output,
      "The checkpoint with its weights in blocks, or the tensors that came out of a cast");
  as_input(out);
  format_option(command, options->casts)
      .default_str("with --tensors-in: the checkpoint's, or casts of every system");
  threads_option(command, options->threads);
  command.add_flag(
      "--verbose", options->is_verbose,
      "All that was found: every group, what is unspecified to them, who is ruled out by what");
  json_option(command, options->is_json);
  command.footer(kIdentifyExamples);
  command.callback([options, count, source, &exit] {
    options->has_count = count.count() != 0;
    options->has_source = source.count() != 0;
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
