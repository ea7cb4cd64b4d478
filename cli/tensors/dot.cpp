// mxgold dot: dot products of rows of blocks.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/base/command.hpp"
#include "cli/base/made.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/options/definitions.hpp"
#include "cli/options/dot.hpp"
#include "cli/options/dot_fields.hpp"
#include "cli/options/unread.hpp"
#include "cli/tensors/dot_operands.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/flags.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

constexpr const char* kDotExamples = R"(
A is rows x K, B is columns x K; the result is A * B^T, one dot product along the last axes each.
Inputs are files of mxgold quantize, or plain tensors, which are quantized to --format first: one
for both, or A's and B's. Taken are block formats of one level and blocks of one row; dot products of
nvfp4, which has a scale for the whole tensor, are what mxgold gen --op dot and the Python module make.
Operands under a Hadamard transform (quantize --hadamard) want the same one on both sides, which
cancels. C is rows x columns. OUT says how it was made: the sum (dot_mode, result, rounding, ...), and
of each operand what quantize says of it, as format.a, profile.b, hadamard.a, open_elements.b.

Examples:
  mxgold dot a.npy b.npy --format mxfp8_e4m3
  mxgold dot a.npy b.npy --format mxfp8_e4m3,mxfp4
  mxgold dot a.mx.safetensors b.mx.safetensors --mode fp32_seq --result bf16 -o d.safetensors
  mxgold dot a.npy b.npy --format mxfp4 --mode accumulator --group 16 --align-bits 25 --trace 0,0)";

struct DotOptions {
  std::string a, b;
  std::string addend;
  std::string output;
  Names formats_of_inputs;
  std::string tensor_a = "all";
  std::string tensor_b = "all";
  std::string tensor_c = "all";
  std::string rounding = "ties_to_even";
  std::string overflow = "none_inf_or_nan";
  std::string trace;
  DotText dot;
  FormatOptions formats;
};

DotConfig config_of(const DotOptions& options, FormatBook& book, const DotMatrix& a,
                    const DotMatrix& b) {
  DotConfig config = dot_config(options.dot, book, a.format, b.format);
  config.rounding = require_token<Rounding>("value of --rounding", options.rounding);
  config.overflow = require_token<Overflow>("value of --overflow", options.overflow);
  return config;
}

/// A value exactly, "..." where it goes on.
std::string value_text(Unpacked x) {
  const bool goes_on = x.sticky;
  x.sticky = false;
  return golden::hex_float(x) + (goes_on ? "..." : "");
}

std::string step_text(const DotStep& step, std::size_t products) {
  std::string what;
  switch (step.what) {
    case DotStep::What::kProduct:
      what = fmt::format("product {}", step.index);
      break;
    case DotStep::What::kCut:
      what = step.index == products ? "cut running sum" : fmt::format("cut product {}", step.index);
      break;
    case DotStep::What::kSum:
      what = fmt::format("sum {}", step.index);
      break;
    case DotStep::What::kResult:
      what = "result";
      break;
  }
  const bool exact = !step.exact.sticky && step.exact == step.rounded;
  return exact ? fmt::format("  {}: {}", what, value_text(step.exact))
               : fmt::format("  {}: {} -> {}", what, value_text(step.exact),
                             value_text(step.rounded));
}

/// "I,J" of --trace.
std::pair<std::uint64_t, std::uint64_t> trace_place(const std::string& text, const DotMatrix& a,
                                                    const DotMatrix& b) {
  const std::size_t comma = text.find(',');
  const std::string row = text.substr(0, comma);
  const std::string column = comma == std::string::npos ? "" : text.substr(comma + 1);
  if (!check_unsigned(row).empty() || !check_unsigned(column).empty()) {
    fail(Exit::kUsage, "--trace {}: give a row and a column of the result, as 0,0",
         printable(text));
  }
  const std::uint64_t i = std::stoull(row), j = std::stoull(column);
  if (i >= a.rows || j >= b.rows) {
    fail(Exit::kUsage, "--trace {}: the result has {} rows and {} columns", text, a.rows, b.rows);
  }
  return {i, j};
}

struct Results {
  std::vector<std::uint64_t> codes;
  std::uint8_t flags = 0;
};

std::optional<std::uint64_t> addend_at(const DotAddends& addends, std::size_t i) {
  if (addends.format == nullptr) return std::nullopt;
  return addends.codes[i];
}

/// How the results were made, by the keys of the options and of quantize's metadata.
std::map<std::string, std::string> result_metadata(const DotConfig& config, FormatBook& book,
                                                   const DotMatrix& a, const DotMatrix& b,
                                                   const DotAddends& addends) {
  std::map<std::string, std::string> metadata = {{"mxgold_version", std::string(version())}};
  add_dot_fields(config, book, metadata);
  add_origin(a.origin, "a", metadata);
  add_origin(b.origin, "b", metadata);
  if (addends.format != nullptr) add_origin(addends.origin, "c", metadata);
  return metadata;
}

void write(const DotOptions& options, const DotConfig& config,
           const std::map<std::string, std::string>& metadata, const Results& results,
           const Lengths& shape) {
  const bool is_float =
      config.result.name == "fp32" || config.result.name == "bf16" || config.result.name == "fp16";
  const std::string_view dtype = is_float ? float_dtype(config.result) : code_dtype(config.result);
  SafetensorsWriter writer(options.output, {{"data", std::string(dtype), shape}}, metadata);
  const std::span<std::byte> data = writer.data("data");
  const std::size_t size = storage_bytes(config.result);
  for (std::size_t i = 0; i < results.codes.size(); ++i) {
    store_word(data.data() + i * size, size, results.codes[i]);
  }
  writer.commit();
}

