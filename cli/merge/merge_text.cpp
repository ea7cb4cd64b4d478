#include "cli/merge/merge_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

std::string text_of(const SegmentRange& range) {
  return range.last == range.first + 1 ? fmt::format("{}", range.first)
                                       : fmt::format("{} to {}", range.first, range.last - 1);
}

std::string missing_text(const MergedSweep& sweep) {
  std::vector<std::string> ranges;
  for (const SegmentRange& each : sweep.missing) ranges.push_back(text_of(each));
  return fmt::format("segments {} of {} are missing", fmt::join(ranges, ", "), sweep.segments);
}

std::string open_text(const MergedSweep& sweep) {
  return sweep.may_be_open ? golden::with_commas(sweep.open) + " open, " : "";
}

/// The last line where no sweep can be proven, whatever its own line says.
std::string verdict_of_programs(const Merged& merged) {
  if (merged.is_of_one_program) return {};
  return "NOT PROVEN: the receipts are by more than one program; sweep again by one of them\n";
}

nlohmann::ordered_json first_of(const MergedSweep& sweep) {
  if (!sweep.first) return nullptr;
  return {{"word", golden::hex(sweep.first->word, 32)},
          {"code", golden::hex(sweep.first->code, 8)},
          {"expected", golden::hex(sweep.first->expected, 8)}};
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
          {"open", sweep.open},
          {"mismatches", sweep.mismatches},
          {"first_mismatch", first_of(sweep)},
          {"sha256", sweep.digest},
          {"missing", missing},
          {"conflicts", sweep.conflicts},
          {"seconds", sweep.seconds},
          {"proven", sweep.is_proven()}};
}

}  // namespace

std::string merged_text(const Merged& merged) {
  std::string text;
  for (const MergedSweep& each : merged.sweeps) {
    text += fmt::format(
        "{} {}, {}, {}: {} of {} words compared ({}), {}{} mismatches, {}, {:.1f} s\n",
        headline_of(each.is_right(), each.compared), each.summary, each.dut, each.judge,
        golden::with_commas(each.compared), golden::with_commas(each.words), kCompared,
        open_text(each), golden::with_commas(each.mismatches),
        each.digest.empty() ? "no digest of the whole" : "sha256:" + each.digest, each.seconds);
    if (each.first) {
      text += fmt::format("  first: word {} gives {}, the certificate says {}\n",
                          golden::hex(each.first->word, 32), golden::hex(each.first->code, 8),
                          golden::hex(each.first->expected, 8));
    }
    if (!each.missing.empty()) text += fmt::format("  {}\n", missing_text(each));
    for (const std::string& conflict : each.conflicts) text += fmt::format("  {}\n", conflict);
  }
  for (const LeftOut& each : merged.left_out) {
    text += fmt::format("not compared: {}\n", text_of(each));
  }
  return text + verdict_of_programs(merged);
}

std::string merged_markdown(const Merged& merged) {
  std::string text = fmt::format(
      "| conversion | device | words, codes compared | mismatches | SHA-256 of the segments | "
      "seconds "
      "|\n");
  text += fmt::format("|---|---|---|---|---|---|\n");
  for (const MergedSweep& each : merged.sweeps) {
    text += fmt::format("| {} | {} | {} of {}{} | {} | {} | {:.1f} |\n", each.summary, each.dut,
                        golden::with_commas(each.compared), golden::with_commas(each.words),
                        each.may_be_open ? ", " + golden::with_commas(each.open) + " open" : "",
                        golden::with_commas(each.mismatches),
                        each.digest.empty() ? missing_text(each) : "`" + each.digest + "`",
                        each.seconds);
  }
  for (const LeftOut& each : merged.left_out) {
    text += fmt::format("\nNot compared: {}\n", text_of(each));
  }
  if (!merged.is_of_one_program) text.append("\n").append(verdict_of_programs(merged));
  return text;
}

std::string merged_json(const Merged& merged) {
  auto sweeps = nlohmann::ordered_json::array();
  for (const MergedSweep& each : merged.sweeps) sweeps.push_back(json_of(each));
  auto left_out = nlohmann::ordered_json::array();
  for (const LeftOut& each : merged.left_out) {
    left_out.push_back({{"conversion", each.conversion}, {"dut", each.dut}, {"why", each.why}});
  }
  const nlohmann::ordered_json json = {{"proven", merged.is_proven()},
                                       {"notes", merged.notes},
                                       {"left_out", left_out},
                                       {"sweeps", sweeps}};
  return golden::dumped(json, 2) + "\n";
}

}  // namespace mx::cli
