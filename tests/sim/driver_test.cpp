// What the driver does to a device's pins: noise where nothing is offered, cycle by cycle.
#include "sim/drive/driver.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sim/dut/noise.hpp"
#include "sim/dut/queue.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

struct Record {
  std::vector<Reset> resets;
  std::vector<std::uint64_t> noise;  // by cycle
  std::size_t last_answer = 0;       // cycles up to it
};

/// Answers whatever it gets and writes down what its pins were told.
class Recorder : public QueueDut {
 public:
  explicit Recorder(std::uint64_t latency) : QueueDut(latency, latency + 1) {}
  [[nodiscard]] std::string_view name() const override { return "recorder"; }
  void reset(const Reset& reset) override {
    QueueDut::reset(reset);
    record_.resets.push_back(reset);
  }
  void tick(const Drive& drive, Observed& observed) override {
    record_.noise.push_back(drive.noise);
    QueueDut::tick(drive, observed);
    if (observed.valid && drive.ready) record_.last_answer = record_.noise.size();
  }
  [[nodiscard]] const Record& record() const { return record_; }

 private:
  void compute(const BlockIn& block, BlockOut& out) override { out = {.last = block.last}; }

  Record record_;
};

Record driven(const DriveOptions& options, std::uint64_t latency = 7) {
  Recorder dut(latency);
  const std::vector<BlockIn> blocks(400);
  drive(dut, blocks, options, [](std::size_t, const BlockOut&) {});
  return dut.record();
}

TEST(Driver, NoiseIsAFunctionOfSeedSegmentAndCycle) {
  DriveOptions options;
  options.input_stall = Stall::kRandom;
  options.seed = 5;
  const std::vector<std::uint64_t> noise = driven(options).noise;
  EXPECT_EQ(driven(options).noise, noise);
  EXPECT_EQ(std::set(noise.begin(), noise.end()).size(), noise.size()) << "every cycle its own";
  // What the device does, when it takes a block for example, changes nothing.
  const std::vector<std::uint64_t> slower = driven(options, 30).noise;
  ASSERT_GE(slower.size(), noise.size());
  EXPECT_TRUE(std::equal(noise.begin(), noise.end(), slower.begin()));
  options.seed = 6;
  EXPECT_NE(driven(options).noise, noise);
  options.seed = 5;
  options.segment = 1;
  EXPECT_NE(driven(options).noise, noise);
}

TEST(Driver, ResetsHaveNoiseOfTheirOwn) {
  DriveOptions options;
  options.reset = *ResetPlan::parse("sweep");
  const Record dut = driven(options);
  std::set<std::uint64_t> all(dut.noise.begin(), dut.noise.end());
  for (const Reset& reset : dut.resets) EXPECT_TRUE(all.insert(reset.noise).second);
}

TEST(Driver, NoiseTogglesEveryBit) {
  std::uint32_t ones = 0;
  std::uint32_t zeros = 0;
  for (std::uint64_t cycle = 0; cycle < 64; ++cycle) {
    const std::uint32_t word = Noise(cycle).next();
    ones |= word;
    zeros |= ~word;
  }
  EXPECT_EQ(ones, ~0U);
  EXPECT_EQ(zeros, ~0U);
}

TEST(Driver, DrainsLongerThanABlockIsOnItsWay) {
  for (const std::uint64_t latency : {1U, 7U, 100U}) {
    const Record dut = driven({}, latency);
    EXPECT_GT(dut.noise.size() - dut.last_answer, latency);
  }
}

/// What the driver says of a reference with a fault, at the ports alone.
std::string finding(const char* fault, Stall stall) {
  ReferenceDut dut(find_fault(fault));
  const Configurations configs{test::told(0)};
  dut.configure({configs, 0});
  DriveOptions options;
  options.output_stall = stall;
  const std::vector<BlockIn> blocks(400);
  try {
    drive(dut, blocks, options, [](std::size_t, const BlockOut&) {});
  } catch (const DutError& error) {
    return error.what();
  }
  return "";
}

