#include "sim/mutate/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "sim/block/model.hpp"
#include "sim/mutate/netlist_dut.hpp"
#include "sim/report/run.hpp"
#include "sim/stimulus/suite_parts.hpp"

namespace mx::sim {
namespace {

// Blocks of the suite that come before everything else: most mutants fall here.
constexpr std::uint64_t kFirstBlocks = 512;
constexpr std::uint32_t kSegmentBlocks = 2048;
// Segments of the suite after the walks: a turn of all stalls and resets.
constexpr std::uint64_t kMixedSegments = 16;

/// Every format, rounding, rule and source of the configuration word.
Configurations all_configurations(int random_bits) {
  Selection all = Selection::all();
  all.roundings.assign(golden::kRoundingCodes.begin(), golden::kRoundingCodes.end());
  all.roundings.push_back(Rounding::kStochasticA);
  all.rules.assign(golden::kRuleCodes.begin(), golden::kRuleCodes.end());
  return all.configurations(random_bits);
}

/// A block of 32 as two of 16 in the lower lanes.
std::vector<BlockIn> halves_of(const std::vector<BlockIn>& blocks) {
  constexpr std::size_t kHalf = kLanes / 2;
  std::vector<BlockIn> halves;
  halves.reserve(2 * blocks.size());
  for (const BlockIn& block : blocks) {
    for (const std::size_t first : {std::size_t{0}, kHalf}) {
      BlockIn& half = halves.emplace_back();
      std::copy_n(block.source.begin() + static_cast<std::ptrdiff_t>(first), kHalf,
                  half.source.begin());
      std::copy_n(block.random.begin() + static_cast<std::ptrdiff_t>(first), kHalf,
                  half.random.begin());
      half.config = block.config;
      half.keep = block.keep >> first & 0xFFFF;
      half.last = block.last;
    }
  }
  return halves;
}

DriveOptions full_speed(std::uint64_t seed) {
  DriveOptions drive;
  drive.seed = seed;
  return drive;
}

struct Caught {
  std::size_t at;
  std::string what;
};

std::string difference(const BlockOut& expected, const BlockOut& actual) {
  if (expected.status != actual.status) {
    return fmt::format("status {:04X}, expected {:04X}", actual.status, expected.status);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (expected.codes[lane] != actual.codes[lane]) {
      return fmt::format("lane {}: code {:02X}, expected {:02X}", lane, actual.codes[lane],
                         expected.codes[lane]);
    }
  }
  if (expected.keep != actual.keep) {
    return fmt::format("keep {:08X}, expected {:08X}", actual.keep, expected.keep);
  }
  return fmt::format("last {}, expected {}", actual.last, expected.last);
}

}  // namespace

TrialStimulus::TrialStimulus(const NetlistBuild& build, std::uint64_t seed)
    : build_(build), seed_(seed) {
  SuiteOptions options;
  options.configs = all_configurations(options.random_bits);
  options.seed = seed;
  suite_ = std::make_unique<SuiteSource>(options);
  std::vector<BlockIn> first(std::min(kFirstBlocks, suite_->size()));
  suite_->fill(0, first);
  add("first blocks of the suite", full_speed(seed), std::move(first));
  first_segments_ = segments_.size();
  add_walks(options);
  add_suite(0, kMixedSegments);
  most_segments_ = segments_.size() - first_segments_;
}

TrialStimulus::~TrialStimulus() = default;

void TrialStimulus::complete() { add_suite(kMixedSegments, ~std::uint64_t{0}); }

std::span<const TrialStimulus::Segment> TrialStimulus::segments_of(Portion portion) const {
  const std::span all(segments_);
  if (portion == Portion::kFirst) return all.first(first_segments_);
  if (portion == Portion::kMost) return all.subspan(first_segments_, most_segments_);
  return all.subspan(first_segments_ + most_segments_);
}

void TrialStimulus::add(std::string name, const DriveOptions& drive, std::vector<BlockIn> blocks) {
  if (build_.block == kLanes / 2) blocks = halves_of(blocks);
  Segment& segment = segments_.emplace_back();
  segment.drive = drive;
  segment.first = blocks_;
  segment.name = std::move(name);
  segment.blocks = std::move(blocks);
  segment.expected.resize(segment.blocks.size());
  ReferenceModel model(suite_->configs());
  for (std::size_t i = 0; i < segment.blocks.size(); ++i) {
    model.answer(segment.blocks[i], segment.expected[i]);
  }
  blocks_ += segment.blocks.size();
}

void TrialStimulus::add_walks(const SuiteOptions& options) {
  const SuiteParts parts = make_parts(options);
  golden::RecordBatch batch;
  for (const Part& part : parts.parts) {
    if (!part.name().starts_with("walk")) continue;
    std::vector<BlockIn> blocks(part.size());
    part.fill(0, blocks, batch);
    add(part.name(), full_speed(seed_), std::move(blocks));
  }
}

void TrialStimulus::add_suite(std::uint64_t first_segment, std::uint64_t last_segment) {
  RunOptions mixed;
  mixed.seed = seed_;
  const std::uint64_t count = (suite_->size() + kSegmentBlocks - 1) / kSegmentBlocks;
  for (std::uint64_t s = first_segment; s < std::min(last_segment, count); ++s) {
    const std::uint64_t first = s * kSegmentBlocks;
    std::vector<BlockIn> blocks(std::min<std::uint64_t>(kSegmentBlocks, suite_->size() - first));
    suite_->fill(first, blocks);
    const auto number = static_cast<std::uint32_t>(s);
    add(fmt::format("segment {} of the suite", s), drive_of_segment(mixed, number),
        std::move(blocks));
  }
}

std::optional<Kill> TrialStimulus::try_mutant(const NetlistLibrary& library, int number,
                                              Portion portion, Comparison comparison) const {
  NetlistDut dut(library, build_, number);
  dut.configure({suite_->configs(), seed_});
  for (const Segment& segment : segments_of(portion)) {
    std::size_t at = 0;
    try {
      drive(dut, segment.blocks, segment.drive, [&](std::size_t i, const BlockOut& answer) {
        at = i;
        if (comparison == Comparison::kAbsent || answer == segment.expected[i]) return;
        throw Caught{i, difference(segment.expected[i], answer)};
      });
    } catch (const Caught& caught) {
      return Kill{segment.first + caught.at, fmt::format("{}, block {}", segment.name, caught.at),
                  caught.what};
    } catch (const DutError& error) {
      return Kill{segment.first + at, fmt::format("{}, near block {}", segment.name, at),
                  error.what()};
    }
  }
  return std::nullopt;
}

}  // namespace mx::sim
