// Stimulus has teeth: a device that runs another rounding, rule, format or policy than it was told
// answers at least one vector of the suite wrong.
#include <gtest/gtest.h>

#include "golden/config_word/table.hpp"
#include "tests/golden/golden_fixture.hpp"

namespace mx::golden {
namespace {

std::uint32_t field_of(std::uint32_t config_word, const ConfigWordField& field) {
  return config_word >> field.lsb & ((1U << field.width) - 1);
}

std::uint32_t with_field(std::uint32_t config_word, const ConfigWordField& field,
                         std::uint32_t code) {
  const std::uint32_t mask = ((1U << field.width) - 1) << field.lsb;
  return (config_word & ~mask) | code << field.lsb;
}

/// Blocks whose answer changes when the device takes `field` for `code`.
std::size_t differing(const BlockBatch& right, const ConfigWordContext& context,
                      const ConfigWordField& field, std::uint32_t code) {
  BlockBatch wrong = right;
  for (std::uint32_t& config_word : wrong.config_word)
    config_word = with_field(config_word, field, code);
  fill_expected(wrong, context);
  std::size_t count = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (field_of(right.config_word[i], field) == code) continue;
    count += answers_agree(right.config_word[i], right.status[i], right.codes_of(i),
                           wrong.status[i], wrong.codes_of(i))
                 ? 0U
                 : 1U;
  }
  return count;
}

BlockBatch answered(const BlockSuiteOptions& options, ConfigWordContext& context) {
  const BlockSuite suite(options);
  context = suite.context();
  BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  fill_expected(batch, context);
  return batch;
}

class Distinguish : public ::testing::TestWithParam<std::string_view> {
 protected:
  static BlockSuiteOptions options(std::string_view format, SuiteKind kind) {
    BlockSuiteOptions options;
    options.config.source = formats::fp32;
    options.config.format = *find_block_format(format);
    options.config.element.random_bits = 8;
    options.kind = kind;
    options.seed = 2;
    options.count = 3000;
    return options;
  }
};

TEST_P(Distinguish, SmokeTellsRoundingsApart) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    for (const Rounding rounding : kRoundingCodes) {
      BlockSuiteOptions each = options(GetParam(), SuiteKind::kSmoke);
      each.config.source = source;
      each.config.element.rounding = rounding;
      ConfigWordContext context;
      const BlockBatch batch = answered(each, context);
      for (std::uint32_t code = 0; code < kRoundingCodes.size(); ++code) {
        if (kRoundingCodes[code] == rounding) continue;
        EXPECT_GT(differing(batch, context, config_word_field::kRounding, code), 0U)
            << source.name << ": " << token_of(rounding) << " taken for "
            << token_of(kRoundingCodes[code]);
      }
    }
  }
}

TEST_P(Distinguish, SmokeTellsRulesApart) {
  for (const ScaleRule rule : kRuleCodes) {
    BlockSuiteOptions each = options(GetParam(), SuiteKind::kSmoke);
    each.config.block.rule = rule;
    ConfigWordContext context;
    const BlockBatch batch = answered(each, context);
    for (std::uint32_t code = 0; code < kRuleCodes.size(); ++code) {
      if (kRuleCodes[code] == rule) continue;
      EXPECT_GT(differing(batch, context, config_word_field::kRule, code), 0U)
          << token_of(rule) << " taken for " << token_of(kRuleCodes[code]);
    }
  }
}

TEST_P(Distinguish, SmokeTellsFormatsApart) {
  ConfigWordContext context;
  const BlockBatch batch = answered(options(GetParam(), SuiteKind::kSmoke), context);
  const std::uint32_t own = field_of(batch.config_word[0], config_word_field::kFormat);
  for (std::uint32_t code = 0; code < kFormatCodes.size(); ++code) {
    if (code == own) continue;
    EXPECT_GT(differing(batch, context, config_word_field::kFormat, code), 0U)
        << kFormatCodes[code];
  }
}

