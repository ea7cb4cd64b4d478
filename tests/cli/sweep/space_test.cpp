// What a sweep goes over: the words that a block under a scale can hold, and the codes that a
// certificate expects of them.
#include "cli/sweep/space.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cli/base/error.hpp"
#include "cli/merge/merge.hpp"
#include "cli/sweep/receipt.hpp"
#include "cli/sweep/sweep.hpp"
#include "cli/sweep/sweep_thresholds.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/number/word_bytes.hpp"
#include "tests/cli/files/byte_builder.hpp"
#include "tests/support/print.hpp"
#include "tests/support/sample.hpp"

namespace mx::cli::test::space_test {
namespace {

const std::vector<const ElementFormat*> kElements = {&formats::e4m3fn, &formats::e5m2,
                                                     &formats::e3m2fn, &formats::e2m3fn,
                                                     &formats::e2m1fn, &formats::int8};
const std::vector<int> kScales = {0, 1, 60, 126, 127, 128, 134, 200, 246, 253, 254};

/// The magnitude of a finite word of bf16 or fp16, or a negative number.
double magnitude_of(const ElementFormat& source, std::uint32_t word) {
  const Unpacked x = decode(source, word);
  if (x.cls == ValueClass::kZero) return 0;
  if (x.cls != ValueClass::kFinite) return -1;
  return std::ldexp(static_cast<double>(x.significand), x.exponent - 63);
}

bool holds(const std::vector<WordRange>& ranges, std::uint64_t word) {
  return count_of(clipped(ranges, word, word + 1)) == 1;
}

TEST(SweepSpace, WordsOfABlockAreThoseBelowItsNextBinade) {
  std::uint64_t outside = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : kElements) {
      const ConversionConfig config{*source, *to, {}};
      for (const int scale : kScales) {
        const SweepSpace space{static_cast<std::uint8_t>(scale), SweptWords::kBlock};
        const auto ranges = swept_ranges(config, space);
        const double above = std::ldexp(1.0, to->emax() + 1 + scale - 127);
        for (std::uint32_t word = 0; word < 0x10000; ++word) {
          const bool inside = magnitude_of(*source, word) < above;
          ASSERT_EQ(holds(ranges, word), inside) << source->name << to->name << scale << word;
          outside += inside ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(outside, 100000u);
}

TEST(SweepSpace, UnderTheWidestScaleNoWordIsLeftOut) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : kElements) {
      const ConversionConfig config{*source, *to, {}};
      const std::uint8_t widest = widest_scale(config);
      EXPECT_EQ(words_of(config, {widest, SweptWords::kBlock}, {0, segments_of(*source)}),
                source->code_mask() + 1);
      const auto less = static_cast<std::uint8_t>(widest - 1);
      EXPECT_LT(words_of(config, {less, SweptWords::kBlock}, {0, segments_of(*source)}),
                source->code_mask() + 1);
    }
  }
}

TEST(SweepSpace, SaysWhatHasNoScale) {
  const ConversionConfig config{formats::fp32, formats::e4m3fn, {}};
  EXPECT_EQ(space_problem(config, {0, SweptWords::kBlock}), "");
  EXPECT_NE(space_problem(config, {255, SweptWords::kBlock}), "");
  ConversionConfig other = config;
  other.destination = formats::e4m3fnuz;
  EXPECT_EQ(space_problem(other, {}), "");
  EXPECT_NE(space_problem(other, {127, SweptWords::kBlock}), "");
  other = config;
  other.policy.staging = Staging::kViaBf16;
  EXPECT_EQ(space_problem(other, {}), "");
  EXPECT_NE(space_problem(other, {126, SweptWords::kAll}), "");
}

/// Words of a sweep of one segment that the reference answers otherwise than the certificate says.
std::uint64_t mismatches_of(const ConversionConfig& config, std::uint8_t scale) {
  const golden::Configuration configuration{config, {}};
  const SweepDevice device = scaled_reference(configuration, {scale, SweptWords::kAll});
  const Sweep result = sweep(configuration, device, {0, 1}, 1, [](std::uint64_t) {});
  EXPECT_EQ(result.compared, 65536u);
  return result.mismatches;
}

// Two that share nothing: the reference, which rounds, and thresholds, which are compared with. By
// default one in four of the configurations, which have every format, rounding and scale.
TEST(SweepSpace, TheScaledCertificateIsWhatTheScaledReferenceAnswers) {
  mx::test::Part some(4);
  int taken = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : kElements) {
      ConversionConfig config{*source, *to, {}};
      for (std::size_t i = 0; i < golden::kDeterministic; ++i) {
        config.policy.rounding = golden::deterministic_rounding(i);
        config.policy.overflow = i % 2 == 0 ? Overflow::kSatFinite : Overflow::kNoneInfOrNan;
        config.policy.zero_sign = i % 3 == 0 ? ZeroSign::kFlushPositive : ZeroSign::kKeep;
        config.policy.src_ftz = i % 4 == 1 ? SourceSubnormals::kFlush : SourceSubnormals::kKeep;
        for (const int scale : kScales) {
          if (!some.takes(source->bias, to->bits * 1000 + to->bias, i, scale)) continue;
          ++taken;
          EXPECT_EQ(mismatches_of(config, static_cast<std::uint8_t>(scale)), 0u)
              << source->name << ' ' << to->name << ' ' << i << ' ' << scale;
        }
      }
    }
  }
  EXPECT_GT(taken, 100);
}

