// Stochastic roundings: the acceptance count against every word, the reference and the oracle.
#include <gtest/gtest.h>

#include <string>

#include "golden/certificates/stochastic.hpp"
#include "oracle/element/encode.hpp"
#include "reference/element/encode.hpp"
#include "reference/number/rounding.hpp"
#include "tests/certificate/policies.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::golden::stochastic_test {
namespace {

using oracle::hex;
using oracle::Report;

constexpr std::array kVariants = {Rounding::kStochasticA, Rounding::kStochasticB,
                                  Rounding::kStochasticC, Rounding::kStochasticCOdd};

ElementPolicy stochastic(Rounding variant, int random_bits) {
  ElementPolicy policy;
  policy.rounding = variant;
  policy.random_bits = random_bits;
  policy.unsigned_negative = UnsignedNegative::kMagnitude;
  return policy;
}

// The columns of the table of spec V5.6, for 512 fractions and every word.
TEST(AcceptanceCount, IsTheNumberOfWordsThatRoundUp) {
  Report report;
  for (int n = 1; n <= 5; ++n) {
    for (std::uint64_t numerator = 0; numerator < 512; ++numerator) {
      for (const Rounding variant : kVariants) {
        std::uint64_t up = 0;
        for (std::uint32_t r = 0; r < std::uint32_t{1} << n; ++r) {
          if (round_up(variant, false, false, {numerator << 55, false}, n, r)) ++up;
        }
        report.check(acceptance_count(variant, n, numerator, 9) == up, [&] {
          return std::string(token_of(variant)) + " N " + std::to_string(n) + " nu " +
                 std::to_string(numerator) + "/512";
        });
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  // The examples of that section.
  EXPECT_EQ(acceptance_count(Rounding::kStochasticA, 3, 7, 4), 3U);
  EXPECT_EQ(acceptance_count(Rounding::kStochasticB, 3, 7, 4), 4U);
  EXPECT_EQ(acceptance_count(Rounding::kStochasticC, 3, 7, 4), 4U);
  for (const Rounding variant : {kVariants[0], kVariants[1], kVariants[2]}) {
    EXPECT_EQ(acceptance_count(variant, 3, 13, 5), 3U);
  }
  EXPECT_EQ(acceptance_count(Rounding::kStochasticA, 16, 1, 200), 0U);
}

/// The certificate's code against the reference's for one word.
void compare(const ThresholdCertificate& certificate, const ElementPolicy& policy,
             std::uint32_t pattern, std::uint32_t random, Report& report) {
  const ConversionConfig conversion{certificate.source, certificate.destination, policy};
  const std::uint64_t wanted = made(conversion)(pattern, random).code;
  const std::uint8_t found = stochastic_code(certificate, policy, pattern, random);
  report.check(found == wanted, [&] {
    return std::string(certificate.source.name) + " " + hex(pattern) + " -> " +
           std::string(certificate.destination.name) + " " +
           std::string(token_of(policy.rounding)) + " N " + std::to_string(policy.random_bits) +
           " R " + hex(random) + " certificate " + hex(found) + " reference " + hex(wanted);
  });
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& tested) {
  return std::string(tested.param.name);
}

class AcceptancePerFormat : public ::testing::TestWithParam<ElementFormat> {};
INSTANTIATE_TEST_SUITE_P(All, AcceptancePerFormat, ::testing::ValuesIn(table_destinations()),
                         format_name);

TEST_P(AcceptancePerFormat, AgreesForEveryWordOfSmallN) {
  Report report;
  oracle::Stream stream(0x57);
  for (const ElementFormat& source : {formats::bf16, formats::fp16}) {
    const ThresholdCertificate certificate = make_certificate(source, GetParam());
    for (int i = 0; i < 1200; ++i) {
      const auto pattern = static_cast<std::uint32_t>(stream.below(65536));
      const int n = 1 + i % 4;
      const ElementPolicy policy = stochastic(kVariants[stream.below(4)], n);
      for (std::uint32_t r = 0; r < std::uint32_t{1} << n; ++r) {
        compare(certificate, policy, pattern, r, report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

TEST_P(AcceptancePerFormat, AgreesAroundTheFirstWordUp) {
  Report report;
  oracle::Stream stream(0x58);
  oracle::ElementOracle<oracle::RationalField> judge(GetParam());
  const ThresholdCertificate certificate = make_certificate(formats::fp32, GetParam());
  const auto& tz = certificate.sets[0].ladders[static_cast<std::size_t>(LadderKind::kTz)];
  for (int i = 0; i < 1500; ++i) {
    // Every third pattern lies anywhere, the others between two values of the destination.
    auto pattern = stream.next();
    if (i % 3 != 0) {
      const std::uint64_t k = stream.below(tz.thresholds.size() - 1);
      const std::uint64_t width = tz.thresholds[k + 1] - tz.thresholds[k];
      pattern = tz.thresholds[k] + static_cast<std::uint32_t>(width == 0 ? 0 : stream.below(width));
    }
    const ElementPolicy policy = stochastic(kVariants[stream.below(4)], i % 2 == 0 ? 16 : 8);
    const std::uint64_t all = std::uint64_t{1} << policy.random_bits;
    const std::uint64_t word = first_word_up(certificate, policy, pattern);
    report.classify(word == all ? "never" : "up");
    for (const std::uint64_t r : {std::uint64_t{0}, word - 1, word, all - 1}) {
      if (r >= all) continue;
      const auto random = static_cast<std::uint32_t>(r);
      compare(certificate, policy, pattern, random, report);
      const oracle::Real value =
          oracle::source_value(formats::fp32, certificate.destination, policy, pattern);
      const std::uint64_t wanted = judge.encode(value, policy, random).code;
      const std::uint8_t found = stochastic_code(certificate, policy, pattern, random);
      report.check(found == wanted,
                   [&] { return "oracle " + hex(wanted) + " at " + hex(pattern); });
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("up"), 50U);
}

// A count that is off by one is seen at the word next to it.
TEST(AcceptanceCount, OffByOneIsSeen) {
  const ThresholdCertificate certificate = make_certificate(formats::fp32, formats::e4m3fn);
  const ElementPolicy policy = stochastic(Rounding::kStochasticA, 16);
  constexpr std::uint32_t kPattern = 0x3F840000;  // 1.03125: a quarter of the gap above 1
  const std::uint64_t word = first_word_up(certificate, policy, kPattern);
  EXPECT_EQ(word, 0xC000U);
  const ConversionConfig conversion{formats::fp32, formats::e4m3fn, policy};
  EXPECT_NE(made(conversion)(kPattern, static_cast<std::uint32_t>(word)).code,
            made(conversion)(kPattern, static_cast<std::uint32_t>(word - 1)).code);
}

}  // namespace
}  // namespace mx::golden::stochastic_test
