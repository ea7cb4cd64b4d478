// Conversions of single values by the CUDA path's arithmetic, and their comparison with a table of
// all answers: words are counted in registers and nothing but verdicts is stored. The same source
// is compiled for the device and for the host.
#pragma once

#include "fast/cuda/units.hpp"

namespace mx::fast::cuda_judge {

/// Words from `first` to the next step have one code. Words are patterns, sign included.
struct Step {
  std::uint32_t first;
  std::uint32_t code;
};
/// Steps of both signs, infinities and NaN of a format of 8 bits, and some.
inline constexpr int kMostSteps = 320;

/// A conversion as the kernels take it, by value.
struct Conversion {
  cuda::Mode mode;
  int scale_exponent = 0;  ///< x / 2^this is converted
};

/// What became of words: of a segment, on the device.
struct Tally {
  unsigned long long mismatches;
  unsigned long long first;  ///< word << 8 | code of the least mismatch; kNone
};
inline constexpr unsigned long long kNone = ~0ULL;

/// Words that one lane goes over: aligned, so that they share a sign.
inline constexpr std::uint32_t kRun = 256;

/// The code of a word that is infinite or NaN.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t special_code(const cpu::ElementConstants& c,
                                                               std::uint32_t word) {
  const bool is_nan = (word & Source::kMagnitudeMask) > Source::kInf;
  const cpu::SignedCodes& codes = is_nan ? c.nan : c.infinity;
  return cuda::is_negative<Source>(word) ? codes.of[1] : codes.of[0];
}

/// Calls f(word, code) for the words of a run. `Element` is what a kernel of blocks has for them: a
/// short encoder, or the general arithmetic, which takes over where the short one does not fit.
template <class Source, class Element, class Function>
MX_HOST_DEVICE inline void convert_run(const Conversion& conversion, std::uint32_t first,
                                       std::uint32_t words, const Function& f) {
  const cuda::BlockScale scale{0, conversion.scale_exponent, false, 0};
  const std::uint32_t last = (first + (words - 1)) & Source::kMagnitudeMask;
  const typename Element::template Encoder<Source> encoder(
      conversion.mode, scale, last < Source::kInf ? last : Source::kInf - 1);
  const cuda::AnyElement::Encoder<Source> general(conversion.mode, scale, 0);
  const bool fits = encoder.fits();
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint32_t word = first + i;
    std::uint32_t code = 0;
    if ((word & Source::kMagnitudeMask) >= Source::kInf) {
      code = special_code<Source>(conversion.mode.block.element, word);
    } else {
      code = fits ? encoder.encode(word).code : general.encode(word).code;
    }
    f(word, code);
  }
}

/// Compares the words of a run with the steps; the first step begins at word 0.
template <class Source, class Element>
[[nodiscard]] MX_HOST_DEVICE inline Tally judge_run(const Conversion& conversion, const Step* steps,
                                                    int count, std::uint32_t first,
                                                    std::uint32_t words) {
  // The last step at or below the first word.
  int low = 0;
  for (int high = count; high - low > 1;) {
    const int middle = (low + high) / 2;
    if (steps[middle].first <= first) {
      low = middle;
    } else {
      high = middle;
    }
  }
  Tally tally{0, kNone};
  std::uint32_t expected = steps[low].code;
  const std::uint32_t last = first + (words - 1);
  // The last word before the next step; no word lies beyond that of the run.
  const auto end_of = [&](int step) {
    return step + 1 < count && steps[step + 1].first <= last ? steps[step + 1].first - 1 : last;
  };
  std::uint32_t end = end_of(low);
  convert_run<Source, Element>(
      conversion, first, words, [&](std::uint32_t word, std::uint32_t code) {
        if (word > end) {
          expected = steps[++low].code;
          end = end_of(low);
        }
        if (code == expected) return;
        const auto here = static_cast<unsigned long long>(word) << 8 | code;
        tally.first = tally.mismatches == 0 ? here : tally.first;
        ++tally.mismatches;
      });
  return tally;
}

}  // namespace mx::fast::cuda_judge
