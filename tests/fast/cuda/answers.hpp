// Tables of all answers for the judge of all words: from a certificate, and wrong ones.
#pragma once

#include <cstdint>
#include <vector>

#include "fast/cuda_judge/judge.hpp"

namespace mx::fast::test {

/// What the threshold certificate of a conversion says.
[[nodiscard]] std::vector<AnswerStep> answers_of(const ElementJob& job);
[[nodiscard]] std::uint8_t code_at(const std::vector<AnswerStep>& steps, std::uint32_t word);
/// The same, but for one word.
[[nodiscard]] std::vector<AnswerStep> with_wrong(const std::vector<AnswerStep>& steps,
                                                 std::uint32_t word);

}  // namespace mx::fast::test
