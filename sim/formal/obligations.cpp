#include <algorithm>
#include <iterator>

#include "sim/formal/obligation.hpp"
#include "sim/formal/properties.hpp"

namespace mx::sim {

std::vector<Obligation> obligations() {
  std::vector<Obligation> all;
  for (auto* const some :
       {lane_obligations, stochastic_lane_obligations, lane_flag_obligations, scale_obligations,
        order_obligations, maximum_obligations, stream_obligations, own_block_obligations,
        queue_obligations, core_obligations, core_scale_obligations, core_flag_obligations,
        core_lane_obligations, netlist_obligations}) {
    std::ranges::move(some(), std::back_inserter(all));
  }
  return all;
}

}  // namespace mx::sim
