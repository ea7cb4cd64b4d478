// The second judge: certificates asked for scaled numbers, runs that they judge too, and what is
// said where the judges disagree.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "reference/element/encode.hpp"
#include "sim/block/faulty_model.hpp"
#include "sim/clocked/block_batch.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/judge/certificate_judge.hpp"
#include "sim/record/reference.hpp"
#include "sim/record/run.hpp"
#include "sim/report/report.hpp"
#include "tests/sim/record_fixture.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

const ElementFormat* const kSources[] = {&formats::fp32, &formats::bf16, &formats::fp16};

/// Source codes of every class, many of them near thresholds of the certificate.
std::vector<std::uint32_t> sources_of(const ElementFormat& source,
                                      const golden::ThresholdCertificate& certificate,
                                      std::mt19937& draw) {
  std::vector<std::uint32_t> codes;
  const auto mask = static_cast<std::uint32_t>(source.code_mask());
  const int shift = 32 - source.bits;  // a binary32 threshold as a code of bf16; any code of fp16
  for (const golden::CertificateLadder& ladder : certificate.sets[0].ladders) {
    for (const std::uint32_t t : ladder.thresholds) {
      for (const std::uint32_t near : {t - 1, t, t + 1}) codes.push_back(near >> shift & mask);
    }
  }
  for (int i = 0; i < 400; ++i) codes.push_back(static_cast<std::uint32_t>(draw()) & mask);
  for (std::uint32_t tiny = 0; tiny < 9; ++tiny) codes.push_back(tiny);
  codes.push_back(static_cast<std::uint32_t>(source.inf_code()));
  codes.push_back(static_cast<std::uint32_t>(source.inf_code()) + 1);
  codes.push_back(static_cast<std::uint32_t>(source.canonical_nan));
  const std::size_t positive = codes.size();
  for (std::size_t i = 0; i < positive; ++i) {
    codes.push_back(codes[i] | static_cast<std::uint32_t>(source.sign_bit()));
  }
  return codes;
}

ElementPolicy drawn_policy(std::mt19937& draw) {
  ElementPolicy policy;
  policy.rounding = golden::deterministic_rounding(draw() % golden::kDeterministic);
  policy.overflow = golden::kCertifiedOverflows[draw() % golden::kCertifiedOverflows.size()];
  policy.nan = golden::kCertifiedNans[draw() % golden::kCertifiedNans.size()];
  policy.zero_sign = static_cast<ZeroSign>(draw() % tokens<ZeroSign>().size());
  policy.int_min = static_cast<IntMin>(draw() % tokens<IntMin>().size());
  policy.dst_ftz = golden::kCertifiedFlushes[draw() % golden::kCertifiedFlushes.size()];
  return policy;
}

/// Property: the code of a source value times any power of two, far below and above binary32 too,
/// is that of the reference, and every one is decided.
TEST(Certificates, DecideEveryScaledNumber) {
  std::mt19937 draw(5);
  std::uint64_t decided = 0;
  for (const char* const name : {"e2m1fn", "e2m3fn", "e3m2fn", "e4m3fn", "e5m2", "int8"}) {
    const ElementFormat& to = *find_format(name);
    const golden::ThresholdCertificate certificate = make_fp32_certificate(to);
    for (int turn = 0; turn < 24; ++turn) {
      const ElementPolicy policy = drawn_policy(draw);
      const ScaledThresholds thresholds(certificate, policy);
      for (const ElementFormat* const source : kSources) {
        for (const std::uint32_t code : sources_of(*source, certificate, draw)) {
          const int shift =
              draw() % 4 == 0 ? static_cast<int>(draw() % 700) - 350 : static_cast<int>(draw() % 3);
          Unpacked x = decode(*source, code);
          if (x.cls == ValueClass::kFinite) x.exponent -= shift;
          const std::optional<std::uint8_t> found =
              thresholds.code(source_number(*source, code), shift);
          ASSERT_TRUE(found) << name << ' ' << source->name << std::hex << ' ' << code;
          ASSERT_EQ(*found, encode(x, to, policy, 0).code)
              << name << ' ' << source->name << std::hex << ' ' << code << " shift " << std::dec
              << shift << ' ' << token_of(policy.rounding);
          ++decided;
        }
      }
    }
  }
  EXPECT_GT(decided, 500000U);
}

RunOptions judged_by(Judge judge) {
  RunOptions options = test::plain_options();
  options.judge = judge;
  options.last = 40000;
  return options;
}

