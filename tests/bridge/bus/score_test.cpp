// The scoreboard: what it compares, what it leaves out, what it says, and that nothing passes by
// accident.
#include "bridge/bus/score.hpp"

#include <gmock/gmock.h>

#include "reference/element/encode.hpp"

namespace mx::bridge {
namespace {

using golden::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// fp32 to e5m2: a format with infinities and several NaNs.
class ScoreTest : public ::testing::Test {
 protected:
  void expect(std::uint64_t source, std::string_view context = "") {
    ASSERT_TRUE(model_->start(0));
    model_->put_word(Field::kSource, source);
    ASSERT_TRUE(model_->answer()) << model_->error();
    EXPECT_TRUE(score_->expect(model_.get(), context));
  }
  bool observe(std::uint32_t code, std::uint32_t flags, std::uint32_t code_unknown = 0,
               std::uint32_t flags_unknown = 0) {
    return score_->observe({{{{},
                              {BusIn(&code, 1), BusIn(&code_unknown, 1)},
                              {BusIn(&flags, 1), BusIn(&flags_unknown, 1)}}}});
  }

  std::unique_ptr<Handle> model_ = Handle::open("op=cvt destination=e5m2");
  std::unique_ptr<Score> score_ = Score::open("name=unit");
};

constexpr std::uint64_t kOne = 0x3F800000;
constexpr std::uint64_t kNan = 0x7FC00000;
constexpr std::uint32_t kOneCode = 0x3C;

TEST_F(ScoreTest, PassesWhatAgrees) {
  expect(kOne);
  EXPECT_TRUE(observe(kOneCode, 0));
  EXPECT_TRUE(score_->finish());
  EXPECT_THAT(score_->verdict(), StartsWith("PASS unit: 1 records expected, 1 observed, 0 wrong"));
  EXPECT_EQ(score_->count("compared"), 2U);
}

TEST_F(ScoreTest, EveryBitCounts) {
  for (int bit = 0; bit < 16; ++bit) {
    expect(kOne, "where");
    const std::uint32_t flip = 1U << bit % 8;
    EXPECT_FALSE(observe(kOneCode ^ (bit < 8 ? flip : 0), bit < 8 ? 0 : flip));
    if (bit < 10) {
      EXPECT_THAT(score_->message(), HasSubstr(bit < 8 ? "code: got" : "flags: got"));
      EXPECT_THAT(score_->message(), HasSubstr("operands 3f800000"));
      EXPECT_THAT(score_->message(), HasSubstr("where"));
    } else {
      EXPECT_EQ(score_->message(), "") << "ten messages are enough";
    }
  }
  EXPECT_FALSE(score_->finish());
  EXPECT_EQ(score_->count("wrong"), 16U);
  EXPECT_THAT(score_->verdict(), HasSubstr("first: MISMATCH record 0: code: got"));
}

TEST_F(ScoreTest, UnknownBitsAreAMismatchOfTheirOwnKind) {
  expect(kOne);
  EXPECT_FALSE(observe(kOneCode, 0, 0x80));
  EXPECT_THAT(score_->message(), HasSubstr("code: bits 80 are X or Z"));
  expect(kOne);
  EXPECT_FALSE(observe(kOneCode, 0, 0, 1));
  EXPECT_EQ(score_->count("unknown"), 2U);
  EXPECT_FALSE(score_->finish());
}

TEST_F(ScoreTest, AnEmptyOrShortBusIsNoAnswer) {
  expect(0);
  EXPECT_FALSE(score_->observe({}));
  EXPECT_THAT(score_->message(), HasSubstr("code[0]: not on the bus"));
  EXPECT_FALSE(score_->finish());
}

TEST_F(ScoreTest, AMaskLeavesBitsOut) {
  ASSERT_TRUE(score_->set_mask("flags", 0x01));
  expect(kOne);
  EXPECT_TRUE(observe(kOneCode, 0xFE, 0, 0xFE));
  expect(kOne);
  EXPECT_FALSE(observe(kOneCode, 0xFF));
  EXPECT_THAT(score_->message(), HasSubstr("in the bits 1"));
  ASSERT_TRUE(score_->set_mask("flags", 0));
  expect(kOne);
  EXPECT_TRUE(observe(kOneCode, 0xFF));
  EXPECT_EQ(score_->count("unobserved"), 1U);
  EXPECT_FALSE(score_->set_mask("source", 1));
  EXPECT_FALSE(score_->finish());
  EXPECT_THAT(score_->verdict(), HasSubstr("\"source\" is none of the results"));
}

TEST_F(ScoreTest, AllMaskedIsNoPass) {
  ASSERT_TRUE(score_->set_mask("flags", 0) && score_->set_mask("code", 0));
  expect(kOne);
  EXPECT_TRUE(observe(0, 0));
  EXPECT_FALSE(score_->finish());
  EXPECT_THAT(score_->verdict(), HasSubstr("no word was compared"));
}

TEST_F(ScoreTest, NanPolicies) {
  const std::uint32_t other = 0xFD;  // a negative NaN of e5m2
  expect(kNan);
  EXPECT_FALSE(observe(other, 0)) << "exact by default";
  score_ = Score::open("nan=any");
  expect(kNan);
  EXPECT_TRUE(observe(other, 0)) << score_->message();
  expect(kNan);
  EXPECT_FALSE(observe(0x7C, 0)) << "an infinity is no NaN";
  expect(kOne);
  EXPECT_FALSE(observe(other, 0)) << "a NaN is not one";
  EXPECT_EQ(score_->count("wrong"), 2U);
}

// Where no source settles a unit's NaN codes and signs of zeros, answers are held to NaN and zero.
TEST_F(ScoreTest, OpenAnswersOfUnitsStayNanOrZero) {
  model_ = Handle::open("op=mma unit=mi300_f16 a=fp16");
  const auto ask = [&](std::uint64_t a, std::uint64_t c) {
    ASSERT_TRUE(model_->start(1));
    model_->put_word(Field::kA, a);
    model_->put_word(Field::kB, 0x3C00);
    model_->put_word(Field::kC, c);
    ASSERT_TRUE(model_->answer()) << model_->error();
    EXPECT_TRUE(score_->expect(model_.get(), ""));
  };
  const auto give = [&](std::uint32_t code) {
    const std::uint32_t known = 0;
    return score_->observe({{{{}, {BusIn(&code, 1), BusIn(&known, 1)}, {}}}});
  };
  constexpr std::uint64_t kHalfNan = 0x7E00;
  for (const std::uint32_t right : {0x7FC00000U, 0xFFC00001U, 0x7FFFFFFFU}) {
    ask(kHalfNan, 0);
    EXPECT_TRUE(give(right)) << score_->message();
  }
  for (const std::uint32_t wrong : {0x7F800000U, 0U, 0x3F800000U}) {
    ask(kHalfNan, 0);
    EXPECT_FALSE(give(wrong)) << wrong;
  }
  for (const std::uint32_t right : {0U, 0x80000000U}) {
    ask(0, 0);
    EXPECT_TRUE(give(right)) << score_->message();
  }
  for (const std::uint32_t wrong : {1U, 0x80000001U, 0x7FC00000U}) {
    ask(0, 0);
    EXPECT_FALSE(give(wrong)) << wrong;
  }
  ask(0x3C00, 0x3F800000);
  EXPECT_FALSE(give(0xC0000000));
  EXPECT_EQ(score_->count("wrong"), 7U);
}

TEST_F(ScoreTest, TellsALostAnswer) {
  expect(kOne);
  expect(0x40000000);
  expect(0x40400000);
  EXPECT_FALSE(observe(0x40, 0));
  EXPECT_THAT(score_->message(), HasSubstr("the answer to record 1: one was lost"));
  EXPECT_FALSE(observe(0x42, 0));
  EXPECT_FALSE(score_->finish());
  EXPECT_THAT(score_->verdict(), HasSubstr("1 answers never came, the first to record 2"));
}

TEST_F(ScoreTest, TellsAnAnswerTooMany) {
  expect(kOne);
  EXPECT_TRUE(observe(kOneCode, 0));
  EXPECT_FALSE(observe(kOneCode, 0));
  EXPECT_THAT(score_->message(), HasSubstr("answer 1 came without a question"));
  EXPECT_FALSE(score_->finish());
}

TEST_F(ScoreTest, NothingIsNoPass) {
  EXPECT_FALSE(score_->finish());
  EXPECT_THAT(score_->verdict(), HasSubstr("nothing was asked"));
}

TEST_F(ScoreTest, AModelWithoutAnAnswerIsWrong) {
  EXPECT_FALSE(score_->expect(nullptr, ""));
  EXPECT_THAT(score_->message(), HasSubstr("no handle"));
  EXPECT_FALSE(score_->expect(model_.get(), ""));
  EXPECT_THAT(score_->message(), HasSubstr("it was not asked"));
  ASSERT_TRUE(model_->start(0));
  model_->put_word(Field::kSource, 1ULL << 32);
  EXPECT_FALSE(model_->answer());
  EXPECT_FALSE(score_->expect(model_.get(), "here"));
  EXPECT_THAT(score_->message(), HasSubstr("bits beyond the 32 of fp32; here"));
  expect(kOne);
  EXPECT_TRUE(observe(kOneCode, 0));
  EXPECT_FALSE(score_->finish());
  EXPECT_EQ(score_->count("wrong"), 3U);
}

TEST(Score, OpenWordsAreNotCompared) {
  const auto model = Handle::open("format=mxfp4");
  const auto score = Score::open("");
  ASSERT_TRUE(model->start(0));
  model->operand(Field::kSource)[3] = kNan;
  ASSERT_TRUE(model->answer());
  ASSERT_TRUE(score->expect(model.get(), ""));
  const std::uint32_t scale = 0xFF, flags = 0x08, none = 0;
  const std::vector<std::uint32_t> junk(8, 0xDEADBEEF), unknown(8, 0xFFFFFFFF);
  EXPECT_TRUE(score->observe({{{{BusIn(&scale, 1), BusIn(&none, 1)},
                                {junk, unknown},
                                {BusIn(&flags, 1), BusIn(&none, 1)}}}}))
      << score->message();
  EXPECT_EQ(score->count("open"), 32U);
  EXPECT_EQ(score->count("compared"), 2U);
  EXPECT_TRUE(score->finish());
}

TEST(Score, RefusesWordsThatAreNone) {
  for (const char* text : {"nan=some", "errors=x", "errors=", "name=", "verbose", "colour=1"}) {
    const auto score = Score::open(text);
    EXPECT_THAT(score->error(), HasSubstr(text)) << text;
    EXPECT_FALSE(score->finish());
  }
  EXPECT_EQ(Score::open("name=a nan=any errors=3")->error(), "");
}

}  // namespace
}  // namespace mx::bridge
