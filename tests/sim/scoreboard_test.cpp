// Every bit of an answer counts; what does not count is said aloud.
#include "sim/judge/mismatch.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "sim/block/model.hpp"
#include "sim/clocked/block_batch.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/score/scoreboard.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

BlockIn ones() {
  BlockIn block;
  block.source.fill(0x3F800000);
  return block;
}

/// The answer under one configuration, which is number 0.
BlockOut answer_to(const BlockIn& block, const golden::Configuration& config = test::told(0)) {
  const Configurations configs{config};
  ReferenceModel model(configs);
  BlockOut out;
  model.answer(block, out);
  return out;
}

BlockOpen open_in(const BlockIn& block, const golden::Configuration& config) {
  const Configurations configs{config};
  ReferenceModel model(configs);
  BlockOut out;
  model.answer(block, out);
  return model.open(block, out);
}

TEST(ReferenceModel, AnswersTheWorkedExampleOfTheRtl) {
  const BlockOut out = answer_to(ones());
  EXPECT_EQ(out.status, 0x0077);
  for (const std::uint8_t code : out.codes) EXPECT_EQ(code, 0x78);
}

TEST(ReferenceModel, LanesNotKeptCountAsZero) {
  BlockIn block = ones();
  block.source[3] = 0x7F800000;
  block.keep = ~(1U << 3);
  const BlockOut out = answer_to(block);
  EXPECT_EQ(out.status, 0x0077);
  EXPECT_EQ(out.codes[3], 0);
  EXPECT_EQ(out.keep, block.keep);
}

TEST(ReferenceModel, HighHalvesOfNarrowSlotsAreIgnored) {
  BlockIn block;
  block.source.fill(0xDEAD3F80);
  EXPECT_EQ(answer_to(block, test::told(1U << 10)).status, 0x0077);  // bf16
}

TEST(ReferenceModel, TheNumberOfABlockChoosesItsConfiguration) {
  const Configurations configs{test::told(0), test::told(4)};
  ReferenceModel model(configs);
  BlockIn block = ones();
  BlockOut out;
  model.answer(block, out);
  EXPECT_EQ(out, answer_to(block, configs[0]));
  const BlockOut other = answer_to(block, configs[1]);
  EXPECT_NE(out, other);
  block.config = 1;
  model.answer(block, out);
  EXPECT_EQ(out, other);
  block.config = 2;
  EXPECT_THROW(model.answer(block, out), std::out_of_range);
}

// Fields that no word has decide all the same: the blocks are computed by the configuration.
TEST(ReferenceModel, FieldsWithoutAWordDecideToo) {
  BlockIn block;
  block.source.fill(0x00400000);  // a subnormal of fp32
  golden::Configuration flushing = test::told(0);
  std::get<QuantizerConfig>(flushing.what).block.src_daz_block = BlockFlush::kFlush;
  ASSERT_FALSE(golden::config_word_of(std::get<QuantizerConfig>(flushing.what)).holds());
  EXPECT_NE(answer_to(block, flushing), answer_to(block));
}

TEST(ReferenceModel, WithoutAProfileOnlyCodesUnderNanAreFree) {
  BlockIn block = ones();
  EXPECT_FALSE(open_in(block, test::told(0)).dont_care);
  block.source[0] = 0x7FC00000;
  const BlockOpen open = open_in(block, test::told(0));
  EXPECT_TRUE(open.dont_care);
  EXPECT_FALSE(open.scale || open.flags);
  EXPECT_EQ(open.lanes, 0U);
  EXPECT_FALSE(open_in(block, test::told(1U << 17)).dont_care) << "nan_scale_codes = nan";
}

// What a profile leaves open of a block's elements is what it leaves open of single values:
// 0x1.2p-8 under a scale of 1 lies between subnormals of e4m3fn, where intel-fp8et is open.
TEST(ReferenceModel, AProfileOpensLanes) {
  const golden::Configuration config =
      test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3");
  ASSERT_NE(config.origin.masks, 0U);
  BlockIn block;
  block.source[0] = 0x43800000;  // 256: scale 1
  block.source[7] = 0x3B900000;  // 0x1.2p-8
  const BlockOpen open = open_in(block, config);
  EXPECT_EQ(open.lanes, 1U << 7);
  EXPECT_TRUE(open.flags) << "they tell of the open lane";
  EXPECT_FALSE(open.scale || open.dont_care);
  EXPECT_EQ(open_in(block, test::told(0)).lanes, 0U);
  block.keep = ~(1U << 7);
  EXPECT_EQ(open_in(block, config).lanes, 0U) << "a lane that is not kept is code 0";
}

