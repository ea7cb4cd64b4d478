// SPDX-License-Identifier: Apache-2.0
// The plans of a build without Highway: there are none, and they say so.
#include "fast/candidates/candidate_plan.hpp"
#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/targets.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/hadamard/hadamard.hpp"
#include "fast/packing/packing.hpp"
#include "fast/scaled/scaled_block_plan.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "fast/wide/converter.hpp"

namespace mx::fast {

struct BlockPlan::Constants {};
struct ElementPlan::Constants {};

Checked<BlockPlan> BlockPlan::make(const BlockJob&) { return cpu::no_highway(); }
bool BlockPlan::quantize(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                         std::span<std::byte>, std::span<std::uint16_t>, int) const {
  return false;
}
int BlockPlan::block_size() const { return 0; }
Checked<ElementPlan> ElementPlan::make(const ElementJob&) { return cpu::no_highway(); }
bool ElementPlan::convert(std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}
std::string_view cpu_target() { return "none"; }
std::vector<std::string_view> cpu_targets() { return {}; }
std::vector<std::string_view> cpu_targets_left_out() { return {}; }
OnlyCpuTarget::OnlyCpuTarget(std::string_view) {}
OnlyCpuTarget::~OnlyCpuTarget() = default;

struct WidePlan::Constants {};

Checked<WidePlan> WidePlan::make(const ElementJob&) { return cpu::no_highway(); }
bool WidePlan::convert(std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}

struct DequantizePlan::Constants {};
struct WidenPlan::Constants {};

Checked<DequantizePlan> DequantizePlan::make(const DequantizeJob&) { return cpu::no_highway(); }
bool DequantizePlan::dequantize(const BlockLayout&, std::span<const std::byte>,
                                std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}
int DequantizePlan::block_size() const { return 0; }
Checked<WidenPlan> WidenPlan::make(const WidenJob&) { return cpu::no_highway(); }
bool WidenPlan::convert(std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}

struct StochasticBlockPlan::Constants {};
struct StochasticElementPlan::Constants {};

Checked<StochasticBlockPlan> StochasticBlockPlan::make(const BlockJob&) {
  return cpu::no_highway();
}
bool StochasticBlockPlan::quantize(const BlockLayout&, const Draws&, std::span<const std::byte>,
                                   std::span<std::byte>, std::span<std::byte>,
                                   std::span<std::uint16_t>, int, std::uint64_t) const {
  return false;
}
int StochasticBlockPlan::block_size() const { return 0; }
Checked<StochasticElementPlan> StochasticElementPlan::make(const ElementJob&) {
  return cpu::no_highway();
}
bool StochasticElementPlan::convert(const Draws&, std::span<const std::byte>, std::span<std::byte>,
                                    int, std::uint64_t) const {
  return false;
}

Checked<HadamardPlan> HadamardPlan::make(const HadamardJob&) { return cpu::no_highway(); }
bool HadamardPlan::transform(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                             int) const {
  return false;
}

std::size_t packed_size(CodePacking, std::size_t) { return 0; }
bool pack_codes(CodePacking, std::span<const std::byte>, std::span<std::byte>) { return false; }
bool unpack_codes(CodePacking, std::span<const std::byte>, std::span<std::byte>) { return false; }

struct ScaledBlockPlan::Constants {};

Checked<ScaledBlockPlan> ScaledBlockPlan::make(const ScaledBlockJob&) { return cpu::no_highway(); }
bool ScaledBlockPlan::quantize(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                               std::span<std::byte>, std::span<std::uint16_t>, int) const {
  return false;
}
bool ScaledBlockPlan::quantize_tiles(const TileLayout&, std::span<const std::byte>,
                                     std::span<std::byte>, std::span<std::byte>,
                                     std::span<std::uint16_t>, int) const {
  return false;
}
int ScaledBlockPlan::block_size() const { return 0; }
std::optional<std::uint32_t> largest_finite(const ElementFormat&, std::span<const std::byte>, int) {
  return std::nullopt;
}

struct ScaledDequantizePlan::Constants {};

Checked<ScaledDequantizePlan> ScaledDequantizePlan::make(const ScaledDequantizeJob&) {
  return cpu::no_highway();
}
bool ScaledDequantizePlan::dequantize(const BlockLayout&, std::span<const std::byte>,
                                      std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}
bool ScaledDequantizePlan::dequantize_tiles(const TileLayout&, std::span<const std::byte>,
                                            std::span<const std::byte>, std::span<std::byte>,
                                            int) const {
  return false;
}
int ScaledDequantizePlan::block_size() const { return 0; }

struct ScaledStochasticPlan::Constants {};

Checked<ScaledStochasticPlan> ScaledStochasticPlan::make(const ScaledBlockJob&) {
  return cpu::no_highway();
}
bool ScaledStochasticPlan::quantize(const BlockLayout&, const Draws&, std::span<const std::byte>,
                                    std::span<std::byte>, std::span<std::byte>,
                                    std::span<std::uint16_t>, int, std::uint64_t) const {
  return false;
}
bool ScaledStochasticPlan::quantize_tiles(const TileLayout&, const Draws&,
                                          std::span<const std::byte>, std::span<std::byte>,
                                          std::span<std::byte>, std::span<std::uint16_t>, int,
                                          std::uint64_t) const {
  return false;
}
int ScaledStochasticPlan::block_size() const { return 0; }

struct CandidatePlan::Constants {};

Checked<CandidatePlan> CandidatePlan::make(const ScaledBlockJob&) { return cpu::no_highway(); }
bool CandidatePlan::quantize(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                             std::span<std::byte>, std::span<std::uint16_t>, int) const {
  return false;
}
int CandidatePlan::block_size() const { return 0; }

}  // namespace mx::fast
