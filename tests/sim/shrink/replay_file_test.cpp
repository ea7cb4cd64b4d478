// Replay files: what is written is read, and what is damaged is refused by place.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/replay_file.hpp"
#include "sim/shrink/stream_case.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

using Json = nlohmann::ordered_json;

class Replay : public testing::Test {
 protected:
  ~Replay() override { std::remove(path_.c_str()); }

  ReplayFile read(const std::string& text) {
    golden::write_file(path_, text);
    return read_replay(path_, emulators::make_cast);
  }
  void expect_refused(const Json& json, const std::string& words) {
    try {
      static_cast<void>(read(json.dump()));
      ADD_FAILURE() << "not refused: " << words << "\n" << json.dump(1);
    } catch (const golden::VectorError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(words), std::string::npos) << what;
      EXPECT_NE(what.find(path_), std::string::npos) << what;
    }
  }

  std::string path_ = testing::TempDir() + "mxgold_replay_" + std::to_string(::getpid()) + ".json";
};

ReplayFile stream_replay() {
  BlockIn block;
  block.source[3] = 0x3FC00000;
  block.random[3] = 0xA5;
  block.keep = 0xF0F0F0F0;
  block.last = true;
  ReplayFile replay;
  replay.device = "reference";
  replay.shown = "MISMATCH";
  DriveOptions drive;
  drive.input_stall.kind = Stall::kAt;
  drive.input_stall.cycles = {1, 5};
  drive.output_stall = Stall::kHeavy;
  drive.reset = {ResetPlan::Kind::kAt, {7}};
  replay.failure = stream_case({test::told(0)}, std::span(&block, 1), drive);
  replay.seed = ~std::uint64_t{0};
  replay.segment = 9;
  return replay;
}

/// The first record of a set of every operation.
std::vector<ReplayFile> record_replays() {
  std::vector<ReplayFile> replays;
  for (const golden::Configuration& each :
       {golden::conversion(formats::fp32, formats::e4m3fn), golden::block(formats::bf16, "nvfp4"),
        golden::dot("mxfp4", "mxfp8_e4m3", golden::Addend::kPresent),
        golden::arith(ArithmeticOperation::kFma, formats::fp16), golden::some_casts()[1]}) {
    const golden::GoldenSet set = golden::golden_set({each}, golden::SuiteKind::kSmoke);
    golden::RecordBatch first(set.header.shape());
    first.append(set.records, 0, 2);
    ReplayFile replay;
    replay.kind = ReplayKind::kRecords;
    replay.device = "reference:record_code";
    replay.header = set.header;
    replay.failure = record_case(set.header, first);
    replay.observe = {"code"};
    replay.program.time_out = 2.5;
    replays.push_back(replay);
  }
  return replays;
}

TEST_F(Replay, ReadsWhatItWrote) {
  std::vector<ReplayFile> replays = record_replays();
  replays.push_back(stream_replay());
  for (const ReplayFile& replay : replays) {
    const std::string text = replay_json(replay);
    const ReplayFile again = read(text);
    EXPECT_EQ(again.kind, replay.kind);
    EXPECT_EQ(again.device, replay.device);
    EXPECT_EQ(again.failure.questions, replay.failure.questions);
    EXPECT_EQ(again.failure.input_stall, replay.failure.input_stall);
    EXPECT_EQ(again.failure.output_stall, replay.failure.output_stall);
    EXPECT_EQ(again.failure.reset, replay.failure.reset);
    EXPECT_EQ(again.seed, replay.seed);
    EXPECT_EQ(again.segment, replay.segment);
    EXPECT_EQ(again.compare, replay.compare);
    EXPECT_EQ(again.program, replay.program);
    EXPECT_EQ(replay_json(again), text);
  }
}

/// Property: a case of records and back is the same operands.
TEST_F(Replay, RecordsComeBackFromTheirCase) {
  for (const ReplayFile& replay : record_replays()) {
    golden::VectorHeader header = replay.header;
    const golden::RecordBatch records = records_of(replay.failure, header);
    EXPECT_EQ(record_case(header, records).questions, replay.failure.questions);
  }
}

/// Every member left out, and every member of another type.
TEST_F(Replay, EveryMemberIsNeeded) {
  for (const ReplayFile& replay : {stream_replay(), record_replays()[1]}) {
    const Json whole = Json::parse(replay_json(replay));
    std::size_t members = 0;
    for (const auto& [name, value] : whole.items()) {
      if (name == "generator") continue;
      Json without = whole, other = whole;
      without.erase(name);
      if (name == "compare" && replay.kind == ReplayKind::kRecords) {
        EXPECT_EQ(read(without.dump()).compare, Compare::kNormative) << "a file older than that";
      } else {
        expect_refused(without, name);
      }
      other[name] = Json{{"x", nullptr}};
      if (name == "program") other[name] = 1;
      expect_refused(other, name);
      ++members;
    }
    EXPECT_GT(members, 6U);
  }
  const Json records = Json::parse(replay_json(record_replays()[0]));
  for (const auto& [name, value] : records["program"].items()) {
    Json without = records;
    without["program"].erase(name);
    expect_refused(without, name);
  }
}

TEST_F(Replay, WordsThatCannotBeAreRefused) {
  const Json stream = Json::parse(replay_json(stream_replay()));
  const auto with = [](Json json, const char* member, const Json& value) {
    json["questions"][0][member] = value;
    return json;
  };
  expect_refused(with(stream, "source", "3fc00000"), "32 words of 8 hex digits");
  expect_refused(with(stream, "keep", "f0f0f0g0"), "1 words of 8 hex digits");
  expect_refused(with(stream, "keep", "-0f0f0f0"), "1 words of 8 hex digits");
  expect_refused(with(stream, "last", "2"), "words within 1");
  expect_refused(with(stream, "config", 1), "questions[0].config: expected a whole number up to 0");
  expect_refused(with(stream, "config", -1), "config");
  std::string random = stream["questions"][0]["random"];
  random[0] = '1';
  expect_refused(with(stream, "random", random), "words within");
  Json other = stream;
  other["questions"] = Json::array();
  expect_refused(other, "questions");
  other = stream;
  other["input_stall"] = {5, 5};
  expect_refused(other, "ascending");
  other["input_stall"] = "at";
  expect_refused(other, "input_stall");
  other = stream;
  other["configurations"][0]["rounding"] = "x";
  expect_refused(other, "configurations[0]: rounding");
  other["configurations"][0].erase("rounding");
  expect_refused(other, "configurations[0]: rounding");
  const Json records = Json::parse(replay_json(record_replays()[1]));
  other = records;
  other["header"].push_back("x y");
  expect_refused(other, "header");
  Json wide = records;
  std::string source = wide["questions"][0]["source"];
  wide["questions"][0]["source"] = source + " 0000";
  expect_refused(wide, "16 words of 4 hex digits");
  expect_refused(Json(1), "a JSON object");
  EXPECT_THROW(static_cast<void>(read("{\"replay_schema\": 1")), golden::VectorError);
  EXPECT_THROW(static_cast<void>(read_replay(path_ + ".none")), golden::VectorError);
}

}  // namespace
}  // namespace mx::sim