std::vector<BlockOut> each_bit_flipped(const BlockOut& right) {
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
  return wrong;
}

/// The scoreboard of a device that answers blocks so.
Score score_of(const std::vector<BlockIn>& blocks, const std::vector<BlockOut>& answers,
               const Configurations& configs, Compare compare = Compare::kStrict) {
  const test::GivenBlocks source(blocks, {}, configs);
  const RecordInput input = input_of(source);
  const golden::VectorHeader header = block_header(configs);
  ScoreOptions options;
  options.keep_mismatches = 1;
  options.compare = compare;
  Scoreboard board(header, input, options);
  golden::RecordBatch actual(header.shape(), blocks.size());
  put_blocks(blocks, actual);
  put_answers(answers, actual);
  board.take(0, actual);
  return board.finish();
}

/// How many of these answers to the same block are wrong.
std::uint64_t wrong_of(const BlockIn& block, const std::vector<BlockOut>& answers,
                       const golden::Configuration& config, Compare compare) {
  const std::vector<BlockIn> blocks(answers.size(), block);
  return score_of(blocks, answers, {config}, compare).by_config[0].mismatches;
}

TEST(Scoreboard, SeesEveryBitOfAnAnswer) {
  const BlockOut right = answer_to(ones());
  const std::vector<BlockOut> wrong = each_bit_flipped(right);
  for (const Compare compare : {Compare::kStrict, Compare::kNormative}) {
    EXPECT_EQ(wrong_of(ones(), wrong, test::told(0), compare), wrong.size());
    EXPECT_EQ(wrong_of(ones(), {right, right}, test::told(0), compare), 0U);
  }
}

// What is left unspecified covers its own bits and no others.
TEST(Scoreboard, SeesEveryBitThatIsNotOpen) {
  const golden::VectorHeader header = block_header({test::told(0)});
  const BlockOut right = answer_to(ones());
  const std::vector<BlockOut> wrong = each_bit_flipped(right);
  constexpr std::size_t kScale = kLanes * 8;
  constexpr std::size_t kFlags = kScale + 8;
  constexpr std::size_t kKeep = kFlags + 8;
  golden::RecordBatch expected(header.shape(), wrong.size());
  golden::RecordBatch actual = expected;
  put_answers(std::vector<BlockOut>(wrong.size(), right), expected);
  put_answers(wrong, actual);
  const auto expect_open = [&](const golden::OpenAnswer& open, std::size_t first,
                               std::size_t last) {
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      golden::Verdict verdict;
      EXPECT_EQ(golden::compare_answer(expected, actual, i, open, verdict), i >= first && i < last)
          << i;
    }
  };
  golden::OpenAnswer scale, flags, lane;
  scale.scale = flags.flags = true;
  lane.lanes.resize(10);
  lane.lanes[9] = true;
  expect_open(scale, kScale, kFlags);
  expect_open(flags, kFlags, kKeep);
  expect_open(lane, 72, 80);
  expect_open({}, 0, 0);
}

TEST(Scoreboard, MasksCodesOnlyWhereThePolicySaysSo) {
  BlockIn block = ones();
  block.source[0] = 0x7FC00000;  // NaN: scale FF, codes don't-care by default
  const golden::Configuration config = test::told(0);
  const BlockOut right = answer_to(block, config);
  ASSERT_EQ(right.scale(), 0xFF);
  BlockOut other = right;
  other.codes[5] = 0x12;
  EXPECT_EQ(wrong_of(block, {other}, config, Compare::kStrict), 1U);
  EXPECT_EQ(wrong_of(block, {other}, config, Compare::kNormative), 0U);
  other.status ^= 0x800;
  EXPECT_EQ(wrong_of(block, {other}, config, Compare::kNormative), 1U);
  const golden::Configuration nan_codes = test::told(1U << 17);  // nan_scale_codes = nan
  BlockOut counted = answer_to(block, nan_codes);
  counted.codes[5] ^= 1;
  EXPECT_EQ(wrong_of(block, {counted}, nan_codes, Compare::kNormative), 1U);
}

