// The plans of a build without Highway: there are none, and they say so.
#include "fast/cpu/resolve.hpp"
#include "fast/scaled_drawn/quantizer.hpp"

namespace mx::fast {

struct ScaledDrawnPlan::Constants {};

Checked<ScaledDrawnPlan> ScaledDrawnPlan::make(const ScaledBlockJob&) { return cpu::no_highway(); }
bool ScaledDrawnPlan::quantize(const BlockLayout&, const Draws&, std::span<const std::byte>,
                               std::span<std::byte>, std::span<std::byte>, std::span<std::uint16_t>,
                               int, std::uint64_t) const {
  return false;
}
bool ScaledDrawnPlan::quantize_tiles(const TileLayout&, const Draws&, std::span<const std::byte>,
                                     std::span<std::byte>, std::span<std::byte>,
                                     std::span<std::uint16_t>, int, std::uint64_t) const {
  return false;
}
int ScaledDrawnPlan::block_size() const { return 0; }

}  // namespace mx::fast
