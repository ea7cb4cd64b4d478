// The parts of the bench that device files are compiled with: bits of wide ports, words in lanes,
// beats and packed slots, codes that a field does not have.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/bench/collect.hpp"
#include "sim/bench/feed.hpp"
#include "sim/bench/schedule.hpp"
#include "sim/dut/noise.hpp"

namespace mx::bench {
namespace {

TEST(Bits, GoInAndOutAtEveryPlaceAndWidth) {
  sim::Noise noise(7);
  for (unsigned at = 0; at < 70; ++at) {
    for (unsigned width = 1; width <= 64; ++width) {
      Bits bits(5);
      for (std::uint32_t& word : bits) word = noise.next();
      const Bits before = bits;
      const std::uint64_t value = noise.next() | std::uint64_t{noise.next()} << 32;
      set_bits(bits, at, width, value);
      ASSERT_EQ(get_bits(bits, at, width), value & low_mask(width)) << at << ' ' << width;
      for (unsigned bit = 0; bit < 160; ++bit) {
        if (bit >= at && bit < at + width) continue;
        ASSERT_EQ(get_bits(bits, bit, 1), get_bits(before, bit, 1)) << at << ' ' << width;
      }
    }
  }
}

// Nothing of a segment's schedule is left in the one after it: every other one is at full speed,
// resets are in the first two of eight, and only a segment with resets begins with one.
TEST(Schedules, OfMixedRunsAreTheirTurnsAlone) {
  using sim::Stall;
  using Reset = sim::ResetPlan::Kind;
  struct Turn {
    Stall input, output;
    Reset reset;
  };
  constexpr Turn kTurns[kSchedules] = {
      {Stall::kRandom, Stall::kRandom, Reset::kRandom}, {Stall::kNone, Stall::kNone, Reset::kSweep},
      {Stall::kLight, Stall::kLight, Reset::kNone},     {Stall::kNone, Stall::kNone, Reset::kNone},
      {Stall::kNone, Stall::kHeavy, Reset::kNone},      {Stall::kNone, Stall::kNone, Reset::kNone},
      {Stall::kHeavy, Stall::kNone, Reset::kNone},      {Stall::kNone, Stall::kNone, Reset::kNone}};
  for (std::uint32_t segment = 0; segment < 3 * kSchedules; ++segment) {
    const Schedule schedule = schedule_of(9, segment, "mix", "mix");
    const Turn& turn = kTurns[segment % kSchedules];
    EXPECT_EQ(schedule.input_stall.kind, turn.input) << segment;
    EXPECT_EQ(schedule.output_stall.kind, turn.output) << segment;
    EXPECT_EQ(schedule.reset.kind, turn.reset) << segment;
    EXPECT_EQ(schedule.begins_with_reset, segment % kSchedules < 2) << segment;
    EXPECT_EQ(schedule.seed, 9U);
    EXPECT_EQ(schedule.segment, segment);
  }
}

TEST(Schedules, ThatWereAskedForHoldInEverySegment) {
  for (std::uint32_t segment = 0; segment < 2 * kSchedules; ++segment) {
    const Schedule heavy = schedule_of(1, segment, "heavy", "none");
    EXPECT_EQ(heavy.input_stall.kind, sim::Stall::kHeavy);
    EXPECT_EQ(heavy.output_stall.kind, sim::Stall::kHeavy);
    EXPECT_EQ(heavy.begins_with_reset, segment == 0) << segment;
    const Schedule at = schedule_of(1, segment, "none", "3,9");
    EXPECT_EQ(at.output_stall.kind, sim::Stall::kNone);
    EXPECT_EQ(at.reset.cycles, (std::vector<std::uint64_t>{3, 9}));
    EXPECT_TRUE(at.begins_with_reset);
  }
}

// Small runs meet all schedules, long ones come back to them.
TEST(Schedules, AreAllMetByRunsOf256AndMore) {
  for (const std::uint64_t count : {256U, 257U, 283U, 4000U, 5000U, 100000U}) {
    EXPECT_GE((count + segment_of(count) - 1) / segment_of(count), kSchedules) << count;
    EXPECT_LE(segment_of(count), 512U);
  }
  EXPECT_EQ(segment_of(1), 32U);
  EXPECT_EQ(segment_of(4096), 512U);
}

/// Records of two files: what the bench reads, and what it writes.
class BenchTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("mx_bench" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void open(const std::string& fields, const std::vector<std::string>& lines) {
    std::ofstream in(folder_ / "in");
    in << "# rounding ties_to_even\n# config 0 rounding=to_odd; rule=floor\n# fields " << fields
       << "\n# count " << lines.size() << '\n';
    for (const std::string& line : lines) in << line << '\n';
    in.close();
    records_ = std::make_unique<Records>((folder_ / "in").string(), (folder_ / "out").string());
  }
  std::string written() {
    records_.reset();
    std::ifstream out(folder_ / "out");
    return {std::istreambuf_iterator<char>(out), {}};
  }

  std::filesystem::path folder_;
  std::unique_ptr<Records> records_;
};

TEST_F(BenchTest, WordsThatAreNoCodesAreMarkedAndAllOthersWritten) {
  open("source[2]:4 | scale:2 code[2]:2 flags:2", {"0001 beef"});
  EXPECT_EQ(records_->next(), (Words{1, 0xBEEF}));
  records_->answer({0x7F, 1, 0xFF, 0});
  records_->answer({kNoCode, 1, 0x100, 0});
  EXPECT_EQ(written(), "7f 01 ff 00\n?0,2 00 01 00 00\n");
}

TEST_F(BenchTest, ASignedScaleInAPackedStreamIsReadByItsOffset) {
  open("source[2]:4 | scale:2 code[2]:2", {"0000 0000", "0000 0000", "0000 0000"});
  const Part parts[] = {
      {.field = "scale", .slot = 8, .width = 8, .offset = -127, .is_signed = true},
      {.field = "code", .slot = 8, .width = 8, .lanes = 2, .has_lanes = true}};
  Tables tables;
  tables.output = {.parts = parts, .packed = {.port = 0, .slot = 8, .slots = 4}};
  std::vector<Transaction> transactions(3);
  for (Transaction& each : transactions) each.answers = {Words(3, 0)};
  Collect collect(tables, *records_);
  collect.begin(transactions);
  for (const unsigned slot : {0x80U, 1U, 2U, 0x7FU, 3U, 4U, 0x81U, 5U, 6U}) {
    collect.take_slot(slot);
  }
  EXPECT_EQ(collect.done(), 3U);
  // 2^-128 lies below the codes of the scale; it is none of them.
  EXPECT_EQ(transactions[0].answers[0], (Words{kNoCode, 1, 2}));
  EXPECT_EQ(transactions[1].answers[0], (Words{0xFE, 3, 4}));
  EXPECT_EQ(transactions[2].answers[0], (Words{0x00, 5, 6}));
}

TEST_F(BenchTest, PackedWordsFollowEachOtherOverBeats) {
  open("a_scale:2 a:2 | code:2", {"7f 11", "7f 22", "80 33"});
  const Part parts[] = {
      {.field = "a_scale", .slot = 8, .width = 8, .is_shared = true, .offset = -127},
      {.field = "a", .slot = 8, .width = 8, .lanes = 2, .has_lanes = true}};
  Tables tables;
  constexpr unsigned kWidths[] = {32};
  tables.records = 2;
  tables.input = {.parts = parts, .packed = {.port = 0, .slot = 8, .slots = 4}};
  tables.widths = kWidths;
  Grouping grouping(tables, *records_);
  std::vector<Transaction> transactions;
  while (std::optional<Transaction> next = grouping.next()) {
    transactions.push_back(std::move(*next));
  }
  // Two records share the scale 7f; the third has its own.
  ASSERT_EQ(transactions.size(), 2U);
  EXPECT_EQ(transactions[0].operands.size(), 2U);
  Feed feed(tables, *records_);
  feed.restart(transactions, 0);
  Pins pins{Bits{0xAAAAAAAA}};
  feed.show(pins);
  EXPECT_EQ(pins[0][0], 0x01221100U);
  feed.take();
  EXPECT_EQ(feed.entered(), 1U);
  EXPECT_EQ(feed.started(), 2U);
  pins[0][0] = 0xAAAAAAAA;
  feed.show(pins);
  // The lane that no record has holds noise, and so do the slots behind it.
  EXPECT_EQ(pins[0][0] & 0xFFFF00FF, 0xAAAA0033U);
  feed.take();
  EXPECT_FALSE(feed.has_more());
}

TEST_F(BenchTest, AWordThatThePortCannotShowEndsTheRun) {
  open("a_scale:2 | code:2", {"ff"});
  const Part parts[] = {
      {.field = "a_scale", .slot = 8, .width = 8, .offset = -127, .is_signed = true}};
  constexpr std::string_view kNames[] = {"scale_i"};
  Tables tables;
  tables.input.parts = parts;
  tables.names = kNames;
  std::vector<Transaction> transactions(1);
  transactions[0].operands = {Words{0xFF}};
  Feed feed(tables, *records_);
  feed.restart(transactions, 0);
  Pins pins{Bits{0}};
  EXPECT_THROW(feed.show(pins), Complaint);
}

TEST_F(BenchTest, OneWordInEveryBeatHasToBeTheSame) {
  open("source[2]:4 | scale:2 code[2]:2", {"0000 0000"});
  const Part parts[] = {
      {.port = 0, .field = "scale", .slot = 8, .width = 8},
      {.port = 0, .field = "code", .at = 8, .slot = 8, .width = 8, .has_lanes = true}};
  Tables tables;
  tables.output.parts = parts;
  tables.output.beats = 2;
  for (const std::uint32_t second : {0x7FU, 0x7EU}) {
    std::vector<Transaction> transactions(1);
    transactions[0].answers = {Words(3, 0)};
    Collect collect(tables, *records_);
    collect.begin(transactions);
    collect.take({Bits{0x117F}});
    collect.take({Bits{0x2200 | second}});
    ASSERT_EQ(collect.done(), 1U);
    EXPECT_EQ(transactions[0].answers[0],
              (Words{second == 0x7F ? std::uint64_t{0x7F} : kNoCode, 0x11, 0x22}));
  }
}

TEST_F(BenchTest, AConfigurationIsToldByItsOwnFieldsFirst) {
  open("source:4 | code:2", {"0000"});
  EXPECT_EQ(records_->told(1, "rounding"), "ties_to_even");
  EXPECT_EQ(records_->told(0, "rounding"), "to_odd");
  EXPECT_EQ(records_->told(0, "rule"), "floor");
  EXPECT_EQ(records_->told(0, "nothing"), "");
}

}  // namespace
}  // namespace mx::bench