TEST(Certificates, AreComparedInTheWholeSmokeSuite) {
  const RunResult result = run(test::smoke(), test::reference_with(), judged_by(Judge::kBoth));
  EXPECT_EQ(result.exit_code(), 0);
  const Tally total = result.tallies.total();
  int silent = 0;  // those few whose few blocks here all have a NaN scale
  EXPECT_GT(total.certified, total.uncertified);
  EXPECT_GT(total.certified_scales, total.blocks / 3);
  for (std::uint32_t i = 0; i < result.configs.size(); ++i) {
    const Tally& tally = result.tallies.at(i);
    const QuantizerConfig& config = config_at(result.configs, i);
    if (tally.certified != 0) {
      EXPECT_TRUE(is_certified(config)) << i;
    } else {
      silent += is_certified(config) && tally.blocks != 0 ? 1 : 0;
    }
    EXPECT_EQ(is_stochastic(config.element.rounding), !is_certified(config)) << i;
  }
  EXPECT_LT(silent, 20);
  const Tally plain =
      run(test::smoke(), test::reference_with(), judged_by(Judge::kReference)).tallies.total();
  EXPECT_EQ(plain.words, total.words);
  EXPECT_EQ(plain.certified + plain.uncertified, 0U);
}

/// Certificates alone see a wrong rounding, and nothing wrong in a right device.
TEST(Certificates, JudgeAlone) {
  const RunResult right =
      run(test::smoke(), test::reference_with(), judged_by(Judge::kCertificate));
  EXPECT_EQ(right.exit_code(), 0);
  EXPECT_GT(right.tallies.total().words, 500000U);
  EXPECT_GT(right.tallies.total().open, 0U);
  const Fault* const fault = find_fault("ties_to_away_for_even");
  ASSERT_NE(fault, nullptr);
  const RunResult wrong =
      run(test::smoke(), test::reference_with(fault), judged_by(Judge::kCertificate));
  EXPECT_EQ(wrong.exit_code(), 1);
  EXPECT_EQ(wrong.disagreed, 0U);
}

/// The certificate with one threshold moved by one pattern.
golden::ThresholdCertificate moved(const ElementFormat& destination) {
  golden::ThresholdCertificate certificate = make_fp32_certificate(destination);
  certificate.sets[0].ladders[0].thresholds[9] += 1;
  return certificate;
}

/// Blocks of fp32 to e4m3fn under the scale 1 (its largest element has the exponent 8).
BlockIn block_with(std::uint32_t source) {
  BlockIn block;
  block.source[0] = 0x43800000;
  block.source[5] = source;
  return block;
}

TEST(Certificates, OneThresholdMovedByOneIsADisagreement) {
  const std::uint32_t threshold =
      make_fp32_certificate(formats::e4m3fn).sets[0].ladders[0].thresholds[9];
  const auto run_at = [](std::uint32_t source, CertificateMaker make) {
    const test::GivenBlocks blocks({block_with(0x3F800000), block_with(source)});
    RunOptions options = judged_by(Judge::kBoth);
    options.make_certificate = std::move(make);
    return run(blocks, test::reference_with(), options);
  };
  EXPECT_EQ(run_at(threshold, make_fp32_certificate).exit_code(), 0);
  EXPECT_EQ(run_at(threshold - 1, moved).exit_code(), 0);
  const RunResult result = run_at(threshold, moved);
  EXPECT_EQ(result.exit_code(), 6);
  ASSERT_EQ(result.disagreements.size(), 1U);
  const Disagreement& found = result.disagreements.front();
  EXPECT_EQ(found.index, 1U);
  EXPECT_EQ(found.lane, 5);
  EXPECT_EQ(found.source, threshold);
  EXPECT_EQ(found.expected, found.certified + 1);
  ReportFacts facts;
  facts.describe = [](std::uint64_t) { return "given"; };
  facts.replay = [](std::uint64_t, std::uint64_t) { return "again"; };
  const std::string text = failures_text(result, facts);
  EXPECT_NE(text.find("JUDGES DISAGREE block 1: given\n  lane 5, input "), std::string::npos)
      << text;
  EXPECT_NE(verdict_line(result, facts).find("FAIL judges disagree"), std::string::npos);
  EXPECT_NE(report_json(report_of(result, facts)).find("\"disagreements\": 1"), std::string::npos);
  EXPECT_NE(report_junit(report_of(result, facts)).find("JUDGES DISAGREE"), std::string::npos);
}

