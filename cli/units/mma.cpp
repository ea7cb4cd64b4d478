// mxgold mma: D = A * B + C as a named matrix unit gives it, and which unit gave a D.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/options/definitions.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/unread.hpp"
#include "cli/tensors/dot_operands.hpp"
#include "cli/text/names.hpp"
#include "cli/units/job.hpp"
#include "cli/units/verdict.hpp"
#include "golden/text/exact.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

constexpr const char* kMmaExamples = R"(
A is rows x K, B is columns x K, codes as the unit reads them: F16, BF16, F32 for tf32 (its 13 low
bits are dropped), F8_E4M3, F8_E5M2, U8 with --format. Units that take scales want --scales-a and
--scales-b, or files of mxgold quantize; a scale for the whole tensor is no part of them. Operands
under a Hadamard transform (quantize --hadamard) want the same one on both sides, which cancels.
D is A * B^T + C, or with --pairs row i of A by row i of B. C and D are binary32, or binary16 with
--result fp16, of one shape: rows x columns, with --pairs rows. A K beyond what one instruction takes
is summed as a chain of them; with --chunk N the unit sums N elements at a time from 0, and the sums
are added, as kernels do for accuracy or to share the work. --chunk any, with --expect, tries powers
of two.
OUT says how it was made: unit, result, chunk, pairs, and of each operand what quantize says of it, as
format.a, profile.b, hadamard.a, open_elements.b.
With --expect nothing is printed but the verdict; --unit any asks every unit that takes the operands.
Where no source settles NaN codes and signs of zeros (AMD's units), they are counted and not compared,
whatever they are; exit 3 where nothing else is there.

Examples:
  mxgold list units
  mxgold mma a.safetensors b.safetensors --unit h100_wgmma_fp8 -o d.safetensors
  mxgold mma a.npy b.npy --c c.npy --pairs --unit h100_f16
  mxgold mma a.npy b.npy --c c.npy --pairs --unit any --expect d.npy
  mxgold mma a.npy b.npy --format e4m3fn --unit any --chunk any --expect d.npy
  mxgold mma a.npy b.npy --format mxfp4 --unit b200_mxf4
  mxgold mma a.safetensors b.safetensors --scales-a sa.safetensors --scales-b sb.safetensors \
    --format e2m1fn --unit b200_mxf4)";

/// Smaller chunks than these no kernel was seen to take.
constexpr std::uint64_t kSmallestChunk = 4;
/// So many results rule most chunks out.
constexpr std::uint64_t kFirstLook = 16;

struct MmaOptions {
  std::string a, b, addend, output, expected;
  Names formats_of_inputs;
  std::string tensor_a = "all";
  std::string tensor_b = "all";
  std::string tensor_c = "all";
  std::string tensor_expected = "all";
  std::string scales_a, scales_b, scale_format;
  std::string unit;
  std::string result = "fp32";
  std::string chunk = "all";
  bool is_paired = false;
  bool is_json = false;
  FormatOptions formats;
};

std::vector<const MatrixUnit*> units_of(const std::string& name) {
  std::vector<const MatrixUnit*> units;
  for (const MatrixUnit& unit : matrix_units()) {
    if (name == "any" || name == unit.name) units.push_back(&unit);
  }
  if (!units.empty()) return units;
  std::vector<std::string_view> known = {"any"};
  for (const MatrixUnit& unit : matrix_units()) known.push_back(unit.name);
  throw Error(Exit::kUsage, unknown_name("value of --unit", name, known));
}

UnitJob load(const MmaOptions& options) {
  const std::shared_ptr<FormatBook> book = options.formats.book();
  const Names& formats = options.formats_of_inputs;
  if (formats.size() > 2) fail(Exit::kUsage, "--format: give one format, or A's and B's");
  const std::string first = formats.empty() ? "" : formats.front();
  const std::string second = formats.empty() ? "" : formats.back();
  UnitJob job;
  job.result = book->require_element("value of --result", options.result);
  if (job.result != formats::fp32 && job.result != formats::fp16) {
    fail(Exit::kUsage, "--result {}: units give fp32 or fp16", printable(options.result));
  }
  job.a = load_unit_matrix(options.a, options.tensor_a, "--tensor-a", first, book);
  job.b = load_unit_matrix(options.b, options.tensor_b, "--tensor-b", second, book);
  check_held_formats(formats, {options.a, job.a.format_name, job.a.held},
                     {options.b, job.b.format_name, job.b.held}, *book);
  Names used = formats;
  used.push_back(options.result);
  refuse_unused_definitions(*book, used);
  if (options.scales_a.empty() != options.scales_b.empty()) {
    fail(Exit::kUsage, "--scales-a and --scales-b: give both");
  }
  if (options.scales_a.empty() && !options.scale_format.empty()) {
    fail(Exit::kUsage, "--scale-format goes with --scales-a and --scales-b");
  }
  if (!options.scales_a.empty()) {
    load_unit_scales(options.scales_a, options.scale_format, job.a);
    load_unit_scales(options.scales_b, options.scale_format, job.b);
  }
  job.is_paired = options.is_paired;
  if (job.a.columns != job.b.columns) {
    fail(Exit::kBadInput, "{} has {} elements along its last axis, {} has {}; they must be equal",
         options.a, job.a.columns, options.b, job.b.columns);
  }
  if (job.is_paired && job.a.rows != job.b.rows) {
    fail(Exit::kBadInput, "--pairs: {} has {} rows, {} has {}; they must be equal", options.a,
         job.a.rows, options.b, job.b.rows);
  }
  require_results(job.a.rows, job.columns());
  match_transforms("mma", job.a.origin, job.b.origin);
  if (options.addend.empty()) {
    job.c.assign(job.count(), 0);
  } else {
    const std::vector<Lengths> shapes = job.shapes();
    UnitResults c = load_unit_results(
        options.addend, {"addends", options.tensor_c, "--tensor-c", job.result, shapes});
    job.c = std::move(c.codes);
    job.c_origin = std::move(c.origin);
  }
  return job;
}

