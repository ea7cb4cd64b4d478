#include "tests/fast/backend.hpp"

namespace mx::fast::test {

Backend backend() { return &quantize_on_host; }
StreamRunner stream_backend() { return &run_on_host; }
Nvfp4Runner nvfp4_backend() { return nvfp4_on_host(); }
DequantizeRunner dequantize_backend() { return &dequantize_on_host; }
JudgeRunner judge_backend() {
  return
      [](const WordJudge& judge, std::span<const AnswerStep> steps, std::uint32_t first,
         std::span<WordVerdict> verdicts) { return judge.judge_on_host(steps, first, verdicts); };
}

}  // namespace mx::fast::test
