// mxgold sweep: every word of a source through conversions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/configs/configurations.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/sweep/cuda.hpp"
#include "cli/sweep/parts.hpp"
#include "cli/sweep/receipt.hpp"
#include "cli/text/colour.hpp"
#include "cli/text/names.hpp"
#include "cli/verdict/again.hpp"
#include "cli/verdict/verdict_text.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/text.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {
namespace {

constexpr const char* kSweepExamples = R"(
Every word of the source (2^32 of fp32, 2^16 of bf16 and fp16) is converted, and each code compared
with the threshold certificate of the conversion, which shares no rounding code with the devices.
Flags are not compared. Words lie in numbered segments of 2^24; --shard i/n sweeps part i of the
segments of all conversions, and the receipts of all parts, from any number of machines, are put
together by `mxgold merge`: the digest of the whole does not depend on who swept what; `mxgold farm`
does all that and resumes. Of `--rounding all` the random
ones are left out and named, unless --random gives the random word of every element.

--dut rtl: the 32 lanes of our RTL under a scale code that is told (--scale), compiled by Verilator
when they are first asked for. --dut netlist: what Yosys makes of a lane, simulated 64 lanes at a
time, which is eight times as fast. A lane counts on the scale of a block: it is given the words that
a block under that scale can hold, and the others (finite magnitudes of 2^(emax + 1) times the scale
and above) are left out; under --scale widest there are none. --dut reference --words block goes over
the same words, for the same digest.

--dut cuda: words, codes and comparison stay on a CUDA device; the digest of a segment without
mismatches is that of the certificate's answers, which its codes are; so under --dut cpu, where the
first segment's is taken of its codes too. --dut cuda-host runs the device's source here. Either is
the encoder that blocks have, the short one where there is one; cuda:general and cuda-host:general
are the other.

Examples:
  mxgold sweep --format e4m3fn
  mxgold sweep --dut reference --source bf16,fp16 --format e4m3fn,e5m2,int8 --rounding all
  mxgold sweep --format e2m1fn --overflow sat_finite,none_inf_or_nan --shard 3/16 -o part3.json
  mxgold sweep --dut rtl --source bf16 --format e4m3fn --scale 0,127,widest
  mxgold merge part*.json

Words whose codes the profile does not specify are counted apart and not compared.

Exit codes: 0 no mismatch, 1 mismatches, 2 usage, 3 an output that cannot be written, or every word
is open, 6 a device that fails its self-check or cannot be compiled; 4 where there is no CUDA device.)";

struct SweepOptions {
  std::string dut = "cpu";
  ConfigOptions configs;
  FormatOptions formats;
  Names scales = {"127"};
  std::string words;
  std::int64_t random = -1;  ///< -1: none
  std::string shard = "0/1";
  int threads = 0;
  std::string output;
  std::string log;
  std::string again;  ///< the command line that says the same
  bool is_json = false;
  bool is_dry_run = false;
};

/// What --dut names, made once for all sweeps.
class Devices {
 public:
  explicit Devices(const std::string& dut) {
    constexpr std::array<std::string_view, 6> kDevices = {"reference", "cpu",  "rtl",
                                                          "netlist",   "cuda", "cuda-host"};
    const std::string name = dut.substr(0, dut.find(':'));
    cuda_ = cuda_choice(dut);
    if (cuda_) return;
    if (name == kDevices[2] || name == kDevices[3]) {
      lanes_ = std::make_unique<LaneDevices>(
          name == kDevices[2] ? sim::LaneEngine::kRtl : sim::LaneEngine::kNetlist,
          dut.substr(std::min(name.size() + 1, dut.size())));
    } else if (dut == kDevices[0] || dut == kDevices[1]) {
      choice_ = dut == kDevices[0] ? backend::Choice::kReference : backend::Choice::kCpu;
    } else {
      throw Error(Exit::kUsage, unknown_name("device", dut, kDevices));
    }
  }

  /// What a sweep goes over under a scale where --words says nothing, or `words`.
  [[nodiscard]] SweepSpace space(std::uint8_t scale, const std::string& words) const {
    const SweptWords own = lanes_ != nullptr ? SweptWords::kBlock : SweptWords::kAll;
    SweepSpace space{scale, words.empty() ? own : require_words(words)};
    if (lanes_ != nullptr && space.words != SweptWords::kBlock) {
      fail(Exit::kUsage, "--words all: a lane of the RTL counts on words of a block; leave it out");
    }
    return space;
  }

