// Identification: the class of a log's maker, deviations by name, and logs that are malformed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "golden/files/vector_file.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test {
namespace {

void expect_accepted(const std::vector<Surface>& surfaces) {
  Acceptance acceptance;
  for (const Surface& s : surfaces) accept(s, acceptance);
  for (const std::string& problem : acceptance.problems) ADD_FAILURE() << problem;
  EXPECT_GT(acceptance.logs, surfaces.size());
  EXPECT_GT(acceptance.judgements, 3 * acceptance.logs);
  EXPECT_LE(acceptance.longest, 1000U);
}

TEST(Identify, ElementsOfEveryProfile) {
  std::vector<Surface> surfaces;
  for (const char* const source : {"fp32", "bf16", "fp16"}) {
    for (const char* const to : {"e4m3fn", "e5m2", "e2m1fn", "e8m0", "e4m3fnuz", "int8"}) {
      surfaces.push_back(surface(source, to));
    }
  }
  expect_accepted(surfaces);
}

TEST(Identify, BlocksOfEveryProfile) {
  expect_accepted({surface("bf16", "mxfp4"), surface("bf16", "mxfp8_e4m3"),
                   surface("fp32", "mxfp8_e5m2"), surface("bf16", "nvfp4")});
}

/// Does a class have a member with exactly these changes, whatever its base?
bool has_change(const std::vector<HypothesisClass>& classes, const std::string& field,
                const std::string& to) {
  return std::ranges::any_of(classes, [&](const HypothesisClass& each) {
    return std::ranges::any_of(each.members, [&](const Hypothesis& member) {
      return std::ranges::any_of(member.changes, [&](const Deviation& change) {
        return change.field == field && change.to == to;
      });
    });
  });
}

ImplementationLog log_with(const Surface& s, const Subject& truth) {
  return log_of(s, truth, discriminating_inputs(s, candidates_of(s), 1000));
}

// IEEE's widening is no deviation of the default; one that saturates is.
TEST(Identify, AnIeeeConverterIsTheDefault) {
  const Surface s = surface("e5m2", "bf16");
  Subject truth = subject("mxgold-default", s);
  EXPECT_EQ(truth.element.conversion.policy.overflow, Overflow::kNoneInfOrNan);
  const Identification right = identify(log_with(s, truth));
  ASSERT_FALSE(right.classes.empty());
  EXPECT_EQ(right.classes.front().members.front().name(), "mxgold-default");
  truth.element.conversion.policy.overflow = Overflow::kSatFinite;
  const Identification wrong = identify(log_with(s, truth));
  EXPECT_TRUE(wrong.classes.empty());
  EXPECT_TRUE(has_change(wrong.deviations, "overflow", "sat_finite"));
}

TEST(Identify, AWrongRuleIsNamed) {
  const Surface s = surface("bf16", "mxfp4");
  Subject truth = subject("mxgold-default", s);
  truth.block.config.block.rule = ScaleRule::kNearestVal;
  const Identification found = identify(log_with(s, truth));
  EXPECT_TRUE(found.classes.empty());
  EXPECT_EQ(found.changed_policies, 1);
  EXPECT_TRUE(has_change(found.deviations, "rule", "nearest_val"));
}

TEST(Identify, AWrongRoundingIsNamed) {
  const Surface s = surface("fp32", "e4m3fn");
  Subject truth = subject("mxgold-default", s);
  truth.element.conversion.policy.rounding = Rounding::kToOdd;
  const Identification found = identify(log_with(s, truth));
  EXPECT_TRUE(std::ranges::none_of(found.classes, [](const HypothesisClass& each) {
    return each.members.front().base.name() == "mxgold-default";
  }));
  EXPECT_TRUE(has_change(found.deviations, "rounding", "to_odd"));
}

// From fp64, since profiles of narrower sources have one of the two already.
TEST(Identify, TwoPoliciesWhereOneDoesNotExplain) {
  const Surface s = surface("fp64", "e3m2fn");
  Subject truth = subject("mxgold-default", s);
  truth.element.conversion.policy.rounding = Rounding::kTiesTowardPositive;
  truth.element.conversion.policy.zero_sign = ZeroSign::kFlushInput;
  const Identification found = identify(log_with(s, truth));
  ASSERT_TRUE(found.classes.empty());
  EXPECT_EQ(found.changed_policies, 2);
  EXPECT_TRUE(has_change(found.deviations, "rounding", "ties_toward_positive"));
  EXPECT_TRUE(has_change(found.deviations, "zero_sign", "flush_input"));
}

// Random bits mean nothing under the roundings of the profiles, so that each of the two is tried
// beside the other. Control: without the log's random words nothing is said.
TEST(Identify, RandomBitsBesideARounding) {
  const Surface s = surface("fp64", "e3m2fn");
  Subject truth = subject("mxgold-default", s);
  truth.element.conversion.policy.rounding = Rounding::kStochasticB;
  truth.element.conversion.policy.random_bits = 5;
  std::vector<BlockInput> inputs;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::uint64_t fraction = i * 0x9E3779B97F4A7C15U >> 12;
    inputs.push_back({.lanes = {0x3FF0000000000000U | fraction}, .random = {i % 32}});
  }
  ImplementationLog log = log_of(s, truth, inputs);
  const Identification found = identify(log);
  EXPECT_TRUE(found.classes.empty());
  EXPECT_EQ(found.changed_policies, 2);
  EXPECT_TRUE(has_change(found.deviations, "random_bits", "5"));
  EXPECT_TRUE(has_change(found.deviations, "rounding", "stochastic_b"));
  log.has_random = false;
  EXPECT_FALSE(has_change(identify(log).deviations, "random_bits", "5"));
}

