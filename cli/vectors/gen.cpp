// mxgold gen: golden vectors, the reference's answers included.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/unread.hpp"
#include "cli/text/names.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/vectors/gen_certificate.hpp"
#include "cli/vectors/gen_plan.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/folder_lock.hpp"
#include "golden/files/manifest.hpp"
#include "golden/files/sv_package.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {
namespace {

using golden::FileKind;
using golden::RecordBatch;

constexpr const char* kGenExamples = R"(
Writes numbered test vectors with the reference's answers, and beside a file its manifest
FILE.json. Formats, roundings, rules and policies of blocks may be lists (a,b) or, for --format,
--rounding and --rule, all (what the default RTL build does); sources of certificates too. That
build takes random words of 8 bits: give --random-bits 8 for it. docs/vector-format.md describes
the files.

Examples:
  mxgold gen --suite smoke --format mxfp8_e4m3 -o smoke.tv
  mxgold gen --op cvt --suite dir --source bf16 --format e2m1fn --rounding toward_zero -o -
  mxgold gen --suite rnd --format all --rounding all --rule all --count 1000 --kind bin -o rnd.bin
  mxgold gen --op cvt --define 'name=mine, exp_bits=3, man_bits=2' --format mine -o mine.tv
  mxgold gen --op mma --unit h100_f16 --format bf16 -o h100.tv
  mxgold gen --op thr --source fp32,bf16 --format e4m3fn,int8 -o golden/data/certificates
  mxgold gen --suite policy --count 100000 --seed 7 --shard 3/8 -o vectors/
  mxgold gen --input model.safetensors --format mxfp4 -o - | mxgold check -)";

constexpr std::array<std::string_view, 4> kSuites = {"smoke", "dir", "rnd", "policy"};

/// Lanes of one piece of work.
constexpr std::uint64_t kPieceLanes = 16384;

struct GenCommandOptions {
  GenOptions plan;
  FormatOptions formats;
  std::string output = "-";
  std::string kind;
  std::string sv;
  std::string sv_package = "mx_vectors";
  int threads = 0;
  bool no_manifest = false;
  bool dry_run = false;
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const FileKind kind : golden::kFileKinds) names.emplace_back(extension(kind));
  return names;
}

/// --kind, else the kind of the extension, else the first.
FileKind kind_of(const GenCommandOptions& options) {
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  const std::string name =
      !options.kind.empty() || suffix.empty() ? options.kind : suffix.substr(1);
  const auto kind =
      std::ranges::find(golden::kFileKinds, name, [](FileKind each) { return extension(each); });
  const FileKind chosen = kind == golden::kFileKinds.end() ? golden::kFileKinds.front() : *kind;
  const std::array<std::string, 1> own = {fmt::format(".{}", extension(chosen))};
  const std::array<std::string_view, 1> suffixes = {own.front()};
  if (const std::string why = refuse_suffix(options.output, suffixes); !why.empty()) {
    fail(Exit::kUsage, "-o {}: {}", options.output, why);
  }
  return chosen;
}

/// A folder gets the set's own name.
std::string output_path(const GenCommandOptions& options, const GenPlan& plan, FileKind kind) {
  if (options.output == "-" || !std::filesystem::is_directory(options.output)) {
    return options.output;
  }
  return (std::filesystem::path(options.output) / plan.header->file_name(extension(kind))).string();
}

/// Makes the vectors of the shard from several threads, a piece at a time, and writes the pieces in
/// order.
void write_vectors(const GenPlan& plan, int threads, golden::VectorWriter& writer) {
  using tbb::filter_mode;
  const golden::VectorHeader& header = *plan.header;
  const std::uint64_t piece =
      std::max<std::uint64_t>(1, kPieceLanes / static_cast<std::uint64_t>(header.lanes));
  Progress progress("vectors", header.count);
  std::uint64_t first = plan.first;
  const std::uint64_t end = plan.first + header.count;
  const auto next = [&](tbb::flow_control& flow) {
    if (first >= end) flow.stop();
    return std::exchange(first, first + piece);
  };
  const auto make = [&](std::uint64_t at) {
    RecordBatch batch;
    plan.fill(at, std::min(end, at + piece), batch);
    golden::ReferenceAnswerer reference(header);
    reference.answer(batch, 0, batch.size());
    golden::fill_open(reference, batch);
    return batch;
  };
  const auto write = [&](const RecordBatch& batch) {
    writer.write(batch);
    progress.add(batch.size());
  };
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_pipeline(
        2 * static_cast<std::size_t>(threads),
        tbb::make_filter<void, std::uint64_t>(filter_mode::serial_in_order, next) &
            tbb::make_filter<std::uint64_t, RecordBatch>(filter_mode::parallel, make) &
            tbb::make_filter<RecordBatch, void>(filter_mode::serial_in_order, write));
  });
}

/// The manifest of vectors that can be read where `unnamed` says.
std::string manifest_of(const GenPlan& plan, const GenCommandOptions& options,
                        const std::string& path, FileKind kind, const golden::FileDigests& digests,
                        const std::string& unnamed) {
  golden::ManifestFacts facts;
  facts.file_name = std::filesystem::path(path).filename().string();
  facts.kind = kind;
  facts.file = golden::file_digest(unnamed);
  facts.content = digests;
  facts.classes = plan.classes;
  facts.duplicates = plan.duplicates;
  facts.axis = options.plan.axis;
  facts.version = version();
  facts.commit = commit();
  facts.options = plan.options;
  return golden::manifest_json(*plan.header, facts);
}

