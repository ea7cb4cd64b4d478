// The stored certificates: what is generated now, byte for byte, and nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "reference/format/rows.hpp"

namespace mx::golden::stored_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "; mxgold gen --op thr --source all --format all writes them";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(StoredCertificates, AreWhatIsGenerated) {
  const fs::path folder = MX_CERTIFICATES;
  FormatCatalog catalog;
  std::set<std::string> names = {std::string(kIndexName), std::string(kScaleFileName)};
  for (const std::string& source : certificate_sources()) {
    for (const std::string& destination : stored_destinations()) {
      const auto certificate = make_certificate(*catalog.find(source), *catalog.find(destination));
      const CertificateText text = certificate_text(certificate);
      EXPECT_EQ(read(folder / certificate_json_name(certificate)), text.json)
          << certificate_json_name(certificate) << kRemedy;
      EXPECT_EQ(read(folder / certificate_hex_name(certificate)), text.hex)
          << certificate_hex_name(certificate) << kRemedy;
      EXPECT_EQ(read_certificate((folder / certificate_json_name(certificate)).string(), catalog),
                certificate);
      names.insert(certificate_json_name(certificate));
      names.insert(certificate_hex_name(certificate));
    }
  }
  EXPECT_EQ(read(folder / kIndexName), index_text(make_index(catalog))) << kRemedy;
  EXPECT_EQ(read(folder / kScaleFileName), scale_text(stored_scale_certificates())) << kRemedy;
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
  }
  EXPECT_GE(names.size(), 2U + 2 * 3 * 20);
}

// spec V5.3 states these patterns.
TEST(StoredCertificates, HoldThePublishedOverflowThresholds) {
  const auto overflow = [](const ElementFormat& destination) {
    return make_certificate(formats::fp32, destination).sets[0].ladders[0].thresholds.back();
  };
  EXPECT_EQ(overflow(formats::e4m3fn), 0x43E80001U);
  EXPECT_EQ(overflow(formats::e5m2), 0x47700000U);
  EXPECT_EQ(overflow(formats::e3m2fn), 0x41F00000U);
  EXPECT_EQ(overflow(formats::e2m3fn), 0x40F80000U);
  EXPECT_EQ(overflow(formats::e2m1fn), 0x40E00000U);
  EXPECT_EQ(overflow(formats::e4m3fnuz), 0x43780000U);
  EXPECT_EQ(overflow(formats::e5m2fnuz), 0x47700000U);
  const auto fp16 = make_certificate(formats::fp16, formats::e5m2);
  const auto& toward_zero = fp16.sets[0].ladders[static_cast<std::size_t>(LadderKind::kTz)];
  EXPECT_EQ(toward_zero.thresholds.back(), 0x7C00U) << "never reached";
  const auto e4m3fn = make_certificate(formats::fp32, formats::e4m3fn);
  EXPECT_EQ(e4m3fn.counts.total(), std::uint64_t{1} << 32);
  EXPECT_EQ(e4m3fn.counts.zero + e4m3fn.counts.finite, 2 * std::uint64_t{2139095040});
  EXPECT_EQ(e4m3fn.counts.quiet_nan + e4m3fn.counts.signaling_nan, 16777214U);
}

TEST(Expansion, IsTheCodeOfEveryPattern) {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.nan = NanPolicy::kKeepSign;
  const ConversionThresholds thresholds =
      conversion_thresholds(make_certificate(formats::fp16, formats::e5m2), policy);
  std::vector<std::uint8_t> codes(65536);
  expand(thresholds, 0, codes);
  for (std::uint32_t pattern = 0; pattern < codes.size(); ++pattern) {
    ASSERT_EQ(codes[pattern], code_of(thresholds, pattern)) << pattern;
  }
  // Any window is a part of the whole: across signs, infinities and NaN.
  for (const std::size_t first : {0x7BFEU, 0x7C00U, 0x7DFFU, 0x7FFFU, 0x8000U, 0xFBFFU, 0xFFFEU}) {
    std::vector<std::uint8_t> window(std::min<std::size_t>(700, codes.size() - first));
    expand(thresholds, first, window);
    EXPECT_TRUE(std::equal(window.begin(), window.end(),
                           codes.begin() + static_cast<std::ptrdiff_t>(first)))
        << first;
  }
}

}  // namespace
}  // namespace mx::golden::stored_test