TEST(Identify, OneFlippedBitContradictsItsMaker) {
  int flipped = 0;
  for (const Surface& s : {surface("fp32", "e4m3fn"), surface("bf16", "mxfp4")}) {
    const Subject truth = subject("mxgold-default", s);
    const ImplementationLog clean = log_with(s, truth);
    for (std::size_t i = 0; i < clean.records.size(); i += 37) {
      ImplementationLog log = clean;
      if (!log.records[i].unknown.empty()) continue;
      log.records[i].answer.codes[0] ^= 1;
      const std::vector<Ruling> rulings = rule_on_profiles(log);
      const auto maker = std::ranges::find_if(
          rulings, [](const Ruling& r) { return r.hypothesis.name() == "mxgold-default"; });
      ASSERT_NE(maker, rulings.end());
      EXPECT_EQ(maker->contradicted, 1U);
      ASSERT_TRUE(maker->first);
      EXPECT_EQ(maker->first->record, i);
      EXPECT_EQ(maker->first->expected.codes[0], clean.records[i].answer.codes[0]);
      ++flipped;
    }
  }
  EXPECT_GT(flipped, 30);
}

TEST(Identify, AnArbitraryFlipIsExplainedByNothing) {
  const Surface s = surface("bf16", "e4m3fn");
  ImplementationLog log = log_with(s, subject("mxgold-default", s));
  // A value in the middle of the range that no policy sends anywhere else.
  for (LogRecord& record : log.records) {
    if (record.input.lanes[0] == 0x3F80) record.answer.codes[0] ^= 0x44;
  }
  log.records.push_back({.input = {.lanes = {0x3F80}}, .answer = {.scale = 0, .codes = {0x7C}}});
  const Identification found = identify(log);
  EXPECT_TRUE(found.classes.empty());
  EXPECT_TRUE(found.deviations.empty());
  EXPECT_EQ(found.changed_policies, 0);
}

