// Every bit of an answer counts; what does not count is said aloud.
#include "sim/judge/scoreboard.hpp"

#include <gtest/gtest.h>

#include "sim/block/model.hpp"

namespace mx::sim {
namespace {

BlockIn ones(std::uint32_t config_word) {
  BlockIn block;
  block.source.fill(0x3F800000);
  block.config_word = config_word;
  return block;
}

BlockOut answer_to(const BlockIn& block) {
  ReferenceModel model;
  BlockOut out;
  model.answer(block, out);
  return out;
}

TEST(ReferenceModel, AnswersTheWorkedExampleOfTheRtl) {
  const BlockOut out = answer_to(ones(0));
  EXPECT_EQ(out.status, 0x0077);
  for (const std::uint8_t code : out.codes) EXPECT_EQ(code, 0x78);
}

TEST(ReferenceModel, LanesNotKeptCountAsZero) {
  BlockIn block = ones(0);
  block.source[3] = 0x7F800000;
  block.keep = ~(1U << 3);
  const BlockOut out = answer_to(block);
  EXPECT_EQ(out.status, 0x0077);
  EXPECT_EQ(out.codes[3], 0);
  EXPECT_EQ(out.keep, block.keep);
}

TEST(ReferenceModel, HighHalvesOfNarrowSlotsAreIgnored) {
  BlockIn block;
  block.config_word = 1U << 10;  // bf16
  block.source.fill(0xDEAD3F80);
  EXPECT_EQ(answer_to(block).status, 0x0077);
}

TEST(ReferenceModel, RefusesIllegalWords) {
  BlockOut out;
  ReferenceModel model;
  EXPECT_THROW(model.answer(ones(7), out), std::invalid_argument);
  EXPECT_THROW(model.answer(ones(1U << 27), out), std::invalid_argument);
}

TEST(Scoreboard, SeesEveryBitOfAnAnswer) {
  const BlockIn block = ones(0);
  const BlockOut right = answer_to(block);
  std::vector<BlockOut> wrong;
  for (std::size_t bit = 0; bit < kLanes * 8; ++bit) {
    wrong.push_back(right);
    wrong.back().codes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
  for (unsigned bit = 0; bit < 16; ++bit) {
    wrong.push_back(right);
    wrong.back().status ^= static_cast<std::uint16_t>(1U << bit);
  }
  for (unsigned bit = 0; bit < 32; ++bit) {
    wrong.push_back(right);
    wrong.back().keep ^= 1U << bit;
  }
  wrong.push_back(right);
  wrong.back().last = !right.last;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_FALSE(agrees(Compare::kStrict, block, right, wrong[i])) << i;
    EXPECT_FALSE(agrees(Compare::kNormative, block, right, wrong[i])) << i;
  }
  EXPECT_TRUE(agrees(Compare::kStrict, block, right, right));
}

TEST(Scoreboard, MasksCodesOnlyWhereThePolicySaysSo) {
  BlockIn block = ones(0);
  block.source[0] = 0x7FC00000;  // NaN: scale FF, codes don't-care by default
  const BlockOut right = answer_to(block);
  ASSERT_EQ(right.scale(), 0xFF);
  BlockOut other = right;
  other.codes[5] = 0x12;
  EXPECT_FALSE(agrees(Compare::kStrict, block, right, other));
  EXPECT_TRUE(agrees(Compare::kNormative, block, right, other));
  other.status ^= 0x800;
  EXPECT_FALSE(agrees(Compare::kNormative, block, right, other));
  block.config_word = 1U << 17;  // nan_scale_codes = nan: codes count
  BlockOut nan_codes = answer_to(block);
  other = nan_codes;
  other.codes[5] ^= 1;
  EXPECT_FALSE(agrees(Compare::kNormative, block, nan_codes, other));
}

TEST(Scoreboard, CountsByConfiguration) {
  Scoreboard board(Compare::kStrict, 1);
  const BlockIn block = ones(3);
  const BlockOut right = answer_to(block);
  BlockOut wrong = right;
  wrong.codes[0] ^= 1;
  wrong.codes[9] ^= 1;
  board.check(0, block, right, right);
  board.check(1, block, right, wrong);
  board.check(2, block, right, wrong);
  const Tally& tally = board.tallies().at(3);
  EXPECT_EQ(tally.blocks, 3U);
  EXPECT_EQ(tally.elements, 96U);
  EXPECT_EQ(tally.bad_blocks, 2U);
  EXPECT_EQ(tally.bad_elements, 4U);
  ASSERT_EQ(board.mismatches().size(), 1U);
  EXPECT_EQ(board.mismatches()[0].index, 1U);
}

TEST(LooksReordered, TellsSwappedBlocksFromWrongOnes) {
  std::vector<BlockOut> expected(40);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i].codes[0] = static_cast<std::uint8_t>(i);
  }
  std::vector<BlockOut> actual = expected;
  EXPECT_FALSE(looks_reordered(expected, actual));
  std::swap(actual[7], actual[8]);
  EXPECT_TRUE(looks_reordered(expected, actual));
  actual[20].codes[1] = 1;  // one answer is nobody's
  EXPECT_FALSE(looks_reordered(expected, actual));
  actual = expected;
  actual[5] = expected[6];  // a wrong computation that hits the neighbour's answer
  EXPECT_FALSE(looks_reordered(expected, actual));
}

}  // namespace
}  // namespace mx::sim
