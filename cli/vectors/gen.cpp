// mxgold gen: golden vectors, the reference's answers included.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/vectors/gen_certificate.hpp"
#include "cli/vectors/gen_plan.hpp"
#include "golden/answers/expected.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/manifest.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {
namespace {

using golden::BlockBatch;
using golden::CvtBatch;
using golden::FileKind;

constexpr const char* kExamples = R"(
Writes numbered test vectors with the reference's answers, and beside a file its manifest
FILE.json. Formats, roundings, rules and policies of blocks may be lists (a,b) or, for --format,
--rounding and --rule, all (what the default RTL build does); sources of certificates too. That
build draws random words of 8 bits: give --random-bits 8 for it. docs/vector-format.md describes
the files.

Examples:
  mxgold gen --suite smoke --format mxfp8_e4m3 -o smoke.tv
  mxgold gen --op cvt --suite dir --source bf16 --format e2m1fn --rounding toward_zero -o -
  mxgold gen --suite rnd --format all --rounding all --rule all --count 1000 --kind bin -o rnd.bin
  mxgold gen --op cvt --define 'name=mine, exp_bits=3, man_bits=2' --format mine -o mine.tv
  mxgold gen --op thr --source fp32,bf16 --format e4m3fn,int8 -o golden/data/certificates
  mxgold gen --suite policy --count 100000 --seed 7 --shard 3/8 -o vectors/
  mxgold gen --input model.safetensors --format mxfp4 -o - | mxgold check -)";

constexpr std::array<std::string_view, 4> kSuites = {"smoke", "dir", "rnd", "policy"};

/// Vectors of one piece of work.
constexpr std::uint64_t kCvtPiece = 32768;
constexpr std::uint64_t kBlockPiece = 2048;

struct Options {
  GenOptions plan;
  FormatOptions formats;
  std::string output = "-";
  std::string kind;
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
FileKind kind_of(const Options& options) {
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  const std::string name =
      !options.kind.empty() || suffix.empty() ? options.kind : suffix.substr(1);
  const auto kind =
      std::ranges::find(golden::kFileKinds, name, [](FileKind each) { return extension(each); });
  return kind == golden::kFileKinds.end() ? golden::kFileKinds.front() : *kind;
}

/// A folder gets the set's own name.
std::string output_path(const Options& options, const GenPlan& plan, FileKind kind) {
  if (options.output == "-" || !std::filesystem::is_directory(options.output)) {
    return options.output;
  }
  return (std::filesystem::path(options.output) / plan.header.file_name(extension(kind))).string();
}

void answer(const golden::VectorHeader& header, CvtBatch& batch) {
  golden::fill_expected(batch, ConversionConfig{header.source, header.destination, header.policy});
}

/// Deterministic blocks beside stochastic ones have random words too: zero.
void answer(const golden::VectorHeader& header, BlockBatch& batch) {
  if (batch.random_words != header.random_words) {
    batch.random_words = header.random_words;
    batch.resize(batch.size());
  }
  golden::fill_expected(batch, header.context);
}

/// Makes vectors [first, last) of a run from several threads, `piece` of them at a time, and hands
/// the pieces to `write` in order.
template <typename Batch, typename Write>
void make_run(const golden::VectorHeader& header, const typename VectorRun<Batch>::Fill& fill,
              std::uint64_t first, std::uint64_t last, std::uint64_t piece, int threads,
              const Write& write) {
  using tbb::filter_mode;
  const auto next = [&](tbb::flow_control& flow) {
    if (first >= last) flow.stop();
    return std::exchange(first, first + piece);
  };
  const auto make = [&](std::uint64_t at) {
    Batch batch;
    fill(at, std::min(last, at + piece), batch);
    answer(header, batch);
    return batch;
  };
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_pipeline(
        2 * static_cast<std::size_t>(threads),
        tbb::make_filter<void, std::uint64_t>(filter_mode::serial_in_order, next) &
            tbb::make_filter<std::uint64_t, Batch>(filter_mode::parallel, make) &
            tbb::make_filter<Batch, void>(filter_mode::serial_in_order, write));
  });
}

/// Writes the part of the runs that lies in the shard.
template <typename Batch>
void write_segments(const GenPlan& plan, const std::vector<VectorRun<Batch>>& runs,
                    std::uint64_t piece, int threads, golden::VectorWriter& writer) {
  Progress progress("vectors", plan.header.count);
  const std::uint64_t end = plan.first + plan.header.count;
  std::uint64_t start = 0;
  for (const VectorRun<Batch>& run : runs) {
    const std::uint64_t first = std::clamp(plan.first, start, start + run.size) - start;
    const std::uint64_t last = std::clamp(end, start, start + run.size) - start;
    start += run.size;
    if (first == last) continue;
    make_run<Batch>(plan.header, run.open(), first, last, piece, threads, [&](const Batch& batch) {
      writer.write(batch);
      progress.add(batch.size());
    });
  }
}

