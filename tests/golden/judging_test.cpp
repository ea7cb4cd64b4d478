// Judging many subjects at once gives what judging each alone gives: explain_record() is the judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "golden/identify/judging.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test {
namespace {

/// One subject after the other, one record after the other.
Tally plain_tally(const ImplementationLog& log, const Subject& subject) {
  Tally tally;
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const Explanation e = explain_record(log, subject, log.records[i]);
    tally.left_open += e.open.by_profile() ? 1U : 0U;
    tally.counts += e.counts;
    if (!e.agrees && tally.contradicted++ == 0) tally.first = i;
  }
  return tally;
}

/// Every profile of the surface, as it is and with nothing left open, and each policy that any of
/// them may have changed, in one that is drawn.
std::vector<Subject> subjects_of(const Surface& s, std::mt19937_64& draw) {
  std::vector<Subject> subjects;
  std::vector<DeviatingSubject> changed;
  for (const Candidate& each : candidates_of(s)) {
    subjects.push_back(*subject_of(each, s));
    const std::vector<DeviatingSubject> found = deviations(s, subjects.back());
    changed.insert(changed.end(), found.begin(), found.end());
    Subject bare = subjects.back();
    bare.block.masks = bare.element.masks = 0;
    subjects.push_back(bare);
  }
  std::ranges::shuffle(changed, draw);
  std::set<std::pair<std::string, std::string>> seen;
  for (const DeviatingSubject& each : changed) {
    if (seen.insert({each.deviations[0].field, each.deviations[0].to}).second)
      subjects.push_back(each.subject);
  }
  return subjects;
}

/// Telling inputs and drawn ones, some with a word to draw from, some of a tensor with a maximum.
std::vector<BlockInput> inputs_of(const Surface& s, std::size_t count, std::mt19937_64& draw) {
  // None are searched for: directed ones suffice, and make no quadratic number of comparisons.
  std::vector<BlockInput> inputs = discriminating_inputs(s, {}, count / 2, Telling::kCandidates);
  const std::size_t lanes = inputs.front().lanes.size();
  while (inputs.size() < count) {
    BlockInput input{.lanes = std::vector<std::uint64_t>(s.is_block ? 1 + draw() % lanes : 1)};
    const std::uint64_t base = draw();
    for (std::uint64_t& lane : input.lanes) {
      // Magnitudes near each other, and now and then any code.
      const std::uint64_t near = base ^ (draw() & (s.source.man_mask() * 16 + 15)) ^ (draw() << 63);
      lane = (draw() % 8 == 0 ? draw() : near) & s.source.code_mask();
    }
    inputs.push_back(std::move(input));
  }
  for (BlockInput& input : inputs) {
    if (draw() % 3 == 0) input.random = {static_cast<std::uint32_t>(draw() % 2)};
    const bool has_level = s.is_block && s.block.tensor_scale != TensorScale::kNone;
    if (has_level && draw() % 2 == 0) {
      input.tensor_amax = static_cast<std::uint32_t>(0x3F800000 + draw() % 0x08000000);
    }
  }
  return inputs;
}

/// What a subject logs, with wrong and unknown answers here and there.
ImplementationLog log_of_inputs(const Surface& s, const Subject& truth, LogOutputs outputs,
                                const std::vector<BlockInput>& inputs, std::mt19937_64& draw) {
  ImplementationLog log = log_of(s, truth, inputs);
  log.outputs = outputs;
  for (LogRecord& record : log.records) {
    if (outputs == LogOutputs::kValues) {
      record.answer.codes = explain_record(log, truth, record).expected.codes;
      record.answer.scale = 0;
    }
    std::uint64_t& first = record.answer.codes[draw() % record.answer.codes.size()];
    if (draw() % 16 == 0) first ^= 1;
    if (s.is_block && draw() % 32 == 0) record.answer.scale ^= 1;
    if (draw() % 8 == 0) record.has_scale = false;
    if (draw() % 8 != 0) continue;
    record.unknown.resize(record.answer.codes.size());
    for (auto&& unknown : record.unknown) unknown = draw() % 2 == 0;
  }
  return log;
}

/// Compares all three ways of judging; the number of subjects that some record contradicts.
std::size_t expect_as_plain(const ImplementationLog& log, const std::vector<Subject>& subjects,
                            const std::string& what) {
  std::vector<Tally> plain;
  for (const Subject& each : subjects) plain.push_back(plain_tally(log, each));
  const std::vector<std::size_t> suspects = {log.records.size() - 1, 0};
  std::size_t contradicted = 0;
  for (const int threads : {1, 3}) {
    const std::vector<Tally> together = judge_all(log, subjects, threads);
    const std::vector<Tally> until = judge_until_contradicted(log, subjects, suspects, threads);
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      EXPECT_TRUE(together[i] == plain[i]) << what << ", subject " << i << ", threads " << threads;
      EXPECT_EQ(until[i].contradicted != 0, plain[i].contradicted != 0) << what << ' ' << i;
      if (plain[i].contradicted == 0) {
        EXPECT_TRUE(until[i] == plain[i]) << what << ", subject " << i;
        continue;
      }
      contradicted += threads == 1 ? 1U : 0U;
      const LogRecord& record = log.records.at(until[i].first.value());
      EXPECT_FALSE(explain_record(log, subjects[i], record).agrees) << what << ", subject " << i;
    }
  }
  return contradicted;
}