/// Property: where every profile that explains a log leaves some of it open, the policy inside is
/// named; where one leaves nothing open, there is nothing to add.
TEST(Identify, ThePolicyInsideWhatIsLeftOpenIsNamed) {
  const Surface s = surface("fp32", "mxfp4");
  Subject truth = subject("mxgold-default", s);
  EXPECT_TRUE(identify(log_with(s, truth)).inside.empty());
  truth.block.config.block.zero_block_scale = ZeroBlockScale::kOne;
  const Identification found = identify(log_with(s, truth));
  ASSERT_FALSE(found.classes.empty());
  EXPECT_EQ(found.classes[0].members[0].name(), "ocp-mx-1.0");
  ASSERT_EQ(found.inside.size(), 1U);
  EXPECT_TRUE(has_change(found.inside, "zero_block_scale", "one"));
  const Hypothesis& inside = found.inside[0].members[0];
  EXPECT_EQ(inside.name(), "ocp-mx-1.0 with zero_block_scale=one");
  EXPECT_GT(inside.counts.compared, found.classes[0].members[0].counts.compared);
  EXPECT_FALSE(found.closest);
}

/// Property: of what explains nothing whole, the nearest is said with its first contradiction; a
/// device with a policy otherwise and a few wrong answers is nearest to that policy.
TEST(Identify, TheClosestIsSaidWhereNothingExplains) {
  const Surface s = surface("bf16", "mxfp4");
  Subject truth = subject("mxgold-default", s);
  truth.block.config.block.rule = ScaleRule::kNearestVal;
  ImplementationLog log = log_with(s, truth);
  std::uint64_t broken = 0;
  for (std::size_t i = 5; i < log.records.size(); i += 40) {
    if (!log.records[i].unknown.empty()) continue;
    for (std::uint64_t& code : log.records[i].answer.codes) code ^= 3;
    ++broken;
  }
  ASSERT_GT(broken, 3U);
  const Identification found = identify(log);
  EXPECT_TRUE(found.classes.empty() && found.deviations.empty() && found.inside.empty());
  ASSERT_TRUE(found.closest);
  EXPECT_NE(found.closest->hypothesis.name().find("rule=nearest_val"), std::string::npos)
      << found.closest->hypothesis.name();
  EXPECT_LE(found.closest->contradicted, broken);
  EXPECT_GT(found.closest->contradicted, 0U);
  ASSERT_TRUE(found.closest->first);
  EXPECT_EQ((found.closest->first->record - 5) % 40, 0U);
}

TEST(Identify, ValuesAlone) {
  const Surface s = surface("fp32", "e2m1fn");
  const std::string text =
      "# a fake quantizer\nfp32 e2m1fn values\n"
      "3f400000 3f800000\n"  // 0.75 -> 1: ties to even
      "3fe00000 40000000\n"  // 1.75 -> 2
      "40200000 40000000\n"  // 2.5 -> 2
      "40e00000 40c00000\n"  // 7 -> 6
      "80000000 80000000\n";
  FormatCatalog catalog;
  const ImplementationLog log = parse_log("values.txt", text, catalog);
  EXPECT_EQ(log.outputs, LogOutputs::kValues);
  const std::vector<Ruling> rulings = rule_on_profiles(log);
  for (const Ruling& ruling : rulings) {
    const std::string name = ruling.hypothesis.name();
    if (name == "mxgold-default" || name == "ggml") {
      EXPECT_EQ(ruling.explains(), name == "mxgold-default") << name;
    }
  }
  EXPECT_EQ(s.name(), log.surface.name());
}

const std::vector<Surface>& counted_surfaces() {
  static const std::vector<Surface> kSurfaces = {
      surface("fp32", "e4m3fn"),   surface("bf16", "e5m2"),
      surface("fp32", "e2m1fn"),   surface("fp32", "int8"),
      surface("bf16", "mxfp4"),    surface("fp32", "mxfp8_e4m3"),
      surface("fp32", "mxint8"),   surface("bf16", "nvfp4"),
      surface("fp32", "bfp16_16"), surface("fp32", "fbgemm_mx4"),
      surface("fp32", "hifx4"),    surface("fp32", "fp8_e4m3_fp32_row")};
  return kSurfaces;
}

