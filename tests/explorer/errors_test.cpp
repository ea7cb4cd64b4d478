// SPDX-License-Identifier: Apache-2.0
// Sums of errors: values worked out by hand, and the same from pieces of any length.
#include "explorer/answers/errors.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "golden/names/asking.hpp"

namespace mx::explorer {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

ErrorSums sums_of(const std::string& question, std::span<const float> values, std::size_t piece) {
  Errors errors{Question(question)};
  const std::span<const std::byte> bytes = std::as_bytes(values);
  for (std::size_t at = 0; errors.looks_first() && at < bytes.size(); at += piece) {
    errors.look(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    errors.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  return errors.sums();
}

TEST(ExplorerErrors, OfSingleValues) {
  const std::vector<float> values = {480, -448, 0, 1.0625F, 1e-9F, kInf, kNan, -1};
  const ErrorSums sums =
      sums_of("source fp32\nformat e4m3fn\nprofile mxgold-default\nlength 8", values, 32);
  EXPECT_EQ(sums.elements, 6);
  EXPECT_EQ(sums.left_out, 2);
  EXPECT_EQ(sums.exact, 3);  // -448, 0, -1
  EXPECT_EQ(sums.saturated, 1);
  EXPECT_EQ(sums.flushed, 1);
  EXPECT_EQ(sums.largest, 32);
  EXPECT_EQ(sums.noise, 32 * 32 + 0.0625 * 0.0625);  // and 1e-18, which adds nothing
}

TEST(ExplorerErrors, OfBlocksUnderTheirScale) {
  // Two rows of one block: 6.9 saturates at 6 under the scale 1, 0.2 becomes 0, 13.8 is scaled
  // by 2.
  const std::vector<float> values = {7, 0.2F, 3, 14, 1, -14};
  const ErrorSums sums =
      sums_of("source fp32\nformat mxfp4\nprofile mxgold-default\nlength 3", values, 24);
  EXPECT_EQ(sums.elements, 6);
  EXPECT_EQ(sums.saturated, 3);
  EXPECT_EQ(sums.flushed, 1);
  EXPECT_EQ(sums.exact, 2);  // 3 and 1
  EXPECT_EQ(sums.largest, 2);
  EXPECT_EQ(sums.signal, 49 + double{0.2F} * double{0.2F} + 9 + 196 + 1 + 196);
}

TEST(ExplorerErrors, AreTheSameFromPieces) {
  std::vector<float> values;
  for (int i = 0; i < 3 * 50; ++i) values.push_back(static_cast<float>((i * 37) % 101 - 50) / 16);
  for (const std::string format : {"mxfp4", "nvfp4", "mxfp8_e5m2", "e2m1fn"}) {
    const std::string question =
        "source fp32\nformat " + format + "\nprofile mxgold-default\nlength 50";
    const ErrorSums whole = sums_of(question, values, values.size() * 4);
    EXPECT_EQ(whole.elements, 150) << format;
    EXPECT_GT(whole.noise, 0) << format;
    for (const std::size_t piece : {4U, 68U, 200U}) {
      const ErrorSums parts = sums_of(question, values, piece);
      EXPECT_EQ(parts.noise, whole.noise) << format << ' ' << piece;
      EXPECT_EQ(parts.exact, whole.exact) << format << ' ' << piece;
      EXPECT_EQ(parts.largest, whole.largest) << format << ' ' << piece;
    }
  }
}

TEST(ExplorerErrors, RefusesWhatItCannotMeasure) {
  const std::pair<std::string, std::string> refused[] = {
      {"source fp32\nformat nvfp4_16x16\nprofile mxgold-default\nlength 4", "last axis"},
      {"source fp32\nformat fp8_e4m3_fp32_row\nprofile mxgold-default\nlength 4", "last axis"},
      {"source fp32\nformat mxfp4\nprofile mxgold-default", "length"},
      {"source fp16\nformat mxfp4\nprofile torchao-0.18\nlength 4", "not from fp16"},
      {"source fp32\nformat e4m3fn\nprofile gfloat:stochastic\nlength 4", "random bits"},
      {"source fp32\nformat mxfp5\nprofile mxgold-default\nlength 4", "mxfp5"}};
  for (const auto& [question, words] : refused) {
    try {
      const Errors errors{Question(question)};
      FAIL() << question << ": nothing was said";
    } catch (const golden::Refusal& refusal) {
      EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
    }
  }
}

}  // namespace
}  // namespace mx::explorer
