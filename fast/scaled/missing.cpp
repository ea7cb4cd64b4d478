// The plans of a build without Highway: there are none, and they say so.
#include "fast/cpu/resolve.hpp"
#include "fast/scaled/dequantizer.hpp"
#include "fast/scaled/quantizer.hpp"

namespace mx::fast {

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

}  // namespace mx::fast
