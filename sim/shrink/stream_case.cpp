#include "sim/shrink/stream_case.hpp"

#include <algorithm>
#include <cctype>

#include "sim/clocked/block_batch.hpp"
#include "sim/clocked/block_result.hpp"
#include "sim/clocked/device.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kKeepWord = std::size_t{2} * kLanes, kLastWord = kKeepWord + 1,
                      kWords = kLastWord + 1;
constexpr std::size_t kShownMismatches = 4;

/// A message up to its numbers of cycles and blocks, without digits.
std::string words_of(const std::string& message) {
  std::string words = message.substr(0, message.find(';'));
  std::erase_if(words, [](unsigned char c) { return std::isdigit(c) != 0; });
  return words;
}

std::vector<std::uint64_t> listed(StallSchedule schedule, std::uint64_t cycles) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    if (schedule.next()) list.push_back(cycle);
  }
  return list;
}

DriveOptions drive_of(const Case& failure, const StreamSetting& setting) {
  DriveOptions drive;
  drive.input_stall = failure.input_stall;
  drive.output_stall = failure.output_stall;
  drive.reset = failure.reset;
  drive.seed = setting.seed;
  drive.segment = setting.segment;
  drive.deadline = std::chrono::steady_clock::now() + setting.time_limit;
  return drive;
}

}  // namespace

bool StreamOutcome::fails_like(const StreamOutcome& other) const {
  return has_failed() && words_of(protocol) == words_of(other.protocol);
}

std::vector<Slot> stream_slots(const golden::Configuration& configuration) {
  const auto& config = std::get<QuantizerConfig>(configuration.what);
  const std::uint64_t random = (std::uint64_t{1} << config.element.random_bits) - 1;
  std::vector<Slot> slots(kWords);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    slots[lane] = {&config.source, config.source.code_mask(), 0};
    slots[kLanes + lane] = {nullptr, random, 0};
  }
  slots[kKeepWord] = {nullptr, kAllLanes, kAllLanes};
  slots[kLastWord] = {nullptr, 1, 0};
  return slots;
}

Case stream_case(const Configurations& configs, std::span<const BlockIn> blocks,
                 const DriveOptions& drive) {
  Case result{configs, {}, drive.input_stall, drive.output_stall, drive.reset};
  for (const BlockIn& block : blocks) {
    Question question{block.config, std::vector<std::uint64_t>(kWords)};
    std::ranges::copy(block.source, question.words.begin());
    std::ranges::copy(block.random, question.words.begin() + kLanes);
    question.words[kKeepWord] = block.keep;
    question.words[kLastWord] = block.last ? 1 : 0;
    result.questions.push_back(std::move(question));
  }
  return result;
}

std::vector<BlockIn> blocks_of(const Case& failure) {
  std::vector<BlockIn> blocks;
  for (const Question& question : failure.questions) {
    BlockIn block;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      block.source[lane] = static_cast<std::uint32_t>(question.words[lane]);
      block.random[lane] = static_cast<std::uint32_t>(question.words[kLanes + lane]);
    }
    block.config = question.config;
    block.keep = static_cast<std::uint32_t>(question.words[kKeepWord]);
    block.last = question.words[kLastWord] != 0;
    blocks.push_back(block);
  }
  return blocks;
}

Case with_listed_cycles(const Case& failure, const StreamSetting& setting, std::uint64_t cycles) {
  Case result = failure;
  const auto list = [&](StallPlan& plan, StreamUse side) {
    if (plan.kind == Stall::kNone) return;
    plan.cycles = listed(StallSchedule(plan, setting.seed, side, setting.segment), cycles);
    plan.kind = Stall::kAt;
  };
  list(result.input_stall, StreamUse::kInputStall);
  list(result.output_stall, StreamUse::kOutputStall);
  if (failure.reset.kind != ResetPlan::Kind::kNone) {
    ResetSchedule schedule(failure.reset, setting.seed, setting.segment);
    result.reset = {ResetPlan::Kind::kAt, {}};
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      if (schedule.due(cycle)) result.reset.cycles.push_back(cycle);
    }
  }
  return result;
}

StreamOutcome run_case(const Case& failure, const StreamSetting& setting) {
  const std::vector<BlockIn> blocks = blocks_of(failure);
  golden::VectorHeader header = block_header(failure.configs);
  header.count = blocks.size();
  RecordInput input;
  input.fill = [&, shape = header.shape()](std::uint64_t first, std::uint64_t last,
                                           golden::RecordBatch& batch) {
    batch.reset(shape, last - first);
    put_blocks(std::span(blocks).subspan(first, last - first), batch);
  };
  RecordRunOptions options;
  options.keep_mismatches = kShownMismatches;
  options.compare = setting.compare;
  options.observed = observed_of(setting.observed);
  options.waivers = setting.waivers.of_others(header);
  options.time_limit = setting.time_limit;
  ClockedTally ignored;
  ClockedDevice device(
      setting.make(), failure.configs, setting.seed,
      [&](std::uint32_t) { return drive_of(failure, setting); }, ignored);
  const RecordRun run = run_records(header, input, device, options);
  StreamOutcome outcome;
  outcome.protocol = run.protocol();
  for (const RecordMismatch& each : run.mismatches) {
    outcome.mismatches.push_back(mismatch_of(each, setting.compare));
    outcome.mismatches.back().previous.reset();
  }
  outcome.total = tally_of(run.verdict, {});
  return outcome;
}

}  // namespace mx::sim
