// SPDX-License-Identifier: Apache-2.0
// P4n: each block of a stream gets the answer that is its own, whatever stands beside it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "sim/formal/properties.hpp"
#include "sim/formal/published.hpp"

namespace mx::sim {
namespace {

/// Builds beside those of rtl/synth_report: every number of pipeline registers, the output's
/// register, the fewest and the most random bits.
constexpr std::array kBuilds{Published{"16x16", "Lanes=16 BlockSize=16"},
                             Published{"32x32", ""},
                             Published{"pipe0", "Lanes=16 BlockSize=16 PipeLane=0"},
                             Published{"pipe1", "Lanes=16 BlockSize=16 PipeLane=1"},
                             Published{"pipe2", "Lanes=16 BlockSize=16 PipeLane=2"},
                             Published{"outskid", "Lanes=16 BlockSize=16 OutSkid=1"},
                             Published{"sr4", "Lanes=16 BlockSize=16 SrBits=4"},
                             Published{"sr16", "Lanes=16 BlockSize=16 SrBits=16"}};

/// A bit of the block that each unit's answers look at, for the control: of the NaN policy, of what
/// an overflow gives.
struct Withheld {
  std::string_view unit, port;
};
constexpr std::array kWithheld{Withheld{"mx_quantizer", "s_axis_tuser[25]"},
                               Withheld{"mx_dequantizer", "s_axis_tuser[13]"}};

std::string withheld_of(std::string_view build) {
  // A build without policies reads its words alone.
  if (build.find("PolicyMask=0") != std::string_view::npos) return "s_axis_tdata[15]";
  const auto at = std::ranges::find(kWithheld, unit_of(build), &Withheld::unit);
  return std::string(at->port);
}

bool is_listed(std::string_view build) {
  return std::ranges::find(kWithheld, unit_of(build), &Withheld::unit) != kWithheld.end();
}

Obligation obligation(const Published& set) {
  const std::string_view unit = unit_of(set.build);
  return {.name = fmt::format("P4n.{}", set.name),
          .statement = fmt::format(
              "of {} with {}: the handshake looks at nothing but valid, ready and reset, and "
              "whatever those do in each cycle, the k-th beat that leaves since a reset has all "
              "outputs which the RTL has, held still, under the inputs of the k-th beat that was "
              "taken{}: whatever all other blocks are, and what is at the inputs where nothing is "
              "taken",
              unit, parameters_of(set.build),
              unit == "mx_quantizer" ? " and the k-th random word" : ""),
          .engine = FormalEngine::kOwnBlock,
          .broken = withheld_of(set.build),
          .making = {.rtl = hierarchy_of(set.build), .netlist = {}},
          .unit = std::string(unit)};
}

}  // namespace

std::vector<Obligation> own_block_obligations() {
  std::vector<Obligation> all;
  for (const Published& each : kBuilds) all.push_back(obligation(each));
  for (const Published& each : kPublished) {
    // Blocks of several beats are no matter of P4n; the quantizer's defaults are there.
    const bool has_beats = each.build.find("Lanes=") != std::string_view::npos;
    const bool is_there = each.build.empty();
    if (!has_beats && !is_there && is_listed(each.build)) all.push_back(obligation(each));
  }
  return all;
}

}  // namespace mx::sim
