// mxgold cover: which bins of the coverage model vectors hit; merges, reports, gates.
#include <fmt/chrono.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include "cli/base/command.hpp"
#include "cli/cover/report.hpp"
#include "cli/files/distinct.hpp"
#include "cli/options/common.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/kept_input.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/source.hpp"
#include "golden/coverage/collector.hpp"
#include "golden/coverage/database.hpp"
#include "golden/files/jsonl.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/coverage/protocol_coverage.hpp"

namespace mx::cli {
namespace {

using golden::Covergroup;

constexpr const char* kCoverExamples = R"(
Reads vector files (their answers as they are) and coverage files, and adds them up. Every bin has
to be hit, except those that no input can hit: representative inputs prove that, and such a bin does
not count. What a profile does not specify is not compared and covers nothing.

Of a coverage file, which bears a SHA-256 of its content, the bins have to be those of the model of
each configuration; a file that is named twice counts once.

Exit code: 0, 5 if less than --gate is covered, 6 if a bin was hit that is proved unreachable, 3 bad input.

Examples:
  mxgold gen --op cvt --source fp32 --format e4m3fn --suite dir -o - | mxgold cover --gate 100 -
  mxgold cover smoke.tv directed.tv -o both.json --html both.html
  mxgold cover shard0.json shard1.json --gate 100 --ucis coverage.xml)";

constexpr std::array<std::string_view, 1> kUcisOutput = {".xml"};

struct CoverOptions {
  std::vector<std::string> inputs;
  std::string output, html, ucis;
  double gate = 0;
  std::size_t missing = 10;
  bool is_json = false;
};

/// A bin with its name takes some 70 bytes: a gigabyte in all.
constexpr std::uint64_t kMostBins = std::uint64_t{1} << 24;

void require_room(const std::string& input, std::uint64_t bins, std::size_t configurations) {
  if (bins <= kMostBins) return;
  fail(Exit::kBadInput,
       "{}: {} configurations have more than {} bins; measure files of fewer configurations, one "
       "at a time",
       input, configurations, golden::with_commas(kMostBins));
}

std::uint64_t bins_of(const std::vector<golden::Coverpoint>& points) {
  std::uint64_t bins = 0;
  for (const golden::Coverpoint& point : points) bins += point.bins.size();
  return bins;
}

void add(std::vector<Covergroup>& groups, const Covergroup& group, const std::string& input) {
  if (golden::merge(groups, group)) return;
  fail(Exit::kBadInput,
       "{}: bins of \"{}\" are not those of the files before; measure both with one version", input,
       group.name);
}

void measure(const std::string& input, std::vector<Covergroup>& groups) {
  golden::VectorReader reader(input, emulators::make_cast);
  const golden::VectorHeader& header = reader.header();
  std::vector<std::unique_ptr<golden::Collector>> collectors;
  std::vector<Covergroup> found;
  std::uint64_t bins = 0;
  for (std::size_t c = 0; c < header.configs.size(); ++c) {
    collectors.push_back(golden::make_collector(header, c));
    bins += bins_of(collectors.back()->points());
    require_room(input, bins, c + 1);
    found.push_back(golden::group_of(header, c));
  }
  constexpr std::size_t kPiece = 1024;
  golden::RecordBatch batch;
  while (reader.read(batch, kPiece) != 0) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      collectors[batch.config(i)]->sample(batch, i);
      ++found[batch.config(i)].samples;
    }
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    found[c].points = collectors[c]->points();
    add(groups, found[c], input);
  }
}

/// Bins of one coverpoint by one name, as a model that is not known here has them neither.
std::string doubled_bin(const Covergroup& group) {
  for (const golden::Coverpoint& point : group.points) {
    std::set<std::string_view> names;
    for (const golden::Bin& bin : point.bins) {
      if (!names.insert(bin.name).second)
        return fmt::format("{} has {} twice", point.name, bin.name);
    }
  }
  return {};
}

/// Error kBadInput for a group of a file that is not as a measurement makes it. The protocol of a
/// device file has bins of its own: its model is in that file.
void require_model(const std::string& input, const Covergroup& group) {
  const bool is_protocol = group.configuration.starts_with("protocol;");
  const std::optional<Covergroup> model =
      is_protocol ? sim::model_of_protocol(group.configuration)
                  : golden::model_of(group.configuration, emulators::make_cast);
  std::string problem = model ? group.difference_to(*model) : doubled_bin(group);
  if (!model && !is_protocol) problem = "is of no configuration that mxgold knows";
  const golden::Score score = group.score();
  if (problem.empty() && group.samples == 0 && score.hit + score.contradicted != 0) {
    problem = "has hits, and no vector that could hit";
  }
  if (problem.empty()) return;
  fail(Exit::kBadInput, "{}: group \"{}\": {}; measure it again", input, group.name, problem);
}

