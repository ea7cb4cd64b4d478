// The plans of a build without Highway: there are none, and they say so.
#include "fast/cpu/resolve.hpp"
#include "fast/decode/dequantizer.hpp"

namespace mx::fast {

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

}  // namespace mx::fast
