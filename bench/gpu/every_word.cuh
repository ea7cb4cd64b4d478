// U5: the time that a device takes to convert and compare all words of fp32.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/gpu/device.cuh"
#include "fast/cuda_judge/judge.hpp"
#include "reference/format/rows.hpp"

namespace mx::bench {

/// All 2^32 words of fp32 to e4m3fn, compared on the device with the answers of the host's
/// arithmetic. The goal is 50 ms.
inline bool measure_judge(fast::WordJudge::Encoder encoder, const char* name) {
  const auto judge =
      fast::WordJudge::make({formats::fp32, formats::e4m3fn, {}}, 0, encoder).value();
  std::vector<fast::AnswerStep> steps;
  // The answers of the host's arithmetic, found by halving: codes rise with the magnitude.
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

}  // namespace mx::bench
