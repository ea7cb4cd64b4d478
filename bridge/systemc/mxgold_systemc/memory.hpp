// A memory for virtual platforms and tests: bytes, bounds, DMI.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

namespace mxgold {

enum class Dmi : std::uint8_t { kAbsent, kPresent };

/// Addresses count from 0. Bytes outside are TLM_ADDRESS_ERROR_RESPONSE.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};

  Memory(sc_core::sc_module_name name, std::size_t size, Dmi dmi = Dmi::kPresent,
         sc_core::sc_time latency = {20, sc_core::SC_NS})
      : sc_module(name), bytes_(size), dmi_(dmi), latency_(latency) {
    socket.register_b_transport(this, &Memory::b_transport);
    socket.register_transport_dbg(this, &Memory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
  }

  /// What it holds, for loading and looking.
  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const unsigned count = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (payload.get_streaming_width() < count) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (address > bytes_.size() || count > bytes_.size() - address) {
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (payload.is_write()) std::memcpy(bytes_.data() + address, payload.get_data_ptr(), count);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes_.data() + address, count);
    return tlm::TLM_OK_RESPONSE;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency_;
    payload.set_response_status(access(payload));
    payload.set_dmi_allowed(dmi_ == Dmi::kPresent && payload.is_response_ok());
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    return access(payload) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.init();
    if (dmi_ == Dmi::kAbsent || bytes_.empty()) return false;
    dmi.set_dmi_ptr(bytes_.data());
    dmi.set_end_address(bytes_.size() - 1);
    dmi.allow_read_write();
    dmi.set_read_latency(latency_);
    dmi.set_write_latency(latency_);
    return true;
  }

  std::vector<std::uint8_t> bytes_;
  Dmi dmi_;
  sc_core::sc_time latency_;
};

}  // namespace mxgold
