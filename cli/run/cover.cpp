#include "cli/run/cover.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cover/report.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/coverage/collector.hpp"
#include "golden/coverage/database.hpp"
#include "sim/coverage/stream_coverage.hpp"

namespace mx::cli {
namespace {

/// A configuration has some thousand bins.
constexpr std::size_t kMostConfigurations = 128;

}  // namespace

void require_coverable(const RunCommand& command, std::size_t configurations) {
  if (command.cover.empty() || configurations <= kMostConfigurations) return;
  fail(Exit::kUsage,
       "--cover: the run has {} configurations, and coverage is kept of {}; choose fewer with "
       "--format, --source, --rounding or --rule",
       configurations, kMostConfigurations);
}

void require_coverable(const RunCommand& command, const RunInput& input) {
  require_coverable(command, input.chosen);
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

std::vector<golden::Covergroup> measure_records(const golden::VectorHeader& header,
                                                const sim::RecordInput& input,
                                                const sim::RecordRunOptions& options,
                                                const sim::RecordRun& run,
                                                const sim::RecordDevice& device) {
  if (run.verdict.vectors != run.declared || run.declared == 0) return {};
  std::vector<golden::Covergroup> groups;
  std::vector<std::unique_ptr<golden::Collector>> collectors;
  for (std::size_t c = 0; c < header.configs.size(); ++c) {
    collectors.push_back(golden::make_collector(header, c));
    groups.push_back(golden::group_of(header, c));
  }
  golden::ReferenceAnswerer reference(header);
  const auto lanes = static_cast<std::size_t>(header.lanes);
  std::vector<std::uint64_t> words((lanes + 2 + 7) / 8);
  constexpr std::uint64_t kPiece = 1024;
  const std::uint64_t last = options.first + header.count;
  golden::RecordBatch batch;
  for (std::uint64_t first = options.first; first < last; first += kPiece) {
    input.fill(first, std::min(last, first + kPiece), batch);
    if (!input.has_answers) reference.answer(batch, 0, batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      golden::OpenAnswer open = reference.open(batch, i);
      open.scale = open.scale || !options.observed.has(golden::Field::kScale);
      open.flags = open.flags || !options.observed.has(golden::Field::kFlags);
      open.codes = open.codes || !options.observed.has(golden::Field::kCode);
      open.lanes.resize(lanes, false);
      golden::store_open(open, words);
      collectors[batch.config(i)]->sample(batch, i, golden::NotCompared(words));
      ++groups[batch.config(i)].samples;
    }
  }
  for (std::size_t c = 0; c < groups.size(); ++c) groups[c].points = collectors[c]->points();
  if (auto protocol = device.protocol()) groups.push_back(std::move(*protocol));
  return groups;
}

std::string write_coverage(const RunCommand& command,
                           const std::vector<golden::Covergroup>& groups) {
  if (groups.empty()) return "coverage: not measured, the run did not compare all it was given\n";
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
