// U5: the time that a device takes to convert and compare all words of fp32.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/gpu/device.cuh"
#include "fast/cuda_judge/judge.hpp"
#include "reference/format/rows.hpp"

namespace mx::bench {

/// The answers of the host's arithmetic to all words of fp32, found by halving: codes change one
/// way with the magnitude.
inline std::vector<fast::AnswerStep> answers_of(const fast::WordJudge& judge) {
  std::vector<fast::AnswerStep> steps;
  const auto code_of = [&](std::uint32_t word) {
    std::vector<std::byte> run(256);
    static_cast<void>(judge.codes_on_host(word / 256 * 256, run));
    return std::to_integer<std::uint8_t>(run[word % 256]);
  };
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    const std::uint32_t marks[] = {sign, sign + 0x7F800000u, sign + 0x7F800001u};
    std::uint32_t at = marks[0];
    while (at < marks[1]) {
      const std::uint8_t code = code_of(at);
      if (steps.empty() || steps.back().code != code) steps.push_back({at, code});
      std::uint32_t low = at;
      std::uint32_t high = marks[1];
      while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        (code_of(middle) == code ? low : high) = middle;
      }
      at = high;
    }
    for (const std::uint32_t mark : {marks[1], marks[2]}) {
      if (steps.back().code != code_of(mark)) steps.push_back({mark, code_of(mark)});
    }
  }
  return steps;
}

/// All 2^32 words of fp32, compared on the device with the answers of the host's arithmetic. The
/// goal is 50 ms.
inline bool measure_judge(const fast::WordJudge& judge, const char* name) {
  const std::vector<fast::AnswerStep> steps = answers_of(judge);
  std::vector<fast::WordVerdict> verdicts(256);
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    fast::Status outcome;
    const float own =
        time_of(begin, end, [&] { outcome = judge.judge_on_device(steps, 0, verdicts); });
    std::uint64_t mismatches = 0;
    for (const fast::WordVerdict& each : verdicts) mismatches += each.mismatches;
    if (!outcome || mismatches != 0) {
      std::printf("%-36s %llu MISMATCHES with the host's arithmetic: no rate\n", name,
                  static_cast<unsigned long long>(mismatches));
      return false;
    }
    if (round >= 0) times.push_back(own);
  }
  std::ranges::sort(times);
  const double median = static_cast<double>(times[kRounds / 2]);
  std::printf(
      "%-36s %8.2f ms for 2^32 words, copies of table and verdicts included (goal: 50)  %s\n", name,
      median, median <= 50 ? "met" : "NOT MET");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return true;
}

/// By every encoder that the path has for an element format.
inline bool measure_judges(const ElementFormat& element) {
  using Encoder = fast::WordJudge::Encoder;
  bool are_right = true;
  for (const Encoder encoder : {Encoder::kAsBlocks, Encoder::kGeneral}) {
    const auto judge = fast::WordJudge::make({formats::fp32, element, {}}, 0, encoder).value();
    if (encoder == Encoder::kAsBlocks && !judge.is_short()) continue;
    const std::string name = "judge fp32 to " + std::string(element.name) +
                             (encoder == Encoder::kAsBlocks ? ", short" : ", general");
    are_right = measure_judge(judge, name.c_str()) && are_right;
  }
  return are_right;
}

}  // namespace mx::bench
