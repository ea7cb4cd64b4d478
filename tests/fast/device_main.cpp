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
DequantizeRunner dequantize_backend() {
  return [](const StreamDequantizePlan& plan, const StreamLayout& layout,
            std::span<const std::byte> codes, std::span<const std::byte> scales,
            std::span<std::byte> words) { return plan.copy_and_run(layout, codes, scales, words); };
}
Nvfp4Runner nvfp4_backend() {
  return {
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         StreamAnswer& results, const std::uint32_t* tensor, const StreamRandom& random) {
        const std::uint32_t number = tensor != nullptr ? *tensor : 0;
        const std::span<const std::byte> in[] = {source, std::as_bytes(std::span(&number, 1))};
        const std::span<std::byte> out[] = {results.codes, results.scales,
                                            std::as_writable_bytes(std::span(results.status))};
        return cuda::run_between_copies(in, out, [&](void* const* at) {
          return plan.quantize(
              nullptr, layout, at[0],
              {at[2], at[3], results.status.empty() ? nullptr : static_cast<std::uint16_t*>(at[4])},
              tensor != nullptr ? static_cast<const std::uint32_t*>(at[1]) : nullptr, random);
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
      },
      [](const Nvfp4Plan& plan, const Nvfp4Plan& down, const Nvfp4Both& shape,
         std::span<const std::byte> source, std::span<StreamAnswer, 2> results,
         const std::uint32_t* numbers) {
        const std::array<std::uint32_t, 2> none{};
        const std::uint32_t* const given = numbers != nullptr ? numbers : none.data();
        const std::span<const std::byte> in[] = {source, std::as_bytes(std::span(given, 1)),
                                                 std::as_bytes(std::span(given + 1, 1))};
        const std::span<std::byte> out[] = {results[0].codes,
                                            results[0].scales,
                                            std::as_writable_bytes(std::span(results[0].status)),
                                            results[1].codes,
                                            results[1].scales,
                                            std::as_writable_bytes(std::span(results[1].status))};
        return cuda::run_between_copies(in, out, [&](void* const* at) {
          const auto results_at = [&](std::size_t d) {
            void* const* const own = at + 3 + 3 * d;
            return StreamResults{
                own[0], own[1],
                results[d].status.empty() ? nullptr : static_cast<std::uint16_t*>(own[2])};
          };
          Nvfp4Both both = shape;
          both.source = at[0];
          both.along_rows = results_at(0);
          both.down_columns = results_at(1);
          if (numbers != nullptr) {
            both.rows_tensor = static_cast<const std::uint32_t*>(at[1]);
            both.columns_tensor = static_cast<const std::uint32_t*>(at[2]);
          }
          return plan.quantize_both(nullptr, down, both);
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
