// Where the random word R of a stochastic rounding comes from in other systems:
// spec F9.4. The roundings themselves take R (reference/number/rounding.hpp); this is how a system
// makes R of the words it is given.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "reference/element/encode.hpp"

namespace mx {

enum class RandomSource : std::uint8_t {
  kDirect,       ///< R is supplied for each element
  kCounter,      ///< Philox4x32-10 by seed, tensor and element: counter_random of
                 ///< reference/number/philox.hpp
  kPtxRsShared,  ///< PTX cvt.rs: one word for two or four elements
  kAmdTopBits,   ///< AMD v_cvt_scalef32_sr_*: the top bits of a word for each element
  kFp16Staged,   ///< Intel's FP8 toolkit: on the value rounded to binary16 first
  kFbgemmAdd     ///< FBGEMM: added to the binary32 pattern, which is then rounded again
};

template <>
std::span<const Token<RandomSource>> tokens<RandomSource>();

/// The shapes of PTX cvt.rs: how many elements share a word, and how.
enum class PtxRs : std::uint8_t {
  kF16x2,   ///< N = 13: the low 13 bits of a half of the word for each element
  kBf16x2,  ///< N = 16: a half of the word for each
  kFp8x4,   ///< e4m3, e5m2, e2m3, e3m2: N = 16, each half read forwards and bit-reversed
  kFp4x4    ///< e2m1: the same on (byte 3, byte 1) and (byte 2, byte 0)
};

/// The shape that converts to a destination: fp16, bf16, e4m3fn, e5m2, e2m3fn, e3m2fn, e2m1fn;
/// nothing for other formats.
[[nodiscard]] std::optional<PtxRs> ptx_rs_shape(const ElementFormat& destination);

/// Elements that share a word (2 or 4), and N.
[[nodiscard]] int ptx_rs_elements(PtxRs shape);
[[nodiscard]] int ptx_rs_bits(PtxRs shape);

/// R of each element in operand order {a, b} or {a, b, e, f}, which runs from the most significant
/// destination field down; the places past the shape's elements are 0. The rounding is
/// stochastic_a with N = ptx_rs_bits(shape).
[[nodiscard]] std::array<std::uint32_t, 4> ptx_rs_random(PtxRs shape, std::uint32_t rbits);

/// R and N of one element.
struct RandomBits {
  std::uint32_t random = 0;
  int bits = 0;
  constexpr bool operator==(const RandomBits&) const = default;
};

/// AMD: N = significand bits of the source less those of the destination, R the top N bits of the
/// seed; stochastic_a. Nothing where the source does not have more bits, or for formats that are no
/// floats.
[[nodiscard]] std::optional<RandomBits> amd_random(const ElementFormat& source,
                                                   const ElementFormat& destination,
                                                   std::uint32_t seed);

/// Intel's FP8 toolkit: x is rounded to binary16 ties_to_even, then by stochastic_a with N = 7
/// (e4m3fn), 8 (e5m2) or 6 (e3m4fn_intel) on the binary16 bits; binary16 subnormals are rounded
/// ties_to_even. `random` is R < 2^N. Nothing for other destinations. The toolkit's e4m3 and e3m4
/// outputs below their smallest normal value are off the format's grid (spec F9.5): there this
/// gives the format's own rounding and a comparison must mask.
[[nodiscard]] std::optional<Encoded> fp16_staged(const Conversion& conversion,
                                                 std::uint64_t source_code, std::uint32_t random);
/// N of the above; 0 for other destinations.
[[nodiscard]] int fp16_staged_bits(const ElementFormat& destination);

/// FBGEMM's stochastic casting of a scaled binary32 pattern to a float format of m < 23 significand
/// bits: the low 23 - m bits of `random` are added to the pattern, and the sum is rounded
/// ties_to_away under `policy` (whose rounding and staging are not read). Biased upwards by half an
/// ulp: exact values can move and a value can move by two steps. An infinity or NaN takes no bits;
/// so does a magnitude whose sum would leave the finite patterns, which the source does not
/// describe. Nothing for formats that are no floats, or of 23 bits and more.
[[nodiscard]] std::optional<Encoded> fbgemm_stochastic(std::uint32_t scaled,
                                                       const ElementFormat& destination,
                                                       const ElementPolicy& policy,
                                                       std::uint32_t random);

}  // namespace mx