/// Chunks to try: the one that was given, or of any all of K and powers of two below.
std::vector<std::uint64_t> chunks_of(const MmaOptions& options, const UnitJob& job) {
  if (options.chunk == "all") return {0};
  if (!options.addend.empty()) {
    fail(Exit::kUsage, "--chunk goes without --c: where C comes in is not known");
  }
  if (options.chunk == "any") {
    if (options.expected.empty()) fail(Exit::kUsage, "--chunk any compares: give --expect FILE");
    std::vector<std::uint64_t> chunks = {0};
    for (std::uint64_t n = std::bit_floor(job.a.columns - 1); n >= kSmallestChunk; n /= 2) {
      chunks.push_back(n);
    }
    return chunks;
  }
  std::uint64_t n = 0;
  const char* const end = options.chunk.data() + options.chunk.size();
  const auto [stop, error] = std::from_chars(options.chunk.data(), end, n);
  if (error != std::errc{} || stop != end || n == 0) {
    fail(Exit::kUsage, "--chunk {}: give a number of elements, all, or any",
         printable(options.chunk));
  }
  return {n};
}

void print_results(const UnitJob& job, const std::vector<std::uint64_t>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string place = job.is_paired
                                  ? fmt::format("{}", i)
                                  : fmt::format("{} {}", i / job.columns(), i % job.columns());
    fmt::print("{} {} {}\n", place, golden::hex_code(job.result, results[i]),
               golden::hex_float(decode(job.result, results[i])));
  }
}

/// What was made of the operands' files is no more settled than they are.
void tell_origins(const UnitJob& job) {
  tell_open("mma", job.a.origin);
  if (job.b.origin.path != job.a.origin.path) tell_open("mma", job.b.origin);
  if (job.c_origin) tell_open("mma", *job.c_origin);
}

/// How the results were made, by the keys of the options and of quantize's metadata.
std::map<std::string, std::string> metadata_of(const MmaOptions& options, const UnitJob& job) {
  std::map<std::string, std::string> metadata = {{"mxgold_version", std::string(version())},
                                                 {"unit", options.unit},
                                                 {"result", options.result},
                                                 {"chunk", options.chunk},
                                                 {"pairs", job.is_paired ? "true" : "false"}};
  add_origin(job.a.origin, "a", metadata);
  add_origin(job.b.origin, "b", metadata);
  if (job.c_origin) add_origin(*job.c_origin, "c", metadata);
  return metadata;
}

void write_results(const MmaOptions& options, const UnitJob& job,
                   const std::vector<std::uint64_t>& results) {
  std::vector<std::uint64_t> shape = {job.a.rows};
  if (!job.is_paired) shape.push_back(job.columns());
  SafetensorsWriter writer(options.output, {{"data", std::string(float_dtype(job.result)), shape}},
                           metadata_of(options, job));
  const std::span<std::byte> data = writer.data("data");
  const std::size_t size = storage_bytes(job.result);
  for (std::size_t i = 0; i < results.size(); ++i) {
    store_word(data.data() + i * size, size, results[i]);
  }
  writer.commit();
  fmt::print(report_stream(options.output), "{} dot products of {} on {}: {}\n", results.size(),
             job.a.columns, options.unit, options.output);
}

/// What a unit gives under the chunk that explains the results, or under the first one.
UnitVerdict verdict_of(const UnitJob& job, const MatrixUnit& unit,
                       const std::vector<std::uint64_t>& chunks,
                       std::span<const std::uint64_t> expected) {
  const auto judge = [&](std::uint64_t chunk, std::uint64_t count) {
    UnitVerdict verdict =
        unit_verdict(unit, job.result, job.results(unit, chunk, count), expected.first(count));
    verdict.chunk = chunk;
    return verdict;
  };
  const std::uint64_t all = expected.size();
  const UnitVerdict first = judge(chunks.front(), all);
  if (explains(first)) return first;
  for (const std::uint64_t chunk : std::span(chunks).subspan(1)) {
    if (!job.problem(unit, chunk).empty()) continue;
    if (judge(chunk, std::min(all, kFirstLook)).different != 0) continue;
    if (const UnitVerdict verdict = judge(chunk, all); explains(verdict)) return verdict;
  }
  return first;
}