// With a word that is told a stochastic rounding has a step function, too.
TEST(SweepSpace, StochasticRoundingsWithTheirWord) {
  int by_vectors = 0;
  for (const ElementFormat* to : kElements) {
    ConversionConfig config{formats::bf16, *to, {}};
    for (const Rounding rounding :
         {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC}) {
      config.policy.rounding = rounding;
      config.policy.random_bits = 5;
      for (const std::uint32_t random : {0U, 1U, 16U, 31U}) {
        const SweepSpace space{127, SweptWords::kAll, random};
        ASSERT_EQ(sweep_problem({config, {}}, space), "");
        SweepDevice device = scaled_reference({config, {}}, space);
        const auto wrong = [&] {
          return sweep({config, {}}, device, {0, 1}, 1, [](std::uint64_t) {}).mismatches;
        };
        EXPECT_EQ(wrong(), 0u) << to->name << ' ' << random;
        device.space.random = 31 - random;  // control: the certificate of another word
        EXPECT_GT(wrong(), 0u) << to->name << ' ' << random;
        if (!fast::StochasticElementPlan::make(
                {config.source, config.destination, config.policy})) {
          continue;  // a build without vectors
        }
        device = stochastic_vectors({config, {}}, space);
        EXPECT_EQ(wrong(), 0u) << to->name << ' ' << random << ' ' << device.name;
        device.space.random = 31 - random;
        EXPECT_GT(wrong(), 0u) << to->name << ' ' << random << ' ' << device.name;
        by_vectors += 1;
      }
    }
  }
  EXPECT_TRUE(by_vectors == 0 || by_vectors == 72) << by_vectors;
  const ConversionConfig even{formats::bf16, formats::e4m3fn, {}};
  EXPECT_NE(sweep_problem({even, {}}, {127, SweptWords::kAll, 3}), "");
  ConversionConfig config = even;
  config.policy.rounding = Rounding::kStochasticA;
  config.policy.random_bits = 5;
  EXPECT_NE(sweep_problem({config, {}}, {127, SweptWords::kAll, 32}), "");
  EXPECT_NE(sweep_problem({config, {}}, {126, SweptWords::kAll, 3}), "");
}

// Negative control: a certificate of another rounding, of another scale.
TEST(SweepSpace, AnotherCertificateIsSeen) {
  const ConversionConfig config{formats::bf16, formats::e4m3fn, {}};
  ConversionConfig other = config;
  other.policy.rounding = Rounding::kTiesToZero;
  const SweepSpace space{100, SweptWords::kAll};
  SweepDevice device = scaled_reference({config, {}}, space);
  const auto wrong = [&] {
    return sweep({other, {}}, device, {0, 1}, 1, [](std::uint64_t) {}).mismatches;
  };
  EXPECT_GT(wrong(), 0u);
  other = config;
  EXPECT_EQ(wrong(), 0u);
  device.space.scale = 101;
  EXPECT_GT(wrong(), 0u);
}