  /// Why it cannot be asked, or "".
  [[nodiscard]] std::string problem(const golden::Configuration& configuration,
                                    const SweepSpace& space) const {
    if (space.random && cuda_) {
      return "it draws its words; --dut reference, cpu, rtl and netlist take --random";
    }
    if (lanes_ != nullptr) return LaneDevices::problem(configuration);
    if (cuda_) return cuda_problem(configuration, space);
    return choice_ == backend::Choice::kCpu ? vectors_problem(configuration, space) : "";
  }

  [[nodiscard]] SweepDevice device(const golden::Configuration& configuration,
                                   const SweepSpace& space) const {
    if (lanes_ != nullptr) return lanes_->device(configuration, space.scale, space.random);
    if (cuda_) return cuda_device(configuration, space, *cuda_);
    if (choice_ == backend::Choice::kCpu && space.random)
      return stochastic_vectors(configuration, space);
    if (space.scale != kScaleOne || space.random) return scaled_reference(configuration, space);
    SweepDevice device = sweep_device(configuration, choice_);
    device.space = space;
    return device;
  }

 private:
  static SweptWords require_words(const std::string& words) {
    constexpr std::array<std::string_view, 2> kWords = {"all", "block"};
    for (const SweptWords each : {SweptWords::kAll, SweptWords::kBlock}) {
      if (words == token_of(each)) return each;
    }
    throw Error(Exit::kUsage, unknown_name("--words", words, kWords));
  }

  backend::Choice choice_ = backend::Choice::kCpu;
  std::unique_ptr<LaneDevices> lanes_;
  std::optional<CudaChoice> cuda_;
};

std::uint8_t require_scale(const std::string& text, const golden::Configuration& configuration) {
  if (text == "widest") {
    const auto* const config = std::get_if<ConversionConfig>(&configuration.what);
    return config == nullptr ? kScaleOne : widest_scale(*config);
  }
  unsigned scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc{} || end != text.data() + text.size() || scale > kLargestScale) {
    fail(Exit::kUsage, "--scale {}: give scale codes of 0 to {}, or widest", text, kLargestScale);
  }
  return static_cast<std::uint8_t>(scale);
}

std::string problem_of(const SweepJob& job, const Devices& devices) {
  if (std::string why = sweep_problem(job.configuration, job.space); !why.empty()) return why;
  return devices.problem(job.configuration, job.space);
}

/// What can be swept, and the rest, which is also named on stderr.
struct Chosen {
  std::vector<SweepJob> jobs;
  std::vector<LeftOut> left_out;
};

Chosen chosen(const SweepOptions& options, const Devices& devices) {
  Chosen all;
  const Names sources = options.configs.sources.empty() ? Names{"fp32"} : options.configs.sources;
  bool any_draws = false;
  std::set<std::pair<golden::ConfigurationFields, std::uint8_t>> seen;
  for (const std::string& source : sources) {
    const ElementFormat& format = options.configs.book->require_element("source format", source);
    for (const golden::Configuration& each : configurations(options.configs, format)) {
      for (const std::string& scale : options.scales) {
        SweepJob job{each, devices.space(require_scale(scale, each), options.words)};
        const auto* const config = std::get_if<ConversionConfig>(&each.what);
        const bool draws = config != nullptr && is_stochastic(config->policy.rounding);
        any_draws = any_draws || draws;
        if (draws && options.random >= 0) {
          job.space.random = static_cast<std::uint32_t>(options.random);
        }
        if (!seen.insert({golden::fields_of(each), job.space.scale}).second) {
          fmt::print(stderr, "mxgold sweep: scale {} is asked for twice; swept once\n",
                     job.space.scale);
          continue;
        }
        const std::string why = problem_of(job, devices);
        if (why.empty()) {
          all.jobs.push_back(std::move(job));
          continue;
        }
        const Sweep not_swept{each, job.space, {}, {}, {}, {}, {}, 0, 0, {}, 0};
        all.left_out.push_back({summary_of(not_swept), options.dut, why});
        fmt::print(stderr, "mxgold sweep: left out: {}\n", text_of(all.left_out.back()));
      }
    }
  }
  if (!any_draws && options.random >= 0) {
    fail(Exit::kUsage, "--random: no rounding here draws; it goes with --rounding stochastic_a");
  }
  if (all.jobs.empty()) {
    fail(Exit::kUsage, "nothing to sweep: {}", text_of(all.left_out.back()));
  }
  return all;
}

