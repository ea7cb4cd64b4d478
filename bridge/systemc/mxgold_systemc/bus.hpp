// An interconnect for virtual platforms: initiators on one side, targets by address on the other.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace mxgold {

/// Targets are bound with map(), which says where they lie; each sees addresses that count from 0.
/// What lies nowhere, or across an end, is TLM_ADDRESS_ERROR_RESPONSE.
class Bus : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Bus> in{"in"};

  explicit Bus(sc_core::sc_module_name name, sc_core::sc_time latency = {5, sc_core::SC_NS})
      : sc_module(name), latency_(latency) {
    in.register_b_transport(this, &Bus::b_transport);
    in.register_transport_dbg(this, &Bus::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr);
    out_.register_invalidate_direct_mem_ptr(this, &Bus::invalidate);
  }

  template <class Socket>
  void map(std::uint64_t first, std::uint64_t size, Socket& target) {
    ranges_.push_back({first, size});
    out_.bind(target);
  }

 private:
  struct Range {
    std::uint64_t first;
    std::uint64_t size;
  };

  /// The number of the target, or -1.
  [[nodiscard]] int find(std::uint64_t address, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const Range& range = ranges_[i];
      const bool is_here = address >= range.first && address - range.first < range.size;
      if (is_here && bytes <= range.size - (address - range.first)) return static_cast<int>(i);
    }
    return -1;
  }

  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency_;
    const std::uint64_t address = payload.get_address();
    const int target = find(address, payload.get_data_length());
    if (target < 0) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    payload.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
    out_[target]->b_transport(payload, delay);
    payload.set_address(address);
  }

  unsigned transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const int target = find(address, payload.get_data_length());
    if (target < 0) return 0;
    payload.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
    const unsigned count = out_[target]->transport_dbg(payload);
    payload.set_address(address);
    return count;
  }

  bool get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    const std::uint64_t address = payload.get_address();
    const int target = find(address, 1);
    if (target < 0) return false;
    const Range& range = ranges_[static_cast<std::size_t>(target)];
    payload.set_address(address - range.first);
    const bool is_granted = out_[target]->get_direct_mem_ptr(payload, dmi);
    payload.set_address(address);
    const std::uint64_t end = std::min<std::uint64_t>(dmi.get_end_address(), range.size - 1);
    dmi.set_start_address(range.first + dmi.get_start_address());
    dmi.set_end_address(range.first + end);
    return is_granted;
  }

  void invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
    const Range& range = ranges_[static_cast<std::size_t>(target)];
    const std::uint64_t end = std::min<std::uint64_t>(last, range.size - 1);
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
      in[i]->invalidate_direct_mem_ptr(range.first + first, range.first + end);
    }
  }

  tlm_utils::multi_passthrough_initiator_socket<Bus> out_{"out"};
  std::vector<Range> ranges_;
  sc_core::sc_time latency_;
};

}  // namespace mxgold
