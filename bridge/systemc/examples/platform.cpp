// A virtual platform without a processor: a controller, a bus, a memory and a quantizer that
// fetches a tensor by DMA, quantizes it and interrupts. docs/systemc.md.
//
//   platform IN.npy CONFIGURATION OUT      writes OUT.codes and OUT.scales, as they lie in memory
//   platform x.npy "format=mxfp4" x        the same bytes as `mxgold quantize x.npy --format mxfp4`
//
// Exit code: 0; 1 the quantizer refused the job; 3 a file that cannot be read or written.
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "mxgold_systemc.h"

namespace {

using namespace sc_core;
using mxgold::Bus;
using mxgold::Memory;
using mxgold::QuantizerTarget;
namespace reg = mxgold::reg;

// The map of the bus.
constexpr std::uint64_t kMemory = 0x80000000;
constexpr std::uint64_t kQuantizer = 0x10000000;
constexpr std::uint64_t kQuantizerBytes = 0x200000;

/// A float32 tensor in C order, as rows.
struct Tensor {
  std::uint64_t rows = 1;
  std::uint64_t length = 1;
  std::vector<char> bytes;
};

/// Reads a .npy file; "" or what is wrong with it.
std::string read_npy(const std::string& path, Tensor& tensor) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return "cannot be read";
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) return "no .npy file";
  const bool is_first_version = bytes[6] == 1;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(bytes[i])};
  };
  const std::size_t begin = is_first_version ? 10 : 12;
  std::size_t size = byte(8) | byte(9) << 8;
  if (!is_first_version) size |= byte(10) << 16 | byte(11) << 24;
  if (size > bytes.size() - begin) return "the header is cut off";
  const std::string header(bytes.data() + begin, size);
  if (header.find("'<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos) {
    return "not float32 in C order";
  }
  const std::size_t open = header.find('(', header.find("'shape'"));
  std::uint64_t elements = 1;
  for (std::size_t at = open; at < header.find(')', open); ++at) {
    if (header[at] < '0' || header[at] > '9') continue;
    tensor.length = std::stoull(header.substr(at));
    elements *= tensor.length;
    at = header.find_first_not_of("0123456789", at);
  }
  tensor.rows = tensor.length == 0 ? 0 : elements / tensor.length;
  tensor.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(begin + size), bytes.end());
  return tensor.bytes.size() == 4 * elements ? "" : "the data are not as long as the shape says";
}

/// Writes registers, waits for the interrupt, reads what came of it.
class Controller : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<Controller> bus{"bus"};
  sc_in<bool> irq{"irq"};

  Controller(sc_module_name name, const Tensor& tensor, std::string configuration)
      : sc_module(name), tensor_(tensor), configuration_(std::move(configuration)) {
    SC_HAS_PROCESS(Controller);
    SC_THREAD(run);
  }

  /// Where things lie in the memory.
  [[nodiscard]] std::uint64_t codes() const { return round_up(tensor_.bytes.size()); }
  [[nodiscard]] std::uint64_t scales() const { return codes() + round_up(tensor_.bytes.size()); }
  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  /// What the quantizer said, "" for nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static std::uint64_t round_up(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

  void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(kQuantizer + address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_time delay = SC_ZERO_TIME;
    bus->b_transport(payload, delay);
    wait(delay);
    if (payload.is_response_error()) problem_ = payload.get_response_string();
  }
  void write(std::uint64_t address, std::uint64_t value, std::size_t bytes = 4) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, bytes);
  }

  void run() {
    access(tlm::TLM_WRITE_COMMAND, reg::kText, configuration_.data(), configuration_.size() + 1);
    write(reg::kRows, tensor_.rows);
    write(reg::kLength, tensor_.length, 8);
    write(reg::kSource, kMemory, 8);
    write(reg::kOut, kMemory + codes(), 8);
    write(reg::kScaleOut, kMemory + scales(), 8);
    write(reg::kControl, reg::kGo | reg::kIrqEnable);
    if (!irq.read()) wait(irq.posedge_event());
    std::uint32_t status = 0;
    access(tlm::TLM_READ_COMMAND, reg::kStatus, &status, sizeof status);
    access(tlm::TLM_READ_COMMAND, reg::kBlocks, &blocks_, sizeof blocks_);
    if ((status & reg::kError) != 0) {
      std::array<char, 512> message{};
      access(tlm::TLM_READ_COMMAND, reg::kMessage, message.data(), message.size());
      problem_ = message.data();
    }
    write(reg::kStatus, reg::kDone | reg::kError);
    sc_stop();
  }

  const Tensor& tensor_;
  std::string configuration_;
  std::uint32_t blocks_ = 0;
  std::string problem_;
};

bool save(const std::string& path, Memory& memory, std::uint64_t first, std::uint64_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(memory.bytes().data() + first),
             static_cast<std::streamsize>(bytes));
  return static_cast<bool>(file.flush());
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: platform IN.npy CONFIGURATION OUT\n";
    return 2;
  }
  Tensor tensor;
  if (const std::string why = read_npy(argv[1], tensor); !why.empty()) {
    std::cerr << argv[1] << ": " << why << '\n';
    return 3;
  }
  Controller controller("controller", tensor, argv[2]);
  const std::uint64_t memory_bytes = controller.scales() + tensor.bytes.size() + 4096;
  Bus bus("bus");
  Memory memory("memory", memory_bytes);
  QuantizerTarget quantizer("quantizer");
  sc_signal<bool> irq("irq");
  controller.bus.bind(bus.in);
  quantizer.memory.bind(bus.in);
  bus.map(kMemory, memory_bytes, memory.socket);
  bus.map(kQuantizer, kQuantizerBytes, quantizer.socket);
  controller.irq(irq);
  quantizer.irq(irq);
  std::memcpy(memory.bytes().data(), tensor.bytes.data(), tensor.bytes.size());

  sc_start();

  if (!controller.problem().empty()) {
    std::cerr << "quantizer: " << controller.problem() << '\n';
    return 1;
  }
  // Codes and scales of a byte, as the MX formats have them.
  const std::string out = argv[3];
  if (!save(out + ".codes", memory, controller.codes(), tensor.rows * tensor.length) ||
      !save(out + ".scales", memory, controller.scales(), controller.blocks())) {
    std::cerr << out << ": cannot be written\n";
    return 3;
  }
  std::cout << tensor.rows << " rows of " << tensor.length << ", " << controller.blocks()
            << " blocks, " << sc_time_stamp() << '\n';
  return 0;
}