/// What would be swept, by whom; no word is.
void print_plan(const SweepOptions& options, const Devices& devices, const Chosen& all,
                const SweepParts& parts) {
  auto sweeps = nlohmann::ordered_json::array();
  for (const SweepJob& each : all.jobs) {
    const SweepDevice device = devices.device(each.configuration, each.space);
    const Sweep planned{each.configuration, each.space, device.name, {}, {}, {}, {}, 0, 0, {}, 0};
    sweeps.push_back({{"conversion", summary_of(planned)}, {"dut", device.name}});
    if (!options.is_json) fmt::print("{} by {}\n", summary_of(planned), device.name);
  }
  if (options.is_json) {
    auto left_out = nlohmann::ordered_json::array();
    for (const LeftOut& each : all.left_out) left_out.push_back(text_of(each));
    const nlohmann::ordered_json plan = {{"parts", parts.segments()},
                                         {"words", parts.words()},
                                         {"sweeps", sweeps},
                                         {"left_out", left_out}};
    fmt::print("{}\n", golden::dumped(plan, 2));
    return;
  }
  fmt::print("{} sweeps, {} segments, {} words; nothing was compared (--dry-run)\n",
             all.jobs.size(), golden::with_commas(parts.segments()),
             golden::with_commas(parts.words()));
}

/// Every count of one sweep, in a line.
std::string long_line(const Sweep& sweep) {
  const std::uint64_t open = sweep.open_words();
  const std::string& asked = sweep.configuration.origin.profile;
  const std::string profile = asked == golden::Origin().profile ? "" : ", profile " + asked;
  return fmt::format(
      "{} {}{}, {}: {} words compared ({}), {}{} mismatches, {} sha256:{}, {:.2f} s\n",
      headline_of(sweep.mismatches == 0, sweep.compared), summary_of(sweep), profile, sweep.dut,
      golden::with_commas(sweep.compared), kCompared,
      sweep.open.empty() ? "" : golden::with_commas(open) + " open, ",
      golden::with_commas(sweep.mismatches),
      sweep.is_whole()
          ? "all"
          : fmt::format("segments {} to {}", sweep.segments.first, sweep.segments.last - 1),
      golden::to_hex(digest_of(sweep.digests)), sweep.seconds);
}

/// Words of its segments that no block under the scale holds.
std::uint64_t unheld_words(const Sweep& sweep) {
  const std::uint64_t of_segments =
      words_of(std::get<ConversionConfig>(sweep.configuration.what), SweepSpace{}, sweep.segments);
  return of_segments - sweep.compared - sweep.open_words();
}

/// The first wrong word, if there is one.
std::string wrong_text(const Sweep& sweep) {
  if (!sweep.first) return {};
  return fmt::format("  first: word {} gives {}, the certificate says {}\n",
                     golden::hex(sweep.first->word, 32), golden::hex(sweep.first->code, 8),
                     golden::hex(sweep.first->expected, 8));
}

/// The last three lines, of all sweeps together.
std::string verdict_of(const SweepOptions& options, const std::vector<Sweep>& sweeps,
                       const std::vector<LeftOut>& left_out) {
  VerdictText verdict;
  std::uint64_t wrong_words = 0;
  std::uint64_t unheld = 0;
  std::size_t wrong = 0;
  std::string where;
  for (const Sweep& each : sweeps) {
    verdict.counts.words += each.compared;
    verdict.counts.open += each.open_words();
    wrong_words += each.mismatches;
    wrong += each.mismatches == 0 ? 0 : 1;
    unheld += unheld_words(each);
    if (!each.is_whole()) where = ", shard " + options.shard;
  }
  const std::string& profile = sweeps.front().configuration.origin.profile;
  verdict.result = fmt::format(
      "{} {}/{} conversions{}; {}{}, dut {}{}", headline_of(wrong == 0, verdict.counts.words),
      sweeps.size() - wrong, sweeps.size(),
      wrong_words == 0 ? "" : fmt::format(": {} words differ", golden::with_commas(wrong_words)),
      sweeps.size() == 1 ? summary_of(sweeps.front()) : "the lines above",
      profile == golden::Origin().profile ? "" : ", profile " + profile, sweeps.front().dut, where);
  verdict.what = kCompared;
  if (unheld != 0) {
    verdict.left_out.push_back(fmt::format(
        "{} words left out: no block under this scale holds them", golden::with_commas(unheld)));
  }
  for (const LeftOut& each : left_out) verdict.left_out.push_back(text_of(each));
  verdict.again = options.again;
  if (sweeps.size() == 1) verdict.digest = golden::to_hex(digest_of(sweeps.front().digests));
  return three_lines(verdict);
}