/// The vectors and what is written beside them: no file takes its name before all are on the disk.
golden::FileDigests write_all(const GenPlan& plan, const GenCommandOptions& options,
                              const std::string& path, FileKind kind) {
  golden::VectorWriter writer(path, kind, *plan.header);
  write_vectors(plan, options.threads, writer);
  const golden::FileDigests digests = writer.complete();
  std::vector<std::unique_ptr<golden::NewFile>> beside;
  const auto add = [&](const std::string& name, const std::string& text) {
    beside.push_back(std::make_unique<golden::NewFile>(name));
    beside.back()->write(text);
    beside.back()->finish();
  };
  const std::string unnamed = writer.unnamed();
  if (!unnamed.empty() && !options.no_manifest) {
    add(path + ".json", manifest_of(plan, options, path, kind, digests, unnamed));
  }
  if (!options.sv.empty()) add(options.sv, golden::sv_package(*plan.header, options.sv_package));
  // Of two programs that write here at once one replaces both files of the other.
  const golden::FolderLock lock(path);
  writer.commit();
  for (const auto& file : beside) file->commit();
  return digests;
}

void check_sv(const GenCommandOptions& options, FileKind kind) {
  if (kind != FileKind::kMem) {
    fail(Exit::kUsage, "--sv {}: it describes the words of a .mem file; give --kind mem",
         options.sv);
  }
  if (!golden::is_sv_identifier(options.sv_package)) {
    fail(Exit::kUsage, "--sv-package {}: no identifier of SystemVerilog",
         printable(options.sv_package));
  }
}

std::string summary(const GenPlan& plan) {
  std::string classes;
  for (const golden::StimulusClass& c : plan.classes) {
    classes +=
        fmt::format("{}{} {}", classes.empty() ? "" : ", ", c.name, golden::with_commas(c.count));
  }
  return fmt::format("classes of the suite: {}; {} duplicates removed", classes,
                     golden::with_commas(plan.duplicates));
}

/// Certificates are of conversions alone, by every policy: no other option has a say in them.
void refuse_beside_certificates(const Command& app) {
  constexpr std::array<std::string_view, 7> kRead = {
      "--op", "--source", "--format", "--output", "--format-file", "--define", "--threads"};
  for (const Option option : app.get_options()) {
    const std::string name = option.get_name();
    if (option.count() == 0 || std::ranges::find(kRead, name) != kRead.end()) continue;
    fail(Exit::kUsage, "{}: says nothing to --op thr; a certificate holds every word and policy",
         name);
  }
}

void run(const Command& command, GenCommandOptions& options) {
  options.plan.configs.book = options.formats.book();
  options.plan.definitions = options.formats.text();
  if (options.plan.configs.op == "thr") {
    gen_certificates(options.plan, options.output);
    return;
  }
  const GenPlan plan = plan_gen(options.plan);
  const FileKind kind = kind_of(options);
  const std::string path = output_path(options, plan, kind);
  check_beside(command, "the vectors,", path);
  if (!options.no_manifest) check_beside(command, "the manifest,", path + ".json");
  if (path == "-" && options.sv == "-") {
    fail(Exit::kUsage,
         "--sv -: the vectors go to standard output too; name a file for one of them");
  }
  std::FILE* report = path == "-" || options.sv == "-" ? stderr : stdout;
  fmt::print(stderr, "mxgold gen: {}\n", summary(plan));
  for (const golden::StimulusClass& c : plan.classes) {
    if (c.count != 0) continue;
    fmt::print(stderr, "mxgold gen: class {} stays empty with --count {}\n", c.name,
               options.plan.count);
  }
  if (options.dry_run) {
    fmt::print(report, "would write {} vectors as {}\n", golden::with_commas(plan.header->count),
               plan.header->file_name(extension(kind)));
    return;
  }
  if (!options.sv.empty()) check_sv(options, kind);
  const golden::FileDigests digests = write_all(plan, options, path, kind);
  fmt::print(report, "wrote {} vectors {} sha256:{}{}{}\n", golden::with_commas(plan.header->count),
             plan.header->set_id(), golden::to_hex(digests.records), path == "-" ? "" : " to ",
             path == "-" ? "" : path);
}

}  // namespace

void add_gen(const Command& root, Exit& exit) {
  const auto options = std::make_shared<GenCommandOptions>();
  GenOptions& plan = options->plan;
  const Command app =
      root.add_subcommand("gen", "Write golden vectors: inputs with the right answers");
  app.footer(kGenExamples);
  app.add_option(
         "--op", plan.configs.op,
         "What is computed: cvt (element conversions) | block | dot | arith | cast (of a system) | "
         "dequantize | mma (a matrix unit) | thr (certificates)")
      .is_member({"cvt", "block", "dot", "arith", "cast", "dequantize", "mma", "thr"})
      .capture_default_str();
  suite_option(app, plan.suite, kSuites);
  add_gen_options(app, plan);
  add_config_options(app, plan.configs);
  output_option(app, options->output, "vectors, a file or a folder (named after the set)",
                kVectorOutput);
  app.add_option("--kind", options->kind, "Kind of file")
      .is_member(kind_names())
      .default_str("by extension, else tv");
  as_output(app.add_option("--sv", options->sv,
                           "Write a SystemVerilog package of the words of a .mem file"),
            kSvOutput);
  app.add_option("--sv-package", options->sv_package, "Its name").capture_default_str();
  threads_option(app, options->threads);
  app.add_flag("--no-manifest", options->no_manifest, "Do not write FILE.json");
  app.add_flag("--dry-run", options->dry_run, "Count, name and stop");
  options->formats.add_to(app);
  app.callback([options, app, &exit] {
    try {
      if (options->plan.configs.op == "thr") refuse_beside_certificates(app);
      refuse_unused_stimulus(app, options->plan);
      refuse_without(app, "--sv-package", "--sv");
      options->threads = thread_count(options->threads);
      run(app, *options);
      exit = Exit::kPass;
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
