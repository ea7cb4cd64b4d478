// The plans of a build without Highway: there are none, and they say so.
#include "fast/cpu/quantizer.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/targets.hpp"

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

}  // namespace mx::fast
