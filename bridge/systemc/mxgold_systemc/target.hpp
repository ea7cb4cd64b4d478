// Loosely timed TLM-2.0 targets with registers, a data buffer and DMA: quantizer, dequantizer and
// dot products. docs/systemc.md has the register map.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "mxgold_systemc/models.hpp"

namespace mxgold {

struct RowBlocks;

/// Addresses of the registers: 32 bits each, those that are named 64 in two, low half first.
namespace reg {
constexpr std::uint64_t kId = 0x00;       ///< 4D580001 quantizer, ..2 dequantizer, ..3 dot
constexpr std::uint64_t kVersion = 0x04;  ///< 1
constexpr std::uint64_t kControl = 0x08;
constexpr std::uint64_t kStatus = 0x0C;
constexpr std::uint64_t kTuser = 0x10;      ///< configuration word, where kSelect is kByWord
constexpr std::uint64_t kFlags = 0x14;      ///< OR of the flags of the last job
constexpr std::uint64_t kSelect = 0x18;     ///< kByText or kByWord
constexpr std::uint64_t kBlocks = 0x1C;     ///< blocks, or results, of the last job
constexpr std::uint64_t kLength = 0x20;     ///< 64: elements of a row
constexpr std::uint64_t kRows = 0x28;       ///< rows; of A where there is a B
constexpr std::uint64_t kColumns = 0x2C;    ///< dot: rows of B
constexpr std::uint64_t kSeed = 0x30;       ///< 64: of the random bits that are drawn
constexpr std::uint64_t kTensor = 0x38;     ///< the tensor's number, which draws depend on
constexpr std::uint64_t kSource = 0x40;     ///< 64: address of the source codes, or of A's
constexpr std::uint64_t kRandom = 0x48;     ///< 64: of 32-bit random words, 0 for none
constexpr std::uint64_t kScaleIn = 0x50;    ///< 64: of the scales that come in, or of A's
constexpr std::uint64_t kB = 0x58;          ///< 64
constexpr std::uint64_t kBScale = 0x60;     ///< 64
constexpr std::uint64_t kC = 0x68;          ///< 64: of addends, where the configuration has them
constexpr std::uint64_t kOut = 0x70;        ///< 64: where codes go
constexpr std::uint64_t kScaleOut = 0x78;   ///< 64: where scales go
constexpr std::uint64_t kFlagsOut = 0x80;   ///< 64: where a byte of flags a block goes, 0 for none
constexpr std::uint64_t kText = 0x100;      ///< 256 bytes: the configuration, NUL-terminated
constexpr std::uint64_t kMessage = 0x200;   ///< 512 bytes: what was wrong, NUL-terminated
constexpr std::uint64_t kBuffer = 0x10000;  ///< data; DMI is granted

constexpr std::uint32_t kGo = 1, kReset = 2, kIrqEnable = 4, kLocal = 8;  // kControl
constexpr std::uint32_t kBusy = 1, kDone = 2, kError = 4;                 // kStatus
constexpr std::uint32_t kByText = 0, kByWord = 1;                         // kSelect
}  // namespace reg

struct TargetOptions {
  std::size_t buffer_bytes = std::size_t{1} << 20;
  sc_core::sc_time per_access{10, sc_core::SC_NS};  ///< a register or the buffer
  sc_core::sc_time per_block{10, sc_core::SC_NS};
  std::uint32_t dma_bytes = 65536;  ///< of one transaction
};

/// Registers, buffer, DMA and interrupt; what is computed, the classes below say. Nothing that a
/// bus can send ends the simulation: errors are TLM responses, or kError with a kMessage.
class Target : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Target> socket{"socket"};
  /// DMA; may stay unbound where every job has kLocal.
  tlm_utils::simple_initiator_socket_optional<Target> memory{"memory"};
  /// High while a job is done and kIrqEnable set; may stay unbound.
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> irq{"irq"};

 protected:
  Target(sc_core::sc_module_name name, std::uint32_t kind, const TargetOptions& options);

