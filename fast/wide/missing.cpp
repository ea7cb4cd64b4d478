// SPDX-License-Identifier: Apache-2.0
// The plan of a build without Highway: there is none, and it says so.
#include "fast/cpu/resolve.hpp"
#include "fast/wide/converter.hpp"

namespace mx::fast {

struct WidePlan::Constants {};

Checked<WidePlan> WidePlan::make(const ElementJob&) { return cpu::no_highway(); }
bool WidePlan::convert(std::span<const std::byte>, std::span<std::byte>, int) const {
  return false;
}

}  // namespace mx::fast
