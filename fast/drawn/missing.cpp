// The plans of a build without Highway: there are none, and they say so.
#include "fast/cpu/resolve.hpp"
#include "fast/drawn/drawn.hpp"

namespace mx::fast {

struct DrawnBlockPlan::Constants {};
struct DrawnElementPlan::Constants {};

Checked<DrawnBlockPlan> DrawnBlockPlan::make(const BlockJob&) { return cpu::no_highway(); }
bool DrawnBlockPlan::quantize(const BlockLayout&, const Draws&, std::span<const std::byte>,
                              std::span<std::byte>, std::span<std::byte>, std::span<std::uint16_t>,
                              int, std::uint64_t) const {
  return false;
}
int DrawnBlockPlan::block_size() const { return 0; }
Checked<DrawnElementPlan> DrawnElementPlan::make(const ElementJob&) { return cpu::no_highway(); }
bool DrawnElementPlan::convert(const Draws&, std::span<const std::byte>, std::span<std::byte>, int,
                               std::uint64_t) const {
  return false;
}

}  // namespace mx::fast
