// P1: the code of a lane is the one of its threshold certificate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

enum class LaneRounding : std::uint8_t { kDeterministic, kStochastic };

/// The module mx_property: the code_o of word_i under config_i, scale_i and random_i, whether it is
/// a number but 0 under a scale (is_rounded_o) and adds to the status bits underflow and saturated,
/// and whether a finite word lies below 2^(emax + 1) times the scale (is_meant_o).
[[nodiscard]] std::string lane_property(std::string_view format, LaneRounding rounding,
                                        Property property);

}  // namespace mx::sim
