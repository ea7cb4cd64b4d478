// mxgold sweep: every word of a source through conversions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/sweep/receipt.hpp"
#include "cli/sweep/sweep.hpp"
#include "cli/text/names.hpp"
#include "cli/vectors/gen_configs.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/text.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Every word of the source (2^32 of fp32, 2^16 of bf16 and fp16) is converted, and each code compared
with the threshold certificate of the conversion, which shares no rounding code with the devices.
Words lie in numbered segments of 2^24; --shard i/n sweeps part i of the segments, and the receipts of
all parts, from any number of machines, are put together by `mxgold merge`: the digest of the whole
does not depend on who swept what. Random roundings have no certificate; of `--rounding all` they are
left out and named.

Examples:
  mxgold sweep --format e4m3fn
  mxgold sweep --dut reference --source bf16,fp16 --format e4m3fn,e5m2,int8 --rounding all
  mxgold sweep --format e2m1fn --overflow sat_finite,none_inf_or_nan --shard 3/16 -o part3.json
  mxgold merge part*.json

Exit codes: 0 no mismatch, 1 mismatches, 2 usage, 3 an output that cannot be written, 6 a device that
fails its self-check.)";

struct Options {
  std::string dut = "cpu";
  ConfigOptions configs;
  FormatOptions formats;
  std::string shard = "0/1";
  int threads = 0;
  std::string output;
  bool is_json = false;
};

backend::Choice device_of(const std::string& name) {
  constexpr std::array<std::string_view, 2> kDevices = {"reference", "cpu"};
  if (name == kDevices[0]) return backend::Choice::kReference;
  if (name == kDevices[1]) return backend::Choice::kCpu;
  throw Error(Exit::kUsage, unknown_name("device", name, kDevices));
}

/// What can be swept; the rest is named on stderr.
std::vector<golden::Configuration> chosen(const Options& options) {
  std::vector<golden::Configuration> all;
  const Names sources = options.configs.sources.empty() ? Names{"fp32"} : options.configs.sources;
  std::string left_out;
  for (const std::string& source : sources) {
    const ElementFormat& format = options.configs.book->require_element("source format", source);
    for (golden::Configuration& each : configurations(options.configs, format)) {
      const std::string why = sweep_problem(each);
      if (why.empty()) {
        all.push_back(std::move(each));
      } else {
        left_out = fmt::format("{}: {}", golden::summary_of(each), why);
        fmt::print(stderr, "mxgold sweep: left out: {}\n", left_out);
      }
    }
  }
  if (all.empty()) fail(Exit::kUsage, "nothing to sweep: {}", left_out);
  return all;
}

SegmentRange part_of(const golden::Shard& shard, std::uint64_t segments) {
  return {shard.index * segments / shard.count, (shard.index + 1) * segments / shard.count};
}

void print_sweep(std::FILE* people, const Sweep& sweep) {
  fmt::print(people, "{} {}, {}: {} words compared, {} mismatches, {} sha256:{}, {:.2f} s\n",
             sweep.mismatches == 0 ? "PASS" : "FAIL", golden::summary_of(sweep.configuration),
             sweep.dut, golden::with_commas(sweep.compared), golden::with_commas(sweep.mismatches),
             sweep.is_whole()
                 ? "all"
                 : fmt::format("segments {} to {}", sweep.segments.first, sweep.segments.last - 1),
             golden::to_hex(digest_of(sweep.digests)), sweep.seconds);
  if (!sweep.first) return;
  fmt::print(people, "  first: word {} gives {}, the certificate says {}\n",
             golden::hex(sweep.first->word, 32), golden::hex(sweep.first->code, 8),
             golden::hex(sweep.first->expected, 8));
}

Exit run(const Options& options) {
  const backend::Choice dut = device_of(options.dut);
  const golden::Shard shard = require_shard(options.shard);
  const std::vector<golden::Configuration> configurations = chosen(options);
  std::uint64_t words = 0;
  for (const golden::Configuration& each : configurations) {
    const ElementFormat& source = std::get<ConversionConfig>(each.what).source;
    const SegmentRange part = part_of(shard, segments_of(source));
    words += (part.last - part.first) * std::min(kSegmentWords, source.code_mask() + 1);
  }
  if (words == 0) fail(Exit::kUsage, "--shard {}: holds no segment", options.shard);
  std::unique_ptr<golden::NewFile> file;
  if (!options.output.empty()) file = std::make_unique<golden::NewFile>(options.output);
  std::FILE* const people = options.is_json || options.output == "-" ? stderr : stdout;
  std::vector<Sweep> sweeps;
  bool is_right = true;
  {
    Progress progress("sweeping", words);
    for (const golden::Configuration& each : configurations) {
      const ElementFormat& source = std::get<ConversionConfig>(each.what).source;
      const SegmentRange part = part_of(shard, segments_of(source));
      if (part.first == part.last) continue;
      sweeps.push_back(sweep(each, sweep_device(each, dut), part, thread_count(options.threads),
                             [&](std::uint64_t done) { progress.add(done); }));
      print_sweep(people, sweeps.back());
      std::fflush(people);
      is_right = is_right && sweeps.back().mismatches == 0;
    }
  }
  const std::string text = receipt_text(receipt_of(std::move(sweeps)));
  if (options.is_json) fmt::print("{}", text);
  if (file != nullptr) {
    file->write(text);
    file->commit();
  }
  return is_right ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_sweep(CLI::App& root, Exit& exit) {
  CLI::App& command =
      *root.add_subcommand("sweep", "Every word of a source through conversions, compared");
  const auto options = std::make_shared<Options>();
  options->configs.op = "cvt";
  command.add_option("--dut", options->dut, "Device: cpu (vectors) | reference")
      ->capture_default_str();
  format_option(command, options->configs.formats)->default_str("e4m3fn");
  source_option(command, options->configs.sources)->default_str("fp32");
  shard_option(command, options->shard);
  threads_option(command, options->threads);
  output_option(command, options->output, "the receipt", kReceiptOutput);
  json_option(command, options->is_json);
  options->formats.add_to(command);
  profile_option(command, options->configs.profile)->group("Policies");
  options->configs.policies.resize(policy_options().size());
  for (std::size_t i = 0; i < options->configs.policies.size(); ++i) {
    policy_option(command, policy_options()[i], options->configs.policies[i]);
  }
  command.footer(kExamples);
  command.callback([options, &exit] {
    options->configs.book = options->formats.book();
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      throw Error(Exit::kUnwritable, error.what());
    }
  });
}

}  // namespace mx::cli