  /// A job as it was when it began.
  struct Job {
    std::array<std::uint32_t, 0x100 / 4> registers{};
    std::string text;
    [[nodiscard]] std::uint32_t word(std::uint64_t address) const { return registers[address / 4]; }
    [[nodiscard]] std::uint64_t wide(std::uint64_t address) const {
      return std::uint64_t{word(address + 4)} << 32 | word(address);
    }
  };
  using Bytes = std::vector<std::uint8_t>;

  /// Does it; "" or what is wrong.
  [[nodiscard]] virtual std::string run(const Job& job) = 0;

  /// The model that a job names, of an operation; an empty handle and the reason.
  [[nodiscard]] static ModelHandle open(const Job& job, const char* operation,
                                        mxgold_model_facts& facts, std::string& problem);
  /// "" or why there is nothing to do, or too much.
  [[nodiscard]] static std::string check_size(std::uint64_t rows, std::uint64_t length);
  /// Reads or writes data of a job; false and `problem` where the memory refuses.
  [[nodiscard]] bool fetch(const Job& job, std::uint64_t address, std::size_t bytes, Bytes& data,
                           std::string& problem);
  bool store(const Job& job, std::uint64_t address, Bytes& data, std::string& problem);
  /// What a job did.
  void did(std::uint64_t blocks, std::uint32_t flags);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);

  enum class Effect : std::uint8_t { kNone, kAct };
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload, Effect effect,
                                  const sc_core::sc_time& delay);
  tlm::tlm_response_status access_registers(bool is_write, std::uint64_t address,
                                            std::uint8_t* data, unsigned bytes, Effect effect,
                                            const sc_core::sc_time& delay);
  tlm::tlm_response_status write_register(std::uint64_t address, std::uint32_t value, Effect effect,
                                          const sc_core::sc_time& delay);
  bool transfer(const Job& job, tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                std::size_t bytes, std::string& problem);
  bool transfer_piece(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                      unsigned bytes, std::string& problem);
  void clear();
  void work();
  void show_irq();

  TargetOptions options_;
  std::uint32_t kind_;
  std::array<std::uint32_t, 0x100 / 4> registers_{};
  std::array<char, 0x100> text_{};
  std::array<char, 0x200> message_{};
  Bytes buffer_;
  Job job_;
  sc_core::sc_event start_;
  sc_core::sc_event irq_change_;
  sc_core::sc_time spent_;
  tlm::tlm_dmi dmi_;
  bool has_dmi_ = false;
};

/// Rows of source codes to codes and scales, in storage width, as mxgold_quantize_tensor() does
/// along the last axis; with kFlagsOut or kRandom block by block.
class QuantizerTarget : public Target {
 public:
  explicit QuantizerTarget(sc_core::sc_module_name name, const TargetOptions& options = {})
      : Target(name, 1, options) {}

 private:
  std::string run(const Job& job) override;
  std::string run_tensor(const Job& job, const mxgold_quantizer* quantizer);
  std::string run_blocks(const Job& job, mxgold_model* model, const mxgold_model_facts& facts,
                         const RowBlocks& blocks);
};

/// Codes (kSource) and scales (kScaleIn) to values (kOut).
class DequantizerTarget : public Target {
 public:
  explicit DequantizerTarget(sc_core::sc_module_name name, const TargetOptions& options = {})
      : Target(name, 2, options) {}

 private:
  std::string run(const Job& job) override;
};

/// Every row of A times every row of B: kRows times kColumns results of kLength elements.
class DotTarget : public Target {
 public:
  explicit DotTarget(sc_core::sc_module_name name, const TargetOptions& options = {})
      : Target(name, 3, options) {}

 private:
  struct Side;
  std::string run(const Job& job) override;
  bool fetch_words(const Job& job, std::uint64_t address, std::uint64_t count,
                   const mxgold_model_field& field, std::vector<std::uint64_t>& words,
                   std::string& problem);
  bool fetch_side(const Job& job, std::uint64_t code_address, std::uint64_t scale_address,
                  const mxgold_model_facts& facts, int scale_field, Side& side,
                  std::string& problem);
  std::string multiply(const Job& job, mxgold_model* model, const mxgold_model_facts& facts,
                       const Side& a, const Side& b, const std::vector<std::uint64_t>& addends);
};

}  // namespace mxgold
