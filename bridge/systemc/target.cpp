#include "mxgold_systemc/target.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace mxgold {
namespace {

constexpr std::uint32_t kIdBase = 0x4D580000;
constexpr std::uint64_t kRegisters = 0x100;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 30;

/// Is [address, address + bytes) inside [first, first + size)?
bool is_inside(std::uint64_t address, std::uint64_t bytes, std::uint64_t first,
               std::uint64_t size) {
  return address >= first && address - first <= size && bytes <= size - (address - first);
}

bool is_register(std::uint64_t address) {
  return address <= reg::kTensor || (address >= reg::kSource && address < reg::kFlagsOut + 8);
}

bool is_read_only(std::uint64_t address) {
  return address == reg::kId || address == reg::kVersion || address == reg::kFlags ||
         address == reg::kBlocks;
}

template <std::size_t Size>
void say(std::array<char, Size>& to, const std::string& text) {
  to.fill(0);
  std::copy_n(text.begin(), std::min(text.size(), Size - 1), to.begin());
}

}  // namespace

Target::Target(sc_core::sc_module_name name, std::uint32_t kind, const TargetOptions& options)
    : sc_module(name), options_(options), kind_(kind), buffer_(options.buffer_bytes) {
  socket.register_b_transport(this, &Target::b_transport);
  socket.register_transport_dbg(this, &Target::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Target::get_direct_mem_ptr);
  memory.register_invalidate_direct_mem_ptr(this, &Target::invalidate);
  SC_HAS_PROCESS(Target);
  SC_THREAD(work);
  SC_METHOD(show_irq);
  sensitive << irq_change_;
  clear();
}

void Target::clear() {
  registers_.fill(0);
  text_.fill(0);
  message_.fill(0);
  registers_[reg::kId / 4] = kIdBase | kind_;
  registers_[reg::kVersion / 4] = 1;
  registers_[reg::kRows / 4] = registers_[reg::kColumns / 4] = 1;
  irq_change_.notify(sc_core::SC_ZERO_TIME);
}

void Target::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += options_.per_access;
  const tlm::tlm_response_status status = access(payload, Effect::kAct, delay);
  payload.set_response_status(status);
  const bool is_data = payload.get_address() >= reg::kBuffer;
  payload.set_dmi_allowed(status == tlm::TLM_OK_RESPONSE && is_data);
}

unsigned Target::transport_dbg(tlm::tlm_generic_payload& payload) {
  const tlm::tlm_response_status status = access(payload, Effect::kNone, sc_core::SC_ZERO_TIME);
  payload.set_response_status(status);
  return status == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

bool Target::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  if (!is_inside(payload.get_address(), 1, reg::kBuffer, buffer_.size())) {
    dmi.set_start_address(0);
    dmi.set_end_address(reg::kBuffer - 1);
    return false;
  }
  dmi.set_dmi_ptr(buffer_.data());
  dmi.set_start_address(reg::kBuffer);
  dmi.set_end_address(reg::kBuffer + buffer_.size() - 1);
  dmi.allow_read_write();
  dmi.set_read_latency(options_.per_access);
  dmi.set_write_latency(options_.per_access);
  return true;
}

void Target::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (has_dmi_ && first <= dmi_.get_end_address() && last >= dmi_.get_start_address()) {
    has_dmi_ = false;
  }
}

