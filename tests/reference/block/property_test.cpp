// Laws of conversions and blocks (spec F12.3 and V5), on generated bit patterns.
// The oracle takes part only where a law needs a value; the laws hold or fail on their own.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/bulk/bulk.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/block_sweep.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/made.hpp"
#include "tests/support/property.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

constexpr const char* kElements[] = {"e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn", "int8"};
constexpr std::uint64_t kSign = 0x80000000;
constexpr std::uint64_t kInfinity = 0x7F800000;

/// A finite or infinite fp32 pattern: a threshold of the format and its neighbours, an exponent
/// corner, or bits.
std::uint64_t fp32_pattern(const std::vector<std::uint64_t>& thresholds, Stream& stream) {
  const std::uint64_t word = stream.next();
  std::uint64_t magnitude = 0;
  switch (stream.below(4)) {
    case 0:
    case 1:
      magnitude = thresholds[stream.below(thresholds.size())] & ~kSign;
      break;
    case 2:
      magnitude = (word & 0x7F800000) | (stream.coin() ? 0 : 0x7FFFFF);
      break;
    default:
      magnitude = word & ~kSign;
  }
  if (magnitude > kInfinity) magnitude &= 0x3FFFFFFF;
  switch (stream.below(32)) {
    case 0:
      magnitude = 0;
      break;
    case 1:
      magnitude = kInfinity;
      break;
    default:
      break;
  }
  return magnitude | (stream.coin() ? kSign : 0);
}

rc::Gen<Patterns> fp32_patterns(const ElementFormat& destination, std::size_t count) {
  const auto thresholds = threshold_patterns(formats::fp32, destination, 1, 1);
  return patterns_from([thresholds, count](Stream& stream) {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(fp32_pattern(thresholds, stream));
    return out;
  });
}

/// A finite fp32 block with normal maximum whose scale is far from both clamps.
rc::Gen<Patterns> middle_blocks(const ElementFormat& element) {
  const auto maxima = amax_patterns(formats::fp32, element);
  return patterns_from([maxima, element](Stream& stream) {
    std::uint64_t amax = 0;
    do {
      amax = maxima[stream.below(maxima.size())];
    } while (amax >> 23 < 60 || amax >> 23 > 200);
    return block_around(amax, formats::fp32, element, 1 + stream.below(32), stream);
  });
}

/// The value of a code as a signed rational, infinities beyond everything.
Rational signed_value(const ElementFormat& format, std::uint64_t code) {
  const Real x = value_of(format, code);
  const Rational magnitude = x.kind == Kind::kInf ? RationalField::make(1, 2000)
                                                  : RationalField::make(x.significand, x.exponent);
  return x.negative ? Rational(-magnitude) : magnitude;
}

std::vector<Rounding> deterministic() {
  std::vector<Rounding> all = all_roundings();
  std::erase_if(all, is_stochastic);
  return all;
}

QuantizerConfig block_config(const char* name, ScaleRule rule) {
  QuantizerConfig config{formats::fp32, *find_block_format(name), {}, {}};
  config.block.rule = rule;
  return config;
}

struct Quantized {
  BlockResult result;
  std::vector<std::uint64_t> codes;
};

Quantized quantize(const Quantizer& quantizer, const std::vector<std::uint64_t>& source) {
  Quantized out{{}, std::vector<std::uint64_t>(source.size())};
  out.result = quantizer.quantize_block(source, {}, out.codes);
  return out;
}

constexpr const char* kBlocks[] = {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                                   "mxfp6_e3m2", "mxfp4",      "mxint8"};
constexpr ScaleRule kRules[] = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                                ScaleRule::kEvenUp, ScaleRule::kEvenDown};

class ElementProperties : public ::testing::TestWithParam<const char*> {
 protected:
  const ElementFormat& format_ = *find_format(GetParam());
};

