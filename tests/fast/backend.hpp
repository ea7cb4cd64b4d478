// The backend that a test program judges: the same test bodies run on the host and on a device.
#pragma once

#include "fast/cuda_judge/judge.hpp"
#include "tests/fast/cuda/dequantize_judge.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {

[[nodiscard]] Backend backend();
[[nodiscard]] StreamRunner stream_backend();
[[nodiscard]] DequantizeRunner dequantize_backend();

[[nodiscard]] Nvfp4Runner nvfp4_backend();

/// Compares segments of all words.
using JudgeRunner = Status (*)(const WordJudge& judge, std::span<const AnswerStep> steps,
                               std::uint32_t first, std::span<WordVerdict> verdicts);
[[nodiscard]] JudgeRunner judge_backend();

}  // namespace mx::fast::test
