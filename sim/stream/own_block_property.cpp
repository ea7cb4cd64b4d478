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

/// What a unit's ports are to the statement.
struct UnitPorts {
  std::string_view unit;
  /// The control withholds it from the block: a bit of a policy, of a scale, of a word.
  std::string_view withheld;
  /// Of a unit that goes on from beat to beat: it ends there, 1 in every beat.
  std::string_view end;
  std::string_view each_beat;  ///< what a beat is then
};
constexpr std::array kUnits{
    UnitPorts{"mx_quantizer", "s_axis_tuser[25]", {}, {}},
    UnitPorts{"mx_dequantizer", "s_axis_tuser[13]", {}, {}},
    UnitPorts{"mx_nvfp4_quantizer", "s_axis_tuser[30]", {}, {}},
    UnitPorts{"mx_amax", "s_axis_tdata[14]", "s_axis_tlast[0]", "a tensor of its own"},
    UnitPorts{"mx_dot", "s_axis_tuser[32]", "s_axis_tlast[0]", "a dot product of its own"}};

Obligation obligation(const Published& set) {
  const UnitPorts& unit = *std::ranges::find(kUnits, unit_of(set.build), &UnitPorts::unit);
  // A build without policies reads its words alone.
  const bool has_policies = set.build.find("PolicyMask=0") == std::string_view::npos;
  return {
      .name = fmt::format("P4n.{}", set.name),
      .statement = fmt::format(
          "of {} with {}{}: the handshake looks at nothing but valid, ready and reset, and "
          "whatever those do in each cycle, the k-th beat that leaves since a reset has all "
          "outputs which the RTL has, held still, under the inputs of the k-th beat that was "
          "taken{}: whatever all other beats are, and what is at the inputs where nothing is "
          "taken",
          unit.unit, parameters_of(set.build),
          unit.end.empty() ? "" : fmt::format(", where each beat is {} (tlast)", unit.each_beat),
          unit.unit == "mx_quantizer" ? " and the k-th random word" : ""),
      .engine = FormalEngine::kOwnBlock,
      .broken = std::string(has_policies ? unit.withheld : "s_axis_tdata[15]"),
      .making = {.rtl = hierarchy_of(set.build), .netlist = {}, .one = std::string(unit.end)},
      .unit = std::string(unit.unit)};
}

}  // namespace

std::vector<Obligation> own_block_obligations() {
  std::vector<Obligation> all;
  for (const Published& each : kBuilds) all.push_back(obligation(each));
  for (const Published& each : kPublished) {
    // Blocks of several beats are no matter of P4n; the quantizer's defaults are there.
    const bool has_beats = each.build.find("Lanes=") != std::string_view::npos;
    const bool is_there = each.build.empty();
    if (!has_beats && !is_there) all.push_back(obligation(each));
  }
  return all;
}

}  // namespace mx::sim
