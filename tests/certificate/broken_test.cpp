// Negative controls: certificates broken one way each, and the check that must notice.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "cli/vectors/verify_certificate.hpp"
#include "golden/certificates/check.hpp"
#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "golden/files/vector_file.hpp"
#include "tests/certificate/policies.hpp"

namespace mx::golden {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class Broken : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("certificate_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The exit code of `mxgold verify-goldens FILE`.
  static int verify(const fs::path& file) {
    const std::string command =
        std::string(MXGOLD_PROGRAM) + " verify-goldens " + file.string() + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Writes a changed certificate, its digests right again, and verifies it.
  int verify_changed(const std::function<void(ThresholdCertificate&)>& change) {
    ThresholdCertificate certificate = make_certificate(formats::bf16, formats::e4m3fn);
    change(certificate);
    return verify(write_certificate(folder_.string(), certificate));
  }

  fs::path folder_;
};

std::vector<std::uint32_t>& thresholds(ThresholdCertificate& c, LadderKind kind,
                                       std::size_t set = 0) {
  return c.sets[set].ladders[static_cast<std::size_t>(kind)].thresholds;
}

TEST_F(Broken, AnIntactCertificatePasses) {
  EXPECT_EQ(verify_changed([](ThresholdCertificate&) {}), 0);
}

TEST_F(Broken, AThresholdMovedByOneIsWrong) {
  EXPECT_EQ(verify_changed([](auto& c) { ++thresholds(c, LadderKind::kNe)[57]; }), 6);
  EXPECT_EQ(verify_changed([](auto& c) { --thresholds(c, LadderKind::kOd, 1)[126]; }), 6);
}

TEST_F(Broken, AMissingSegmentIsWrong) {
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) {
              for (ThresholdSet& set : c.sets) {
                for (CertificateLadder& ladder : set.ladders) {
                  ladder.thresholds.erase(ladder.thresholds.begin() + 40);
                }
              }
              for (std::vector<std::uint8_t>& codes : c.codes) codes.erase(codes.begin() + 40);
              for (auto& top : c.top) top = {top[0] - 1, top[1] - 1};
            }),
            6);
}

TEST_F(Broken, SwappedLaddersAreWrong) {
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) {
              std::swap(thresholds(c, LadderKind::kNa), thresholds(c, LadderKind::kNz));
            }),
            6);
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) {
              std::swap(thresholds(c, LadderKind::kTz), thresholds(c, LadderKind::kAz));
            }),
            6);
}

TEST_F(Broken, AWrongNanCodeIsWrong) {
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) { c.special.nan[1][0][1] = 0x7F; }), 6);
}

TEST_F(Broken, BadCountsAreWrong) {
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) { ++c.counts.finite; }), 6);
  EXPECT_EQ(verify_changed([](ThresholdCertificate& c) {
              ++c.counts.quiet_nan;
              --c.counts.signaling_nan;
            }),
            6);
}

TEST_F(Broken, DamagedFilesAreBadInput) {
  const ThresholdCertificate certificate = make_certificate(formats::bf16, formats::e2m1fn);
  const fs::path json = write_certificate(folder_.string(), certificate);
  const fs::path hex = folder_ / certificate_hex_name(certificate);
  const std::string good_json = read(json);
  const std::string good_hex = read(hex);
  ASSERT_EQ(verify(json), 0);
  ASSERT_EQ(verify(hex), 0) << "either file of the pair names the certificate";

  write(json, good_json.substr(0, good_json.size() / 2));
  EXPECT_EQ(verify(json), 3) << "truncated JSON";
  write(json, good_json.substr(0, good_json.size() - 1));
  EXPECT_EQ(verify(json), 3) << "the last line feed cut off";
  std::string changed = good_json;
  changed.replace(changed.find("\"total\": 65536"), 14, "\"total\": 65537");
  write(json, changed);
  EXPECT_EQ(verify(json), 3) << "content that its digest does not cover";
  changed = good_json;
  const std::string name = "\"" + hex.filename().string() + "\"";
  changed.replace(changed.find(name), name.size(), "7");
  write(json, changed);
  FormatCatalog catalog;
  EXPECT_THROW((void)read_certificate(json, catalog), VectorError) << "a name that is no text";
  write(json, std::string(200000, '[') + std::string(200000, ']'));
  EXPECT_EQ(verify(json), 3) << "nested without end";
  write(json, good_json);

  write(hex, good_hex.substr(0, good_hex.size() / 2));
  EXPECT_EQ(verify(json), 3) << "truncated thresholds";
  changed = good_hex;
  changed[changed.size() - 10] = changed[changed.size() - 10] == '0' ? '1' : '0';
  write(hex, changed);
  EXPECT_EQ(verify(json), 3) << "a threshold that its digest does not cover";
  fs::remove(hex);
  EXPECT_EQ(verify(json), 3) << "no thresholds";
  write(hex, good_hex);
  EXPECT_EQ(verify(json), 0);
  fs::remove(json);
  EXPECT_EQ(verify(json), 3) << "no file";
}