/// A stochastic device with its random words off by one, or exchanged with its neighbour's.
TEST_P(Distinguish, SmokeTellsRandomWordsApart) {
  BlockSuiteOptions each = options(GetParam(), SuiteKind::kSmoke);
  each.config.element.rounding = Rounding::kStochasticA;
  ConfigWordContext context;
  const BlockBatch batch = answered(each, context);
  const auto differs = [&](auto change) {
    BlockBatch wrong = batch;
    change(wrong.random);
    fill_expected(wrong, context);
    return wrong.codes != batch.codes;
  };
  EXPECT_TRUE(differs([](auto& random) {
    for (std::uint32_t& word : random) word = word == 0 ? 0 : word - 1;
  }));
  EXPECT_TRUE(differs([](auto& random) {
    for (std::uint32_t& word : random) word = word == 255 ? 255 : word + 1;
  }));
  EXPECT_TRUE(differs([](auto& random) {
    for (std::size_t i = 0; i + 1 < random.size(); i += 2) std::swap(random[i], random[i + 1]);
  }));
}

INSTANTIATE_TEST_SUITE_P(Formats, Distinguish,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                           "mxfp4", "mxint8"),
                         [](const auto& param) { return std::string(param.param); });

/// Every code of every policy field matters to some block of the policy suite.
TEST(DistinguishPolicies, EveryCodeOfEveryField) {
  BlockSuiteOptions options;
  options.config.source = formats::fp32;
  options.config.format = *find_block_format("mxfp8_e4m3");
  options.config.element.random_bits = 8;
  options.kind = SuiteKind::kPolicy;
  options.seed = 1;
  options.count = 20000;
  ConfigWordContext context;
  const BlockBatch batch = answered(options, context);
  struct Codes {
    ConfigWordField field;
    std::size_t count;
  };
  using namespace config_word_field;
  for (const auto& [field, count] :
       {Codes{kFormat, kFormatCodes.size()}, Codes{kRounding, kRoundingCodes.size() + 1},
        Codes{kRule, kRuleCodes.size()}, Codes{kOverflow, kOverflowCodes.size()},
        Codes{kAmaxOver, kAmaxOverCodes.size()}, Codes{kInfBlock, kInfBlockCodes.size()},
        Codes{kNanScaleCodes, kNanScaleCodesCodes.size()},
        Codes{kEvenCarry, kEvenCarryCodes.size()}, Codes{kNan, kNanCodes.size()},
        Codes{kZeroBlockScale, kZeroBlockScaleCodes.size()},
        Codes{kScaleSat, kScaleSatCodes.size()}, Codes{kIntMin, kIntMinCodes.size()},
        Codes{kZeroSign, kZeroSignCodes.size()}, Codes{kSrcFtz, kSrcFtzCodes.size()}}) {
    for (std::uint32_t code = 0; code < count; ++code) {
      // Where codes are don't-care any codes are right.
      if (field.name == kNanScaleCodes.name && code == 1) continue;
      EXPECT_GT(differing(batch, context, field, code), 0U) << field.name << " taken for " << code;
    }
  }
}

/// Conversions, element by element, for a set beyond the hardware's.
TEST(DistinguishConversions, SmokeTellsRoundingsApart) {
  for (const ElementFormat& destination : all_formats()) {
    // An unsigned destination sees no negative value, so the directed roundings coincide.
    if (destination.bits >= 32 || !destination.is_signed) continue;
    for (const Rounding rounding : kRoundingCodes) {
      ConversionConfig right{formats::fp32, destination, {}};
      right.policy.rounding = rounding;
      const CvtSuite suite({right, SuiteKind::kSmoke, 0, 0});
      CvtBatch batch;
      suite.fill(0, suite.size(), batch);
      fill_expected(batch, right);
      for (const Rounding other : kRoundingCodes) {
        if (other == rounding) continue;
        CvtBatch wrong = batch;
        ConversionConfig taken = right;
        taken.policy.rounding = other;
        fill_expected(wrong, taken);
        EXPECT_NE(wrong.code, batch.code)
            << destination.name << ": " << token_of(rounding) << " for " << token_of(other);
      }
    }
  }
}

}  // namespace
}  // namespace mx::golden
