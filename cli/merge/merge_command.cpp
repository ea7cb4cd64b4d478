// mxgold merge: receipts of sweeps put together.
#include <cstdio>

#include "cli/base/command.hpp"
#include "cli/merge/merge_text.hpp"
#include "cli/options/common.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr const char* kMergeExamples = R"(
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

struct MergeOptions {
  Names receipts;
  bool is_json = false;
  bool is_markdown = false;
};

Exit run(const MergeOptions& options) {
  std::vector<NamedReceipt> receipts;
  for (const std::string& path : options.receipts) receipts.push_back({path, read_receipt(path)});
  const Merged merged = merge(receipts);
  if (options.is_json) {
    fmt::print("{}", merged_json(merged));
  } else if (options.is_markdown) {
    fmt::print("{}", merged_markdown(merged));
  } else {
    fmt::print("{}", merged_text(merged));
  }
  if (!options.is_json) {
    for (const std::string& note : merged.notes) fmt::print(stderr, "mxgold merge: {}\n", note);
  }
  return merged.is_proven() ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_merge(const Command& root, Exit& exit) {
  const Command command = root.add_subcommand(
      "merge", "Put the receipts of a sweep together: is every word covered, and right?");
  const auto options = std::make_shared<MergeOptions>();
  as_input(command.add_option("RECEIPTS", options->receipts, "What mxgold sweep -o wrote"))
      .required()
      .type_name("FILE");
  json_option(command, options->is_json);
  command.add_flag("--markdown", options->is_markdown, "The table as Markdown");
  command.footer(kMergeExamples);
  command.callback([options, &exit] { exit = run(*options); });
}

}  // namespace mx::cli
