#include <algorithm>
#include <iterator>

#include "sim/formal/core_law.hpp"
#include "sim/formal/core_scale.hpp"
#include "sim/formal/lane_ladder.hpp"
#include "sim/formal/obligation.hpp"
#include "sim/formal/scale_ladder.hpp"
#include "sim/formal/stream_law.hpp"

namespace mx::sim {

std::vector<Obligation> obligations() {
  std::vector<Obligation> all;
  for (auto* const some :
       {lane_obligations, stochastic_lane_obligations, scale_obligations, order_obligations,
        maximum_obligations, stream_obligations, core_obligations, core_scale_obligations}) {
    std::ranges::move(some(), std::back_inserter(all));
  }
  return all;
}

}  // namespace mx::sim
