// mxgold dot: dot products of rows of blocks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <memory>
#include <optional>

#include "cli/base/command.hpp"
#include "cli/base/made.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/tensors/dot_operands.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/exact.hpp"
#include "cli/text/names.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
A is rows x K, B is columns x K; the result is A * B^T, one dot product along the last axes each.
Inputs are files of mxgold quantize, or plain tensors, which are quantized to --format first: one
for both, or A's and B's.

Examples:
  mxgold dot a.npy b.npy --format mxfp8_e4m3
  mxgold dot a.npy b.npy --format mxfp8_e4m3,mxfp4
  mxgold dot a.mx.safetensors b.mx.safetensors --mode fp32_seq --result bf16 -o d.safetensors
  mxgold dot a.npy b.npy --format mxfp4 --mode accumulator --group 16 --align-bits 25 --trace 0,0)";

/// The accumulator as the command line spells it; the defaults are those of AccumulatorModel.
struct AccumulatorText {
  int group = 32;
  int align_bits = 24;
  std::string align_rounding = "toward_zero";
  std::string order = "sequential";
  std::string carry = "aligned";
  std::string align = "leading_one";
  std::string normalize = "every_step";
  std::string format = "fp32";
  std::string rounding = "ties_to_even";
  std::string overflow = "none_inf_or_nan";
  std::string ftz = "none";
};

struct Options {
  std::string a, b;
  std::string addend;
  std::string output;
  Names formats_of_inputs;
  std::string tensor_a = "all";
  std::string tensor_b = "all";
  std::string mode = "exact_once";
  std::string result = "fp32";
  std::string rounding = "ties_to_even";
  std::string overflow = "none_inf_or_nan";
  std::string trace;
  AccumulatorText accumulator;
  FormatOptions formats;
};

AccumulatorModel accumulator_of(const AccumulatorText& text, FormatBook& book) {
  return {
      .group = text.group,
      .alignment_bits = text.align_bits,
      .align_rounding = require_token<Rounding>("value of --align-rounding", text.align_rounding),
      .order = require_token<DotOrder>("value of --order", text.order),
      .carry = require_token<DotCarry>("value of --carry", text.carry),
      .align = require_token<DotAlign>("value of --align", text.align),
      .normalize = require_token<DotNormalize>("value of --normalize", text.normalize),
      .format = book.require_element("value of --acc-format", text.format),
      .rounding = require_token<Rounding>("value of --acc-rounding", text.rounding),
      .overflow = require_token<Overflow>("value of --acc-overflow", text.overflow),
      .ftz = require_token<ResultSubnormals>("value of --acc-ftz", text.ftz)};
}

DotConfig config_of(const Options& options, FormatBook& book, const DotMatrix& a,
                    const DotMatrix& b) {
  DotConfig config{.a = a.format,
                   .b = b.format,
                   .mode = require_token<DotMode>("value of --mode", options.mode),
                   .result = book.require_element("value of --result", options.result),
                   .rounding = require_token<Rounding>("value of --rounding", options.rounding),
                   .overflow = require_token<Overflow>("value of --overflow", options.overflow),
                   .accumulator = accumulator_of(options.accumulator, book)};
  return config;
}

