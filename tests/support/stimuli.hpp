// Source patterns aimed at a destination: every step of its ladder, the midpoints and sixteenths
// between them, each with its neighbours; every source exponent with walking bits; specials; bits.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/element/ladder.hpp"
#include "reference/format/format.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// +-0, +-Inf, quiet and signalling NaN of both signs, +-smallest, +-largest, smallest normals and
/// their neighbours of an IEEE source format.
[[nodiscard]] std::vector<std::uint64_t> special_patterns(const ElementFormat& source);

/// Every exponent field with significands 0, 1, all ones, one half and neighbours, walking one,
/// walking zero, growing run of ones: both signs. Subnormals come with field 0.
[[nodiscard]] std::vector<std::uint64_t> exponent_patterns(const ElementFormat& source);

/// For each gap of the destination's ladder, divided into 2^divisions parts: the source patterns
/// within `reach` ulp of each dividing point, both signs.
[[nodiscard]] std::vector<std::uint64_t> threshold_patterns(const ElementFormat& source,
                                                            const ElementFormat& destination,
                                                            int divisions, int reach);

/// `count` patterns: a third uniform bits, a third with exponents around the destination's range, a
/// third of those with significands of few bits (ties and exact values become likely).
[[nodiscard]] std::vector<std::uint64_t> random_patterns(const ElementFormat& source,
                                                         const ElementFormat& destination,
                                                         std::uint64_t count, Stream& stream);

}  // namespace mx::oracle