void print_all(const DotConfig& config, std::uint64_t columns, const Results& results) {
  for (std::size_t i = 0; i < results.codes.size(); ++i) {
    fmt::print("{} {} {} {}\n", i / columns, i % columns,
               golden::hex_code(config.result, results.codes[i]),
               golden::hex_float(decode(config.result, results.codes[i])));
  }
}

void trace(const DotOptions& options, const DotConfig& config, const DotMatrix& a,
           const DotMatrix& b, const DotAddends& addends) {
  const auto [i, j] = trace_place(options.trace, a, b);
  DotProduct dot = made(DotProduct::make(config));
  std::vector<DotStep> steps;
  const Encoded result = dot(a.row(i), b.row(j), addend_at(addends, i * b.rows + j), steps);
  if (!options.output.empty()) fail(Exit::kUsage, "--trace prints one result; leave -o out");
  fmt::print("{} {}: {} products of {} and {}, {}, {} -> {}\n", i, j, a.columns, a.format_name,
             b.format_name, options.dot.mode, options.rounding, options.dot.result);
  for (const DotStep& step : steps) fmt::print("{}\n", step_text(step, a.columns));
  fmt::print("  code {}, flags: {}\n", golden::hex_code(config.result, result.code),
             result.flags == 0
                 ? "none"
                 : fmt::format("{}", fmt::join(golden::flag_names(result.flags), " ")));
}

/// What was made of the operands' files is no more settled than they are.
void tell_origins(const DotMatrix& a, const DotMatrix& b, const DotAddends& addends) {
  tell_open("dot", a.origin);
  if (b.origin.path != a.origin.path) tell_open("dot", b.origin);
  if (addends.format != nullptr) tell_open("dot", addends.origin);
}

void run_dot(const DotOptions& options) {
  const std::shared_ptr<FormatBook> book = options.formats.book();
  const Names& formats = options.formats_of_inputs;
  if (formats.size() > 2) fail(Exit::kUsage, "--format: give one format, or A's and B's");
  const DotMatrix a = load_dot_matrix(options.a, options.tensor_a, "--tensor-a",
                                      formats.empty() ? std::string() : formats.front(), book);
  const DotMatrix b = load_dot_matrix(options.b, options.tensor_b, "--tensor-b",
                                      formats.empty() ? std::string() : formats.back(), book);
  check_held_formats(formats, {options.a, a.format_name, a.held},
                     {options.b, b.format_name, b.held}, *book);
  DotConfig config = config_of(options, *book, a, b);
  Names used = formats;
  used.emplace_back(config.result.name);
  used.emplace_back(config.accumulator.format.name);
  refuse_unused_definitions(*book, used);
  if (a.columns != b.columns) {
    fail(Exit::kBadInput, "{} has {} elements along its last axis, {} has {}; they must be equal",
         options.a, a.columns, options.b, b.columns);
  }
  require_results(a.rows, b.rows);
  match_transforms("dot", a.origin, b.origin);
  DotAddends addends;
  if (!options.addend.empty()) {
    addends = load_addends(options.addend, options.tensor_c, result_shapes(a.leading, b.leading));
    config.addend = *addends.format;
  }
  if (const std::string_view why = DotProduct::problem(config); !why.empty()) {
    fail(Exit::kUsage, "{} * {}: {}", a.format_name, b.format_name, why);
  }
  tell_origins(a, b, addends);
  if (!options.trace.empty()) return trace(options, config, a, b, addends);
  DotProduct dot = made(DotProduct::make(config));
  Results results;
  results.codes.reserve(a.rows * b.rows);
  for (std::uint64_t i = 0; i < a.rows; ++i) {
    for (std::uint64_t j = 0; j < b.rows; ++j) {
      const Encoded result = dot(a.row(i), b.row(j), addend_at(addends, i * b.rows + j));
      results.codes.push_back(result.code);
      results.flags |= result.flags;
    }
  }
  if (options.output.empty()) return print_all(config, b.rows, results);
  write(options, config, result_metadata(config, *book, a, b, addends), results, {a.rows, b.rows});
  fmt::print(report_stream(options.output), "{} x {} dot products of {}, {} * {}, {} to {}: {}\n",
             a.rows, b.rows, a.columns, a.format_name, b.format_name, options.dot.mode,
             options.dot.result, options.output);
}

}  // namespace

void add_dot(const Command& root, Exit&) {
  const Command command = root.add_subcommand("dot", "Compute dot products of blocks");
  const auto options = std::make_shared<DotOptions>();
  as_input(
      command.add_option("A", options->a, fmt::format("Rows: quantized, or {}", tensor_suffixes())))
      .required();
  as_input(command.add_option("B", options->b, "Columns, as rows: the same")).required();
  as_input(command.add_option("--c", options->addend, "Addends: C + A * B, a plain tensor"));
  output_option(command, options->output, "results", kTensorOutput)
      .default_str("as text on standard output");
  format_option(command, options->formats_of_inputs).default_str("that of quantized inputs");
  command.add_option("--tensor-a", options->tensor_a, "Name of A's tensor");
  command.add_option("--tensor-b", options->tensor_b, "Name of B's tensor");
  command.add_option("--tensor-c", options->tensor_c, "Name of C's tensor");
  command.add_option("--rounding", options->rounding, "Of results and binary32 steps")
      .capture_default_str();
  command.add_option("--overflow", options->overflow, "Of results").capture_default_str();
  command.add_option("--trace", options->trace, "I,J: every rounding of one result");
  options->formats.add_to(command);
  add_dot_options(command, options->dot);
  command.footer(kDotExamples);
  command.callback([options, command] {
    refuse_unused_accumulator(command, options->dot);
    refuse_without(command, "--tensor-c", "--c");
    run_dot(*options);
  });
}

}  // namespace mx::cli
