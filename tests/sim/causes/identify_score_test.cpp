// SPDX-License-Identifier: Apache-2.0
// The score of identify: every fault of the list makes a log, as a user has one, and what the
// answer names must make every record of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden/identify/implementation_log.hpp"
#include "golden/questions/identification.hpp"
#include "sim/block/faulty_model.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

constexpr std::size_t kRecords = 64;

/// Blocks of one configuration, with the answers of a fault; nullptr: the right ones.
struct Log {
  golden::ImplementationLog log;
  std::size_t wrong = 0;
};

Log log_of(const Fault* fault, const golden::Configuration& configuration) {
  SuiteOptions options;
  options.configs = {configuration};
  options.extras = ExtraPolicies::kAbsent;
  const SuiteSource suite(options);
  const auto& config = std::get<QuantizerConfig>(configuration.what);
  Log made;
  made.log.surface = {
      .source = config.source, .is_block = true, .destination = {}, .block = config.format};
  ReferenceModel reference(suite.configs());
  std::optional<FaultyModel> faulty;
  if (fault != nullptr) faulty.emplace(*fault, suite.configs());
  // Every second block has one before it that is no record.
  const std::uint64_t step = suite.size() / kRecords;
  for (std::uint64_t i = 1; i + 1 < suite.size() && made.log.records.size() < kRecords; i += step) {
    std::array<BlockIn, 2> blocks;
    suite.fill(i - 1, blocks);
    const BlockIn& block = blocks[1];
    if (block.keep != kAllLanes) continue;
    BlockOut right, given;
    reference.answer(block, right);
    given = right;
    if (faulty) faulty->answer(block, &blocks[0], given);
    if (given.codes != right.codes || given.scale() != right.scale()) ++made.wrong;
    golden::LogRecord& record = made.log.records.emplace_back();
    record.input.lanes.assign(block.source.begin(), block.source.end());
    record.answer.scale = given.scale();
    record.answer.codes.assign(given.codes.begin(), given.codes.end());
    record.line = made.log.records.size();
  }
  return made;
}

bool is_plain(const golden::Configuration& configuration) {
  const auto& config = std::get<QuantizerConfig>(configuration.what);
  return config.source == formats::fp32 && !is_stochastic(config.element.rounding) &&
         config.format.block_size == kLanes;
}

/// The first configuration in which a fault is seen, of those that a user has most.
std::optional<Log> seen_log_of(const Fault& fault, const Configurations& configurations) {
  for (const golden::Configuration& each : configurations) {
    Log log = log_of(&fault, each);
    if (log.wrong != 0) return log;
  }
  return {};
}

golden::Answer answer_to(const golden::ImplementationLog& log) {
  return golden::identified(log, 2, golden::Spelling::kOptions);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(IdentifyScore, OfTheFaultList) {
  SuiteOptions all;
  Configurations configurations;
  for (const golden::Configuration& each : Selection::all().configurations(all.random_bits)) {
    if (is_plain(each)) configurations.push_back(each);
  }
  ASSERT_FALSE(configurations.empty());
  std::size_t named = 0;
  std::size_t seen = 0;
  for (const Fault& fault : all_faults()) {
    if (fault.port != PortFault::kNone) continue;
    const std::optional<Log> log = seen_log_of(fault, configurations);
    if (!log) {
      fmt::print("  {:<34} shows in no code and no scale of a log\n", fault.token);
      continue;
    }
    ++seen;
    const golden::Answer answer = answer_to(log->log);
    if (answer.holds) ++named;
    if (!answer.holds) fmt::print("  {:<34} {}\n", fault.token, first_line(answer.text));
  }
  fmt::print("identify: {} of {} faults that show in a log are explained\n", named, seen);
  EXPECT_GE(100 * named, 80 * seen);
}

// The control: right answers are those of a profile, and are called nothing else.
TEST(IdentifyScore, RightAnswersAreAProfiles) {
  SuiteOptions all;
  std::size_t tried = 0;
  for (const golden::Configuration& each : Selection::all().configurations(all.random_bits)) {
    const auto& config = std::get<QuantizerConfig>(each.what);
    const bool is_usual =
        config.element.rounding == Rounding::kTiesToEven && config.block.rule == ScaleRule::kFloor;
    if (!is_plain(each) || !is_usual) continue;
    if (++tried > 6) break;
    const golden::Answer answer = answer_to(log_of(nullptr, each).log);
    EXPECT_TRUE(answer.holds) << answer.text;
    EXPECT_EQ(first_line(answer.text).find("no profile"), std::string::npos) << answer.text;
  }
  EXPECT_GT(tried, 0U);
}

}  // namespace
}  // namespace mx::sim::test