// A word that is skipped, or asked twice, would go unseen where all codes are alike: so the words
// themselves are written down.
TEST(SweepSpace, EveryWordIsAskedOnceAndNoOther) {
  const golden::Configuration configuration{ConversionConfig{formats::bf16, formats::e2m1fn, {}},
                                            {}};
  for (const SweptWords words : {SweptWords::kAll, SweptWords::kBlock}) {
    std::vector<std::uint64_t> asked;
    SweepDevice device = scaled_reference(configuration, {127, words});
    device.convert = [&, right = device.convert](auto in, auto codes) {
      for (std::size_t i = 0; i < codes.size(); ++i) {
        asked.push_back(load_word(in.data() + 2 * i, 2));
      }
      return right(in, codes);
    };
    static_cast<void>(sweep(configuration, device, {0, 1}, 1, [](std::uint64_t) {}));
    std::vector<std::uint64_t> wanted(65536);
    std::iota(wanted.begin(), wanted.end(), 0);
    if (words == SweptWords::kBlock) {
      std::erase_if(wanted, [](std::uint64_t word) {
        return magnitude_of(formats::bf16, static_cast<std::uint32_t>(word)) >= 8;
      });
      EXPECT_LT(wanted.size(), 40000u);
    }
    EXPECT_EQ(asked, wanted);
  }
}

std::string refusal_of(const std::string& path) {
  try {
    static_cast<void>(read_receipt(path));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SweepSpace, ComesBackInReceiptsAndIsPartOfTheProof) {
  const Scratch scratch;
  const golden::Configuration configuration{ConversionConfig{formats::bf16, formats::e2m1fn, {}},
                                            {}};
  const SweepDevice device = scaled_reference(configuration, {130, SweptWords::kBlock});
  Sweep done = sweep(configuration, device, {0, 1}, 1, [](std::uint64_t) {});
  EXPECT_TRUE(done.is_whole());
  EXPECT_LT(done.compared, 65536u);
  const Receipt back = read_receipt(scratch.write("r.json", receipt_text(receipt_of({done}))));
  EXPECT_EQ(back.sweeps.at(0).space, done.space);
  EXPECT_NE(summary_of(back.sweeps[0]).find("scale 82, words of a block"), std::string::npos);
  --done.compared;
  const std::string said = refusal_of(scratch.write("less.json", receipt_text(receipt_of({done}))));
  EXPECT_NE(said.find("field 'compared'"), std::string::npos) << said;
}

/// Made-up digests of segments of fp32 to e2m1fn under scale code 0: words of a block are in the
/// first two segments of each sign, and in those of infinities and NaN.
Sweep made_up(const SegmentRange& segments) {
  Sweep sweep;
  sweep.configuration = {ConversionConfig{formats::fp32, formats::e2m1fn, {}}, {}};
  sweep.space = {0, SweptWords::kBlock};
  sweep.segments = segments;
  for (std::uint64_t i = segments.first; i < segments.last; ++i) {
    sweep.digests.push_back(golden::sha256(
        words_of(std::get<ConversionConfig>(sweep.configuration.what), sweep.space, {i, i + 1}) == 0
            ? ""
            : "codes"));
  }
  sweep.compared = words_of(sweep);
  return sweep;
}

TEST(SweepSpace, SegmentsWithoutAWordNeedNoReceipt) {
  const auto merged = [](const std::vector<Sweep>& sweeps) {
    return merge({{"all", receipt_of(sweeps)}}).sweeps.at(0);
  };
  const MergedSweep whole = merged({made_up({0, 256})});
  EXPECT_TRUE(whole.is_proven());
  EXPECT_EQ(whole.compared, std::uint64_t{8} << 23);
  const MergedSweep parts = merged({made_up({0, 2}), made_up({127, 130}), made_up({255, 256})});
  EXPECT_TRUE(parts.is_proven());
  EXPECT_EQ(parts.digest, whole.digest);
  EXPECT_EQ(parts.compared, whole.compared);
  const MergedSweep gap = merged({made_up({0, 2}), made_up({128, 130}), made_up({255, 256})});
  EXPECT_FALSE(gap.is_proven());
  EXPECT_EQ(gap.missing, (std::vector<SegmentRange>{{127, 128}}));
}

}  // namespace
}  // namespace mx::cli::test::space_test
