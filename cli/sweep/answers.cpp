#include "cli/sweep/answers.hpp"

#include <algorithm>
#include <span>

namespace mx::cli {
namespace {

/// Answers that are written out at a time.
constexpr std::uint64_t kAnswersPiece = std::uint64_t{1} << 16;

}  // namespace

std::vector<fast::AnswerStep> answer_steps(const golden::ConversionThresholds& thresholds) {
  std::vector<fast::AnswerStep> steps;
  const auto add = [&](std::uint32_t first, std::uint8_t code) {
    if (steps.empty() || steps.back().code != code) steps.push_back({first, code});
  };
  for (const std::uint32_t sign : {0U, 1U}) {
    const std::uint32_t base = sign << (thresholds.source_bits - 1);
    for (const golden::ThresholdStep& stair : thresholds.finite[sign])
      add(base + stair.first, stair.code);
    add(base + thresholds.infinity_pattern, thresholds.infinity[sign]);
    add(base + thresholds.infinity_pattern + 1, thresholds.nan[1][sign]);
    add(base + thresholds.quiet_pattern, thresholds.nan[0][sign]);
  }
  return steps;
}

AnswerDigests::Pattern AnswerDigests::pattern_of(std::uint64_t first, std::uint64_t words) const {
  Pattern pattern;
  const auto after = std::ranges::upper_bound(
      steps_, first, {}, [](const fast::AnswerStep& step) { return std::uint64_t{step.first}; });
  pattern.emplace_back(0, (after - 1)->code);
  for (auto step = after; step != steps_.end() && step->first < first + words; ++step) {
    pattern.emplace_back(step->first - first, step->code);
  }
  pattern.emplace_back(words, 0);
  return pattern;
}

golden::Digest AnswerDigests::of(std::uint64_t first, std::uint64_t words) {
  const Pattern pattern = pattern_of(first, words);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(pattern); known != known_.end()) return known->second;
  }
  golden::Sha256 sha;
  std::vector<std::uint8_t> codes(kAnswersPiece);
  for (std::uint64_t done = 0; done < words; done += codes.size()) {
    codes.resize(std::min(kAnswersPiece, words - done));
    expand(thresholds_, first + done, codes);
    sha.update(std::as_bytes(std::span(codes)));
  }
  const golden::Digest digest = sha.finish();
  const std::lock_guard lock(mutex_);
  known_.emplace(pattern, digest);
  return digest;
}

}  // namespace mx::cli
