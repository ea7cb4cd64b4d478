// What a bench in C does wrong with mxgold_model.h: each is a status with a message that names the
// cause, and nothing that looks like an answer is left behind.
#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mxgold_model.h"

namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StrEq;

constexpr std::uint64_t kStale = 0xDEAD;
constexpr std::uint64_t kOne = 0x3F80;  // bf16

struct Close {
  void operator()(mxgold_model* model) const { mxgold_model_close(model); }
};

/// A bench: blocks of 32 from bf16, the results of which are stale until they are written.
class ModelControl : public ::testing::Test {
 protected:
  ModelControl() {
    record_.operands[MXGOLD_FIELD_SOURCE] = source_.data();
    record_.results[0] = &scale_;
    record_.results[1] = code_.data();
    record_.results[2] = &flags_;
    code_.fill(kStale);
  }

  void open(const char* text) {
    mxgold_model* model = nullptr;
    opened_ = mxgold_model_open(text, &model, why_.data(), why_.size());
    model_.reset(model);
  }
  mxgold_status answer() {
    return mxgold_model_answer(model_.get(), &record_, open_.data(), why_.data(), why_.size());
  }
  void expect_refused(mxgold_status status, const std::string& words) {
    EXPECT_EQ(answer(), status) << why_.data();
    EXPECT_THAT(why_.data(), HasSubstr(words));
    EXPECT_EQ(scale_, kStale);
    EXPECT_EQ(flags_, kStale);
    EXPECT_THAT(code_, Each(kStale));
    EXPECT_THAT(open_, Each(7));
  }

  std::array<std::uint64_t, 32> source_ = {kOne};
  std::array<std::uint64_t, 32> code_{};
  std::uint64_t scale_ = kStale;
  std::uint64_t flags_ = kStale;
  std::vector<std::uint8_t> open_ = std::vector<std::uint8_t>(34, 7);
  mxgold_record record_{};
  std::array<char, 256> why_{};
  std::unique_ptr<mxgold_model, Close> model_;
  mxgold_status opened_ = MXGOLD_OK;
};

TEST_F(ModelControl, WithoutAFaultItAnswers) {
  open("format=mxfp4 source=bf16");
  ASSERT_EQ(opened_, MXGOLD_OK) << why_.data();
  EXPECT_EQ(answer(), MXGOLD_OK) << why_.data();
  EXPECT_THAT(why_.data(), StrEq(""));
  EXPECT_EQ(scale_, 0x7DU);
  EXPECT_EQ(code_[0], 6U);
}

// A bit beyond the format; every other bit of an operand is an operand.
TEST_F(ModelControl, AFlippedBitOfAnOperandThatIsNoneIsNamed) {
  open("format=mxfp4 source=bf16");
  source_[31] = 1U << 16;
  expect_refused(MXGOLD_BAD_CODE, "source[31]: 10000 has bits beyond the 16 of bf16");
}

// Operands that never came, and results that the handle cannot give.
TEST_F(ModelControl, ALostOperandOrResultIsNamed) {
  open("format=mxfp4 source=bf16");
  record_.operands[MXGOLD_FIELD_SOURCE] = nullptr;
  expect_refused(MXGOLD_NULL_ARGUMENT, "field source: the operand is missing");
  open("op=cvt source=bf16 destination=e4m3fn");
  record_.operands[MXGOLD_FIELD_SOURCE] = source_.data();
  expect_refused(MXGOLD_BAD_VALUE, "field scale: op=cvt has no such result");
}

TEST_F(ModelControl, AnEmptyCallIsNamed) {
  open("format=mxfp4 source=bf16");
  EXPECT_EQ(mxgold_model_answer(model_.get(), nullptr, nullptr, why_.data(), why_.size()),
            MXGOLD_NULL_ARGUMENT);
  EXPECT_THAT(why_.data(), StrEq("record is NULL"));
  open("");
  EXPECT_EQ(opened_, MXGOLD_BAD_VALUE);
  EXPECT_THAT(why_.data(), HasSubstr("format"));
}

TEST_F(ModelControl, AWrongHandleIsNamed) {
  for (const auto& [text, words] : {std::pair{"format=mxfp9", "format=mxfp9"},
                                    {"format=mxfp4 rounding=up", "rounding is \"up\""},
                                    {"format=mxfp4 colour=green", "colour"}}) {
    open(text);
    EXPECT_EQ(opened_, MXGOLD_BAD_VALUE) << text;
    EXPECT_EQ(model_, nullptr);
    EXPECT_THAT(why_.data(), HasSubstr(words));
  }
  expect_refused(MXGOLD_NULL_ARGUMENT, "model is NULL");
  open(nullptr);
  EXPECT_EQ(opened_, MXGOLD_NULL_ARGUMENT);
  EXPECT_THAT(why_.data(), StrEq("text is NULL"));
  std::uint32_t word = 0;
  EXPECT_EQ(mxgold_model_word(nullptr, &word, why_.data(), why_.size()), MXGOLD_NULL_ARGUMENT);
  EXPECT_THAT(why_.data(), StrEq("model is NULL"));
}

}  // namespace
