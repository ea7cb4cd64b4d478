// The TLM targets: what registers answer, jobs by DMA and by the buffer against the C interface,
// errors that end nothing, interrupt, DMI, debug transport and time.
#include <mxgold.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;
using Bytes = std::vector<std::uint8_t>;

int checks = 0;
int failures = 0;

void check(bool is_right, const char* what, int line, const std::string& detail) {
  ++checks;
  if (is_right) return;
  ++failures;
  std::cout << "tlm.cpp:" << line << ": " << what << (detail.empty() ? "" : ": ") << detail << '\n';
}
#define MX_CHECK(what) check((what), #what, __LINE__, "")
#define MX_CHECK_EMPTY(text) check_empty(text, __LINE__)
#define MX_CHECK_SAYS(text, part) \
  check((text).find(part) != std::string::npos, "says " #part, __LINE__, text)

void check_empty(const std::string& text, int line) { check(text.empty(), "no error", line, text); }

/// Three targets and two memories on a bus; the initiator is this thread.
class Bench : public sc_module {
 public:
  static constexpr std::uint64_t kDirect = 0, kSlow = 0x1000000, kQuantizer = 0x2000000,
                                 kDequantizer = 0x3000000, kDot = 0x4000000;
  static constexpr std::uint64_t kMemoryBytes = 0x100000;
  static constexpr std::uint64_t kTargetBytes = 0x10000 + 0x8000;

  tlm_utils::simple_initiator_socket<Bench> socket{"socket"};
  Bus bus{"bus"};
  Memory direct{"direct", kMemoryBytes, Dmi::kPresent};
  Memory slow{"slow", kMemoryBytes, Dmi::kAbsent};
  QuantizerTarget quantizer;
  DequantizerTarget dequantizer;
  DotTarget dot;
  QuantizerTarget alone;
  sc_signal<bool> irq{"irq"};
  tlm_utils::simple_initiator_socket<Bench> alone_socket{"alone_socket"};

  explicit Bench(sc_module_name name)
      : sc_module(name),
        quantizer("quantizer", options()),
        dequantizer("dequantizer", options()),
        dot("dot", options()),
        alone("alone", options()) {
    socket.bind(bus.in);
    bus.map(kDirect, kMemoryBytes, direct.socket);
    bus.map(kSlow, kMemoryBytes, slow.socket);
    bus.map(kQuantizer, kTargetBytes, quantizer.socket);
    bus.map(kDequantizer, kTargetBytes, dequantizer.socket);
    bus.map(kDot, kTargetBytes, dot.socket);
    for (Target* each : {static_cast<Target*>(&quantizer), static_cast<Target*>(&dequantizer),
                         static_cast<Target*>(&dot)}) {
      each->memory.bind(bus.in);
    }
    quantizer.irq(irq);
    alone_socket.bind(alone.socket);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(run);
  }

 private:
  static TargetOptions options() {
    TargetOptions options;
    options.buffer_bytes = 0x8000;
    options.dma_bytes = 1000;
    return options;
  }

  tlm::tlm_response_status send(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_time delay = SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                   std::uint64_t address, void* data, std::size_t bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, data, bytes);
    return send(payload);
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint32_t value) {
    return access(tlm::TLM_WRITE_COMMAND, address, &value, 4);
  }
  void write_wide(std::uint64_t address, std::uint64_t value) {
    MX_CHECK(access(tlm::TLM_WRITE_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    MX_CHECK(access(tlm::TLM_READ_COMMAND, address, &value, 4) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void configure(std::uint64_t base, std::string text) {
    write(base + reg::kSelect, reg::kByText);
    MX_CHECK(access(tlm::TLM_WRITE_COMMAND, base + reg::kText, text.data(), text.size() + 1) ==
             tlm::TLM_OK_RESPONSE);
  }
  /// Runs a job to its end; what it says, "" for success.
  std::string go(std::uint64_t base, std::uint32_t more = 0) {
    MX_CHECK(write(base + reg::kControl, reg::kGo | more) == tlm::TLM_OK_RESPONSE);
    int polls = 0;
    while ((read(base + reg::kStatus) & reg::kBusy) != 0 && ++polls < 100000) {
      wait(100, SC_NS);
    }
    const std::uint32_t status = read(base + reg::kStatus);
    MX_CHECK((status & reg::kDone) != 0);
    std::array<char, 512> message{};
    access(tlm::TLM_READ_COMMAND, base + reg::kMessage, message.data(), message.size());
    MX_CHECK(((status & reg::kError) != 0) == (message[0] != 0));
    write(base + reg::kStatus, reg::kDone | reg::kError);
    MX_CHECK(read(base + reg::kStatus) == 0);
    return message.data();
  }

  void registers() {
    const std::uint64_t base = kQuantizer;
    MX_CHECK(read(base + reg::kId) == 0x4D580001);
    MX_CHECK(read(kDequantizer + reg::kId) == 0x4D580002);
    MX_CHECK(read(kDot + reg::kId) == 0x4D580003);
    MX_CHECK(read(base + reg::kVersion) == 1);
    MX_CHECK(write(base + reg::kId, 1) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    MX_CHECK(write(base + reg::kFlags, 1) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    MX_CHECK(write(base + reg::kMessage, 1) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    MX_CHECK(write(base + 0x3C, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    MX_CHECK(write(base + 0x88, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    MX_CHECK(write(base + 0x1000, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    MX_CHECK(write(base + reg::kBuffer + 0x8000 - 2, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    MX_CHECK(write(base + reg::kTuser + 2, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
    MX_CHECK(write(0xF0000000, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::uint16_t half = 0;
    MX_CHECK(access(tlm::TLM_READ_COMMAND, base, &half, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    std::uint32_t word = 7;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, base + reg::kTuser, &word, 4);
    payload.set_streaming_width(2);
    MX_CHECK(send(payload) == tlm::TLM_BURST_ERROR_RESPONSE);
    std::uint32_t enable = ~0U;
    fill(payload, tlm::TLM_WRITE_COMMAND, base + reg::kTuser, &word, 4);
    payload.set_byte_enable_ptr(reinterpret_cast<unsigned char*>(&enable));
    MX_CHECK(send(payload) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    MX_CHECK(write(base + reg::kTuser, 0x123) == tlm::TLM_OK_RESPONSE);
    MX_CHECK(read(base + reg::kTuser) == 0x123);
    // Several registers at once.
    std::array<std::uint32_t, 2> two{};
    MX_CHECK(access(tlm::TLM_READ_COMMAND, base, two.data(), 8) == tlm::TLM_OK_RESPONSE);
    MX_CHECK(two[0] == 0x4D580001 && two[1] == 1);
    MX_CHECK(write(base + reg::kControl, reg::kReset) == tlm::TLM_OK_RESPONSE);
    MX_CHECK(read(base + reg::kTuser) == 0);
  }

  void debug_and_dmi() {
    std::uint32_t word = reg::kGo;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, kQuantizer + reg::kControl, &word, 4);
    MX_CHECK(socket->transport_dbg(payload) == 4);
    wait(1, SC_US);
    MX_CHECK(read(kQuantizer + reg::kStatus) == 0);
    fill(payload, tlm::TLM_READ_COMMAND, kQuantizer + reg::kId, &word, 4);
    MX_CHECK(socket->transport_dbg(payload) == 4 && word == 0x4D580001);
    fill(payload, tlm::TLM_READ_COMMAND, kQuantizer + 0x1000, &word, 4);
    MX_CHECK(socket->transport_dbg(payload) == 0);

    tlm::tlm_dmi dmi;
    fill(payload, tlm::TLM_READ_COMMAND, kQuantizer + reg::kBuffer + 16, &word, 4);
    MX_CHECK(socket->get_direct_mem_ptr(payload, dmi) && dmi.is_read_write_allowed());
    MX_CHECK(dmi.get_start_address() == kQuantizer + reg::kBuffer);
    MX_CHECK(dmi.get_end_address() == kQuantizer + reg::kBuffer + 0x8000 - 1);
    dmi.get_dmi_ptr()[16] = 0xA5;
    MX_CHECK((read(kQuantizer + reg::kBuffer + 16) & 0xFF) == 0xA5);
    fill(payload, tlm::TLM_READ_COMMAND, kQuantizer + reg::kTuser, &word, 4);
    MX_CHECK(!socket->get_direct_mem_ptr(payload, dmi));
  }

  /// fp32 words of a shape, every class among them.
  static Bytes sources(std::size_t count, std::uint64_t seed) {
    Draw draw(seed);
    Bytes bytes(4 * count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t word = draw.next();
      if (!draw.happens(2)) word = (word & 0x807FFFFF) | (120 + draw.next() % 16) << 23;
      if (draw.happens(3)) word &= 0x80000000;
      std::memcpy(bytes.data() + 4 * i, &word, 4);
    }
    return bytes;
  }

  struct Tensor {
    Bytes codes, scales;
    std::uint32_t flags = 0;
  };
  static mxgold_quantizer* make(const char* format, const std::vector<mxgold_option>& options) {
    mxgold_quantizer* made = nullptr;
    mxgold_quantizer_create("fp32", format, options.data(), options.size(), &made, nullptr, 0);
    return made;
  }
  static Tensor expected(const char* format, const std::vector<mxgold_option>& options,
                         const Bytes& source, std::uint64_t rows, std::uint64_t length,
                         std::uint64_t seed) {
    mxgold_quantizer* const made = make(format, options);
    const std::array<std::uint64_t, 2> shape = {rows, length};
    mxgold_tensor_sizes sizes{};
    mxgold_sizes(made, shape.data(), 2, -1, &sizes);
    Tensor tensor{Bytes(sizes.code_bytes), Bytes(sizes.scale_bytes), 0};
    MX_CHECK(mxgold_quantize_tensor(made, shape.data(), 2, -1, source.data(), source.size(), seed,
                                    5, tensor.codes.data(), tensor.codes.size(),
                                    tensor.scales.data(), tensor.scales.size(),
                                    &tensor.flags) == MXGOLD_OK);
    mxgold_quantizer_destroy(made);
    return tensor;
  }

  static bool holds(Memory& memory, std::uint64_t at, const Bytes& bytes) {
    return std::equal(bytes.begin(), bytes.end(),
                      memory.bytes().begin() + static_cast<std::ptrdiff_t>(at));
  }
  static void load(Memory& memory, std::uint64_t at, const Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(), memory.bytes().begin() + static_cast<std::ptrdiff_t>(at));
  }

  // The same tensor by each way: DMI, transactions, the buffer, block by block.
  void quantize() {
    const std::uint64_t rows = 7;
    const std::uint64_t length = 77;
    const Bytes source = sources(rows * length, 1);
    const Tensor right = expected("mxfp4", {}, source, rows, length, 9);
    configure(kQuantizer, "format=mxfp4");
    write_wide(kQuantizer + reg::kLength, length);
    write(kQuantizer + reg::kRows, rows);
    write_wide(kQuantizer + reg::kSeed, 9);
    write(kQuantizer + reg::kTensor, 5);
    std::uint32_t flags = 0;
    for (Memory* memory : {&direct, &slow}) {
      const std::uint64_t at = memory == &direct ? kDirect : kSlow;
      load(*memory, 0x100, source);
      write_wide(kQuantizer + reg::kSource, at + 0x100);
      for (const std::uint64_t each_flags : {std::uint64_t{0}, at + 0x8000}) {
        std::fill(memory->bytes().begin() + 0x4000, memory->bytes().end(), std::uint8_t{0});
        write_wide(kQuantizer + reg::kOut, at + 0x4000);
        write_wide(kQuantizer + reg::kScaleOut, at + 0x6000);
        write_wide(kQuantizer + reg::kFlagsOut, each_flags);
        const double before = sc_time_stamp().to_seconds();
        MX_CHECK_EMPTY(go(kQuantizer));
        MX_CHECK(sc_time_stamp().to_seconds() - before >= 210e-9);
        MX_CHECK(holds(*memory, 0x4000, right.codes));
        MX_CHECK(holds(*memory, 0x6000, right.scales));
        MX_CHECK(read(kQuantizer + reg::kBlocks) == 21);
        if (each_flags == 0) {
          flags = read(kQuantizer + reg::kFlags);
        } else {
          std::uint32_t all = 0;
          for (int i = 0; i < 21; ++i) {
            all |= memory->bytes()[0x8000 + static_cast<std::size_t>(i)];
          }
          MX_CHECK(all == flags && all == read(kQuantizer + reg::kFlags) && all != 0);
        }
      }
    }
    // Drawn random bits, and the interrupt.
    configure(kQuantizer, "format=mxfp8_e5m2 rounding=stochastic_b random_bits=7");
    write_wide(kQuantizer + reg::kFlagsOut, 0);
    const Tensor drawn =
        expected("mxfp8_e5m2", {{"rounding", "stochastic_b"}, {"random_bits", "7"}}, source, rows,
                 length, 9);
    write_wide(kQuantizer + reg::kOut, kSlow + 0x4000);
    write_wide(kQuantizer + reg::kScaleOut, kSlow + 0x6000);
    MX_CHECK(!irq.read());
    MX_CHECK(write(kQuantizer + reg::kControl, reg::kGo | reg::kIrqEnable) == tlm::TLM_OK_RESPONSE);
    MX_CHECK(write(kQuantizer + reg::kControl, reg::kGo) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    wait(irq.posedge_event());
    MX_CHECK(read(kQuantizer + reg::kStatus) == reg::kDone);
    write(kQuantizer + reg::kStatus, reg::kDone);
    wait(1, SC_NS);
    MX_CHECK(!irq.read());
    MX_CHECK(holds(slow, 0x4000, drawn.codes) && holds(slow, 0x6000, drawn.scales));
    // By the buffer.
    configure(kQuantizer, "format=mxfp4");
    Bytes copy = source;
    MX_CHECK(access(tlm::TLM_WRITE_COMMAND, kQuantizer + reg::kBuffer, copy.data(), copy.size()) ==
             tlm::TLM_OK_RESPONSE);
    write_wide(kQuantizer + reg::kSource, 0);
    write_wide(kQuantizer + reg::kOut, 0x4000);
    write_wide(kQuantizer + reg::kScaleOut, 0x6000);
    MX_CHECK_EMPTY(go(kQuantizer, reg::kLocal));
    Bytes codes(right.codes.size());
    access(tlm::TLM_READ_COMMAND, kQuantizer + reg::kBuffer + 0x4000, codes.data(), codes.size());
    MX_CHECK(codes == right.codes);
  }

  // Property: a tensor at once and block by block are the same, for every block format; what has no
  // blocks along rows says so.
  void every_format() {
    const std::uint64_t rows = 3;
    const std::uint64_t length = 70;
    load(slow, 0, sources(rows * length, 8));
    write_wide(kQuantizer + reg::kLength, length);
    write(kQuantizer + reg::kRows, rows);
    write_wide(kQuantizer + reg::kSource, kSlow);
    write_wide(kQuantizer + reg::kOut, kSlow + 0x4000);
    write_wide(kQuantizer + reg::kScaleOut, kSlow + 0x8000);
    write_wide(kQuantizer + reg::kFlagsOut, 0);
    int same = 0;
    int refused = 0;
    for (std::size_t i = 0; mxgold_name("blocks", i) != nullptr; ++i) {
      const std::string name = mxgold_name("blocks", i);
      std::fill(slow.bytes().begin() + 0x4000, slow.bytes().end(), std::uint8_t{0});
      configure(kQuantizer, "format=" + name);
      write_wide(kQuantizer + reg::kFlagsOut, 0);
      if (const std::string why = go(kQuantizer); !why.empty()) {
        std::cout << name << ": " << why << '\n';
        ++refused;
        continue;
      }
      const std::uint32_t flags = read(kQuantizer + reg::kFlags);
      const Bytes tensor(slow.bytes().begin() + 0x4000, slow.bytes().begin() + 0xF000);
      std::fill(slow.bytes().begin() + 0x4000, slow.bytes().end(), std::uint8_t{0});
      write_wide(kQuantizer + reg::kFlagsOut, kSlow + 0xF000);
      if (const std::string why = go(kQuantizer); !why.empty()) {
        MX_CHECK_SAYS(why, "leave FLAGS_OUT");
        ++refused;
        continue;
      }
      check(holds(slow, 0x4000, tensor), "both ways agree", __LINE__, name);
      check(read(kQuantizer + reg::kFlags) == flags, "both flags agree", __LINE__, name);
      ++same;
    }
    std::cout << same << " formats both ways, " << refused << " one way\n";
    MX_CHECK(same >= 20);
    // A tensor level that the text gives.
    configure(kQuantizer, "format=nvfp4 tensor_amax=45280000");
    MX_CHECK_EMPTY(go(kQuantizer));
    write_wide(kQuantizer + reg::kFlagsOut, 0);
  }

  void by_word() {
    const Bytes source = sources(64, 2);
    load(direct, 0, source);
    mxgold_model* model = nullptr;
    std::uint32_t word = 0;
    MX_CHECK(mxgold_model_open("format=mxfp6_e3m2 rounding=to_odd rule=ceil", &model, nullptr, 0) ==
             MXGOLD_OK);
    MX_CHECK(mxgold_model_word(model, &word, nullptr, 0) == MXGOLD_OK);
    mxgold_model_close(model);
    const Tensor right =
        expected("mxfp6_e3m2", {{"rounding", "to_odd"}, {"rule", "ceil"}}, source, 1, 64, 0);
    configure(kQuantizer, "block_size=32");
    write(kQuantizer + reg::kSelect, reg::kByWord);
    write(kQuantizer + reg::kTuser, word);
    write_wide(kQuantizer + reg::kLength, 64);
    write(kQuantizer + reg::kRows, 1);
    write_wide(kQuantizer + reg::kSource, kDirect);
    write_wide(kQuantizer + reg::kOut, kDirect + 0x4000);
    write_wide(kQuantizer + reg::kScaleOut, kDirect + 0x6000);
    MX_CHECK_EMPTY(go(kQuantizer));
    MX_CHECK(holds(direct, 0x4000, right.codes) && holds(direct, 0x6000, right.scales));
    write(kQuantizer + reg::kTuser, 7);
    MX_CHECK_SAYS(go(kQuantizer), "00000007 is no configuration word");
  }

  void dequantize() {
    const std::uint64_t length = 100;
    const Bytes source = sources(2 * length, 3);
    const Tensor tensor = expected("mxfp8_e4m3", {}, source, 2, length, 0);
    mxgold_quantizer* const made = make("mxfp8_e4m3", {});
    const std::array<std::uint64_t, 2> shape = {2, length};
    Bytes right(std::size_t{4} * length);
    MX_CHECK(mxgold_dequantize_tensor(made, shape.data(), 2, -1, tensor.codes.data(),
                                      tensor.codes.size(), tensor.scales.data(),
                                      tensor.scales.size(), "bf16", right.data(),
                                      right.size()) == MXGOLD_OK);
    mxgold_quantizer_destroy(made);
    load(slow, 0, tensor.codes);
    load(slow, 0x2000, tensor.scales);
    write_wide(kDequantizer + reg::kLength, length);
    write(kDequantizer + reg::kRows, 2);
    write_wide(kDequantizer + reg::kSource, kSlow);
    write_wide(kDequantizer + reg::kScaleIn, kSlow + 0x2000);
    write_wide(kDequantizer + reg::kOut, kSlow + 0x4000);
    configure(kDequantizer, "op=dequantize format=mxfp8_e4m3 result=bf16");
    MX_CHECK_EMPTY(go(kDequantizer));
    MX_CHECK(holds(slow, 0x4000, right));
    // Another rounding goes record by record; one of them must differ.
    configure(kDequantizer, "op=dequantize format=mxfp8_e4m3 result=e5m2 rounding=toward_zero");
    MX_CHECK_EMPTY(go(kDequantizer));
    const Bytes toward_zero(slow.bytes().begin() + 0x4000, slow.bytes().begin() + 0x4000 + 200);
    configure(kDequantizer, "op=dequantize format=mxfp8_e4m3 result=e5m2 rounding=ties_to_even");
    MX_CHECK_EMPTY(go(kDequantizer));
    MX_CHECK(!holds(slow, 0x4000, toward_zero));
    configure(kDequantizer, "format=mxfp4");
    MX_CHECK_SAYS(go(kDequantizer), "op=block");
  }

  void dots() {
    const std::uint64_t length = 96;
    const Tensor a = expected("mxfp4", {}, sources(3 * length, 4), 3, length, 0);
    const Tensor b = expected("mxfp8_e4m3", {}, sources(5 * length, 5), 5, length, 0);
    mxgold_quantizer* const a_quantizer = make("mxfp4", {});
    mxgold_quantizer* const b_quantizer = make("mxfp8_e4m3", {});
    mxgold_dot* products = nullptr;
    MX_CHECK(mxgold_dot_create(a_quantizer, b_quantizer, nullptr, 0, &products, nullptr, 0) ==
             MXGOLD_OK);
    const mxgold_rows a_rows{a.codes.data(), a.codes.size(), a.scales.data(), a.scales.size(), 3};
    const mxgold_rows b_rows{b.codes.data(), b.codes.size(), b.scales.data(), b.scales.size(), 5};
    Bytes right(std::size_t{3} * 5 * 4);
    MX_CHECK(mxgold_dot_rows(products, length, &a_rows, &b_rows, nullptr, 0, right.data(),
                             right.size(), nullptr) == MXGOLD_OK);
    mxgold_dot_destroy(products);
    mxgold_quantizer_destroy(a_quantizer);
    mxgold_quantizer_destroy(b_quantizer);
    load(direct, 0, a.codes);
    load(direct, 0x1000, a.scales);
    load(direct, 0x2000, b.codes);
    load(direct, 0x3000, b.scales);
    write_wide(kDot + reg::kLength, length);
    write(kDot + reg::kRows, 3);
    write(kDot + reg::kColumns, 5);
    write_wide(kDot + reg::kSource, kDirect);
    write_wide(kDot + reg::kScaleIn, kDirect + 0x1000);
    write_wide(kDot + reg::kB, kDirect + 0x2000);
    write_wide(kDot + reg::kBScale, kDirect + 0x3000);
    write_wide(kDot + reg::kOut, kDirect + 0x4000);
    write_wide(kDot + reg::kFlagsOut, kDirect + 0x5000);
    configure(kDot, "op=dot a=mxfp4 b=mxfp8_e4m3");
    MX_CHECK_EMPTY(go(kDot));
    MX_CHECK(holds(direct, 0x4000, right));
    MX_CHECK(read(kDot + reg::kBlocks) == 15);
    configure(kDot, "op=dot a=mxfp4 b=mxfp8_e4m3 mode=nonsense");
    MX_CHECK_SAYS(go(kDot), "nonsense");
  }

  void errors() {
    configure(kQuantizer, "format=mxfp5");
    MX_CHECK_SAYS(go(kQuantizer), "mxfp5");
    configure(kQuantizer, "format=mxfp4");
    write(kQuantizer + reg::kSelect, 3);
    MX_CHECK_SAYS(go(kQuantizer), "SELECT");
    write(kQuantizer + reg::kSelect, reg::kByText);
    write_wide(kQuantizer + reg::kLength, 0);
    MX_CHECK_SAYS(go(kQuantizer), "nothing to do");
    write_wide(kQuantizer + reg::kLength, ~std::uint64_t{0});
    MX_CHECK_SAYS(go(kQuantizer), "2^30");
    write_wide(kQuantizer + reg::kLength, 64);
    write_wide(kQuantizer + reg::kSource, kMemoryBytes - 8);
    MX_CHECK_SAYS(go(kQuantizer), "TLM_ADDRESS_ERROR_RESPONSE");
    write_wide(kQuantizer + reg::kSource, kSlow + kMemoryBytes - 8);
    MX_CHECK_SAYS(go(kQuantizer), "TLM_ADDRESS_ERROR_RESPONSE");
    write_wide(kQuantizer + reg::kSource, 0x7FF0);
    MX_CHECK_SAYS(go(kQuantizer, reg::kLocal), "beyond the buffer");
    write_wide(kQuantizer + reg::kSource, ~std::uint64_t{3});
    MX_CHECK_SAYS(go(kQuantizer, reg::kLocal), "beyond the buffer");
    write_wide(kQuantizer + reg::kSource, kDirect);
    configure(kQuantizer, "format=mxfp4 rounding=stochastic_a random_bits=8");
    write_wide(kQuantizer + reg::kFlagsOut, kDirect + 0x7000);
    MX_CHECK_SAYS(go(kQuantizer), "RANDOM");
    // A source code of 8 bits cannot have more; one of 6 can.
    configure(kQuantizer, "format=mxfp4 source=e3m2fn");
    write_wide(kQuantizer + reg::kFlagsOut, 0);
    direct.bytes()[3] = 0xFF;
    MX_CHECK_SAYS(go(kQuantizer), "above its format's width");
    write_wide(kQuantizer + reg::kFlagsOut, kDirect + 0x7000);
    MX_CHECK_SAYS(go(kQuantizer), "block 0");
    // Without a memory: the buffer alone.
    std::uint32_t word = reg::kGo;
    std::string text = "format=mxfp4";
    tlm::tlm_generic_payload payload;
    sc_time delay = SC_ZERO_TIME;
    fill(payload, tlm::TLM_WRITE_COMMAND, reg::kText, text.data(), text.size() + 1);
    alone_socket->b_transport(payload, delay);
    std::uint32_t length = 32;
    fill(payload, tlm::TLM_WRITE_COMMAND, reg::kLength, &length, 4);
    alone_socket->b_transport(payload, delay);
    fill(payload, tlm::TLM_WRITE_COMMAND, reg::kControl, &word, 4);
    alone_socket->b_transport(payload, delay);
    wait(1, SC_MS);
    std::array<char, 512> message{};
    fill(payload, tlm::TLM_READ_COMMAND, reg::kMessage, message.data(), message.size());
    MX_CHECK(alone_socket->transport_dbg(payload) == message.size());
    MX_CHECK_SAYS(std::string(message.data()), "not bound");
  }

  void run() {
    registers();
    debug_and_dmi();
    quantize();
    every_format();
    by_word();
    dequantize();
    dots();
    errors();
    sc_stop();
  }
};

}  // namespace

int sc_main(int, char**) {
  Bench bench("bench");
  sc_start();
  std::cout << checks << " checks, " << failures << " failures\n";
  const bool is_right = failures == 0 && checks > 100;
  std::cout << (is_right ? "PASS" : "FAIL") << '\n';
  return is_right ? 0 : 1;
}
