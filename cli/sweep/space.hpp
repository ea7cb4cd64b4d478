// What a sweep goes over beside its conversion: the scale code under which words are converted, and
// which words of the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "reference/element/encode.hpp"

namespace mx::cli {

/// Words of a segment; a source of fewer words is one segment.
inline constexpr std::uint64_t kSegmentWords = std::uint64_t{1} << 24;

/// The e8m0 code of the scale 1.
inline constexpr std::uint8_t kScaleOne = 127;
/// Scale code 255 is NaN.
inline constexpr std::uint8_t kLargestScale = 254;

/// Which words of a source.
enum class SweptWords : std::uint8_t {
  kAll,
  /// Those that a block under the scale can hold: infinities, NaN, and finite magnitudes below
  /// 2^(emax + 1) times the scale (spec R5.2: S is at least E - emax). A lane of our RTL counts on
  /// no other.
  kBlock
};
[[nodiscard]] std::string_view token_of(SweptWords words);

/// The configuration of a sweep together with this is what its digests are of.
struct SweepSpace {
  std::uint8_t scale = kScaleOne;  ///< S; x * 2^(127 - S) is converted
  SweptWords words = SweptWords::kAll;
  bool operator==(const SweepSpace&) const = default;
};

/// Words [first, last).
struct WordRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const WordRange&) const = default;
};

/// The words of a sweep, ascending.
[[nodiscard]] std::vector<WordRange> swept_ranges(const ConversionConfig& config,
                                                  const SweepSpace& space);
/// Those of them in [first, last).
[[nodiscard]] std::vector<WordRange> clipped(const std::vector<WordRange>& ranges,
                                             std::uint64_t first, std::uint64_t last);
[[nodiscard]] std::uint64_t count_of(const std::vector<WordRange>& ranges);

/// The least scale code under which a block can hold every finite word, at most kLargestScale.
[[nodiscard]] std::uint8_t widest_scale(const ConversionConfig& config);

/// Why a configuration cannot be swept so, or "": other scales than 1 and the words of a block are
/// for conversions from fp32, bf16 and fp16 to the elements of OCP MX, without a staging.
[[nodiscard]] std::string space_problem(const ConversionConfig& config, const SweepSpace& space);

}  // namespace mx::cli
