// All answers of a step function as one table over words, and the digests of answers that a device
// itself compared.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fast/cuda_judge/judge.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/certificates/certificate.hpp"

namespace mx::cli {

/// Both signs, infinities and NaN, in the order of words; neighbours differ.
[[nodiscard]] std::vector<fast::AnswerStep> answer_steps(
    const golden::ConversionThresholds& thresholds);

/// SHA-256 of the answers to consecutive words. Segments with the same answers, of which most
/// sources have many, are digested once. May be asked by several threads.
class AnswerDigests {
 public:
  explicit AnswerDigests(const golden::ConversionThresholds& thresholds)
      : thresholds_(thresholds), steps_(answer_steps(thresholds)) {}
  [[nodiscard]] golden::Digest of(std::uint64_t first, std::uint64_t words);

 private:
  /// Offsets from the first word, and the codes from there on.
  using Pattern = std::vector<std::pair<std::uint64_t, std::uint8_t>>;
  [[nodiscard]] Pattern pattern_of(std::uint64_t first, std::uint64_t words) const;

  const golden::ConversionThresholds& thresholds_;
  std::vector<fast::AnswerStep> steps_;
  std::mutex mutex_;
  std::map<Pattern, golden::Digest> known_;
};

}  // namespace mx::cli
