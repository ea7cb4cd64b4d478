// Every word of a source through the CUDA path's conversion, compared on the device with a table of
// all answers: no word, code or answer is moved. On the host the same source does the same.
//
// What is converted is a single value under one scale, by the encoders that the kernels of blocks
// have: the short one where a configuration has one, or the general arithmetic.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fast/cpu/block_plan.hpp"
#include "fast/cuda/status.hpp"

namespace mx::fast {

/// Words [first, next step's first) have one code; the first step begins at word 0.
struct AnswerStep {
  std::uint32_t first = 0;
  std::uint8_t code = 0;
};

/// What became of the words of a segment.
struct WordVerdict {
  std::uint64_t mismatches = 0;
  std::uint32_t word = 0;  ///< the least of them
  std::uint8_t code = 0;   ///< what it gave
};

class WordJudge {
 public:
  enum class Encoder : std::uint8_t { kAsBlocks, kGeneral };

  /// A conversion of x / 2^scale_exponent, or why there is none on the path.
  [[nodiscard]] static Checked<WordJudge> make(const ElementJob& job, int scale_exponent = 0,
                                               Encoder encoder = Encoder::kAsBlocks);

  /// Is it a short encoder that answers?
  [[nodiscard]] bool is_short() const;

  /// Words per segment here: 2^24, or all words of a shorter source.
  [[nodiscard]] std::uint32_t segment_words() const;

  /// Compares segments first, first + 1, ... on the current device: a verdict each. Waits.
  [[nodiscard]] Status judge_on_device(std::span<const AnswerStep> steps, std::uint32_t first,
                                       std::span<WordVerdict> verdicts) const;
  /// The same on the host, on one thread.
  [[nodiscard]] Status judge_on_host(std::span<const AnswerStep> steps, std::uint32_t first,
                                     std::span<WordVerdict> verdicts) const;

  /// The codes of words first, first + 1, ..., multiples of 256 both, from the device or the host.
  [[nodiscard]] Status codes_on_device(std::uint32_t first, std::span<std::byte> codes) const;
  [[nodiscard]] Status codes_on_host(std::uint32_t first, std::span<std::byte> codes) const;

  struct Constants;

 private:
  friend struct WordJudgeAccess;  // of the kernel test
  explicit WordJudge(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