Exit compare(const MmaOptions& options, const UnitJob& job,
             const std::vector<const MatrixUnit*>& units,
             const std::vector<std::uint64_t>& chunks) {
  const std::vector<Lengths> shapes = job.shapes();
  const UnitResults results = load_unit_results(
      options.expected,
      {"results", options.tensor_expected, "--tensor-expect", job.result, shapes});
  tell_open("mma", results.origin);
  const std::vector<std::uint64_t>& expected = results.codes;
  std::vector<UnitVerdict> verdicts;
  std::size_t left_out = 0;
  for (const MatrixUnit* const unit : units) {
    if (!job.problem(*unit, chunks.front()).empty()) {
      ++left_out;
      continue;
    }
    verdicts.push_back(verdict_of(job, *unit, chunks, expected));
  }
  return report_verdicts(verdicts, job.result, left_out, options.is_json);
}

Exit run(const MmaOptions& options) {
  const std::vector<const MatrixUnit*> units = units_of(options.unit);
  if (options.expected.empty() && units.size() > 1) {
    fail(Exit::kUsage, "--unit any compares: give --expect FILE, or name a unit");
  }
  if (options.expected.empty() && options.is_json) {
    fail(Exit::kUsage, "--json is the verdict of --expect");
  }
  if (!options.expected.empty() && !options.output.empty()) {
    fail(Exit::kUsage, "--expect compares and writes nothing; leave -o out");
  }
  const UnitJob job = load(options);
  const std::vector<std::uint64_t> chunks = chunks_of(options, job);
  if (units.size() == 1) {
    const std::string_view why = job.problem(*units.front(), chunks.front());
    if (!why.empty()) {
      fail(Exit::kUsage, "{} ({} * {} to {}): {}", units.front()->name, job.a.side.element.name,
           job.b.side.element.name, job.result.name, why);
    }
  }
  tell_origins(job);
  if (!options.expected.empty()) return compare(options, job, units, chunks);
  const std::vector<std::uint64_t> results =
      job.results(*units.front(), chunks.front(), job.count());
  if (options.output.empty()) {
    print_results(job, results);
  } else {
    write_results(options, job, results);
  }
  return Exit::kPass;
}

}  // namespace

void add_mma(const Command& root, Exit& exit) {
  const Command command = root.add_subcommand(
      "mma", "Compute dot products as a named matrix unit sums them, bit for bit");
  const auto options = std::make_shared<MmaOptions>();
  as_input(command.add_option("A", options->a, "Rows: codes").type_name("FILE")).required();
  as_input(command.add_option("B", options->b, "Columns, as rows: the same").type_name("FILE"))
      .required();
  as_input(command.add_option("--c", options->addend, "Addends: a plain tensor of --result"));
  command
      .add_option("--unit", options->unit,
                  "The unit (mxgold list units); with --expect also any: every unit that takes the "
                  "operands")
      .required();
  command.add_option("--result", options->result, "Format of C and D: fp32 | fp16")
      .capture_default_str();
  command
      .add_option("--chunk", options->chunk,
                  "Elements of K that the unit sums at a time: N | all | any")
      .capture_default_str();
  command.add_flag("--pairs", options->is_paired, "Row i of A by row i of B alone");
  as_input(command.add_option("--expect", options->expected,
                              "Results to compare with, bit by bit: a plain tensor of --result"));
  output_option(command, options->output, "results", kTensorOutput)
      .default_str("as text on standard output");
  format_option(command, options->formats_of_inputs).default_str("what the files say");
  command.add_option("--tensor-a", options->tensor_a, "Name of A's tensor");
  command.add_option("--tensor-b", options->tensor_b, "Name of B's tensor");
  command.add_option("--tensor-c", options->tensor_c, "Name of C's tensor");
  command.add_option("--tensor-expect", options->tensor_expected, "Name of the tensor of --expect");
  as_input(command.add_option("--scales-a", options->scales_a,
                              "Scales of A's blocks of 16 or 32: F8_E8M0, F8_E4M3, U8"));
  as_input(command.add_option("--scales-b", options->scales_b, "Scales of B's blocks"));
  command.add_option("--scale-format", options->scale_format, "Of scales of type U8: e8m0 | ue4m3");
  json_option(command, options->is_json);
  options->formats.add_to(command);
  command.footer(kMmaExamples);
  command.callback([options, command, &exit] {
    refuse_without(command, "--tensor-c", "--c");
    refuse_without(command, "--tensor-expect", "--expect");
    exit = run(*options);
  });
}

}  // namespace mx::cli
