// The judge of all words: the same verdicts by the host arithmetic, on a device, and by the
// kernels' source lane by lane (word_judge_kernels_test.cpp). One body for the host and the device
// program.
#include <gtest/gtest.h>

#include <array>

#include "golden/certificates/certificate.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/cuda/answers.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

TEST(CudaWordJudge, FindsNoMismatchInShortSources) {
  std::uint64_t words = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const auto& rounding : tokens<Rounding>()) {
        if (is_stochastic(rounding.value)) continue;
        ElementJob job{*source, *element, {}};
        job.policy.rounding = rounding.value;
        for (const auto encoder : {WordJudge::Encoder::kAsBlocks, WordJudge::Encoder::kGeneral}) {
          const WordJudge judge = WordJudge::make(job, 0, encoder).value();
          std::array<WordVerdict, 1> verdict{};
          ASSERT_TRUE(judge_backend()(judge, answers_of(job), 0, verdict));
          EXPECT_EQ(verdict[0].mismatches, 0u)
              << element->name << " " << token_of(rounding.value) << " " << verdict[0].word;
          words += judge.segment_words();
        }
      }
    }
  }
  EXPECT_EQ(words, 2u * 6 * 9 * 2 * 65536);
}

// Negative controls: one wrong answer of 2^24, the first and the last word of a segment, and wrong
// answers in several segments at once.
TEST(CudaWordJudge, FindsOneWrongCodeOfASegment) {
  const ElementJob job{formats::fp32, formats::e4m3fn, {}};
  const std::vector<AnswerStep> right = answers_of(job);
  const WordJudge judge = WordJudge::make(job).value();
  EXPECT_TRUE(judge.is_short());
  for (const std::uint32_t word : {0x3FA66667u, 0x3F000000u, 0x3FFFFFFFu}) {
    std::array<WordVerdict, 1> verdict{};
    ASSERT_TRUE(judge_backend()(judge, with_wrong(right, word), 0x3F, verdict));
    EXPECT_EQ(verdict[0].mismatches, 1u);
    EXPECT_EQ(verdict[0].word, word);
    EXPECT_EQ(verdict[0].code, code_at(right, word));
  }
  std::array<WordVerdict, 3> verdicts{};
  const auto wrong = with_wrong(with_wrong(right, 0xBEFFFFFF), 0xC0000001);
  ASSERT_TRUE(judge_backend()(judge, wrong, 0xBE, verdicts));
  EXPECT_EQ(verdicts[0].word, 0xBEFFFFFFu);
  EXPECT_EQ(verdicts[1].mismatches, 0u);
  EXPECT_EQ(verdicts[2].word, 0xC0000001u);
}

TEST(CudaWordJudge, RefusesTablesThatAreNone) {
  const ElementJob job{formats::bf16, formats::e4m3fn, {}};
  const WordJudge judge = WordJudge::make(job).value();
  std::array<WordVerdict, 1> verdict{};
  const std::vector<AnswerStep> late = {{1, 0}};
  const std::vector<AnswerStep> back = {{0, 0}, {5, 1}, {5, 2}};
  EXPECT_FALSE(judge.judge_on_host({}, 0, verdict));
  EXPECT_FALSE(judge.judge_on_host(late, 0, verdict));
  EXPECT_FALSE(judge.judge_on_host(back, 0, verdict));
  std::vector<std::byte> codes(100);
  EXPECT_FALSE(judge.codes_on_host(0, codes));
  ElementJob none = job;
  none.policy.rounding = Rounding::kStochasticA;
  EXPECT_FALSE(WordJudge::make(none));
}

}  // namespace
}  // namespace mx::fast::test