TEST(Scoreboard, CountsByConfiguration) {
  const Configurations configs(4, mx::sim::test::smoke().configs()[0]);
  BlockIn block = ones();
  const BlockOut right = answer_to(block, configs[0]);
  block.config = 3;
  BlockOut wrong = right;
  wrong.codes[0] ^= 1;
  wrong.codes[9] ^= 1;
  const Score score = score_of({block, block, block}, {right, wrong, wrong}, configs);
  const golden::Verdict& verdict = score.by_config.at(3);
  EXPECT_EQ(verdict.vectors, 3U);
  EXPECT_EQ(verdict.codes.all(), 96U);
  EXPECT_EQ(verdict.mismatches, 2U);
  EXPECT_EQ(verdict.bad_elements, 4U);
  EXPECT_EQ(score.by_config.at(0).vectors, 0U);
  ASSERT_EQ(score.mismatches.size(), 1U);
  EXPECT_EQ(score.mismatches[0].number, 1U);
  ASSERT_EQ(score.right.size(), 1U);
  EXPECT_EQ(score.right[0].number, 0U);
}

// What passes through a device is compared, and so are the codes of lanes that are not kept; none
// of them is a word that is counted, and no waiver takes one.
TEST(Scoreboard, ComparesWhatPassesThrough) {
  const Configurations configs{test::told(0)};
  BlockIn block = ones();
  block.keep = 0x0000FFFF;
  const BlockOut right = answer_to(block);
  EXPECT_EQ(score_of({block}, {right}, configs).by_config[0].words, 18U);
  BlockOut keep = right, last = right, lane = right;
  keep.keep ^= 1U << 31;
  last.last = !last.last;
  lane.codes[31] = 1;
  for (const BlockOut& wrong : {keep, last, lane}) {
    const Score score = score_of({block}, {wrong}, configs);
    EXPECT_EQ(score.by_config[0].mismatches, 1U);
    EXPECT_EQ(score.by_config[0].words, 18U);
  }
}

// compared + don't-care + open = one scale, one word of flags and a code for each kept lane.
TEST(Scoreboard, CountsEveryWordOnce) {
  BlockIn block = ones();
  block.keep = 0x0000FFFF;
  const golden::VectorHeader header = block_header({test::told(0)});
  golden::RecordBatch right(header.shape(), 1);
  put_blocks(std::span(&block, 1), right);
  golden::ReferenceAnswerer(header).answer(right, 0, 1);
  const auto count = [&](golden::OpenAnswer open) {
    open.keep = block.keep;
    golden::Verdict verdict;
    EXPECT_TRUE(golden::compare_answer(right, right, 0, open, verdict));
    EXPECT_EQ(verdict.words + verdict.dont_care + verdict.open, 18U);
    return verdict;
  };
  const auto open = [](bool scale, bool flags, bool codes, bool dont_care) {
    golden::OpenAnswer answer;
    answer.scale = scale;
    answer.flags = flags;
    answer.codes = codes;
    answer.dont_care = dont_care;
    return answer;
  };
  golden::OpenAnswer three = open(true, true, false, false);
  three.lanes = {true, true, true};
  EXPECT_EQ(count({}).words, 18U);
  EXPECT_EQ(count(three).open, 5U);
  EXPECT_EQ(count(open(false, false, false, true)).dont_care, 16U);
  EXPECT_EQ(count(open(false, false, false, true)).codes.dont_care, 16U);
  EXPECT_EQ(count(open(true, true, true, false)).unjudged, 1U);
  EXPECT_EQ(count(open(false, true, true, false)).unjudged, 0U);
}

TEST(LooksReordered, TellsSwappedBlocksFromWrongOnes) {
  const golden::RecordShape shape = block_header({test::told(0)}).shape();
  const auto batch_of = [&](const std::vector<BlockOut>& answers) {
    golden::RecordBatch batch(shape, answers.size());
    put_answers(answers, batch);
    return batch;
  };
  std::vector<BlockOut> expected(40);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i].codes[0] = static_cast<std::uint8_t>(i);
  }
  std::vector<BlockOut> actual = expected;
  const auto is_reordered = [&](const golden::Observed& observed = {}) {
    return looks_reordered(batch_of(expected), batch_of(actual), observed);
  };
  EXPECT_FALSE(is_reordered());
  std::swap(actual[7], actual[8]);
  EXPECT_TRUE(is_reordered());
  actual[20].status = 0x100;  // one answer is nobody's, but for a device without flags
  EXPECT_FALSE(is_reordered());
  EXPECT_TRUE(is_reordered(observed_of({.flags = false})));
  actual = expected;
  actual[5] = expected[6];  // a wrong computation that hits the neighbour's answer
  EXPECT_FALSE(is_reordered());
}

}  // namespace
}  // namespace mx::sim
