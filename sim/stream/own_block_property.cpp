// SPDX-License-Identifier: Apache-2.0
// P4n: each block of a stream gets the answer that is its own, whatever stands beside it.
#include <fmt/format.h>

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

/// The control withholds a bit of the NaN policy, or of the first word where there are no policies.
Obligation obligation(const Published& build) {
  const bool has_policies = build.parameters.find("PolicyMask=0") == std::string_view::npos;
  return {.name = fmt::format("P4n.{}", build.name),
          .statement = fmt::format(
              "of mx_quantizer with {}: the handshake looks at nothing but valid, ready and reset, "
              "and whatever those do in each cycle, the k-th beat that leaves since a reset has "
              "the codes, the status, tkeep and tlast which the RTL has, held still, under the "
              "words, tkeep, tlast and tuser of the k-th beat that was taken and the k-th random "
              "word: whatever all other blocks are, and what is at the inputs where nothing is "
              "taken",
              build.parameters.empty() ? "default parameters" : build.parameters),
          .engine = FormalEngine::kOwnBlock,
          .broken = has_policies
                        ? fmt::format("s_axis_tuser[{}]", golden::config_word_field::kNan.lsb)
                        : "s_axis_tdata[15]",
          .making = {.rtl = hierarchy_of(build.parameters), .netlist = {}}};
}

}  // namespace

std::vector<Obligation> own_block_obligations() {
  std::vector<Obligation> all;
  for (const Published& each : kBuilds) all.push_back(obligation(each));
  for (const Published& each : kPublished) {
    // Blocks of several beats are no matter of P4n; the default parameters are there.
    const bool has_beats = each.parameters.find("Lanes=") != std::string_view::npos;
    if (!has_beats && !each.parameters.empty()) all.push_back(obligation(each));
  }
  return all;
}

}  // namespace mx::sim
