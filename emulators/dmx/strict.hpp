// The casts of dmx as its documentation and the standards say: rules ST1 to ST13. spec S2.
#pragma once

#include "emulators/common/machine.hpp"
#include "emulators/dmx/compat.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::emulators::dmx {

/// What a floating-point format holds, by its parameters (ST3): the OCP and IEEE formats are
/// recognised, anything else has a finite value in every code.
struct StrictValues {
  int mantissa = 23;
  int least_exponent = -126;  ///< of the smallest normal value
  int most_exponent = 127;    ///< of the largest finite one
  std::uint32_t most = 0;     ///< its significand, an integer of mantissa + 1 bits
  bool has_infinity = false;
  int bias = 127;

  [[nodiscard]] static StrictValues of(const FloatingPoint& format);
};

/// What beyond the largest value becomes.
enum class Beyond : std::uint8_t { kAsFormat, kSaturates };

/// A value rounded once into a format: exact significand and exponent. NaN where x is NaN.
[[nodiscard]] Unpacked strict_float(const FloatingPoint& format, const StrictValues& values,
                                    Beyond beyond, const Unpacked& x, Words& words);

/// x / 2^quantum rounded to an integer once: the rounding of fixed-point and block codes, in which
/// stochastic rounding adds `bits` random bits below the point and takes the floor.
/// What does not fit 40 bits is given as its value by `is_huge`.
struct StrictInteger {
  std::int64_t value = 0;
  bool is_huge = false;  ///< |x| is a multiple of 2^quantum beyond 2^39
};
[[nodiscard]] StrictInteger strict_integer(const Unpacked& x, int quantum, Rounding rounding,
                                           int bits, std::uint32_t random);

/// "" or the problem.
[[nodiscard]] std::string strict_cast(const Format& format, const Source& source, Words& words,
                                      std::span<Bits> out);

/// A block of 0.1.11's block_quantize() with exact arithmetic: ST10.
void strict_block(int precision, bool symmetric, Rounding rounding, std::span<const Bits> values,
                  Words& words, std::span<Bits> out);

/// fixed_point_quantize() with exact arithmetic.
void strict_fixed(const FixedPoint& format, std::span<const Bits> values, Words& words,
                  std::span<Bits> out);

}  // namespace mx::emulators::dmx
