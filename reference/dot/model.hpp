// What a dot product of blocks computes, as data: the modes of spec F13 and a
// description of a hardware accumulator. The procedure is in reference/dot/dot.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/format/table.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// In which steps the sum is rounded.
enum class DotMode : std::uint8_t {
  kExactOnce,          ///< the exact sum over all blocks, rounded once (P3109 BlockDotProduct)
  kFp32Seq,            ///< products and sums rounded to binary32, left to right
  kFp32Tree,           ///< the same with pairwise sums: halves, the first the longer one
  kBlockExactFp32Seq,  ///< exact inside a block, then binary32 across blocks, left to right
  kAccumulator         ///< a hardware accumulator, described by AccumulatorModel
};
template <>
std::span<const Token<DotMode>> tokens<DotMode>();

/// The order in which an accumulator takes the n products of a dot product, in groups of g.
enum class DotOrder : std::uint8_t {
  kSequential,  ///< groups of neighbours: 0..g-1, g..2g-1, ...
  kStrided,     ///< step i of s = ceil(n / g) takes i, i + s, i + 2s, ...
  kReversed     ///< as sequential, from the last product to the first
};
template <>
std::span<const Token<DotOrder>> tokens<DotOrder>();

/// Whether the running sum is one of the aligned terms of a step, or is added to their sum.
enum class DotCarry : std::uint8_t { kAligned, kAfterwards };
template <>
std::span<const Token<DotCarry>> tokens<DotCarry>();

/// What the terms of a step are aligned to: the largest of
enum class DotAlign : std::uint8_t {
  kLeadingOne,  ///< floor(log2|term|), as after normalising each product
  kExponentSum  ///< the sum of the factors' exponents, as without normalising: the product of their
                ///< significands may lie above it. A subnormal's exponent is emin, that of fixed
                ///< point is floor(log2) of the format's largest value
};
template <>
std::span<const Token<DotAlign>> tokens<DotAlign>();

/// When the running sum is rounded to the accumulator's format.
enum class DotNormalize : std::uint8_t {
  kEveryStep,
  kAtEnd  ///< between steps the aligned sum is kept as it is
};
template <>
std::span<const Token<DotNormalize>> tokens<DotNormalize>();

/// The sign of a total that is exactly zero.
enum class DotZeroSign : std::uint8_t {
  kPositive,  ///< +0, as matrix units have it
  kIeee       ///< IEEE 754, its section 6.3: that of the terms if all are zeros of one sign;
              ///< otherwise +0, and -0 where the running sum rounds toward_negative
};
template <>
std::span<const Token<DotZeroSign>> tokens<DotZeroSign>();

/// A multiply-accumulate unit. A step takes the next `group` exact products (scales included) and,
/// where `carry` is aligned, the running sum; m is the largest exponent among those that are finite
/// and not zero (`align`; the running sum's is always that of its leading one). Each is rounded
/// (`cut`) to a multiple of 2^(m - alignment_bits + 1); the multiples are added exactly. The total,
/// plus the running sum where `carry` is afterwards, is rounded to `format` and is the next running
/// sum. The first running sum is the addend rounded to `format`, or +0. The sign of a total of zero
/// is `zero_sign`'s.
///
/// `cut` says how bits below the aligned window are lost: toward_zero drops them from a sign and
/// magnitude, toward_negative from two's complement, to_odd leaves their sticky bit in the last
/// place kept, ties_to_even rounds.
struct AccumulatorModel {
  int group = 32;           ///< products added in one step, 1..1024
  int alignment_bits = 24;  ///< 2..56; 2..44 where sums are kept between steps (at_end)
  Rounding align_rounding = Rounding::kTowardZero;
  DotOrder order = DotOrder::kSequential;
  DotCarry carry = DotCarry::kAligned;
  DotAlign align = DotAlign::kLeadingOne;
  DotNormalize normalize = DotNormalize::kEveryStep;  ///< at_end needs carry aligned
  // The running sum: a format of at most 32 bits (fixed point saturates), its rounding, what it
  // does beyond its range (overflow) and with subnormals (ftz).
  ElementFormat format = formats::fp32;
  Rounding rounding = Rounding::kTiesToEven;
  Overflow overflow = Overflow::kNoneInfOrNan;
  ResultSubnormals ftz = ResultSubnormals::kKeep;
  DotZeroSign zero_sign = DotZeroSign::kPositive;
};

/// What is multiplied and how it is summed. Block sizes must be equal; element and scale formats
/// may differ between the sides.
struct DotConfig {
  BlockFormat a;
  BlockFormat b;
  DotMode mode = DotMode::kExactOnce;
  ElementFormat result = formats::fp32;         ///< at most 32 bits
  Rounding rounding = Rounding::kTiesToEven;    ///< of the final result, and of binary32 steps
  Overflow overflow = Overflow::kNoneInfOrNan;  ///< of the final result; binary32 steps: IEEE
  ElementFormat addend = formats::fp32;         ///< format of C in C + A * B
  AccumulatorModel accumulator = {};
};

}  // namespace mx
