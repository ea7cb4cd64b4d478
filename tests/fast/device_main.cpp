// The goldens on a CUDA device. Exit status 77, which ctest counts as skipped, where there is none.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "fast/cuda/plan.hpp"
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
Nvfp4Runner nvfp4_backend() {
  return {
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         StreamAnswer& results, const std::uint32_t* tensor) {
        const std::uint32_t number = tensor != nullptr ? *tensor : 0;
        const std::span<const std::byte> in[] = {source, std::as_bytes(std::span(&number, 1))};
        const std::span<std::byte> out[] = {results.codes, results.scales,
                                            std::as_writable_bytes(std::span(results.status))};
        return cuda::run_between_copies(in, out, [&](void* const* at) {
          return plan.quantize(
              nullptr, layout, at[0],
              {at[2], at[3], results.status.empty() ? nullptr : static_cast<std::uint16_t*>(at[4])},
              tensor != nullptr ? static_cast<const std::uint32_t*>(at[1]) : nullptr);
        });
      },
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> codes,
         std::span<const std::byte> scales, std::span<std::byte> words,
         const std::uint32_t* tensor) {
        const std::span<const std::byte> in[] = {codes, scales,
                                                 std::as_bytes(std::span(tensor, 1))};
        const std::span<std::byte> out[] = {words};
        return cuda::run_between_copies(in, out, [&](void* const* at) {
          return plan.dequantize(nullptr, layout, {at[0], at[1]}, at[3],
                                 static_cast<const std::uint32_t*>(at[2]));
        });
      }};
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