TEST(Driver, FindsValidThatWaitsForReadyWhereThereAreStalls) {
  for (const char* fault : {"valid_waits", "valid_waits_late"}) {
    for (const Stall stall : {Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
      EXPECT_NE(finding(fault, stall).find("valid waits for ready"), std::string::npos)
          << fault << ' ' << token_of(stall) << ": " << finding(fault, stall);
    }
  }
  EXPECT_EQ(finding("none", Stall::kHeavy), "");
  // A device that hangs waits for nothing.
  EXPECT_NE(finding("hang", Stall::kHeavy).find("no progress"), std::string::npos);
}

/// A device with pins: what it shows follows ready as the members say.
class Pins : public QueueDut {
 public:
  /// Whether its ready waits for valid, and whether it promises that it does not.
  struct Waiting {
    bool waits = false;
    bool promises = true;
  };
  Pins(bool valid_follows, bool ready_follows, Waiting waiting)
      : valid_follows_(valid_follows), ready_follows_(ready_follows), waiting_(waiting) {}
  [[nodiscard]] std::string_view name() const override { return "pins"; }
  void tick(const Drive& drive, Observed& observed) override {
    static_cast<void>(peek(drive, observed));
    Drive seen = drive;
    if (!observed.ready) seen.offer = nullptr;
    if (!observed.valid) seen.ready = false;
    Observed taken;
    QueueDut::tick(seen, taken);
  }
  [[nodiscard]] bool peek(const Drive& drive, Observed& observed) override {
    observed.ready = in_flight_.size() < 8 && (drive.ready || !ready_follows_) &&
                     (drive.offer != nullptr || !waiting_.waits);
    observed.valid = !in_flight_.empty() && in_flight_.front().due <= now_ + 1 &&
                     (drive.ready || !valid_follows_);
    if (observed.valid) observed.block = in_flight_.front().answer;
    return true;
  }
  [[nodiscard]] bool ready_is_registered() const override { return true; }
  [[nodiscard]] bool ready_is_free() const override { return waiting_.promises; }

 private:
  void compute(const BlockIn& block, BlockOut& out) override { out = {.last = block.last}; }

  bool valid_follows_;
  bool ready_follows_;
  Waiting waiting_;
};

std::string finding_of_pins(bool valid_follows, bool ready_follows, Pins::Waiting waiting = {},
                            Stall input_stall = Stall::kNone) {
  Pins dut(valid_follows, ready_follows, waiting);
  DriveOptions options;
  options.input_stall = input_stall;
  const std::vector<BlockIn> blocks(400);
  try {
    drive(dut, blocks, options, [](std::size_t, const BlockOut&) {});
  } catch (const DutError& error) {
    return error.what();
  }
  return "";
}

// Seen without a stall too, where the device can show a cycle under the other ready.
TEST(Driver, FindsPathsFromReady) {
  EXPECT_EQ(finding_of_pins(false, false), "");
  EXPECT_NE(finding_of_pins(true, false).find("valid waits for ready"), std::string::npos);
  EXPECT_NE(finding_of_pins(false, true).find("without the register"), std::string::npos);
}

// On an idle bus and on a busy one, of a device that promises it alone.
TEST(Driver, FindsReadyThatWaitsForValidAtOnceWhereTheDevicePromisesNot) {
  for (const Stall stall : {Stall::kNone, Stall::kHeavy}) {
    const std::string found = finding_of_pins(false, false, {.waits = true}, stall);
    EXPECT_NE(found.find("ready never waits for valid of its port"), std::string::npos) << found;
    EXPECT_EQ(finding_of_pins(false, false, {}, stall), "");
    EXPECT_EQ(finding_of_pins(false, false, {.waits = true, .promises = false}, stall), "");
  }
}

}  // namespace
}  // namespace mx::sim