Exit run(const SweepOptions& options) {
  const Devices devices(options.dut);
  const golden::Shard shard = require_shard(options.shard);
  const Chosen all = chosen(options, devices);
  const std::vector<SweepJob>& jobs = all.jobs;
  const SweepParts parts(jobs);
  if (options.is_dry_run) {
    print_plan(options, devices, all, parts);
    return Exit::kPass;
  }
  const std::vector<SegmentRange> part = parts.part(shard);
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    words += words_of(jobs[i].conversion(), jobs[i].space, part[i]);
  }
  if (words == 0) {
    fail(
        Exit::kUsage,
        "--shard {}: holds no word to sweep; leave it out, no merge misses it ({} parts hold some)",
        options.shard, parts.segments());
  }
  std::unique_ptr<golden::NewFile> file;
  if (!options.output.empty()) file = std::make_unique<golden::NewFile>(options.output);
  const std::unique_ptr<golden::NewFile> log = report_file(options.log);
  const bool is_taken = options.is_json || options.output == "-" || options.log == "-";
  std::FILE* const people = is_taken ? stderr : stdout;
  std::string lines;
  std::vector<Sweep> sweeps;
  bool is_right = true;
  std::uint64_t compared = 0;
  {
    Progress progress("sweeping", words);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const SweepJob& each = jobs[i];
      if (part[i].first == part[i].last) continue;
      sweeps.push_back(sweep(each.configuration, devices.device(each.configuration, each.space),
                             part[i], thread_count(options.threads),
                             [&](std::uint64_t done) { progress.add(done); }));
      lines += long_line(sweeps.back());
      // One alone is told by the verdict.
      if (jobs.size() != 1) fmt::print(people, "{}", long_line(sweeps.back()));
      fmt::print(people, "{}", wrong_text(sweeps.back()));
      std::fflush(people);
      is_right = is_right && sweeps.back().mismatches == 0;
      compared += sweeps.back().compared;
    }
  }
  fmt::print(people, "{}", with_colour(verdict_of(options, sweeps, all.left_out), people));
  if (log) {
    log->write(lines);
    log->commit();
  }
  const std::string text = receipt_text(receipt_of(std::move(sweeps), all.left_out));
  if (options.is_json) fmt::print("{}", text);
  if (file != nullptr) {
    file->write(text);
    file->commit();
  }
  if (!is_right) return Exit::kMismatch;
  return compared != 0 ? Exit::kPass : Exit::kBadInput;
}

}  // namespace

void add_sweep(const Command& root, Exit& exit) {
  const Command command =
      root.add_subcommand("sweep", "Convert every word of a source format, and compare");
  const auto options = std::make_shared<SweepOptions>();
  options->configs.op = "cvt";
  command
      .add_option("--dut", options->dut,
                  "Device: cpu (vectors) | reference | rtl[:FAULT|FOLDER] (the lanes of our RTL) | "
                  "netlist[:FOLDER] (what Yosys makes of them) | cuda[:general] | "
                  "cuda-host[:general] (the CUDA path on a device, or its arithmetic here)")
      .capture_default_str();
  format_option(command, options->configs.formats).default_str("e4m3fn");
  source_option(command, options->configs.sources).default_str("fp32");
  command
      .add_option(
          "--scale", options->scales,
          "Scale codes (0..254; 127: 1) under which words are converted, or widest: the least "
          "under which a block holds every word")
      .delimiter(',')
      .type_name("LIST")
      .default_str("127");
  command
      .add_option("--words", options->words,
                  "Words: all | block (those that a block under the scale can hold); rtl: block")
      .type_name("NAME");
  command
      .add_option("--random", options->random,
                  "The random word of every element, for stochastic roundings (rtl: stochastic_a, "
                  "--random-bits 8; cuda takes none)")
      .range(std::int64_t{0}, std::int64_t{0xFFFFFFFF})
      .type_name("R");
  random_bits_option(command, options->configs.random_bits);
  shard_option(command, options->shard);
  threads_option(command, options->threads);
  output_option(command, options->output, "the receipt", kReceiptOutput);
  log_option(command, options->log);
  json_option(command, options->is_json);
  command.add_flag("--dry-run", options->is_dry_run,
                   "Say what would be swept by which device, and sweep nothing");
  options->formats.add_to(command);
  profile_option(command, options->configs.profile);
  options->configs.policies.resize(policy_options().size());
  for (std::size_t i = 0; i < options->configs.policies.size(); ++i) {
    policy_option(command, policy_options()[i], options->configs.policies[i]);
  }
  command.footer(kSweepExamples);
  command.callback([options, command, &exit] {
    options->again = typed_again(command);
    options->configs.book = options->formats.book();
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      throw Error(Exit::kUnwritable, error.what());
    }
  });
}

}  // namespace mx::cli
