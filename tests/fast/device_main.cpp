// The goldens on a CUDA device. Exit status 77, which ctest counts as skipped, where there is none.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/fast/backend.hpp"

namespace mx::fast::test {

Backend backend() { return &quantize_on_device; }
StreamRunner stream_backend() {
  return [](const StreamPlan& plan, const StreamLayout& layout, std::span<const std::byte> source,
            std::span<std::byte> codes, std::span<std::byte> scales,
            std::span<std::uint16_t> status, const StreamRandom& random) {
    return plan.copy_and_run(layout, source, {codes, scales, status}, random);
  };
}
DecodeRunner decode_backend() {
  return [](const StreamDecodePlan& plan, const StreamLayout& layout,
            std::span<const std::byte> codes, std::span<const std::byte> scales,
            std::span<std::byte> words) { return plan.copy_and_run(layout, codes, scales, words); };
}
JudgeRunner judge_backend() {
  return
      [](const WordJudge& judge, std::span<const AnswerStep> steps, std::uint32_t first,
         std::span<WordVerdict> verdicts) { return judge.judge_on_device(steps, first, verdicts); };
}

}  // namespace mx::fast::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const std::string_view problem = mx::fast::device_problem(); !problem.empty()) {
    std::fprintf(stderr, "SKIPPED: no kernel ran and nothing was compared: %s\n",
                 std::string(problem).c_str());
    return 77;
  }
  return RUN_ALL_TESTS();
}