bool is_coverage(const std::string& input) {
  constexpr std::size_t kBeginning = 64;
  golden::ByteSource source(input);
  const std::string_view text = source.peek(kBeginning).substr(0, kBeginning);
  return golden::looks_like_coverage(text) && !text.starts_with(golden::kJsonlHead);
}

/// Adds up what a file holds: coverage or, what standard input always is, vectors.
void add_file(const std::string& input, std::vector<Covergroup>& groups) {
  if (input == "-") return measure(input, groups);
  const golden::KeptInput file(input);
  try {
    if (!is_coverage(file.path())) return measure(file.path(), groups);
    for (const Covergroup& group : golden::read_coverage(file.path())) {
      require_model(file.path(), group);
      add(groups, group, input);
    }
  } catch (const golden::VectorError& error) {
    throw golden::VectorError(file.renamed(error.what()));
  } catch (const Error& error) {
    throw Error(error.exit(), file.renamed(error.what()));
  }
}

/// What SOURCE_DATE_EPOCH says in UTC; without it the first second of all, so that the same vectors
/// give the same bytes.
std::string time_text() {
  constexpr std::int64_t kEndOfYear9999 = 253402300799;
  const char* const variable = std::getenv("SOURCE_DATE_EPOCH");
  if (variable == nullptr) return "1970-01-01T00:00:00";
  const std::string_view given = variable;
  std::int64_t seconds = -1;
  const auto [end, problem] = std::from_chars(given.begin(), given.end(), seconds);
  const bool is_number = problem == std::errc() && end == given.end();
  if (!is_number || seconds < 0 || seconds > kEndOfYear9999) {
    fail(Exit::kUsage, "SOURCE_DATE_EPOCH is \"{}\"; give seconds since 1970, 0 to {}, or unset it",
         given, kEndOfYear9999);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

Exit cover(const CoverOptions& options) {
  const std::string time = options.ucis.empty() ? std::string() : time_text();
  std::vector<Covergroup> groups;
  for (const std::string& input : distinct_files(options.inputs, "mxgold cover")) {
    add_file(input, groups);
    std::uint64_t bins = 0;
    for (const Covergroup& group : groups) bins += bins_of(group.points);
    require_room(input, bins, groups.size());
  }
  golden::Score total;
  std::uint64_t samples = 0;
  for (const Covergroup& group : groups) {
    total += group.score();
    samples += group.samples;
  }
  if (samples == 0)
    fail(Exit::kBadInput, "no vector in {} files: nothing was measured", options.inputs.size());
  if (total.bins == 0) fail(Exit::kBadInput, "no bin can be hit: nothing was measured");
  if (!options.output.empty()) golden::write_file(options.output, golden::coverage_json(groups));
  if (!options.html.empty()) golden::write_file(options.html, cover_html(groups));
  if (!options.ucis.empty()) golden::write_file(options.ucis, cover_ucis(groups, time));
  const auto takes_output = [](const std::string& path) {
    return !path.empty() && golden::is_standard_output(path);
  };
  const bool is_taken =
      takes_output(options.output) || takes_output(options.html) || takes_output(options.ucis);
  fmt::print(is_taken ? stderr : stdout, "{}",
             options.is_json ? cover_summary_json(groups) : cover_text(groups, options.missing));
  if (total.contradicted != 0) return Exit::kInternal;
  const bool is_below = static_cast<double>(total.per_10000()) < options.gate * 100;
  return is_below ? Exit::kCoverage : Exit::kPass;
}

}  // namespace

void add_cover(const Command& root, Exit& exit) {
  const auto options = std::make_shared<CoverOptions>();
  const Command app =
      root.add_subcommand("cover", "Show which bins of the coverage model vectors hit");
  app.footer(kCoverExamples);
  as_input(app.add_option("FILES", options->inputs,
                          "Vector files of any kind, - for standard input; coverage files"))
      .required();
  output_option(app, options->output, "coverage, to merge later", kCoverOutput);
  as_output(app.add_option("--html", options->html, "Write a page with heat maps"), kHtmlOutput);
  as_output(app.add_option("--ucis", options->ucis, "Write UCIS 1.0 interchange XML"), kUcisOutput);
  app.add_option("--gate", options->gate, "Percent of the bins that have to be hit")
      .range(0.0, 100.0)
      .capture_default_str();
  app.add_option("--missing", options->missing, "Bins to print of each coverpoint")
      .capture_default_str();
  json_option(app, options->is_json);
  app.callback([options, &exit] {
    try {
      exit = cover(*options);
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