/// A value exactly, "..." where it goes on.
std::string value_text(Unpacked x) {
  const bool goes_on = x.sticky;
  x.sticky = false;
  return hex_float(x) + (goes_on ? "..." : "");
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

void write(const Options& options, const DotConfig& config, const DotMatrix& a, const DotMatrix& b,
           const Results& results) {
  const bool is_float =
      config.result.name == "fp32" || config.result.name == "bf16" || config.result.name == "fp16";
  const std::string_view dtype = is_float ? float_dtype(config.result) : code_dtype(config.result);
  SafetensorsWriter writer(options.output, {{"data", std::string(dtype), {a.rows, b.rows}}},
                           {{"dot_mode", options.mode}, {"result", options.result}});
  const std::span<std::byte> data = writer.data("data");
  const std::size_t size = storage_bytes(config.result);
  for (std::size_t i = 0; i < results.codes.size(); ++i) {
    std::memcpy(data.data() + i * size, &results.codes[i], size);
  }
  writer.commit();
}

void print_all(const DotConfig& config, std::uint64_t columns, const Results& results) {
  for (std::size_t i = 0; i < results.codes.size(); ++i) {
    fmt::print("{} {} {} {}\n", i / columns, i % columns, hex_code(config.result, results.codes[i]),
               hex_float(decode(config.result, results.codes[i])));
  }
}

void trace(const Options& options, const DotConfig& config, const DotMatrix& a, const DotMatrix& b,
           const DotAddends& addends) {
  const auto [i, j] = trace_place(options.trace, a, b);
  DotProduct dot = made(DotProduct::make(config));
  std::vector<DotStep> steps;
  const Encoded result = dot(a.row(i), b.row(j), addend_at(addends, i * b.rows + j), steps);
  fmt::print("{} {}: {} products of {} and {}, {}, {} -> {}\n", i, j, a.columns, a.format_name,
             b.format_name, options.mode, options.rounding, options.result);
  for (const DotStep& step : steps) fmt::print("{}\n", step_text(step, a.columns));
  fmt::print(
      "  code {}, flags: {}\n", hex_code(config.result, result.code),
      result.flags == 0 ? "none" : fmt::format("{}", fmt::join(flag_names(result.flags), " ")));
}

void run_dot(const Options& options) {
  const std::shared_ptr<FormatBook> book = options.formats.book();
  const Names& formats = options.formats_of_inputs;
  if (formats.size() > 2) fail(Exit::kUsage, "--format: give one format, or A's and B's");
  const DotMatrix a = load_dot_matrix(options.a, options.tensor_a,
                                      formats.empty() ? std::string() : formats.front(), book);
  const DotMatrix b = load_dot_matrix(options.b, options.tensor_b,
                                      formats.empty() ? std::string() : formats.back(), book);
  DotConfig config = config_of(options, *book, a, b);
  if (a.columns != b.columns) {
    fail(Exit::kBadInput, "{} has {} elements along its last axis, {} has {}; they must be equal",
         options.a, a.columns, options.b, b.columns);
  }
  DotAddends addends;
  if (!options.addend.empty()) {
    addends = load_addends(options.addend, a.rows * b.rows);
    config.addend = *addends.format;
  }
  if (const std::string_view why = DotProduct::problem(config); !why.empty()) {
    fail(Exit::kUsage, "{} * {}: {}", a.format_name, b.format_name, why);
  }
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
  write(options, config, a, b, results);
  fmt::print("{} x {} dot products of {}, {} * {}, {} to {}: {}\n", a.rows, b.rows, a.columns,
             a.format_name, b.format_name, options.mode, options.result, options.output);
}

void add_accumulator(CLI::App& command, AccumulatorText& text) {
  const char* const group = "Accumulator (--mode accumulator)";
  const auto add = [&](const char* name, auto& value, const char* meaning) {
    command.add_option(name, value, meaning)->capture_default_str()->group(group);
  };
  add("--group", text.group, "Products added in one step, 1..1024");
  add("--align-bits", text.align_bits, "Bits kept below the largest exponent, 2..56");
  add("--align-rounding", text.align_rounding,
      "How lower bits are lost: toward_zero, to_odd (sticky), any rounding");
  add("--order", text.order, "sequential | strided | reversed");
  add("--carry", text.carry, "The running sum: aligned | afterwards");
  add("--align", text.align, "To the largest leading_one | exponent_sum");
  add("--normalize", text.normalize, "every_step | at_end");
  add("--acc-format", text.format, "Format of the running sum");
  add("--acc-rounding", text.rounding, "Its rounding");
  add("--acc-overflow", text.overflow, "What it does beyond its range");
  add("--acc-ftz", text.ftz, "Its subnormals: none | pre | post");
}

}  // namespace

void add_dot(CLI::App& root, Exit&) {
  CLI::App& command = *root.add_subcommand("dot", "Dot products of blocks");
  const auto options = std::make_shared<Options>();
  command.add_option("A", options->a, fmt::format("Rows: quantized, or {}", tensor_suffixes()))
      ->required();
  command.add_option("B", options->b, "Columns, as rows: the same")->required();
  command.add_option("--c", options->addend, "Addends: C + A * B, a plain tensor");
  output_option(command, options->output, "results, .safetensors")
      ->default_str("as text on standard output");
  format_option(command, options->formats_of_inputs)->default_str("that of quantized inputs");
  command.add_option("--tensor-a", options->tensor_a, "Name of A's tensor");
  command.add_option("--tensor-b", options->tensor_b, "Name of B's tensor");
  command
      .add_option("--mode", options->mode,
                  "exact_once | fp32_seq | fp32_tree | block_exact_fp32_seq | accumulator")
      ->capture_default_str();
  command.add_option("--result", options->result, "Format of the results")->capture_default_str();
  command.add_option("--rounding", options->rounding, "Of results and binary32 steps")
      ->capture_default_str();
  command.add_option("--overflow", options->overflow, "Of results")->capture_default_str();
  command.add_option("--trace", options->trace, "I,J: every rounding of one result");
  options->formats.add_to(command);
  add_accumulator(command, options->accumulator);
  command.footer(kExamples);
  command.callback([options] { run_dot(*options); });
}

}  // namespace mx::cli
