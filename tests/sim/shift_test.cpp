// Lost and doubled answers are told apart from wrong ones.
#include "sim/judge/shift.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mx::sim {
namespace {

/// What the finder says of answers to expectations.
std::string text_of(const std::vector<int>& expected, const std::vector<int>& actual) {
  ShiftFinder finder;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    finder.see(i, actual[i] == expected[i], i != 0 && actual[i] == expected[i - 1],
               i != 0 && actual[i - 1] == expected[i]);
  }
  return finder.text("record");
}

const std::vector<int> kExpected = {10, 11, 12, 12, 14, 15, 16, 17, 18, 19};

TEST(ShiftFinder, ALostAnswerIsNamed) {
  EXPECT_EQ(
      text_of(kExpected, {10, 12, 12, 14, 15, 16, 17, 18, 19}),
      "from record 1 on, 7 answers are each the answer to the next record: one answer was lost "
      "at record 1");
  EXPECT_NE(text_of(kExpected, {11, 12, 12, 14, 15, 16, 17, 18, 19}).find("lost at record 0"),
            std::string::npos);
}

TEST(ShiftFinder, ADoubledAnswerIsNamed) {
  EXPECT_EQ(text_of(kExpected, {10, 11, 11, 12, 12, 14, 15, 16, 17, 18}),
            "from record 2 on, 8 answers are each the answer to the previous record: the answer to "
            "record 1 was doubled");
}

TEST(ShiftFinder, AnAnswerTooManyIsNamed) {
  EXPECT_NE(text_of(kExpected, {10, 11, 12, 12, 14, 99, 15, 16, 17, 18})
                .find("one answer too many came before record 6"),
            std::string::npos);
}

TEST(ShiftFinder, WrongAnswersAreNot) {
  EXPECT_EQ(text_of(kExpected, kExpected), "");
  EXPECT_EQ(text_of(kExpected, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "");
  // Two that fit may be chance, and so may any number of them where everything is wrong.
  EXPECT_EQ(text_of(kExpected, {10, 12, 12, 12, 14, 15, 16, 18, 19, 0}), "");
  EXPECT_EQ(text_of({1, 2, 1, 2, 1, 2, 1, 2}, {0, 0, 2, 1, 2, 1, 2, 1}), "");
  // Neighbours that change places.
  EXPECT_EQ(text_of(kExpected, {11, 10, 12, 12, 15, 14, 16, 17, 19, 18}), "");
}

}  // namespace
}  // namespace mx::sim
