// Source codes that break quantizers: every value under every scale for 16-bit sources, every
// rounding threshold and its neighbours for binary32, and seeded random blocks of hard classes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/format/format.hpp"

namespace mx::fast::test {

/// Takes a piece of stimulus: whole blocks of 32 codes.
using Sink = std::function<void(std::span<const std::uint32_t>)>;

/// Every finite code of a 16-bit source under every scale it can meet: for each power of two of the
/// source, blocks that hold it in one lane (in turn) and no larger binade in the others.
void every_code_under_every_scale(const ElementFormat& source, const Sink& sink);

/// Every code and every midpoint of the element format, the binade above the largest code included,
/// at every scale, exactly and one ulp of the source to each side, and with one lower bit set that
/// walks; both signs. Lane 0 pins the scale.
void thresholds_at_every_scale(const ElementFormat& source, const ElementFormat& element,
                               const Sink& sink);

/// `blocks` seeded blocks of eight classes in turn: random bits, one narrow exponent window, tiny
/// and subnormal, sparse, specials, equal maxima, one dominant lane, zeros.
void random_blocks(const ElementFormat& source, std::uint64_t seed, std::uint64_t blocks,
                   const Sink& sink);

/// Thresholds at every scale and random blocks of every class: what a pair of formats is dealt.
[[nodiscard]] std::vector<std::uint32_t> hard_blocks(const ElementFormat& source,
                                                     const ElementFormat& element);

}  // namespace mx::fast::test
