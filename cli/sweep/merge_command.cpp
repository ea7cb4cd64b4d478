// mxgold merge: receipts of sweeps put together.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/sweep/merge.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Reads the receipts that `mxgold sweep -o` wrote, checks each, and says of every conversion whether
they cover all words of its source without a gap and without contradiction. A receipt that was
changed or cut short ends the command; one that repeats another, or that another program made, is
named. Codes were compared; flags are in no sweep.

Examples:
  mxgold merge part*.json
  mxgold merge --json receipts/*.json
  mxgold merge --markdown receipts/*.json

Exit codes: 0 every conversion is covered and right, 1 gaps, mismatches or contradictions, 2 usage,
3 a receipt that cannot be trusted.)";

struct Options {
  Names receipts;
  bool is_json = false;
  bool is_markdown = false;
};

std::string text_of(const SegmentRange& range) {
  return range.last == range.first + 1 ? fmt::format("{}", range.first)
                                       : fmt::format("{} to {}", range.first, range.last - 1);
}

std::string missing_text(const MergedSweep& sweep) {
  std::vector<std::string> ranges;
  for (const SegmentRange& each : sweep.missing) ranges.push_back(text_of(each));
  return fmt::format("segments {} of {} are missing", fmt::join(ranges, ", "), sweep.segments);
}

void print_text(const Merged& merged) {
  for (const MergedSweep& each : merged.sweeps) {
    fmt::print("{} {}, {}, {}: {} of {} words compared ({}), {} mismatches, {}, {:.1f} s\n",
               each.is_proven() ? "PASS" : "FAIL", each.summary, each.dut, each.judge,
               golden::with_commas(each.compared), golden::with_commas(each.words), kCompared,
               golden::with_commas(each.mismatches),
               each.digest.empty() ? "no digest of the whole" : "sha256:" + each.digest,
               each.seconds);
    if (!each.missing.empty()) fmt::print("  {}\n", missing_text(each));
    for (const std::string& conflict : each.conflicts) fmt::print("  {}\n", conflict);
  }
}

void print_markdown(const Merged& merged) {
  fmt::print(
      "| conversion | device | words, codes compared | mismatches | SHA-256 of the segments | "
      "seconds "
      "|\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const MergedSweep& each : merged.sweeps) {
    fmt::print("| {} | {} | {} of {} | {} | {} | {:.1f} |\n", each.summary, each.dut,
               golden::with_commas(each.compared), golden::with_commas(each.words),
               golden::with_commas(each.mismatches),
               each.digest.empty() ? missing_text(each) : "`" + each.digest + "`", each.seconds);
  }
}

nlohmann::ordered_json json_of(const MergedSweep& sweep) {
  auto missing = nlohmann::ordered_json::array();
  for (const SegmentRange& each : sweep.missing) missing.push_back({each.first, each.last});
  return {{"conversion", sweep.summary},
          {"scale", sweep.space.scale},
          {"swept", token_of(sweep.space.words)},
          {"dut", sweep.dut},
          {"judge", sweep.judge},
          {"words", sweep.words},
          {"compared", sweep.compared},
          {"mismatches", sweep.mismatches},
          {"sha256", sweep.digest},
          {"missing", missing},
          {"conflicts", sweep.conflicts},
          {"seconds", sweep.seconds},
          {"proven", sweep.is_proven()}};
}

void print_json(const Merged& merged) {
  auto sweeps = nlohmann::ordered_json::array();
  for (const MergedSweep& each : merged.sweeps) sweeps.push_back(json_of(each));
  const nlohmann::ordered_json json = {
      {"proven", merged.is_proven()}, {"notes", merged.notes}, {"sweeps", sweeps}};
  fmt::print("{}\n", json.dump(2));
}

Exit run(const Options& options) {
  std::vector<NamedReceipt> receipts;
  for (const std::string& path : options.receipts) receipts.push_back({path, read_receipt(path)});
  const Merged merged = merge(receipts);
  if (options.is_json) {
    print_json(merged);
  } else if (options.is_markdown) {
    print_markdown(merged);
  } else {
    print_text(merged);
  }
  if (!options.is_json) {
    for (const std::string& note : merged.notes) fmt::print(stderr, "mxgold merge: {}\n", note);
  }
  return merged.is_proven() ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_merge(CLI::App& root, Exit& exit) {
  CLI::App& command =
      *root.add_subcommand("merge", "Receipts of sweeps: is every word covered, and right?");
  const auto options = std::make_shared<Options>();
  as_input(command.add_option("RECEIPTS", options->receipts, "What mxgold sweep -o wrote"))
      ->required()
      ->type_name("FILE");
  json_option(command, options->is_json);
  command.add_flag("--markdown", options->is_markdown, "The table as Markdown");
  command.footer(kExamples);
  command.callback([options, &exit] { exit = run(*options); });
}

}  // namespace mx::cli
