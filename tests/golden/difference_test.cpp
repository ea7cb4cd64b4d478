// Comparing conversions and quantizers: known differences come out, agreement is what it says it
// is, and causes are the settings that make the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "golden/compare/causes.hpp"
#include "golden/identify/deviation.hpp"
#include "tests/golden/profile_kit.hpp"

namespace mx::golden::test {
namespace {

std::vector<Surface> some_surfaces() {
  return {surface("fp32", "e4m3fn"), surface("bf16", "e4m3fn"),     surface("fp16", "e5m2"),
          surface("fp32", "e2m1fn"), surface("fp32", "e8m0"),       surface("bf16", "mxfp4"),
          surface("fp32", "mxfp4"),  surface("bf16", "mxfp8_e4m3"), surface("bf16", "nvfp4")};
}

TEST(Difference, EveryProfileAgreesWithItself) {
  int compared = 0;
  for (const Surface& s : some_surfaces()) {
    SurfaceComparer comparer(s);
    for (const Candidate& each : candidates_of(s)) {
      const Subject subject = *subject_of(each, s);
      const SurfaceComparison found = comparer.compare(subject, subject);
      EXPECT_TRUE(found.agree()) << each.name() << " on " << s.name();
      EXPECT_EQ(found.basis, Basis::kByDefinition);
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

/// `a` with those settings of `b` that `wanted` picks.
template <typename Config>
Config changed(Config a, const Config& b, const std::function<bool(const Deviation&)>& wanted) {
  std::vector<Deviation> some = deviations(a, b);
  std::erase_if(some, [&](const Deviation& each) { return !wanted(each); });
  return with(some, a, b);
}

/// Is the scale B's and NaN, and does the configuration leave the codes under it free?
bool leaves_codes(const QuantizerConfig& config, const Difference& d) {
  const BlockAnswer answer = answer_of(config, d.input);
  return answer.scale == d.b.scale && config.block.nan_scale_codes == NanScaleCodes::kDontCare &&
         config.format.scale.has_nan() && answer.scale == config.format.scale.canonical_nan;
}

/// Does B's answer to a difference come of A with the settings that `wanted` picks?
bool answers_as_b(const Surface& s, Subject a, const Subject& b, const Difference& d,
                  const std::function<bool(const Deviation&)>& wanted) {
  if (s.is_block) {
    a.block.config = changed(a.block.config, b.block.config, wanted);
    if (!Quantizer::problem(a.block.config).empty()) return false;
  } else {
    a.element.conversion = changed(a.element.conversion, b.element.conversion, wanted);
  }
  if (answer_of(s, a, d.input) == d.b) return true;
  // Codes that mean nothing under a NaN scale are no difference, so nothing is their cause.
  return s.is_block && leaves_codes(a.block.config, d);
}

/// The causes turn A's answer into B's, and no single setting does where there are several.
void expect_own_causes(const Surface& s, const Subject& a, const Subject& b, const Difference& d) {
  const auto is_cause = [&](const Deviation& each) {
    return std::ranges::find(d.causes, each) != d.causes.end();
  };
  EXPECT_TRUE(answers_as_b(s, a, b, d, is_cause)) << s.name();
  if (d.causes.size() < 2) return;
  for (const Deviation& cause : d.causes) {
    EXPECT_FALSE(answers_as_b(s, a, b, d, [&](const Deviation& each) { return each == cause; }))
        << s.name() << ": " << cause.field;
  }
}

TEST(Difference, BothDirectionsFindTheSameInputAndTheirOwnCauses) {
  int differing = 0;
  for (const Surface& s : some_surfaces()) {
    SurfaceComparer comparer(s);
    const std::vector<Candidate> all = candidates_of(s);
    for (std::size_t i = 0; i + 1 < all.size(); i += 5) {
      const Subject a = *subject_of(all[i], s);
      const Subject b = *subject_of(all[i + 1], s);
      const SurfaceComparison forth = comparer.compare(a, b);
      const SurfaceComparison back = comparer.compare(b, a);
      EXPECT_EQ(forth.basis, back.basis) << s.name();
      ASSERT_EQ(forth.agree(), back.agree()) << s.name();
      if (forth.agree()) continue;
      const Difference& x = forth.differences.front();
      const Difference& y = back.differences.front();
      EXPECT_EQ(x.input, y.input);
      EXPECT_EQ(x.a, y.b);
      EXPECT_EQ(x.b, y.a);
      for (const Difference& d : forth.differences) {
        if (!forth.by_value && !d.open_a.any() && !d.open_b.any()) expect_own_causes(s, a, b, d);
      }
      for (const Difference& d : back.differences) {
        if (!back.by_value && !d.open_a.any() && !d.open_b.any()) expect_own_causes(s, b, a, d);
        ++differing;
      }
    }
  }
  EXPECT_GT(differing, 30);
}

/// The rule alone makes 0.19's answer of 0.18's. The way back also takes the scaling of elements,
/// which follows from the rule only in this direction.
TEST(Difference, CausesTurnTheFirstIntoTheSecond) {
  const Surface s = surface("fp32", "mxfp8_e4m3");
  const SurfaceComparison found = compare("torchao-0.18:rceil", "torchao-0.19dev:rceil", s);
  const Subject a = subject("torchao-0.18:rceil", s);
  const Subject b = subject("torchao-0.19dev:rceil", s);
  ASSERT_FALSE(found.agree());
  for (const Difference& d : found.differences) expect_own_causes(s, a, b, d);
  const BlockInput lowest{.lanes = {0x04600002}};
  const auto of_lowest = std::ranges::find(found.differences, lowest, &Difference::input);
  ASSERT_NE(of_lowest, found.differences.end());
  ASSERT_EQ(of_lowest->causes.size(), 1U);
  EXPECT_EQ(of_lowest->causes[0].field, "rule");
}

TEST(Difference, GgmlRoundsTiesToZero) {
  const SurfaceComparison found = compare("mxgold-default", "ggml", surface("fp32", "e2m1fn"));
  EXPECT_EQ(found.basis, Basis::kCertificates);
  const auto ties = caused_by(found, "rounding");
  ASSERT_TRUE(ties);
  EXPECT_EQ(ties->input.lanes[0], 0x3F400000U);  // 0.75, halfway between 0.5 and 1
  EXPECT_EQ(ties->a.codes[0], 2U);
  EXPECT_EQ(ties->b.codes[0], 1U);
  const auto zero = caused_by(found, "zero_sign");
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->input.lanes[0], 0x80000000U);
}

TEST(Difference, MlDtypesSendsNanToTheOppositeZero) {
  const SurfaceComparison found =
      compare("mxgold-default", "ml_dtypes-0.6", surface("bf16", "e2m1fn"));
  EXPECT_EQ(found.basis, Basis::kExhaustive);
  EXPECT_EQ(found.compared, 65536U);
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].kind, InputKind::kNan);
  EXPECT_EQ(found.differences[0].causes[0].field, "nan");
  EXPECT_EQ(found.differences[0].b.codes[0], 8U);
}

TEST(Difference, TorchaoVersionsPartInRceil) {
  const Surface s = surface("fp32", "mxfp8_e4m3");
  const SurfaceComparison found = compare("torchao-0.18:rceil", "torchao-0.19dev:rceil", s);
  const auto rule = caused_by(found, "rule");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->b.scale, rule->a.scale + 1);
  // spec F11.6: at 4de00001 the release is one too low.
  const BlockInput example{.lanes = {0x4DE00001}};
  EXPECT_EQ(answer_of(s, subject("torchao-0.18:rceil", s), example).scale, 0x93U);
  EXPECT_EQ(answer_of(s, subject("torchao-0.19dev:rceil", s), example).scale, 0x94U);
  // bfloat16 inputs are never affected.
  const SurfaceComparison narrow =
      compare("torchao-0.18:rceil", "torchao-0.19dev:rceil", surface("bf16", "mxfp8_e4m3"));
  EXPECT_FALSE(caused_by(narrow, "rule"));
}

TEST(Difference, OnnxRoundsTheLowestScaleUp) {
  const Surface s = surface("fp32", "e8m0");
  const auto quirk = caused_by(compare("mxgold-default", "onnx-ref", s), "e8m0_quirk");
  ASSERT_TRUE(quirk);
  EXPECT_EQ(quirk->b.codes[0], 1U);
  const BlockInput lowest{.lanes = {0x00400000}};  // 2^-127
  EXPECT_EQ(answer_of(s, subject("onnx-ref", s), lowest).codes[0], 1U);
  EXPECT_EQ(answer_of(s, subject("mxgold-default", s), lowest).codes[0], 0U);
}

TEST(Difference, MaskedInputsAreNoDifferences) {
  const Surface s = surface("fp32", "e5m2");
  Subject open = subject("mxgold-default", s);
  open.element.conversion.policy.nan = NanPolicy::kKeepSign;
  const Subject other = subject("mxgold-default", s);
  EXPECT_FALSE(SurfaceComparer(s).compare(open, other).agree());
  open.element.masks = kMaskNan;
  const SurfaceComparison found = SurfaceComparer(s).compare(open, other);
  EXPECT_TRUE(found.agree());
  EXPECT_FALSE(found.masked.empty());
}

TEST(Difference, EqualRulesAreProvedEqual) {
  // spec F11.2: even_up = midmax for e5m2, and not for e4m3fn.
  for (const char* const format : {"mxfp8_e5m2", "mxfp4", "mxfp8_e4m3"}) {
    for (const char* const source : {"bf16", "fp32"}) {
      const Surface s = surface(source, format);
      Subject a = subject("mxgold-default", s);
      Subject b = a;
      a.block.config.block.rule = ScaleRule::kEvenUp;
      b.block.config.block.rule = ScaleRule::kMidmax;
      const SurfaceComparison found = SurfaceComparer(s).compare(a, b);
      EXPECT_EQ(found.agree(), std::string(format) != "mxfp8_e4m3") << s.name();
      EXPECT_EQ(found.basis, Basis::kScales);
    }
  }
}

/// No input smaller than the one reported tells the two apart.
TEST(Difference, WitnessesAreTheSmallest) {
  int checked = 0;
  for (const char* const source : {"bf16", "fp32"}) {
    const Surface s = surface(source, "e4m3fn");
    const Subject base = subject("mxgold-default", s);
    SurfaceComparer comparer(s);
    for (const DeviatingSubject& each : deviations(s, base)) {
      if (draws_random(s, each.subject)) continue;
      const SurfaceComparison found = comparer.compare(base, each.subject);
      if (found.agree()) continue;
      const std::uint64_t rank = simplicity(s.source, found.differences[0].input.lanes[0]);
      for (const std::uint64_t input : directed_inputs(s.source, s.destination, 4000)) {
        const BlockInput one{.lanes = {input}};
        const bool same = answer_of(s, base, one) == answer_of(s, each.subject, one);
        if (simplicity(s.source, input) < rank) {
          EXPECT_TRUE(same) << each.deviations[0].field << "=" << each.deviations[0].to << " at "
                            << input;
        }
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Difference, TheChangedPolicyIsTheCause) {
  int causes = 0;
  for (const Surface& s : {surface("fp32", "e4m3fn"), surface("bf16", "int8"),
                           surface("bf16", "e8m0"), surface("bf16", "mxfp4")}) {
    const Subject base = subject("mxgold-default", s);
    SurfaceComparer comparer(s);
    for (const DeviatingSubject& each : deviations(s, base)) {
      for (const Difference& d : comparer.compare(base, each.subject).differences) {
        ASSERT_EQ(d.causes.size(), 1U) << s.name() << " " << each.deviations[0].field;
        EXPECT_EQ(d.causes[0].field, each.deviations[0].field);
        EXPECT_EQ(d.causes[0].from, each.deviations[0].from);
        EXPECT_EQ(d.causes[0].to, each.deviations[0].to);
        ++causes;
      }
    }
  }
  EXPECT_GT(causes, 100);
}

TEST(Difference, MissingElementsCountAsZeros) {
  for (const Surface& s : {surface("bf16", "mxfp4"), surface("bf16", "nvfp4")}) {
    for (const Candidate& each : candidates_of(s)) {
      const Subject subject = *subject_of(each, s);
      for (const BlockInput& input : directed_blocks(s.source, s.block, 200)) {
        BlockInput whole = input;
        whole.lanes.resize(static_cast<std::size_t>(s.block.block_size), 0);
        const BlockAnswer part = answer_of(s, subject, input);
        BlockAnswer all = answer_of(s, subject, whole);
        all.codes.resize(part.codes.size());
        ASSERT_EQ(part, all) << each.name() << " on " << s.name();
      }
    }
  }
}

TEST(Difference, NoCommonSurfaceIsAnAnswer) {
  const Surface s = surface("fp32", "e4m3fn");
  EXPECT_FALSE(subject_of(candidate("hif4"), s));
}

}  // namespace
}  // namespace mx::golden::test
