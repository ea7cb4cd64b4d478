// SPDX-License-Identifier: Apache-2.0
// The device file of a unit between two AXI4-Streams, whose ports all units name alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/parameters/parameters.hpp"

namespace mx::sim {

/// What the units differ in.
struct StreamUnit {
  std::string_view operation;  ///< of the records
  nlohmann::ordered_json configuration;
  std::uint32_t elements = 0;     ///< of a block
  std::uint32_t lanes = 0;        ///< of a beat
  unsigned keep_in = 0;           ///< bits of s_axis_tkeep a lane
  unsigned keep_out = 0;          ///< bits of m_axis_tkeep a lane; 0: a beat is a number alone
  unsigned operands = 1;          ///< rows of lanes in a beat, each with a tkeep of its own
  nlohmann::ordered_json input;   ///< ports beside tkeep, tlast and the handshake
  nlohmann::ordered_json output;  ///< the same
};

/// The device file of a build, in JSON. A block takes as many beats as its elements need lanes.
[[nodiscard]] std::string text_of(const StreamUnit& unit, const RtlParameters& build,
                                  const std::vector<std::string>& sources);

}  // namespace mx::sim
