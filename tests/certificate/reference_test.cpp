// Certificates against the reference: two derivations of every answer that share no rounding code.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "golden/certificates/check.hpp"
#include "reference/element/encode.hpp"
#include "tests/certificate/policies.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/report.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stream.hpp"

namespace mx::golden {
namespace {

using oracle::hex;
using oracle::Report;

std::string describe(const ElementPolicy& policy) {
  std::string text(token_of(policy.rounding));
  for (const std::string_view token :
       {token_of(policy.overflow), token_of(policy.nan), token_of(policy.zero_sign),
        token_of(policy.unsigned_negative), token_of(policy.zero_in), token_of(policy.int_min),
        token_of(policy.src_ftz), token_of(policy.dst_ftz), token_of(policy.staging)}) {
    text += ' ';
    text += token;
  }
  return text;
}

/// Compares the certificate with the reference on the given source patterns.
void compare(const ThresholdCertificate& certificate, const ElementPolicy& policy,
             const std::vector<std::uint64_t>& patterns, Report& report) {
  const Conversion conversion =
      made(ConversionConfig{certificate.source, certificate.destination, policy});
  const ConversionThresholds thresholds = conversion_thresholds(certificate, policy);
  for (const std::uint64_t pattern : patterns) {
    const std::uint8_t code = code_of(thresholds, static_cast<std::uint32_t>(pattern));
    const std::uint64_t want = conversion(pattern).code;
    report.check(code == want, [&] {
      return std::string(certificate.source.name) + " " + hex(pattern) + " -> " +
             std::string(certificate.destination.name) + " [" + describe(policy) +
             "] certificate " + hex(code) + " reference " + hex(want);
    });
  }
}

std::vector<std::uint64_t> all_patterns_16() {
  std::vector<std::uint64_t> patterns(65536);
  std::iota(patterns.begin(), patterns.end(), std::uint64_t{0});
  return patterns;
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& tested) {
  return std::string(tested.param.name);
}

class PerFormat : public ::testing::TestWithParam<ElementFormat> {};
INSTANTIATE_TEST_SUITE_P(All, PerFormat, ::testing::ValuesIn(table_destinations()), format_name);

TEST_P(PerFormat, AgreesOnEvery16BitPattern) {
  Report report;
  const std::vector<std::uint64_t> patterns = all_patterns_16();
  for (const ElementFormat& source : {formats::bf16, formats::fp16}) {
    const ThresholdCertificate certificate = make_certificate(source, GetParam());
    for (std::size_t r = 0; r < kDeterministic; ++r) {
      ElementPolicy policy;
      policy.rounding = deterministic_rounding(r);
      compare(certificate, policy, patterns, report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

/// Every threshold of every ladder and its neighbours, specials, and random patterns.
std::vector<std::uint64_t> threshold_patterns(const ThresholdCertificate& certificate,
                                              oracle::Stream& stream, int random) {
  const std::uint64_t sign = certificate.source.sign_bit();
  const std::uint64_t mask = certificate.source.code_mask();
  std::vector<std::uint64_t> patterns;
  const auto around = [&](std::uint64_t u) {
    for (const std::uint64_t each : {u - 1, u, u + 1}) {
      patterns.push_back(each & mask);
      patterns.push_back((each ^ sign) & mask);
    }
  };
  for (const ThresholdSet& set : certificate.sets) {
    for (const std::uint32_t u : {set.first_nonzero, set.first_normal, set.first_infinite}) {
      around(u);
    }
    for (const CertificateLadder& ladder : set.ladders) {
      around(ladder.first_step);
      for (const std::uint32_t u : ladder.thresholds) around(u);
    }
  }
  around(0);
  around(certificate.source.man_mask() + 1);
  around(certificate.source.inf_code());
  around(certificate.source.canonical_nan);
  for (int i = 0; i < random; ++i) patterns.push_back(stream.next64() & mask);
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  return patterns;
}

TEST_P(PerFormat, AgreesAtEveryThresholdUnderEveryPolicy) {
  Report report;
  oracle::Stream stream(0x7E57);
  for (const ElementFormat& source : source_formats()) {
    const ThresholdCertificate certificate = make_certificate(source, GetParam());
    ASSERT_EQ(certificate_misfit(certificate), "");
    const std::vector<std::uint64_t> patterns = test::one_in(
        3, threshold_patterns(certificate, stream, 200), static_cast<std::uint64_t>(source.bits));
    for (const ElementPolicy& policy : proof_policies(certificate)) {
      compare(certificate, policy, patterns, report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

}  // namespace
}  // namespace mx::golden
