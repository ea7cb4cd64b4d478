// The source of the judge's kernels, lane by lane on the host, against the host arithmetic and the
// certificates.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include "fast/cuda_judge/kernels.cuh"
// The kernels first.
#include <gtest/gtest.h>

#include <array>

#include "fast/cuda_judge/plan.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda/answers.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast {

// Tests of a judge's kernels need what it computes with.
struct WordJudgeAccess {
  [[nodiscard]] static const WordJudge::Constants& of(const WordJudge& judge) {
    return *judge.constants_;
  }
};

namespace test {
namespace {

using cuda_judge::Tally;

/// Runs of words from `first_run` on, in two segments of so many bits, by two thread blocks.
std::array<WordVerdict, 2> by_kernel(const WordJudge& judge, std::span<const AnswerStep> steps,
                                     std::uint32_t first_run, std::uint32_t runs, int bits) {
  const WordJudge::Constants& constants = WordJudgeAccess::of(judge);
  const std::vector<cuda_judge::Step> table = cuda_judge::table_of(steps);
  std::array<Tally, 2> tallies = {Tally{0, cuda_judge::kNone}, Tally{0, cuda_judge::kNone}};
  cuda_judge::with_types(constants, [&]<class Source, class Element>() {
    shim::launch(2, cuda_judge::kThreads, [&] {
      cuda_judge::judge_kernel<Source, Element>(constants.conversion, table.data(),
                                                static_cast<int>(table.size()), first_run, runs,
                                                bits, tallies.data());
    });
  });
  return {cuda_judge::verdict_of(tallies[0]), cuda_judge::verdict_of(tallies[1])};
}

TEST(CudaJudgeKernel, AgreesWithCertificates) {
  for (const ElementFormat* element : ocp_elements()) {
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardPositive}) {
      ElementJob job{formats::bf16, *element, {}};
      job.policy.rounding = rounding;
      const WordJudge judge = WordJudge::make(job).value();
      for (const WordVerdict& verdict : by_kernel(judge, answers_of(job), 0, 256, 15)) {
        EXPECT_EQ(verdict.mismatches, 0u) << element->name << " " << verdict.word;
      }
    }
  }
}

// More runs than lanes, from the middle of a source: 2^19 words.
TEST(CudaJudgeKernel, FindsOneWrongCodeWhereItIs) {
  const ElementJob job{formats::fp32, formats::e4m3fn, {}};
  const std::vector<AnswerStep> right = answers_of(job);
  for (const auto encoder : {WordJudge::Encoder::kAsBlocks, WordJudge::Encoder::kGeneral}) {
    const WordJudge judge = WordJudge::make(job, 0, encoder).value();
    const std::uint32_t first = 0x3FF80000;
    for (const std::uint32_t word : {0x3FF80000u, 0x3FFBFFFFu, 0x3FFC0000u, 0x3FFFFFFFu}) {
      const auto verdicts = by_kernel(judge, with_wrong(right, word), first >> 8, 2048, 18);
      const std::size_t own = word < 0x3FFC0000 ? 0 : 1;
      EXPECT_EQ(verdicts[own].mismatches, 1u);
      EXPECT_EQ(verdicts[own].word, word);
      EXPECT_EQ(verdicts[own].code, code_at(right, word));
      EXPECT_EQ(verdicts[1 - own].mismatches, 0u);
    }
  }
}

// Negative control: a conversion that is wrong in one way is found in many words.
TEST(CudaJudgeKernel, SeesAWrongConversion) {
  const ElementJob job{formats::bf16, formats::e4m3fn, {}};
  ElementJob other = job;
  other.policy.rounding = Rounding::kTiesToAway;
  const WordJudge judge = WordJudge::make(other).value();
  const auto verdicts = by_kernel(judge, answers_of(job), 0, 256, 15);
  EXPECT_EQ(verdicts[0].mismatches, 63u);  // the ties between an even code and the next
  EXPECT_EQ(verdicts[1].mismatches, 63u);
  EXPECT_GE(verdicts[1].word, 0x8000u);
}

TEST(CudaCodesKernel, GivesTheCodesOfTheHost) {
  const ElementJob job{formats::fp16, formats::e5m2, {}};
  const WordJudge judge = WordJudge::make(job).value();
  const WordJudge::Constants& constants = WordJudgeAccess::of(judge);
  std::vector<std::byte> expected(65536);
  std::vector<std::byte> got(65536, std::byte{0xA5});
  ASSERT_TRUE(judge.codes_on_host(0, expected));
  cuda_judge::with_types(constants, [&]<class Source, class Element>() {
    shim::launch(1, cuda_judge::kThreads, [&] {
      cuda_judge::codes_kernel<Source, Element>(constants.conversion, 0, 256,
                                                reinterpret_cast<std::uint8_t*>(got.data()));
    });
  });
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace test
}  // namespace mx::fast
