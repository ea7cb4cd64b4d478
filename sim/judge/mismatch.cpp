#include "sim/judge/mismatch.hpp"

#include <cstring>

namespace mx::sim {

std::uint32_t compared_lanes(Compare compare, const BlockOpen& open) {
  const bool is_masked = open.dont_care && compare == Compare::kNormative;
  return is_masked || !open.observed.codes ? 0 : ~open.lanes;
}

bool agrees(Compare compare, const BlockOut& expected, const BlockOpen& open,
            const BlockOut& actual) {
  if (std::memcmp(expected.codes.data(), actual.codes.data(), kLanes) != 0) {
    const std::uint32_t lanes = compared_lanes(compare, open);
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) != 0 && expected.codes[i] != actual.codes[i]) return false;
    }
  }
  const Observes& observed = open.observed;
  const auto looked_at = static_cast<std::uint16_t>((open.scale || !observed.scale ? 0 : 0xFF) |
                                                    (open.flags || !observed.flags ? 0 : 0xFF00));
  return ((expected.status ^ actual.status) & looked_at) == 0 &&
         (expected.keep == actual.keep || !observed.keep) &&
         (expected.last == actual.last || !observed.last);
}

}  // namespace mx::sim
