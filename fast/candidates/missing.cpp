// The plan of a build without Highway: there is none, and it says so.
#include "fast/candidates/quantizer.hpp"
#include "fast/cpu/resolve.hpp"

namespace mx::fast {

struct CandidatePlan::Constants {};

Checked<CandidatePlan> CandidatePlan::make(const ScaledBlockJob&) { return cpu::no_highway(); }
bool CandidatePlan::quantize(const BlockLayout&, std::span<const std::byte>, std::span<std::byte>,
                             std::span<std::byte>, std::span<std::uint16_t>, int) const {
  return false;
}
int CandidatePlan::block_size() const { return 0; }

}  // namespace mx::fast