/// Codes, and the scale of a block.
std::uint64_t answers_of(const ImplementationLog& log) {
  std::uint64_t answers = 0;
  for (const LogRecord& record : log.records) {
    answers += record.answer.codes.size() + (log.surface.is_block ? 1U : 0U);
  }
  return answers;
}

TEST(Identify, EveryAnswerIsComparedOrOpenOrUnknown) {
  for (const Surface& s : counted_surfaces()) {
    const std::vector<Candidate> candidates = candidates_of(s);
    const std::vector<BlockInput> inputs =
        discriminating_inputs(s, candidates, 60, Telling::kCandidates);
    const Subject first = *subject_of(candidates.front(), s);
    const ImplementationLog log = log_of(s, first, inputs);
    for (const Ruling& each : rule_on_profiles(log)) {
      const AnswerCounts& counts = each.counts;
      EXPECT_EQ(counts.compared + counts.open + counts.dont_care + counts.unknown, answers_of(log))
          << s.name() << ' ' << each.hypothesis.name();
      EXPECT_GT(counts.compared, 0U) << s.name() << ' ' << each.hypothesis.name();
    }
  }
}

// The class of vacuous matches: a log whose outputs are all unknown agrees with everything.
TEST(Identify, UnknownOutputsExplainNothing) {
  for (const Surface& s : counted_surfaces()) {
    const std::vector<Candidate> candidates = candidates_of(s);
    const Subject first = *subject_of(candidates.front(), s);
    ImplementationLog log =
        log_of(s, first, discriminating_inputs(s, candidates, 20, Telling::kCandidates));
    for (LogRecord& record : log.records) {
      record.has_scale = false;
      record.unknown.assign(record.answer.codes.size(), true);
    }
    const Identification found = identify(log);
    EXPECT_FALSE(found.compared_anything()) << s.name();
    EXPECT_TRUE(found.classes.empty()) << s.name();
    EXPECT_TRUE(found.deviations.empty()) << s.name();
    for (const Ruling& each : found.profiles) {
      EXPECT_FALSE(each.explains()) << s.name() << ' ' << each.hypothesis.name();
      EXPECT_EQ(each.counts.compared, 0U) << s.name() << ' ' << each.hypothesis.name();
    }
    // Control: one output that is known is a verdict again.
    log.records.front() = record_of(s, first, log.records.back().input);
    const std::vector<Ruling> known = rule_on_profiles(log);
    const bool is_open = known.front().counts.compared == 0;
    EXPECT_EQ(known.front().explains(), !is_open) << s.name();
  }
}