tlm::tlm_response_status Target::access(tlm::tlm_generic_payload& payload, Effect effect,
                                        const sc_core::sc_time& delay) {
  const tlm::tlm_command command = payload.get_command();
  if (command == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  std::uint8_t* const data = payload.get_data_ptr();
  if (payload.get_streaming_width() < bytes || bytes == 0 || data == nullptr) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  const bool is_write = command == tlm::TLM_WRITE_COMMAND;
  if (is_inside(address, bytes, 0, kRegisters)) {
    return access_registers(is_write, address, data, bytes, effect, delay);
  }
  const auto copy = [&](void* place) {
    if (is_write) {
      std::memcpy(place, data, bytes);
    } else {
      std::memcpy(data, place, bytes);
    }
    return tlm::TLM_OK_RESPONSE;
  };
  if (is_inside(address, bytes, reg::kText, text_.size())) {
    return copy(text_.data() + (address - reg::kText));
  }
  if (is_inside(address, bytes, reg::kMessage, message_.size())) {
    return is_write ? tlm::TLM_COMMAND_ERROR_RESPONSE
                    : copy(message_.data() + (address - reg::kMessage));
  }
  if (is_inside(address, bytes, reg::kBuffer, buffer_.size())) {
    return copy(buffer_.data() + (address - reg::kBuffer));
  }
  return tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status Target::access_registers(bool is_write, std::uint64_t address,
                                                  std::uint8_t* data, unsigned bytes, Effect effect,
                                                  const sc_core::sc_time& delay) {
  if (address % 4 != 0 || bytes % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  for (unsigned i = 0; i < bytes; i += 4) {
    const std::uint64_t at = address + i;
    if (!is_register(at)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (is_write && is_read_only(at)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  for (unsigned i = 0; i < bytes; i += 4) {
    // Little-endian, whatever the host is.
    std::uint32_t value = 0;
    if (is_write) {
      for (unsigned byte = 0; byte < 4; ++byte) {
        value |= static_cast<std::uint32_t>(data[i + byte]) << (8 * byte);
      }
      const tlm::tlm_response_status status = write_register(address + i, value, effect, delay);
      if (status != tlm::TLM_OK_RESPONSE) return status;
      continue;
    }
    value = registers_[(address + i) / 4];
    for (unsigned byte = 0; byte < 4; ++byte) {
      data[i + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status Target::write_register(std::uint64_t address, std::uint32_t value,
                                                Effect effect, const sc_core::sc_time& delay) {
  std::uint32_t& status = registers_[reg::kStatus / 4];
  const bool is_busy = (status & reg::kBusy) != 0;
  if (address == reg::kStatus) {
    status &= ~(value & (reg::kDone | reg::kError));
    irq_change_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_OK_RESPONSE;
  }
  if (address != reg::kControl) {
    registers_[address / 4] = value;
    return tlm::TLM_OK_RESPONSE;
  }
  const bool acts = effect == Effect::kAct;
  if (acts && is_busy && (value & (reg::kGo | reg::kReset)) != 0) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  if (acts && (value & reg::kReset) != 0) {
    clear();
    return tlm::TLM_OK_RESPONSE;
  }
  registers_[reg::kControl / 4] = value & (reg::kIrqEnable | reg::kLocal);
  irq_change_.notify(sc_core::SC_ZERO_TIME);
  if (!acts || (value & reg::kGo) == 0) return tlm::TLM_OK_RESPONSE;
  // A job is what the registers are now; they may be written for the next one meanwhile.
  status = reg::kBusy;
  message_.fill(0);
  job_.registers = registers_;
  job_.text.assign(text_.data(), ::strnlen(text_.data(), text_.size()));
  start_.notify(delay);
  return tlm::TLM_OK_RESPONSE;
}

void Target::work() {
  for (;;) {
    wait(start_);
    spent_ = sc_core::SC_ZERO_TIME;
    did(0, 0);
    std::string problem;
    try {
      problem = run(job_);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    wait(spent_);
    say(message_, problem);
    registers_[reg::kStatus / 4] = reg::kDone | (problem.empty() ? 0U : reg::kError);
    irq_change_.notify(sc_core::SC_ZERO_TIME);
  }
}

void Target::show_irq() {
  if (irq.size() == 0) return;
  const bool is_done = (registers_[reg::kStatus / 4] & reg::kDone) != 0;
  irq->write(is_done && (registers_[reg::kControl / 4] & reg::kIrqEnable) != 0);
}

void Target::did(std::uint64_t blocks, std::uint32_t flags) {
  registers_[reg::kBlocks / 4] = static_cast<std::uint32_t>(blocks);
  registers_[reg::kFlags / 4] = flags;
  spent_ += options_.per_block * static_cast<double>(blocks);
}

ModelHandle Target::open(const Job& job, const char* operation, mxgold_model_facts& facts,
                         std::string& problem) {
  if (job.word(reg::kSelect) > reg::kByWord) {
    problem = "SELECT: 0 (the text) or 1 (the word)";
    return {};
  }
  ModelHandle model = job.word(reg::kSelect) == reg::kByWord
                          ? open_word_model(job.word(reg::kTuser), job.text, problem)
                          : open_model(job.text, problem);
  if (model == nullptr) return model;
  static_cast<void>(mxgold_model_describe(model.get(), &facts));
  if (std::strcmp(facts.operation, operation) == 0) return model;
  problem =
      std::string("the text is of op=") + facts.operation + ", this target does op=" + operation;
  return {};
}

std::string Target::check_size(std::uint64_t rows, std::uint64_t length) {
  if (rows == 0 || length == 0) return "LENGTH, ROWS or COLUMNS is 0: there is nothing to do";
  if (length > kMostElements || rows > kMostElements / length) {
    return "LENGTH times ROWS is more than 2^30 elements; make several jobs";
  }
  return {};
}

bool Target::fetch(const Job& job, std::uint64_t address, std::size_t bytes, Bytes& data,
                   std::string& problem) {
  data.resize(bytes);
  return transfer(job, tlm::TLM_READ_COMMAND, address, data.data(), bytes, problem);
}

bool Target::store(const Job& job, std::uint64_t address, Bytes& data, std::string& problem) {
  return transfer(job, tlm::TLM_WRITE_COMMAND, address, data.data(), data.size(), problem);
}

bool Target::transfer(const Job& job, tlm::tlm_command command, std::uint64_t address,
                      std::uint8_t* data, std::size_t bytes, std::string& problem) {
  if ((job.word(reg::kControl) & reg::kLocal) != 0) {
    if (!is_inside(address, bytes, 0, buffer_.size())) {
      problem = "bytes " + std::to_string(address) + " to " + std::to_string(address + bytes) +
                " are beyond the buffer of " + std::to_string(buffer_.size());
      return false;
    }
    std::uint8_t* const place = buffer_.data() + address;
    if (command == tlm::TLM_READ_COMMAND) {
      std::memcpy(data, place, bytes);
    } else {
      std::memcpy(place, data, bytes);
    }
    spent_ += options_.per_access;
    return true;
  }
  if (memory.size() == 0) {
    problem = "the DMA socket is not bound; set LOCAL in CONTROL to use the buffer";
    return false;
  }
  for (std::size_t at = 0; at < bytes;) {
    const auto piece = static_cast<unsigned>(
        std::min<std::size_t>(bytes - at, std::max<std::uint32_t>(options_.dma_bytes, 1)));
    if (!transfer_piece(command, address + at, data + at, piece, problem)) return false;
    at += piece;
  }
  return true;
}

bool Target::transfer_piece(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                            unsigned bytes, std::string& problem) {
  const bool is_read = command == tlm::TLM_READ_COMMAND;
  const bool is_direct = has_dmi_ && address >= dmi_.get_start_address() &&
                         address <= dmi_.get_end_address() &&
                         bytes - 1 <= dmi_.get_end_address() - address &&
                         (is_read ? dmi_.is_read_allowed() : dmi_.is_write_allowed());
  if (is_direct) {
    std::uint8_t* const place = dmi_.get_dmi_ptr() + (address - dmi_.get_start_address());
    std::memcpy(is_read ? data : place, is_read ? place : data, bytes);
    spent_ += is_read ? dmi_.get_read_latency() : dmi_.get_write_latency();
    return true;
  }
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory->b_transport(payload, delay);
  spent_ += delay;
  if (!payload.is_response_ok()) {
    problem = std::string("DMA ") + (is_read ? "read" : "write") + " of " + std::to_string(bytes) +
              " bytes at " + std::to_string(address) + ": " + payload.get_response_string();
    return false;
  }
  if (payload.is_dmi_allowed()) {
    payload.set_address(address);
    has_dmi_ = memory->get_direct_mem_ptr(payload, dmi_);
  }
  return true;
}

}  // namespace mxgold
