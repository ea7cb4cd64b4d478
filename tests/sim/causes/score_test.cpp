// SPDX-License-Identifier: Apache-2.0
// The score of causes: every fault of the list is a device, and what a run prints of it is judged
// on blocks that the search for causes has not seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden/deviation/deviating_device.hpp"
#include "sim/block/faulty_model.hpp"
#include "sim/causes/causes.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/record/causes.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

/// What a run that ends after so many wrong answers says of a device.
enum class Score : std::uint8_t {
  kNamed,     ///< causes that make all wrong answers, none of which a right one contradicts
  kPartly,    ///< some of the wrong answers are made by no cause
  kNotNamed,  ///< what differences have in common, and no more
  kWrong      ///< a cause that right answers contradict
};

constexpr std::size_t kWrongAnswers = 128;

/// A block of the suite with the right answer and that of a fault.
struct Asked {
  BlockIn block, previous;
  BlockOut right, given;
};

/// Blocks that are spread over the suite, as the fault answers them.
std::vector<Asked> asked_of(const Fault& fault) {
  constexpr std::uint64_t kStep = 211;
  ReferenceModel reference(smoke().configs());
  FaultyModel faulty(fault, smoke().configs());
  std::vector<Asked> all;
  for (std::uint64_t i = kStep; i + 1 < smoke().size(); i += kStep) {
    std::array<BlockIn, 2> blocks;
    smoke().fill(i - 1, blocks);
    Asked& asked = all.emplace_back(Asked{blocks[1], blocks[0], {}, {}});
    reference.answer(asked.block, asked.right);
    faulty.answer(asked.block, &asked.previous, asked.given);
  }
  return all;
}

/// The devices that a cause names: a fault, or deviations.
class NamedDevice {
 public:
  NamedDevice(const golden::VectorHeader& header, const Cause& cause) : records_(header) {
    const std::string_view text = cause.text;
    for (const Fault& fault : all_faults()) {
      if (text.find(fmt::format("as {} does", fault.token)) == std::string::npos) continue;
      faults_.emplace_back(fault, header.configs);
    }
    if (!cause.as.empty()) deviation_.emplace(header, cause.as);
  }
  [[nodiscard]] bool names_nothing() const { return faults_.empty() && !deviation_; }
  /// Does it give the answer that the device gave?
  [[nodiscard]] bool gives(const Asked& asked) {
    for (FaultyModel& fault : faults_) {
      BlockOut answer;
      fault.answer(asked.block, &asked.previous, answer);
      if (agrees(Compare::kNormative, answer, {}, asked.given)) return true;
    }
    if (!deviation_) return false;
    const BlockRecord& record =
        records_.of(asked.block, asked.right, {}, asked.given, Compare::kNormative);
    return deviation_->gives(record.expected, record.actual, 0, record.open);
  }

 private:
  BlockRecords records_;
  std::vector<FaultyModel> faults_;
  std::optional<golden::DeviatingDevice> deviation_;
};

Score score_of(const std::vector<Cause>& causes, const golden::VectorHeader& header,
               const std::vector<Asked>& all) {
  std::vector<NamedDevice> devices;
  for (const Cause& cause : causes) devices.emplace_back(header, cause);
  std::erase_if(devices, [](const NamedDevice& each) { return each.names_nothing(); });
  if (devices.empty()) return Score::kNotNamed;
  bool is_whole = devices.size() == causes.size();
  for (const Asked& asked : all) {
    const auto gives = [&](NamedDevice& each) { return each.gives(asked); };
    if (agrees(Compare::kNormative, asked.right, {}, asked.given)) {
      if (!std::ranges::all_of(devices, gives)) return Score::kWrong;
    } else {
      is_whole = is_whole && std::ranges::any_of(devices, gives);
    }
  }
  return is_whole ? Score::kNamed : Score::kPartly;
}

/// Counts by score, with the faults that are not named.
class Table {
 public:
  void add(std::string_view token, Score score, const std::vector<Cause>& causes) {
    ++counts_[score];
    if (score == Score::kNamed) return;
    constexpr std::array kWords = {"named", "partly", "not named", "WRONG"};
    fmt::print("  {:<34} {:<9} {}\n", token, kWords[static_cast<std::size_t>(score)],
               causes.empty() ? std::string("none") : causes[0].text);
  }
  [[nodiscard]] std::size_t count(Score score) const {
    const auto found = counts_.find(score);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t all() const {
    std::size_t sum = 0;
    for (const auto& [score, count] : counts_) sum += count;
    return sum;
  }
  void print(std::string_view title) const {
    fmt::print("{}: {} of {} named, {} partly, {} not named, {} named wrongly\n", title,
               count(Score::kNamed), all(), count(Score::kPartly), count(Score::kNotNamed),
               count(Score::kWrong));
  }

 private:
  std::map<Score, std::size_t> counts_;
};

/// Every fault that computes, once as a stream and once as records: what a device of somebody
/// else's, an answer file too, is seen as.
TEST(CauseScore, OfTheFaultList) {
  const golden::VectorHeader header = block_header(smoke().configs());
  Table streams, records;
  for (const Fault& fault : all_faults()) {
    if (fault.port != PortFault::kNone) continue;
    RunOptions options;
    options.keep_mismatches = kWrongAnswers;
    options.stop_after = kWrongAnswers;
    const RunResult result = run(smoke(), reference_with(&fault), options);
    ASSERT_FALSE(result.mismatches.empty()) << fault.token;
    const std::vector<Asked> all = asked_of(fault);
    const auto of_stream = causes_of(result.mismatches, result.right, result.configs);
    streams.add(fault.token, score_of(of_stream, header, all), of_stream);
    // Records of files have no such bit.
    if (fault.token == "last_lost") continue;
    const auto of_records = record_causes(header, result.records.mismatches, result.records.right);
    records.add(fault.token, score_of(of_records, header, all), of_records);
  }
  streams.print("streams");
  records.print("records");
  for (const Table& table : {streams, records}) {
    EXPECT_EQ(table.count(Score::kWrong), 0U);
    EXPECT_GE(100 * table.count(Score::kNamed), 95 * table.all());
  }
}

}  // namespace
}  // namespace mx::sim::test