struct Case {
  const char* source;
  const char* target;
};
constexpr Case kCases[] = {
    {"fp32", "e4m3fn"}, {"bf16", "e5m2"},    {"fp32", "e2m1fn"},           {"fp32", "int8"},
    {"fp32", "e8m0"},   {"fp32", "mxfp4"},   {"bf16", "mxfp8_e4m3"},       {"fp32", "mxfp8_e5m2"},
    {"fp32", "mxint8"}, {"bf16", "nvfp4"},   {"fp32", "bfp16_16"},         {"fp32", "fbgemm_mx4"},
    {"fp32", "hifx4"},  {"fp32", "tt_bfp4"}, {"fp32", "fp8_e4m3_fp32_row"}};

/// Property: for every surface and both kinds of outputs, every profile and drawn deviations of
/// them.
TEST(Judging, IsThatOfOneSubjectAndOneRecordAtATime) {
  constexpr std::uint64_t kSeed = 20261122;
  std::size_t judged = 0;
  std::size_t contradicted = 0;
  for (const Case& each : kCases) {
    const Surface s = surface(each.source, each.target);
    for (const LogOutputs outputs : {LogOutputs::kCodes, LogOutputs::kValues}) {
      std::mt19937_64 draw(kSeed);
      const std::vector<Subject> subjects = subjects_of(s, draw);
      const std::vector<BlockInput> inputs = inputs_of(s, 64, draw);
      const Subject& truth = subjects[draw() % subjects.size()];
      const ImplementationLog log = log_of_inputs(s, truth, outputs, inputs, draw);
      const std::string what = s.name() + ", seed " + std::to_string(kSeed) +
                               (outputs == LogOutputs::kValues ? ", values" : ", codes");
      contradicted += expect_as_plain(log, subjects, what);
      judged += subjects.size();
    }
  }
  EXPECT_GT(contradicted, 1000U);
  EXPECT_GT(judged, contradicted);
}

/// A right log that is longer than what one thread takes at a time, and one wrong answer late in
/// it.
TEST(Judging, FindsTheOneRecordThatContradicts) {
  std::mt19937_64 draw(7);
  for (const Case& each : {Case{"bf16", "mxfp4"}, Case{"fp32", "e4m3fn"}}) {
    const Surface s = surface(each.source, each.target);
    const Subject truth = subject("mxgold-default", s);
    std::vector<BlockInput> inputs = inputs_of(s, 1300, draw);
    for (BlockInput& input : inputs) input.random.clear();
    ImplementationLog log = log_of(s, truth, inputs);
    const std::vector<Subject> alone = {truth};
    EXPECT_EQ(judge_all(log, alone, 3).front(), plain_tally(log, truth));
    EXPECT_EQ(judge_all(log, alone, 3).front().contradicted, 0U);
    for (const std::size_t wrong : {std::size_t{511}, std::size_t{512}, std::size_t{1299}}) {
      ImplementationLog changed = log;
      changed.records[wrong].unknown.clear();
      changed.records[wrong].answer.codes = answer_of(s, truth, inputs[wrong]).codes;
      if (open_parts(s, truth, inputs[wrong]).any()) continue;
      changed.records[wrong].answer.codes[0] ^= 1;
      for (const int threads : {1, 2, 5}) {
        const Tally tally = judge_all(changed, alone, threads).front();
        EXPECT_EQ(tally.contradicted, 1U) << s.name() << ' ' << wrong;
        EXPECT_EQ(tally.first, wrong) << s.name();
        EXPECT_EQ(judge_until_contradicted(changed, alone, {}, threads).front().first, wrong);
      }
      EXPECT_FALSE(plain_tally(changed, truth) == plain_tally(log, truth));
    }
  }
}

/// Property: identification does not depend on the number of threads.
TEST(Judging, IdentifiesTheSameByAnyNumberOfThreads) {
  const Surface s = surface("bf16", "mxfp4");
  Subject truth = subject("mxgold-default", s);
  truth.block.config.block.rule = ScaleRule::kNearestVal;
  std::mt19937_64 draw(11);
  const ImplementationLog log = log_of(s, truth, inputs_of(s, 700, draw));
  const Identification one = identify(log, 1);
  const Identification four = identify(log, 4);
  ASSERT_FALSE(one.deviations.empty());
  ASSERT_EQ(one.deviations.size(), four.deviations.size());
  for (std::size_t i = 0; i < one.deviations.size(); ++i) {
    const auto& a = one.deviations[i].members;
    const auto& b = four.deviations[i].members;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) {
      EXPECT_EQ(a[j].name(), b[j].name());
      EXPECT_EQ(a[j].counts, b[j].counts);
    }
  }
  EXPECT_EQ(one.tried, four.tried);
}

}  // namespace
}  // namespace mx::golden::test