TEST_P(ElementProperties, RoundingIsMonotone) {
  const auto inputs = fp32_patterns(format_, 2);
  Report seen;
  expect_property("if x <= y then code(x) decodes to at most what code(y) decodes to", 4000, [&] {
    const Patterns pair = *inputs;
    std::uint64_t low = pair.codes[0];
    std::uint64_t high = pair.codes[1];
    if (signed_value(formats::fp32, low) > signed_value(formats::fp32, high)) std::swap(low, high);
    for (const Rounding rounding : deterministic()) {
      ConversionConfig conversion{formats::fp32, format_, {}};
      conversion.policy.rounding = rounding;
      const Encoded a = made(conversion)(low);
      const Encoded b = made(conversion)(high);
      RC_ASSERT(signed_value(format_, a.code) <= signed_value(format_, b.code));
      if (a.code != b.code) seen.classify("different");
      if ((b.flags & kFlagSaturated) != 0) seen.classify("saturated");
    }
  });
  EXPECT_GT(seen.count("different"), 1000U);
  EXPECT_GT(seen.count("saturated"), 100U);
}

TEST_P(ElementProperties, SignSymmetry) {
  const auto inputs = fp32_patterns(format_, 1);
  const auto mirrored = [](Rounding rounding) {
    if (rounding == Rounding::kTowardPositive) return Rounding::kTowardNegative;
    if (rounding == Rounding::kTowardNegative) return Rounding::kTowardPositive;
    return rounding;
  };
  Report seen;
  expect_property(
      "code(-x) is code(x) with the other sign and the same flags, directed roundings swapped",
      4000, [&] {
        const std::uint64_t x = (*inputs).codes[0];
        for (const Rounding rounding : all_roundings()) {
          if (rounding == Rounding::kTiesTowardPositive) continue;  // has no mirror image
          for (const Overflow overflow : all_overflows()) {
            ConversionConfig conversion{formats::fp32, format_, {}};
            conversion.policy.overflow = overflow;
            conversion.policy.rounding = rounding;
            const auto random = static_cast<std::uint32_t>(x & 0xFFFF);
            const Encoded a = made(conversion)(x, random);
            conversion.policy.rounding = mirrored(rounding);
            const Encoded b = made(conversion)(x ^ kSign, random);
            const bool fixed = format_.kind == FormatKind::kTwosComplement;
            const std::uint64_t negated =
                fixed ? (~a.code + 1) & format_.code_mask() : a.code ^ format_.sign_bit();
            RC_ASSERT(b.code == negated);
            RC_ASSERT(b.flags == a.flags);
            if ((a.flags & kFlagOverflow) != 0) seen.classify("overflow");
            if ((a.flags & kFlagInexact) == 0) seen.classify("exact");
          }
        }
      });
  EXPECT_GT(seen.count("overflow"), 1000U);
  EXPECT_GT(seen.count("exact"), 1000U);
}

TEST_P(ElementProperties, RoundingTwiceIsRoundingOnce) {
  const auto inputs = fp32_patterns(format_, 1);
  expect_property("encoding what a code decodes to gives the code again, exactly", 4000, [&] {
    const std::uint64_t x = (*inputs).codes[0];
    for (const Rounding rounding : deterministic()) {
      ConversionConfig first{formats::fp32, format_, {}};
      first.policy.rounding = rounding;
      const std::uint64_t code = made(first)(x).code;
      const ConversionConfig again{format_, format_, first.policy};
      RC_ASSERT(made(again)(code) == (Encoded{code, 0}));
    }
  });
}