/// A reference with a fault against right certificates: faults of roundings, of the ends of the
/// range and of scale rules are contradicted.
TEST(Certificates, ContradictAFaultyReference) {
  const SuiteSource& suite = test::smoke();
  const golden::VectorHeader header = block_header(suite.configs());
  std::vector<BlockIn> blocks(8192);
  for (const char* const token :
       {"ties_to_away_for_even", "directed_modes_swapped", "results_flushed", "saturation_lost",
        "minus_zero_lost", "floor_for_ceil", "even_down_for_even_up", "scale_sat_clamps"}) {
    const Fault* const fault = find_fault(token);
    ASSERT_NE(fault, nullptr) << token;
    FaultyModel model(*fault, suite.configs());
    RecordCertificates certificates(header);
    std::vector<RecordDisagreement> found;
    for (std::uint64_t first = 0; first + blocks.size() <= suite.size() && found.empty();
         first += blocks.size()) {
      suite.fill(first, blocks);
      golden::RecordBatch own(header.shape(), blocks.size());
      put_blocks(blocks, own);
      settle_operands(header, own);
      std::vector<BlockOut> answers(blocks.size());
      for (std::size_t i = 0; i < blocks.size(); ++i) model.answer(blocks[i], nullptr, answers[i]);
      put_answers(answers, own);
      CertificateCounts counts;
      for (std::size_t i = 0; i < own.size() && found.empty(); ++i) {
        golden::OpenAnswer open;
        open.keep = blocks[i].keep;
        certificates.check({own, own, i, open, open, first + i}, counts, found);
      }
    }
    EXPECT_FALSE(found.empty()) << token;
  }
}

RecordRun run_of(const golden::Configuration& config, int lanes, CertificateMaker make,
                 Judge judge = Judge::kBoth) {
  const golden::VectorHeader header = test::suite_header({config}, lanes);
  RecordRunOptions options = test::one_thread();
  options.judge = judge;
  options.make_certificate = std::move(make);
  ReferenceDevice device;
  return run_records(header, test::suite_input(header), device, options);
}

/// Property: records of conversions and of blocks are compared with certificates; a threshold that
/// moved is a disagreement that names the input; what has no certificate is counted.
TEST(Certificates, JudgeRecords) {
  const golden::Configuration element{ConversionConfig{formats::bf16, formats::e4m3fn, {}}, {}};
  const golden::Configuration block{
      QuantizerConfig{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}}, {}};
  for (const auto& [config, lanes] : {std::pair(element, 1), std::pair(block, 32)}) {
    const RecordRun right = run_of(config, lanes, make_fp32_certificate);
    EXPECT_EQ(right.exit_code(), 0);
    ASSERT_TRUE(right.certificates());
    EXPECT_GT(right.certificates()->elements, 500U);
    EXPECT_EQ(right.certificates()->scales != 0, lanes != 1);
    EXPECT_EQ(right.certificates()->without, 0U);
    EXPECT_NE(record_verdict(right, test::suite_header({config}, lanes), {"it"})
                  .find("compared with certificates"),
              std::string::npos);
    // The suites hold every threshold of a binary32 source; those of bfloat16 are further apart.
    const RecordRun wrong = run_of(config, lanes, [](const ElementFormat& destination) {
      golden::ThresholdCertificate certificate = make_fp32_certificate(destination);
      for (std::uint32_t& t : certificate.sets[0].ladders[0].thresholds) {
        if (t > 1) t += 0x10000;
      }
      return certificate;
    });
    EXPECT_EQ(wrong.exit_code(), 6);
    ASSERT_FALSE(wrong.disagreements.empty());
    const RecordDisagreement& first = wrong.disagreements.front();
    EXPECT_EQ(first.field, golden::Field::kCode);
    EXPECT_EQ(first.expected, first.certified + 1);
    EXPECT_EQ(first.record.size(), 1U);
    EXPECT_EQ(run_of(config, lanes, make_fp32_certificate, Judge::kReference).certificates(),
              std::nullopt);
  }
  golden::Configuration stochastic = element;
  std::get<ConversionConfig>(stochastic.what).policy.rounding = Rounding::kStochasticA;
  const RecordRun none = run_of(stochastic, 1, make_fp32_certificate);
  EXPECT_EQ(none.exit_code(), 0);
  EXPECT_EQ(none.certificates()->elements, 0U);
  EXPECT_GT(none.certificates()->without, 100U);
}

}  // namespace
}  // namespace mx::sim