void write_manifest(const GenPlan& plan, const Options& options, const std::string& path,
                    FileKind kind, const golden::FileDigests& digests) {
  golden::ManifestFacts facts;
  facts.file_name = std::filesystem::path(path).filename().string();
  facts.kind = kind;
  facts.file = golden::file_digest(path);
  facts.content = digests;
  facts.classes = plan.classes;
  facts.duplicates = plan.duplicates;
  facts.profile = options.plan.profile;
  facts.version = version();
  facts.commit = commit();
  facts.options = plan.options;
  golden::write_file(path + ".json", golden::manifest_json(plan.header, facts));
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

void run(Options& options) {
  options.plan.book = options.formats.book();
  options.plan.definitions = options.formats.text();
  if (options.plan.op == "thr") {
    gen_certificates(options.plan, options.output);
    return;
  }
  const GenPlan plan = plan_gen(options.plan);
  const FileKind kind = kind_of(options);
  const std::string path = output_path(options, plan, kind);
  std::FILE* report = path == "-" ? stderr : stdout;
  fmt::print(stderr, "mxgold gen: {}\n", summary(plan));
  for (const golden::StimulusClass& c : plan.classes) {
    if (c.count != 0) continue;
    fmt::print(stderr, "mxgold gen: class {} stays empty with --count {}\n", c.name,
               options.plan.count);
  }
  if (options.dry_run) {
    fmt::print(report, "would write {} vectors as {}\n", golden::with_commas(plan.header.count),
               plan.header.file_name(extension(kind)));
    return;
  }
  golden::VectorWriter writer(path, kind, plan.header);
  write_segments(plan, plan.conversions, kCvtPiece, options.threads, writer);
  write_segments(plan, plan.blocks, kBlockPiece, options.threads, writer);
  const golden::FileDigests digests = writer.finish();
  const bool is_file = path != "-" && std::filesystem::is_regular_file(path);
  if (is_file && !options.no_manifest) write_manifest(plan, options, path, kind, digests);
  fmt::print(report, "wrote {} vectors {} sha256:{}{}{}\n", golden::with_commas(plan.header.count),
             plan.header.set_id(), golden::to_hex(digests.records), path == "-" ? "" : " to ",
             path == "-" ? "" : path);
}

}  // namespace

void add_gen(CLI::App& root, Exit& exit) {
  const auto options = std::make_shared<Options>();
  GenOptions& plan = options->plan;
  CLI::App* app = root.add_subcommand("gen", "Generate golden vectors");
  app->footer(kExamples);
  app->add_option("--op", plan.op, "cvt (element conversions) | block | thr (certificates)")
      ->check(CLI::IsMember({"cvt", "block", "thr"}))
      ->capture_default_str();
  suite_option(*app, plan.suite, kSuites);
  format_option(*app, plan.formats)->default_str("e4m3fn");
  source_option(*app, plan.sources)->default_str("fp32, or the tensors'");
  app->add_option("--count", plan.count, "Vectors of the suites rnd and policy, per configuration")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 44))
      ->capture_default_str();
  seed_option(*app, plan.seed);
  shard_option(*app, plan.shard);
  block_size_option(*app, plan.block_size);
  random_bits_option(*app, plan.random_bits);
  app->add_option("--input", plan.input,
                  fmt::format("Take the vectors from a {} file", tensor_suffixes()));
  tensor_option(*app, plan.tensor);
  output_option(*app, options->output, "vectors: a file, a folder (named after the set), or -");
  app->add_option("--kind", options->kind, "Kind of file")
      ->check(CLI::IsMember(kind_names()))
      ->default_str("by extension, else tv");
  threads_option(*app, options->threads);
  app->add_flag("--no-manifest", options->no_manifest, "Do not write FILE.json");
  app->add_flag("--dry-run", options->dry_run, "Count, name and stop");
  options->formats.add_to(*app);
  profile_option(*app, plan.profile)->group("Policies");
  plan.policies.resize(policy_options().size());
  for (std::size_t i = 0; i < plan.policies.size(); ++i) {
    policy_option(*app, policy_options()[i], plan.policies[i]);
  }
  app->callback([options, &exit] {
    try {
      options->threads = thread_count(options->threads);
      run(*options);
      exit = Exit::kPass;
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
