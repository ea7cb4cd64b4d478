#include "cli/run/cover.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cover/report.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/coverage/database.hpp"
#include "sim/coverage/stream_coverage.hpp"

namespace mx::cli {
namespace {

/// A configuration has some thousand bins.
constexpr std::size_t kMostConfigurations = 128;

}  // namespace

void require_coverable(const RunCommand& command, const RunInput& input) {
  if (command.cover.empty() || input.chosen <= kMostConfigurations) return;
  fail(Exit::kUsage,
       "--cover: the run has {} configurations, and coverage is kept of {}; choose fewer with "
       "--format, --source, --rounding or --rule",
       input.chosen, kMostConfigurations);
}

std::vector<golden::Covergroup> measure_coverage(const RunInput& input,
                                                 const sim::RunOptions& options,
                                                 const sim::RunResult& result,
                                                 std::string_view device) {
  if (result.checked() != result.declared || result.declared == 0) return {};
  const sim::BlockSource& source = *input.source;
  sim::StreamCoverage coverage(source.configs(), 0, static_cast<std::uint32_t>(input.chosen));
  sim::ReferenceModel model(source.configs());
  constexpr std::uint64_t kPiece = 1024;
  std::vector<sim::BlockIn> blocks(kPiece);
  for (const sim::BlockRange& range : sim::run_ranges(source.size(), options)) {
    for (std::uint64_t first = range.first; first < range.last; first += kPiece) {
      const auto now = std::span(blocks).first(std::min(kPiece, range.last - first));
      source.fill(first, now);
      for (const sim::BlockIn& block : now) {
        sim::BlockOut expected;
        model.answer(block, expected);
        coverage.sample(block, expected, model.open(block, expected));
      }
    }
  }
  std::vector<golden::Covergroup> groups = coverage.groups();
  if (result.protocol) groups.push_back(result.protocol->group(device));
  return groups;
}

std::string write_coverage(const RunCommand& command,
                           const std::vector<golden::Covergroup>& groups) {
  if (groups.empty()) return "coverage: not measured, the run did not compare all its blocks\n";
  golden::write_file(command.cover, golden::coverage_json(groups));
  golden::Score score;
  for (const golden::Covergroup& group : groups) score += group.score();
  const auto is_protocol = [](const golden::Covergroup& group) {
    return group.configuration.starts_with("protocol;");
  };
  const auto protocols = std::ranges::count_if(groups, is_protocol);
  return fmt::format(
      "coverage {} of {} configurations{}: {} of {} bins hit, {} unreachable; in {}\n",
      percent(score), std::ssize(groups) - protocols, protocols != 0 ? " and the protocol" : "",
      golden::with_commas(score.hit), golden::with_commas(score.bins),
      golden::with_commas(score.unreachable), command.cover);
}

}  // namespace mx::cli
