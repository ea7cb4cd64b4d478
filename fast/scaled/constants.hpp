// A configuration resolved to thresholds: what the kernels of blocks under real-valued scales read.
//
// With the tensor's level fixed, every step from an element to its code grows with the element: the
// multiplication or division by the scale, its roundings, the element's own. So a magnitude code is
// the number of seven thresholds that the source word's magnitude has reached, and a scale code the
// number of those that the block's maximum has reached. The arithmetic of a rule is done once, when
// its thresholds are made; what is left for elements are comparisons of integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fast/cpu/constants.hpp"

namespace mx::fast::scaled {

using cpu::Source;

/// No finite magnitude exceeds it.
inline constexpr std::uint32_t kNever = 0x7FFFFFFF;

/// Positive magnitude codes of an element, and one more for what lies beyond them.
inline constexpr std::size_t kSteps = 8;
/// Scale codes of at most 8 bits.
inline constexpr std::size_t kScales = 256;

/// Of elements of one sign under one scale: the magnitudes that stay below each code, 1 .. 7, and
/// in the last place those that do not exceed the largest. kNever where the code is not reached.
using Row = std::array<std::uint32_t, kSteps>;
using ShortRow = std::array<std::uint16_t, kSteps>;

/// How the maximum of a block becomes a scale code.
struct ScaleConstants {
  /// The least maximum of each code; kNever: none has it.
  std::array<std::uint32_t, kScales + 1> from = {};
  std::uint32_t clamped_below = 0;      ///< maxima whose scale the floor raised
  std::uint32_t clamped_from = kNever;  ///< maxima whose scale is beyond the range
  /// Codes of the maxima from i << hint_shift on, so at most one less than that of most maxima
  /// there.
  std::vector<std::uint8_t> hint;
  int hint_shift = 0;
  /// What stands in place of code 0; 0: nothing.
  std::uint8_t in_place_of_00 = 0;
  std::uint8_t of_zero = 0;
  bool zero_by_rule = true;  ///< clamps apply
  std::uint8_t of_nan = 0;
  std::uint8_t of_infinity = 0;
  bool infinity_is_nan = true;
  bool infinity_clamps = false;
  bool skips_nan = false;         ///< the maximum looks at no NaN
  bool skips_infinities = false;  ///< nor at infinities

  [[nodiscard]] std::uint8_t code_of(std::uint32_t maximum) const {
    std::uint32_t code = hint[maximum >> hint_shift];
    code += maximum >= from[code + 1] ? 1U : 0U;
    while (maximum >= from[code + 1]) ++code;
    return code == 0 ? in_place_of_00 : static_cast<std::uint8_t>(code);
  }

  /// The first code that a block of numbers can have.
  [[nodiscard]] std::uint32_t first_code() const { return in_place_of_00 != 0 ? 1 : code_of(0); }
};

struct Constants {
  Source source = Source::kFp32;
  int block_size = 0;
  int tile_lines = 1;
  std::uint32_t infinity = 0;  ///< the source's magnitude
  /// Blocks from this maximum on need the plain code: infinities, NaN, sums that binary32 loses.
  std::uint32_t plain_from = 0;
  ScaleConstants scale;
  std::array<std::array<Row, kScales>, 2> rows = {};             ///< by sign
  std::array<std::array<ShortRow, kScales>, 2> short_rows = {};  ///< the same for 16-bit sources
  std::array<std::uint32_t, kScales> vanishes = {};  ///< magnitudes that are zero under a scale
  bool signs_differ = false;                         ///< the rows of the two signs do
  bool drops_zero_sign = false;                      ///< a zero code has no sign
  bool drops_input_sign = false;                     ///< what vanishes has none
  bool searches = false;                             ///< ggml: codes of least binary32 error
  std::uint8_t nan[2] = {0, 0};
  std::uint8_t infinity_code[2] = {0, 0};
  std::array<bool, kScales> zeroes = {};  ///< every number and infinity becomes a zero

  /// A boolean for each plain fact that the kernels are compiled for.
  [[nodiscard]] bool drops_signs() const { return drops_zero_sign || drops_input_sign; }
};

}  // namespace mx::fast::scaled
