#include "tests/fast/cuda/answers.hpp"

#include <algorithm>

#include "golden/certificates/certificate.hpp"

namespace mx::fast::test {

std::vector<AnswerStep> answers_of(const ElementJob& job) {
  const auto certificate = golden::make_certificate(job.source, job.destination);
  const golden::ConversionThresholds thresholds =
      golden::conversion_thresholds(certificate, job.policy);
  std::vector<AnswerStep> steps;
  for (const std::uint32_t sign : {0U, 1U}) {
    const std::uint32_t base = sign << (thresholds.source_bits - 1);
    for (const golden::ThresholdStep& stair : thresholds.finite[sign]) {
      steps.push_back({base + stair.first, stair.code});
    }
    steps.push_back({base + thresholds.infinity_pattern, thresholds.infinity[sign]});
    steps.push_back({base + thresholds.infinity_pattern + 1, thresholds.nan[1][sign]});
    steps.push_back({base + thresholds.quiet_pattern, thresholds.nan[0][sign]});
  }
  return steps;
}

std::uint8_t code_at(const std::vector<AnswerStep>& steps, std::uint32_t word) {
  return (std::ranges::upper_bound(steps, word, {}, &AnswerStep::first) - 1)->code;
}

std::vector<AnswerStep> with_wrong(const std::vector<AnswerStep>& steps, std::uint32_t word) {
  const std::uint8_t code = code_at(steps, word);
  std::vector<AnswerStep> wrong;
  for (const AnswerStep& each : steps) {
    if (each.first != word && each.first != word + 1) wrong.push_back(each);
  }
  wrong.push_back({word, static_cast<std::uint8_t>(code ^ 1)});
  if (word != 0xFFFFFFFF) wrong.push_back({word + 1, code_at(steps, word + 1)});
  std::ranges::sort(wrong, {}, &AnswerStep::first);
  return wrong;
}

}  // namespace mx::fast::test
