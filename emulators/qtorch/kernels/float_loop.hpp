// The loop of the float kernels. Where no value of a chunk lies below the smallest normal it is
// simple enough for vector units; the others take a table of steps where there is one.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {

/// format.normal(x, word) for magnitudes from format.least() on, format.below(x, word) for others.
template <typename Format>
[[nodiscard]] Bits quantized(const Format& format, Bits x, Bits word) {
  return magnitude_of(x) < format.least() ? format.below(x, word) : format.normal(x, word);
}

/// Which results have no sign of their value: compat loses that of zeros, strict that of NaNs.
enum class Unsigned { kZeros, kNans };

/// A deterministic quantisation as a table: magnitudes that agree in their leading bits give one of
/// two results, parted by a threshold.
class StepTable {
 public:
  /// `mantissa_bits` of the magnitude part its steps: each has one at most.
  template <typename Format>
  StepTable(const Format& format, Bits word, int mantissa_bits) : shift_(23 - mantissa_bits) {
    const auto result = [&](Bits magnitude) { return quantized(format, magnitude, word); };
    for (Bits head = 0; head < fp32::kSignBit >> shift_; ++head) {
      Bits low = head << shift_;
      Bits high = low + ((Bits{1} << shift_) - 1);
      Step step = {.threshold = high, .below = result(low), .from = result(high)};
      if (step.below == step.from) {
        step.threshold = 0;
      } else {
        while (high - low > 1) {
          const Bits middle = low + (high - low) / 2;
          (result(middle) == step.below ? low : high) = middle;
        }
        step.threshold = high;
      }
      steps_.push_back(step);
    }
  }

  template <Unsigned kUnsigned>
  [[nodiscard]] Bits at(Bits x) const {
    const Bits magnitude = magnitude_of(x);
    const Step& step = steps_[magnitude >> shift_];
    const Bits chosen = magnitude < step.threshold ? ~Bits{0} : 0;
    const Bits result = (step.below & chosen) | (step.from & ~chosen);
    const bool is_signed = kUnsigned == Unsigned::kZeros ? result != 0 : result <= fp32::kInfinity;
    return result ^ (is_signed ? sign_of(x) : 0);
  }

 private:
  struct Step {
    Bits threshold = 0;
    Bits below = 0;
    Bits from = 0;
  };

  int shift_;
  std::vector<Step> steps_;
};

/// quantize(i) for every i, or normal(i) where no magnitude of a chunk is below `least`.
template <typename Normal, typename Quantize>
void in_chunks(Bits least, std::span<const Bits> values, Normal normal, Quantize quantize) {
  constexpr std::size_t kChunk = 32;
  const auto limit = static_cast<std::int32_t>(least);
  for (std::size_t first = 0; first < values.size(); first += kChunk) {
    const std::size_t end = std::min(first + kChunk, values.size());
    std::int32_t below = 0;  // negative once a magnitude is below the limit
    for (std::size_t i = first; i < end; ++i) {
      below |= static_cast<std::int32_t>(magnitude_of(values[i])) - limit;
    }
    if (below >= 0) {
      for (std::size_t i = first; i < end; ++i) normal(i);
    } else {
      for (std::size_t i = first; i < end; ++i) quantize(i);
    }
  }
}

/// Every value; word(i) is the random word or the increment of element i.
template <typename Format, typename Word>
void quantize_floats(const Format& format, std::span<const Bits> values, Word word,
                     std::span<Bits> results) {
  const Bits least = format.least();
  const auto normal = [&](std::size_t i) { results[i] = format.normal(values[i], word(i)); };
  const auto both = [&](std::size_t i) {
    const Bits chosen = magnitude_of(values[i]) < least ? ~Bits{0} : 0;
    results[i] =
        (format.below(values[i], word(i)) & chosen) | (format.normal(values[i], word(i)) & ~chosen);
  };
  in_chunks(least, values, normal, both);
}

/// The same of a deterministic rounding with one increment, of a format whose NaNs and infinities
/// give two results at most: by a table where there are values enough to pay for it.
template <Unsigned kUnsigned, typename Format>
void quantize_steps(const Format& format, Bits increment, int mantissa_bits,
                    std::span<const Bits> values, std::span<Bits> results) {
  const auto word = [=](std::size_t) { return increment; };
  if (mantissa_bits > 5 || values.size() < std::size_t{1} << (12 + mantissa_bits)) {
    return quantize_floats(format, values, word, results);
  }
  const StepTable table(format, increment, mantissa_bits);
  const auto normal = [&](std::size_t i) { results[i] = format.normal(values[i], increment); };
  const auto step = [&](std::size_t i) { results[i] = table.at<kUnsigned>(values[i]); };
  in_chunks(format.least(), values, normal, step);
}

}  // namespace mx::emulators::qtorch
