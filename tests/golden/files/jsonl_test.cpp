// Vector files of lines of JSON: every way to damage one, and the error that says so.
#include <gmock/gmock.h>

#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

class Jsonl : public GoldenFixture {
 protected:
  void SetUp() override {
    GoldenFixture::SetUp();
    set =
        golden_set({block(formats::bf16, "mxfp4"), block(formats::bf16, "mxfp4", Rounding::kToOdd)},
                   SuiteKind::kRandom, 8);
    text = text_of(file_of(set, FileKind::kJsonl));
    lines = lines_of(text);
  }

  /// The error after line i had `from` replaced by `to`.
  std::string error_with(std::size_t i, const std::string& from, const std::string& to) {
    std::vector<std::string> damaged = lines;
    const std::size_t at = damaged[i].find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << damaged[i];
    if (at != std::string::npos) damaged[i].replace(at, from.size(), to);
    return error_of(write("bad.jsonl", joined(damaged)));
  }

  GoldenSet set;
  std::string text;
  std::vector<std::string> lines;
  static constexpr std::size_t kFirst = 3;  ///< the header and two configurations go before
};

TEST_F(Jsonl, GoodFileIsTaken) {
  EXPECT_EQ(error_of(write("same.jsonl", text)), "");
  EXPECT_EQ(error_of(write("same.jsonl", text), ReadMode::kAnswers), "");
  ASSERT_EQ(lines.size(), kFirst + set.records.size() + 1);
}

TEST_F(Jsonl, EveryTruncationIsSeen) {
  for (std::size_t size = 1; size < text.size(); size += size + 200 < text.size() ? 97U : 1U) {
    EXPECT_NE(error_of(write("t.jsonl", text.substr(0, size))), "") << size << " bytes";
  }
}

TEST_F(Jsonl, Headers) {
  EXPECT_THAT(error_with(0, "\"2\"", "\"3\""), HasSubstr("schema 2"));
  EXPECT_THAT(error_with(0, "\"op\":\"block\"", "\"op\":7"), HasSubstr("member op"));
  EXPECT_THAT(error_with(0, "\"digits\":4", "\"digits\":8"), HasSubstr("member layout"));
  EXPECT_THAT(error_with(0, "\"count\"", "\"counts\""), HasSubstr("not the count"));
  EXPECT_THAT(error_with(0, "}", ""), HasSubstr("is no JSON: "));
  EXPECT_THAT(error_with(0, "\"configurations\":\"2\"", "\"configurations\":\"99999\""),
              HasSubstr("more configurations"));
  EXPECT_THAT(error_with(1, "\"config\":\"0\"", "\"config\":\"1\""), HasSubstr("configuration 0"));
  EXPECT_THAT(error_with(2, "to_odd", "to_even"), HasSubstr("one of"));
  EXPECT_THAT(error_with(2, "\"to_odd\"", "7"), HasSubstr("member rounding"));
}

TEST_F(Jsonl, Records) {
  EXPECT_THAT(error_with(kFirst, "\"scale\":\"", "\"scale\":\"0"), HasSubstr("field scale"));
  EXPECT_THAT(error_with(kFirst, "\"scale\":\"", "\"scale\":\"1"), HasSubstr("field scale"));
  EXPECT_THAT(error_with(kFirst, "\"source\":[\"", "\"source\":[\"1"), HasSubstr("source[0]"));
  EXPECT_THAT(error_with(kFirst, "\"scale\"", "\"scales\""), HasSubstr("field scales"));
  EXPECT_THAT(error_with(kFirst, "\"source\":[\"", "\"source\":[\"x"), HasSubstr("source[0]"));
  EXPECT_THAT(error_with(kFirst, "\"source\":[", "\"source\":[\"0000\","),
              HasSubstr("field source: expected a list of 32 words"));
  EXPECT_THAT(error_with(kFirst, "{", "{\"more\":\"00\","), HasSubstr("fields, the header has"));
  EXPECT_THAT(error_with(kFirst, "{", "["), HasSubstr("is no JSON: "));
}

TEST_F(Jsonl, RecordsThatAreLostOrTooMany) {
  std::vector<std::string> damaged = lines;
  damaged.erase(damaged.begin() + kFirst);
  EXPECT_NE(error_of(write("bad.jsonl", joined(damaged))), "");
  damaged = lines;
  damaged.insert(damaged.begin() + kFirst, damaged[kFirst]);
  EXPECT_THAT(error_of(write("bad.jsonl", joined(damaged))), HasSubstr("trailer"));
  damaged = lines;
  std::swap(damaged[kFirst], damaged[kFirst + 1]);
  EXPECT_THAT(error_of(write("bad.jsonl", joined(damaged))), HasSubstr("operand digest"));
}

TEST_F(Jsonl, Trailers) {
  const std::size_t last = lines.size() - 1;
  EXPECT_THAT(error_with(last, "\"end\":", "\"end\":1"), HasSubstr("trailer"));
  EXPECT_THAT(error_with(last, "\"records\":\"", "\"records\":\"0"), HasSubstr("trailer"));
  EXPECT_THAT(error_of(write("bad.jsonl", text + "{}\n")), HasSubstr("goes on after its trailer"));
}

}  // namespace
}  // namespace mx::golden