TEST_P(ElementProperties, RoundingToOddFirstDoesNoHarm) {
  const auto thresholds = threshold_patterns(formats::fp64, format_, 1, 1);
  const rc::Gen<Patterns> inputs(patterns_from([thresholds](Stream& stream) {
    std::uint64_t x = thresholds[stream.below(thresholds.size())];
    if (stream.coin()) x ^= std::uint64_t{1} << stream.below(44);
    return std::vector<std::uint64_t>{x};
  }));
  Report seen;
  expect_property("binary64 to binary32 by to_odd, then to the element, equals one rounding", 4000,
                  [&] {
                    const std::uint64_t x = (*inputs).codes[0];
                    ConversionConfig narrow{formats::fp64, formats::fp32, {}};
                    narrow.policy.rounding = Rounding::kToOdd;
                    const Encoded staged = made(narrow)(x);
                    for (const Rounding rounding : deterministic()) {
                      ConversionConfig once{formats::fp64, format_, {}};
                      once.policy.rounding = rounding;
                      ConversionConfig rest{formats::fp32, format_, once.policy};
                      RC_ASSERT(made(rest)(staged.code).code == made(once)(x).code);
                    }
                    if ((staged.flags & kFlagInexact) != 0) seen.classify("inexact stage");
                  });
  EXPECT_GT(seen.count("inexact stage"), 1000U);
}

TEST_P(ElementProperties, StochasticCountsAreTheDefinition) {
  const auto inputs = fp32_patterns(format_, 1);
  const ElementOracle<TickField> judge(format_);
  Report seen;
  expect_property(
      "of all 2^N random words exactly floor(nu 2^N) (A), floor(nu 2^N + 1/2) (B) or "
      "rint(nu 2^N) (C) round up, and they are the largest ones",
      1500, [&] {
        const std::uint64_t x = (*inputs).codes[0] & ~kSign;
        RC_PRE(x < kInfinity);
        const int n = 1 + static_cast<int>(x % 6);
        const Position gap = judge.place(value_of(formats::fp32, x), n).gap;
        ConversionConfig conversion{formats::fp32, format_, {}};
        conversion.policy.random_bits = n;
        conversion.policy.rounding = Rounding::kTowardZero;
        const std::uint64_t down = made(conversion)(x).code;
        if (down == format_.max_code) return;  // the upper neighbour saturates
        const std::uint64_t wanted[] = {gap.floor_n, (gap.floor_n1 + 1) / 2, gap.rint_even,
                                        gap.rint_odd};
        for (int variant = 0; variant < 4; ++variant) {
          conversion.policy.rounding =
              static_cast<Rounding>(static_cast<int>(Rounding::kStochasticA) + variant);
          std::uint64_t ups = 0;
          bool was_up = false;
          for (std::uint32_t r = 0; r < 1U << n; ++r) {
            const bool up = made(conversion)(x, r).code != down;
            RC_ASSERT(up || !was_up);  // an up-set
            was_up = up;
            ups += up ? 1 : 0;
          }
          RC_ASSERT(ups == wanted[variant]);
          if (ups != 0 && ups != 1U << n) seen.classify("both");
        }
        if (gap.exact) seen.classify("exact");
      });
  EXPECT_GT(seen.count("both"), 300U);
  EXPECT_GT(seen.count("exact"), 50U);
}

