// The plan of a build without Highway: there is none, and it says so.
#include "fast/cpu/resolve.hpp"
#include "fast/hadamard/hadamard.hpp"

namespace mx::fast {

Checked<HadamardPlan> HadamardPlan::make(const HadamardJob&) { return cpu::no_highway(); }
bool HadamardPlan::transform(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                             int) const {
  return false;
}

}  // namespace mx::fast
