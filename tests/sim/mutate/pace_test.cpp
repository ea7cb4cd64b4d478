// The declared pace of a device: what the models say of cycles, and devices that keep it or not.
#include "sim/dut/pace.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/drive/driver.hpp"
#include "sim/dut/queue.hpp"

namespace mx::sim {
namespace {

/// Drives a pace by letters, a cycle each: 'b' a beat is offered, 'e' the last one of its block,
/// '.' nothing; upper case: the receiver is not ready. Gives a letter for each cycle: 't' the pace
/// takes, 's' it shows, 'x' both, '-' neither.
std::string cycles_of(Pace& pace, std::string_view inputs) {
  std::string shown;
  pace.reset();
  for (const char c : inputs) {
    const bool takes = pace.takes();
    const bool shows = pace.shows();
    shown += takes && shows ? 'x' : takes ? 't' : shows ? 's' : '-';
    const bool is_offered = c != '.' && c != ':';
    const bool ends = c == 'e' || c == 'E';
    pace.clock({is_offered && takes, ends, c == 'b' || c == 'e' || c == '.'});
  }
  return shown;
}

TEST(Pace, OfStages) {
  StagesPace pace(3);
  EXPECT_EQ(cycles_of(pace, "e......"), "tttxttt");
  EXPECT_EQ(cycles_of(pace, "eeeeee...."), "tttxxxxxxt") << "a beat each cycle";
  // ':' is a stall. Nothing waits: it costs nothing. A beat waits: gaps behind it close up.
  EXPECT_EQ(cycles_of(pace, "e::...."), "tttxttt");
  EXPECT_EQ(cycles_of(pace, "ee.::..."), "tttxxxxt");
  // Without gaps the spare entry takes one beat more, and the last stage stands still a cycle.
  EXPECT_EQ(cycles_of(pace, "eeeEEee..."), "tttxssxxxx");
}

TEST(Pace, OfAQueue) {
  QueuePace pace(2, 3);
  EXPECT_EQ(cycles_of(pace, "e....."), "ttxttt");
  EXPECT_EQ(cycles_of(pace, "EEEEE.."), "ttxsssx") << "it fills while the receiver waits";
}

TEST(Pace, OfAStoreOfTwoBlocks) {
  StorePace pace(1, 1);
  // In the stage, in the store, in the stage behind: three cycles after the last beat of a block.
  EXPECT_EQ(cycles_of(pace, "be......"), "ttttxxtt");
  EXPECT_EQ(cycles_of(pace, "e......."), "tttxtttt") << "a short block";
  EXPECT_EQ(cycles_of(pace, "bebebe......"), "ttttxxxxxxtt") << "a beat each cycle";
  // One behind, one spare, two halves, one in the stage: five blocks fit.
  EXPECT_EQ(cycles_of(pace, "EEEEEE"), "tttxxs");
  // A gap before the full store closes up, so that as many fit with it as without.
  StorePace longer(2, 1);
  EXPECT_EQ(cycles_of(longer, "EEEEEEE"), "ttttxxs");
  EXPECT_EQ(cycles_of(longer, "EEEE:EEE"), "ttttxxxs");
}

enum class Declared : std::uint8_t { kNothing, kSevenAndEight };

/// A queue that declares another pace than it may have.
class Paced : public QueueDut {
 public:
  Paced(std::uint64_t latency, std::size_t depth, Declared declared = Declared::kSevenAndEight)
      : QueueDut(latency, depth), declared_(declared) {}
  [[nodiscard]] std::string_view name() const override { return "paced"; }
  [[nodiscard]] std::unique_ptr<Pace> pace() const override {
    return declared_ == Declared::kNothing ? nullptr : std::make_unique<QueuePace>(7, 8);
  }

 private:
  void compute(const BlockIn& block, BlockOut& out) override { out = {.last = block.last}; }

  Declared declared_;
};

/// What the driver says of it; "" for nothing.
std::string said_of(Paced& dut, const DriveOptions& options) {
  const std::vector<BlockIn> blocks(300);
  try {
    drive(dut, blocks, options, [](std::size_t, const BlockOut&) {});
  } catch (const DutError& error) {
    return error.what();
  }
  return {};
}

TEST(Pace, IsAskedOfTheDeviceThatDeclaresIt) {
  DriveOptions stalled;
  stalled.input_stall = Stall::kLight;
  stalled.output_stall = Stall::kRandom;
  stalled.reset = ResetPlan::parse("random").value();
  for (const DriveOptions& options : {DriveOptions(), stalled}) {
    Paced right(7, 8);
    EXPECT_EQ(said_of(right, options), "");
    Paced silent(9, 3, Declared::kNothing);
    EXPECT_EQ(said_of(silent, options), "") << "no pace, no promise";
    Paced late(8, 9);
    EXPECT_NE(said_of(late, options).find("an answer is later than the declared pace has it"),
              std::string::npos)
        << said_of(late, options);
    Paced early(6, 8);
    EXPECT_NE(said_of(early, options).find("an answer is earlier"), std::string::npos);
    Paced shallow(7, 4);
    EXPECT_NE(said_of(shallow, options).find("not taken"), std::string::npos);
    EXPECT_NE(said_of(shallow, options).find("a block is taken in every cycle (spec R6)"),
              std::string::npos);
    Paced deep(7, 12);
    const bool fills = options.output_stall.kind != Stall::kNone;
    EXPECT_EQ(said_of(deep, options).find("has no place") != std::string::npos, fills);
  }
}

}  // namespace
}  // namespace mx::sim