TEST_F(Broken, AnIndexThatIsNotWhatIsGeneratedIsWrong) {
  const ThresholdCertificate certificate = make_certificate(formats::bf16, formats::e2m1fn);
  std::vector<IndexEntry> entries = {index_entry(certificate, true)};
  const fs::path path = folder_ / kIndexName;
  write(path, index_text(entries));
  EXPECT_EQ(verify(path), 0);
  entries[0].hex_sha256[0] = entries[0].hex_sha256[0] == '0' ? '1' : '0';
  write(path, index_text(entries));
  EXPECT_EQ(verify(path), 6);
  write(path, index_text(entries).substr(0, 60));
  EXPECT_EQ(verify(path), 3);
  write(path, index_text({}));
  EXPECT_EQ(verify(path), 3) << "an index of nothing";
}

TEST_F(Broken, AScaleThresholdMovedByOneIsWrong) {
  std::vector<ScaleCertificate> all = stored_scale_certificates();
  const fs::path path = folder_ / kScaleFileName;
  write(path, scale_text(all));
  EXPECT_EQ(verify(path), 0);
  ++all[7].thresholds[100];
  write(path, scale_text(all));
  EXPECT_EQ(verify(path), 6);
  --all[7].thresholds[100];
  ++all.back().first_carry;
  write(path, scale_text(all));
  EXPECT_EQ(verify(path), 6);
  const std::string text = scale_text(stored_scale_certificates());
  write(path, text.substr(0, text.size() - 100));
  EXPECT_EQ(verify(path), 3);
}

/// The verdict on a certificate changed in one place.
bool is_caught(const ThresholdCertificate& certificate) {
  if (!certificate_misfit(certificate).empty()) return true;
  cli::OracleJudge judge(certificate.source, certificate.destination);
  return !prove(certificate, judge).proved();
}

// e5m2 has Inf and NaN, so that some policy sees each threshold: a format that only saturates has
// the same code on both sides of its last one.
TEST(EveryNumber, MovedByOneIsCaught) {
  int moved = 0;
  const ThresholdCertificate good = make_certificate(formats::fp32, formats::e5m2);
  ASSERT_FALSE(is_caught(good));
  for (std::size_t s = 0; s < good.sets.size(); ++s) {
    for (std::size_t i = 0; i < kLadders; ++i) {
      const std::size_t count = good.sets[s].ladders[i].thresholds.size();
      for (std::size_t k = 24 * i + 4; k < count; k += 121) {  // spread, the overflow included
        for (const int by : {-1, 1}) {
          ThresholdCertificate bad = good;
          bad.sets[s].ladders[i].thresholds[k] += static_cast<std::uint32_t>(by);
          ++moved;
          EXPECT_TRUE(is_caught(bad))
              << "set " << s << ' ' << kLadderNames[i] << ' ' << k << ' ' << by;
        }
      }
      ThresholdCertificate bad = good;
      ++bad.sets[s].ladders[i].first_step;
      EXPECT_TRUE(is_caught(bad)) << "first_step " << s << ' ' << kLadderNames[i];
    }
    for (std::uint32_t ThresholdSet::*member :
         {&ThresholdSet::first_nonzero, &ThresholdSet::first_normal,
          &ThresholdSet::first_infinite}) {
      ThresholdCertificate bad = good;
      ++(bad.sets[s].*member);
      EXPECT_TRUE(is_caught(bad)) << "a bound of set " << s;
    }
  }
  EXPECT_GE(moved, 36);
}

TEST(EveryNumber, EveryCellOfTheTablesIsChecked) {
  for (const ElementFormat& destination : {formats::e5m2, formats::int8}) {
    const ThresholdCertificate good = make_certificate(formats::fp16, destination);
    const std::size_t step = sizeof(SpecialCodes) / 12 + 1;  // a sample
    for (std::size_t at = 0; at < sizeof(SpecialCodes); at += step) {
      ThresholdCertificate bad = good;
      reinterpret_cast<std::uint8_t*>(&bad.special)[at] ^= 1;
      EXPECT_TRUE(is_caught(bad)) << destination.name << " byte " << at << " of the tables";
    }
  }
}

}  // namespace
}  // namespace mx::golden
