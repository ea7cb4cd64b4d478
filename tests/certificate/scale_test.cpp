// Scale certificates against the reference's blocks.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "golden/certificates/scale.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/format/table.hpp"
#include "tests/support/made.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::golden {
namespace {

using oracle::hex;
using oracle::Report;

/// The scale byte of a block of one element.
std::uint64_t reference_scale(const Quantizer& quantizer, std::uint32_t amax) {
  const std::array<std::uint64_t, 1> source = {amax};
  std::array<std::uint64_t, 1> codes{};
  return quantizer.quantize_block(source, {}, codes).scale_code;
}

TEST(ScaleCertificates, AgreeWithTheReferenceAtEveryThreshold) {
  Report report;
  oracle::Stream stream(0x5CA1);
  for (const ScaleCertificate& certificate : stored_scale_certificates()) {
    for (const ScaleSat sat : {ScaleSat::kClamp, ScaleSat::kToNan}) {
      for (const EvenCarry carry : {EvenCarry::kExact, EvenCarry::kToNan}) {
        QuantizerConfig config;
        config.source = certificate.source;
        config.format = {"one", certificate.element, formats::e8m0, 1};
        config.block.rule = certificate.rule;
        config.block.scale_sat = sat;
        config.block.even_carry = carry;
        const Quantizer quantizer = made(config);
        std::vector<std::uint32_t> patterns;
        for (const std::uint32_t t : certificate.thresholds) {
          patterns.insert(patterns.end(), {t - 1, t, t + 1});
        }
        for (int i = 0; i < 500; ++i) patterns.push_back(stream.next() >> 1);
        for (const std::uint32_t amax : patterns) {
          if (amax == 0 || amax >= certificate.source.inf_code()) continue;
          const std::uint64_t wanted = reference_scale(quantizer, amax);
          const std::uint8_t found = scale_of(certificate, config.block, amax);
          report.check(found == wanted, [&] {
            return std::string(token_of(certificate.rule)) + " " +
                   std::string(certificate.element.name) + " amax " + hex(amax) + " certificate " +
                   hex(found) + " reference " + hex(wanted);
          });
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// spec V5.7: 240 to 256 distinct bytes for each rule and element format.
TEST(ScaleCertificates, HaveAsManyStepsAsPublished) {
  const std::vector<ScaleCertificate> all = stored_scale_certificates();
  ASSERT_EQ(all.size(), 8 * 8U);  // rules, element formats
  for (const ScaleCertificate& certificate : all) {
    int steps = 0;
    for (std::size_t k = 0; k + 1 < certificate.thresholds.size(); ++k) {
      steps += certificate.thresholds[k] < certificate.thresholds[k + 1] ? 1 : 0;
    }
    EXPECT_GE(steps, 238) << token_of(certificate.rule) << ' ' << certificate.element.name;
    EXPECT_LE(steps, 256);
  }
}

}  // namespace
}  // namespace mx::golden