TEST_P(ElementProperties, TraceAgreesWithTheResult) {
  const auto inputs = fp32_patterns(format_, 1);
  const ElementOracle<TickField> judge(format_);
  Report seen;
  expect_property("tracing changes nothing; neighbours enclose x; the decision explains the code",
                  4000, [&] {
                    const std::uint64_t x = (*inputs).codes[0];
                    for (const Rounding rounding : all_roundings()) {
                      ConversionConfig conversion{formats::fp32, format_, {}};
                      conversion.policy.rounding = rounding;
                      const auto random = static_cast<std::uint32_t>(x >> 3 & 0xFFFF);
                      Trace trace;
                      const Encoded traced = made(conversion)(x, random, trace);
                      RC_ASSERT(traced == made(conversion)(x, random));
                      const Real value = value_of(formats::fp32, x);
                      if (value.kind == Kind::kInf) {
                        RC_ASSERT(trace.step == Trace::Step::kInfinity);
                        RC_ASSERT(!trace.has_neighbours);
                        seen.classify("infinity");
                        continue;
                      }
                      if (value.zero()) {
                        RC_ASSERT(trace.step == Trace::Step::kZero);
                        seen.classify("zero");
                        continue;
                      }
                      const Placement place = judge.place(value, 16);
                      if (place.beyond) {
                        RC_ASSERT(trace.step == Trace::Step::kOverflowed);
                        continue;
                      }
                      RC_ASSERT(trace.has_neighbours);
                      RC_ASSERT(trace.lower == place.lower);
                      RC_ASSERT(trace.upper == place.lower + 1);
                      RC_ASSERT(trace.odd == place.gap.odd);
                      RC_ASSERT(trace.discarded.exact() == place.gap.exact);
                      const bool up = goes_up(rounding, value.negative, place.gap, 16, random);
                      RC_ASSERT(trace.rounded_up == up);
                      const bool overflowed = (traced.flags & kFlagOverflow) != 0;
                      RC_ASSERT((trace.step == Trace::Step::kOverflowed) == overflowed);
                      seen.classify(overflowed ? "overflowed" : "rounded");
                    }
                  });
  EXPECT_GT(seen.count("rounded"), 10'000U);
  EXPECT_GT(seen.count("overflowed"), 20U);
  EXPECT_GT(seen.count("infinity"), 50U);
  EXPECT_GT(seen.count("zero"), 50U);
}

TEST_P(ElementProperties, ArraysAreTheirElements) {
  const auto inputs = fp32_patterns(format_, 37);
  expect_property(
      "converting an array gives each element's code and flags, and the OR of the flags", 600, [&] {
        const std::vector<std::uint64_t> source = (*inputs).codes;
        std::vector<std::uint32_t> random;
        for (const std::uint64_t code : source) {
          random.push_back(static_cast<std::uint32_t>(code * 2654435761U >> 16 & 0xFFFF));
        }
        for (const Rounding rounding : all_roundings()) {
          ConversionConfig config{formats::fp32, format_, {}};
          config.policy.rounding = rounding;
          const Conversion conversion = made(config);
          std::vector<std::uint64_t> codes(source.size());
          std::vector<std::uint8_t> flags(source.size());
          const std::uint8_t all = mx::bulk::convert(conversion, source, random, codes, flags);
          std::uint8_t any = 0;
          for (std::size_t i = 0; i < source.size(); ++i) {
            RC_ASSERT(conversion(source[i], random[i]) == (Encoded{codes[i], flags[i]}));
            any |= flags[i];
          }
          RC_ASSERT(any == all);
          std::vector<std::uint64_t> bare(source.size());
          RC_ASSERT(mx::bulk::convert(conversion, source, random, bare, {}) == all);
          RC_ASSERT(bare == codes);
        }
      });
}

std::string text_name(const ::testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(All, ElementProperties, ::testing::ValuesIn(kElements), text_name);

class BlockProperties : public ::testing::TestWithParam<const char*> {
 protected:
  const BlockFormat& format_ = *find_block_format(GetParam());
  const rc::Gen<Patterns> blocks_ = middle_blocks(format_.element);
};

TEST_P(BlockProperties, ScalingByAPowerOfTwo) {
  Report seen;
  expect_property("2^j times a block has the same codes and a scale j higher", 1500, [&] {
    const std::vector<std::uint64_t> source = (*blocks_).codes;
    std::uint64_t lowest = 254;
    for (const std::uint64_t x : source) {
      if ((x & ~kSign) != 0) lowest = std::min(lowest, x >> 23 & 0xFF);
    }
    if (lowest < 2) return;  // a subnormal lane would lose bits going down
    const int j = static_cast<int>(source[0] % 41) - 20;
    if (static_cast<int>(lowest) + j < 1) return;
    std::vector<std::uint64_t> moved = source;
    for (std::uint64_t& x : moved) {
      if ((x & ~kSign) != 0) x += static_cast<std::uint64_t>(static_cast<std::int64_t>(j) << 23);
      x &= 0xFFFFFFFF;
    }
    for (const ScaleRule rule : kRules) {
      const Quantizer quantizer = made(block_config(GetParam(), rule));
      const Quantized a = quantize(quantizer, source);
      const Quantized b = quantize(quantizer, moved);
      RC_ASSERT(b.result.scale_code == a.result.scale_code + static_cast<std::uint64_t>(j));
      RC_ASSERT(b.codes == a.codes);
      RC_ASSERT(b.result.flags == a.result.flags);
      seen.classify(j < 0 ? "down" : "up");
    }
  });
  EXPECT_GT(seen.count("down"), 200U);
  EXPECT_GT(seen.count("up"), 200U);
}

TEST_P(BlockProperties, QuantizingWhatWasDequantized) {
  Report seen;
  expect_property(
      "floor, even_up, even_down: quantize(dequantize(b)) = b; ceil, rceil: the same values", 1500,
      [&] {
        const std::vector<std::uint64_t> source = (*blocks_).codes;
        for (const ScaleRule rule : kRules) {
          const Quantizer quantizer = made(block_config(GetParam(), rule));
          const Quantized once = quantize(quantizer, source);
          std::vector<std::uint64_t> values(source.size());
          quantizer.dequantize_block(once.result.scale_code, once.codes, formats::fp32, values);
          const Quantized twice = quantize(quantizer, values);
          std::vector<std::uint64_t> again(source.size());
          quantizer.dequantize_block(twice.result.scale_code, twice.codes, formats::fp32, again);
          RC_ASSERT(again == values);
          if (rule == ScaleRule::kCeil || rule == ScaleRule::kRceil) {
            if (twice.result.scale_code != once.result.scale_code) seen.classify("scale drops");
            continue;
          }
          RC_ASSERT(twice.result.scale_code == once.result.scale_code);
          RC_ASSERT(twice.codes == once.codes);
          RC_ASSERT((twice.result.flags & kFlagInexact) == 0);
          if ((once.result.flags & kFlagInexact) != 0) seen.classify("inexact");
        }
      });
  EXPECT_GT(seen.count("inexact"), 1000U);
}

TEST_P(BlockProperties, SaturationByRule) {
  Report seen;
  expect_property(
      "ceil and rceil never saturate an element; floor bounds every value by max * scale", 1500,
      [&] {
        const std::vector<std::uint64_t> source = (*blocks_).codes;
        for (const ScaleRule rule : kRules) {
          const Quantizer quantizer = made(block_config(GetParam(), rule));
          const Quantized block = quantize(quantizer, source);
          const bool saturated = (block.result.flags & kFlagSaturated) != 0;
          if (rule == ScaleRule::kRceil) RC_ASSERT(!saturated);
          if (rule == ScaleRule::kCeil) RC_ASSERT(!saturated);
          if (rule == ScaleRule::kFloor && saturated) seen.classify("floor saturates");
          for (const std::uint64_t code : block.codes) {
            RC_ASSERT(value_of(format_.element, code).finite());
          }
        }
      });
  EXPECT_GT(seen.count("floor saturates"), 20U);
}

TEST_P(BlockProperties, ScaleNeverFallsWhenAMagnitudeGrows) {
  Report seen;
  expect_property("raising one magnitude never lowers the scale", 1500, [&] {
    const std::vector<std::uint64_t> source = (*blocks_).codes;
    std::vector<std::uint64_t> larger = source;
    std::uint64_t& lane = larger[source[0] % source.size()];
    const std::uint64_t step = std::uint64_t{1} << (source.back() % 27);
    if ((lane & ~kSign) + step >= kInfinity) return;
    lane += step;
    for (const ScaleRule rule : kRules) {
      const Quantizer quantizer = made(block_config(GetParam(), rule));
      const std::uint64_t before = quantize(quantizer, source).result.scale_code;
      const std::uint64_t after = quantize(quantizer, larger).result.scale_code;
      RC_ASSERT(after >= before);
      seen.classify(after > before ? "rises" : "stays");
    }
  });
  EXPECT_GT(seen.count("rises"), 50U);
  EXPECT_GT(seen.count("stays"), 1000U);
}

TEST_P(BlockProperties, LanesArePermutable) {
  expect_property("rotating the lanes rotates the codes and leaves scale and flags", 1000, [&] {
    const std::vector<std::uint64_t> source = (*blocks_).codes;
    std::vector<std::uint64_t> turned = source;
    const auto by = static_cast<std::ptrdiff_t>(source[0] % source.size());
    std::rotate(turned.begin(), turned.begin() + by, turned.end());
    for (const ScaleRule rule : kRules) {
      const Quantizer quantizer = made(block_config(GetParam(), rule));
      Quantized a = quantize(quantizer, source);
      const Quantized b = quantize(quantizer, turned);
      std::rotate(a.codes.begin(), a.codes.begin() + by, a.codes.end());
      RC_ASSERT(a.codes == b.codes);
      RC_ASSERT(a.result == b.result);
    }
  });
}

TEST_P(BlockProperties, ExplanationsAgreeWithTheBlock) {
  Report seen;
  expect_property("explain_scale and explain_element tell what quantize_block did", 1000, [&] {
    const std::vector<std::uint64_t> source = (*blocks_).codes;
    for (const ScaleRule rule : kRules) {
      const QuantizerConfig config = block_config(GetParam(), rule);
      const Quantizer quantizer = made(config);
      const Quantized block = quantize(quantizer, source);
      const ScaleTrace scale = quantizer.explain_scale(source);
      const BlockCase what{config.source, config.format, config.element, config.block};
      std::vector<Real> values;
      for (const std::uint64_t x : source) values.push_back(value_of(formats::fp32, x));
      const ScaleOutcome want = choose_scale(what, values);
      RC_ASSERT(scale.rule_applied);
      RC_ASSERT(scale.argmax == want.argmax);
      RC_ASSERT(scale.unclamped == want.unclamped);
      RC_ASSERT(static_cast<std::uint64_t>(scale.unclamped) == block.result.scale_code);
      std::uint8_t flags = 0;
      for (std::size_t i = 0; i < source.size(); ++i) {
        Trace trace;
        const Encoded element =
            quantizer.explain_element(source[i], block.result.scale_code, 0, trace);
        RC_ASSERT(element.code == block.codes[i]);
        flags |= element.flags;
        if (trace.rounded_up) seen.classify("rounded up");
      }
      RC_ASSERT((block.result.flags & 0xFF) == flags);
    }
  });
  EXPECT_GT(seen.count("rounded up"), 1000U);
}

INSTANTIATE_TEST_SUITE_P(All, BlockProperties, ::testing::ValuesIn(kBlocks), text_name);

// The machinery itself: a false law is found and shrunk to its smallest witness.
TEST(LawControl, AFalseLawIsFoundAndShrunk) {
  const auto inputs = fp32_patterns(formats::e2m1fn, 8);
  const auto result = search_law("ties never matter", 2000, [&] {
    const Patterns block = *inputs;
    for (const std::uint64_t x : block.codes) {
      ConversionConfig even{formats::fp32, formats::e2m1fn, {}};
      ConversionConfig away = even;
      away.policy.rounding = Rounding::kTiesToAway;
      RC_ASSERT(made(even)(x).code == made(away)(x).code);
    }
  });
  ASSERT_TRUE(result.is<rc::detail::FailureResult>());
  const auto& failure = result.get<rc::detail::FailureResult>();
  ASSERT_EQ(failure.counterExample.size(), 1U);
  // One lane holds a tie, the others are zero.
  std::istringstream shown(failure.counterExample[0].second);
  int nonzero = 0;
  for (std::string word; shown >> word;) nonzero += word == "00000000" ? 0 : 1;
  EXPECT_EQ(nonzero, 1) << failure.counterExample[0].second;
}

}  // namespace
}  // namespace mx::oracle