TEST(Identify, OpenInputsExplainNothing) {
  std::size_t tried = 0;
  for (const Surface& s : counted_surfaces()) {
    const std::vector<Candidate> candidates = candidates_of(s);
    const std::vector<BlockInput> inputs =
        discriminating_inputs(s, candidates, 200, Telling::kCandidates);
    for (const Candidate& each : candidates) {
      const Subject truth = *subject_of(each, s);
      std::vector<BlockInput> open_inputs;
      for (const BlockInput& input : inputs) {
        const OpenParts open = open_parts(s, truth, input);
        const bool all = std::ranges::find(open.elements, false) == open.elements.end();
        if (all && (open.scale || !s.is_block)) open_inputs.push_back(input);
      }
      if (open_inputs.empty()) continue;
      ImplementationLog log = log_of(s, truth, open_inputs);
      for (LogRecord& record : log.records) {
        record.has_scale = true;
        record.unknown.clear();  // garbage that the profile cannot contradict
      }
      for (const Ruling& ruling : rule_on_profiles(log)) {
        if (!(ruling.hypothesis.base == each)) continue;
        EXPECT_FALSE(ruling.explains()) << s.name() << ' ' << each.name();
        EXPECT_EQ(ruling.counts.compared, 0U) << s.name() << ' ' << each.name();
        EXPECT_EQ(ruling.counts.open, answers_of(log)) << s.name() << ' ' << each.name();
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 30U);
}

// Codes under a NaN scale mean nothing, whoever made them: no profile leaves them open.
TEST(Identify, CodesUnderANanScaleAreNotLeftOpen) {
  FormatCatalog catalog;
  const ImplementationLog log = parse_log(
      "log.txt", "fp32 mxfp4\n7fc00000 3f800000 | ff | 0 0\n3f800000 40000000 | 7f | 2 4\n",
      catalog);
  bool is_found = false;
  for (const Ruling& each : rule_on_profiles(log)) {
    if (each.hypothesis.name() != "mxgold-default") continue;
    is_found = true;
    EXPECT_EQ(each.counts, (AnswerCounts{.compared = 4, .open = 0, .unknown = 0, .dont_care = 2}));
    EXPECT_EQ(each.left_open, 0U);
  }
  EXPECT_TRUE(is_found);
}

// Text logs hold every block format, not MX alone: sublevels, tiles, real scales, tensor levels.
TEST(Identify, LogsOfEveryBlockFormat) {
  std::size_t judged = 0;
  for (const BlockFormat& format : all_block_formats()) {
    const Surface s = surface("fp32", format.name);
    const std::vector<Candidate> candidates = candidates_of(s);
    if (candidates.empty()) continue;
    const Subject truth = *subject_of(candidates.front(), s);
    std::vector<BlockInput> inputs = {
        {.lanes = {0x40490FDB}}, {.lanes = {0x40490FDB, 0xBF400000, 0x3C000000}}, {.lanes = {0}}};
    if (format.tensor_scale != TensorScale::kNone) {
      inputs.push_back({.lanes = {0x3F800000}, .tensor_amax = 0x45280000});
    }
    const ImplementationLog log = log_of(s, truth, inputs);
    FormatCatalog catalog;
    ImplementationLog back = parse_log("log.txt", log_text(log), catalog);
    const auto ruling = [&] { return rule_on_profiles(back).front(); };
    EXPECT_TRUE(ruling().explains()) << s.name();
    back.records.front().answer.codes[0] ^= 1;
    EXPECT_FALSE(ruling().explains()) << s.name();
    ++judged;
  }
  EXPECT_GE(judged, 50U);
}

// Two's complement has one zero, so the sign that microxcaling's integers keep says nothing.
TEST(Identify, TheSignOfAnIntegerZeroIsImmaterial) {
  FormatCatalog catalog;
  const auto explains = [&](const char* text, const char* profile) {
    for (const Ruling& each : rule_on_profiles(parse_log("values.txt", text, catalog))) {
      if (each.hypothesis.name() == profile) return each.explains();
    }
    ADD_FAILURE() << profile;
    return false;
  };
  for (const char* const integer : {"int8", "int4", "int2"}) {
    for (const char* const zero : {"80000000", "00000000"}) {
      const std::string text =
          std::string("fp32 ") + integer + " values\nba800000 " + zero + "\n3f800000 3f800000\n";
      EXPECT_TRUE(explains(text.c_str(), "microxcaling-1.1.0/py-f32")) << text;
    }
  }
  for (const char* const block : {"mxint8", "mxint4"}) {
    const std::string text =
        std::string("fp32 ") + block + " values\n3f800000 ba800000 | 3f800000 80000000\n";
    EXPECT_TRUE(explains(text.c_str(), "microxcaling-1.1.0/py-f32")) << text;
  }
  // Control: floats have both zeros.
  EXPECT_TRUE(explains("fp32 e4m3fn values\nad800000 80000000\n", "microxcaling-1.1.0/py-f32"));
  EXPECT_FALSE(explains("fp32 e4m3fn values\nad800000 00000000\n", "microxcaling-1.1.0/py-f32"));
  EXPECT_FALSE(explains("fp32 e4m3fn values\nad800000 80000000\n", "microxcaling-1.1.0/cpp"));
}

TEST(Identify, ClassesComeWithWhatTellsThemApart) {
  FormatCatalog catalog;
  const Identification found = identify(parse_log("one.txt", "fp32 e2m1fn\n3f800000 2\n", catalog));
  ASSERT_GT(found.classes.size(), 1U);
  EXPECT_FALSE(found.classes[0].from_first);
  for (std::size_t i = 1; i < found.classes.size(); ++i) {
    ASSERT_TRUE(found.classes[i].from_first);
    EXPECT_NE(found.classes[i].from_first->a, found.classes[i].from_first->b);
  }
}

TEST(Identify, RandomWordsAreNeededToJudgeStochasticRounding) {
  FormatCatalog catalog;
  int unjudged = 0;
  const auto log = parse_log("one.txt", "fp32 e4m3fn\n3f800000 38\n", catalog);
  for (const Ruling& ruling : rule_on_profiles(log)) unjudged += ruling.judged ? 0 : 1;
  EXPECT_GT(unjudged, 0);
  const auto full = parse_log("one.txt", "fp32 e4m3fn random\n3f800000 0 38\n", catalog);
  for (const Ruling& ruling : rule_on_profiles(full)) EXPECT_TRUE(ruling.judged);
}

TEST(Log, TextComesBack) {
  for (const Surface& s :
       {surface("fp32", "e4m3fn"), surface("bf16", "mxfp4"), surface("fp32", "nvfp4")}) {
    const Subject truth = subject("mxgold-default", s);
    const ImplementationLog log = log_with(s, truth);
    FormatCatalog catalog;
    const ImplementationLog back = parse_log("log.txt", log_text(log), catalog);
    ASSERT_EQ(back.records.size(), log.records.size());
    EXPECT_EQ(log_text(back), log_text(log));
    for (std::size_t i = 0; i < log.records.size(); ++i) {
      EXPECT_EQ(back.records[i].input.lanes, log.records[i].input.lanes);
      EXPECT_EQ(back.records[i].input.tensor_amax, log.records[i].input.tensor_amax);
      EXPECT_EQ(back.records[i].unknown, log.records[i].unknown);
    }
  }
}

struct Malformed {
  const char* text;
  const char* message;  ///< must be in the error
};

TEST(Log, MalformedTextIsRefused) {
  const Malformed cases[] = {
      {"", "header: missing"},
      {"# nothing\n", "header: missing"},
      {"fp32\n", "log.txt:1: header: a source and a target"},
      {"fp32 e4m3fm\n", "unknown format 'e4m3fm'"},
      {"mxfp4 e4m3fn\n", "is no source"},
      {"fp32 e4m3fn value\n", "unknown option 'value'"},
      {"fp32 e4m3fn tensor\n", "tensor: e4m3fn has no scale of the tensor; leave"},
      {"fp32 mxfp4 tensor\n", "tensor: mxfp4 has no scale of the tensor; leave"},
      {"fp32 e4m3fn\n", "record: none"},
      {"fp32 e4m3fn\n3f800000\n", "log.txt:2: record: 1 words in place of 2"},
      {"fp32 e4m3fn\n3f800000 38 00\n", "3 words in place of 2"},
      {"fp32 e4m3fn random\n3f800000 38\n", "write INPUT RANDOM OUTPUT"},
      {"fp32 e4m3fn\n\n# c\n3f80000g 38\n", "log.txt:4: input: '3f80000g' is no hexadecimal"},
      {"fp32 e4m3fn\n3f8000000 38\n", "more than 32 bits"},
      {"fp32 e4m3fn\n3f800000 138\n", "output: '138' has more than 8 bits"},
      {"fp32 e4m3fn\n3f800000 38\n3f88 38\n", "log.txt:3: input: '3f88' has 4 digits, and 32 bits"},
      {"bf16 e4m3fn\n03f80 38\n", "input: '03f80' has 5 digits, and 16 bits have 4; write every"},
      {"fp32 e4m3fn\n3f800000 5\n", "output: '5' has 1 digits, and 8 bits have 2"},
      {"fp32 e4m3fn\n3f800000 0x0038\n", "output: '0x0038' has 4 digits"},
      {"fp32 e4m3fn values\n3f800000 3f80\n", "output: '3f80' has 4 digits, and 32 bits have 8"},
      {"fp32 e2m1fn\n3f800000 002\n", "3 digits, and 4 bits have 1 (or 2, as stored)"},
      {"fp32 mxfp4\n3f800000 | 7 | 2\n", "scale: '7' has 1 digits"},
      {"fp32 nvfp4 tensor\n3f800000 | 4528 | 38 | 2\n", "tensor amax: '4528' has 4 digits"},
      {"bf16 mxfp4\n3f80 7f\n", "1 groups in place of 3"},
      {"bf16 mxfp4\n3f80 | 7f\n", "2 groups in place of 3"},
      {"bf16 mxfp4\n | 7f | 2\n", "input: 0 elements"},
      {"bf16 mxfp4\n3f80 3f80 | 7f | 2\n", "1 words for 2 elements"},
      {"bf16 mxfp4\n3f80 | 7f 7f | 2\n", "scale: 2 words"},
      {"bf16 mxfp4\n3f80 | 7f | 12\n", "more than 4 bits"},
      {"bf16 mxfp4 random\n3f80 3f80 3f80 | 1 2 | 7f | 2 2 2\n", "random: 2 words"},
      {"fp32 nvfp4 tensor\n3f800000 | 7f800000 | 38 | 2\n", "tensor amax"}};
  FormatCatalog catalog;
  for (const Malformed& each : cases) {
    try {
      (void)parse_log("log.txt", each.text, catalog);
      ADD_FAILURE() << "accepted: " << each.text;
    } catch (const VectorError& error) {
      EXPECT_NE(std::string(error.what()).find(each.message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("; "), std::string::npos) << "no remedy";
    }
  }
}

// Codes of less than a byte may stand as the bytes that hold them, and random words are numbers.
TEST(Log, WordsAsTheyAreStored) {
  FormatCatalog catalog;
  const auto log =
      parse_log("log.txt", "bf16 mxfp4 random\n3f80 0x3F80 | 7 | 7f | 2 02\n", catalog);
  EXPECT_EQ(log.records[0].answer.codes, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(log.records[0].input.random, std::vector<std::uint32_t>{7});
}

// As simulators print them: a digit each, either case.
TEST(Log, UnknownOutputsOfSimulators) {
  FormatCatalog catalog;
  const auto log =
      parse_log("log.txt", "fp32 e4m3fn\n3f800000 xx\n3f800000 XX\n3f800000 X\n", catalog);
  for (const LogRecord& record : log.records) EXPECT_FALSE(is_known(record, 0));
  const auto blocks = parse_log("log.txt", "bf16 mxfp4\n3f80 3f80 | XX | 2 X\n", catalog);
  EXPECT_FALSE(blocks.records[0].has_scale);
  EXPECT_FALSE(is_known(blocks.records[0], 1));
}

TEST(Log, SeparatorsAndUnknownOutputs) {
  FormatCatalog catalog;
  const auto log =
      parse_log("log.csv", "bf16,mxfp4\r\n0x3F80,3f80 -> x -> 2,x\r\n3f80 | 7f | 2\r\n", catalog);
  ASSERT_EQ(log.records.size(), 2U);
  EXPECT_FALSE(log.records[0].has_scale);
  EXPECT_TRUE(is_known(log.records[0], 0));
  EXPECT_FALSE(is_known(log.records[0], 1));
  EXPECT_EQ(log.records[1].line, 3U);
  EXPECT_EQ(log.records[1].answer.scale, 0x7FU);
}

}  // namespace
}  // namespace mx::golden::test
