// The quantizer three ways over the vectors of a file, in one simulation: the TLM target, the
// pin-level module, and the RTL by `verilator --sc`. Prints a report and a digest of each, which is
// that of `mxgold run --vectors FILE`.
//
//   bridge_systemc_three_ways FILE.tv [--stall PERCENT] [--lose N] [--empty] [--flip WAY N] [--vcd
//   FILE] FILE may be "|COMMAND"; --lose leaves vector N out, --empty all of them; --flip changes a
//   bit of answer N on its way (tlm, model, rtl) to the checker.
//
// Exit code: 0 all three agree with the model and the file; 1 they do not; 3 a file that is none.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "Vmx_sc_whole.h"
#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;

struct Arguments {
  std::string file;
  std::string vcd;
  unsigned stall = 0;
  std::size_t lose = ~std::size_t{0};
  std::string flip_way;
  std::size_t flip = ~std::size_t{0};
  bool is_empty = false;
  [[nodiscard]] std::size_t flip_of(const std::string& way) const {
    return way == flip_way ? flip : ~std::size_t{0};
  }
};

/// Tells a checker what it hears, but for the lowest bit of the first code of one answer.
class Flipper : public BeatListener {
 public:
  Flipper(BeatListener& checker, std::size_t answer) : checker_(checker), answer_(answer) {}
  void on_reset() override { checker_.on_reset(); }
  void on_in(const BeatIn& beat) override { checker_.on_in(beat); }
  void on_random(const BeatRandom& random) override { checker_.on_random(random); }
  void on_unknown(const std::string& pin) override { checker_.on_unknown(pin); }
  void on_broken(const std::string& what) override { checker_.on_broken(what); }
  void on_out(const BeatOut& beat, const std::string& unknown) override {
    BeatOut told = beat;
    if (answers_++ == answer_) told.codes[0] ^= 1;
    checker_.on_out(told, unknown);
  }

 private:
  BeatListener& checker_;
  std::size_t answer_;
  std::size_t answers_ = 0;
};

/// A quantizer on pins with everything around it.
template <class Dut>
struct PinBench {
  PinBench(const std::string& name, const VectorFile& vectors, const SourceOptions& options,
           std::size_t flip, sc_clock& clock, const std::function<void()>& done)
      : wires(name + "_"),
        dut(name.c_str()),
        source((name + "_source").c_str(), vectors, options, done),
        checker(name, vectors.build(32)),
        flipper(checker, flip),
        monitor((name + "_monitor").c_str(), flipper) {
    checker.expect(vectors);
    wires.bind(dut, clock);
    wires.bind(source, clock);
    wires.bind(monitor, clock);
  }
  QuantizerWires<> wires;
  Dut dut;
  QuantizerSource<> source;
  QuantizerChecker checker;
  Flipper flipper;
  QuantizerMonitor<> monitor;
};

/// Sends vectors to a QuantizerTarget, as many of one configuration in a job as follow each other.
class Initiator : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  sc_in<bool> irq{"irq"};

  Initiator(sc_module_name name, const VectorFile& vectors, const SourceOptions& options,
            std::size_t flip, std::function<void()> done)
      : sc_module(name),
        vectors_(vectors),
        lose_(options.lose),
        done_(std::move(done)),
        checker_("tlm", vectors.build(32)),
        flipper_(checker_, flip) {
    checker_.expect(vectors);
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }
  [[nodiscard]] QuantizerChecker& checker() { return checker_; }

 private:
  static constexpr std::size_t kLanes = 32;
  static constexpr std::size_t kMost = 1024;  ///< vectors of a job
  static constexpr std::uint64_t kRandom = 0x40000, kOut = 0x80000, kScales = 0xA0000,
                                 kFlags = 0xB0000;

  void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_time delay = SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) {
      SC_REPORT_FATAL("three_ways", payload.get_response_string().c_str());
    }
  }
  void write(std::uint64_t address, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, 4);
  }
  void write_wide(std::uint64_t address, std::uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, 8);
  }

  void run() {
    std::string context = "block_size=32 random_bits=" + std::to_string(vectors_.random_bits) +
                          " stochastic=stochastic_" +
                          std::string(1, static_cast<char>('a' + vectors_.sr_variant));
    access(tlm::TLM_WRITE_COMMAND, reg::kText, context.data(), context.size() + 1);
    write(reg::kSelect, reg::kByWord);
    write_wide(reg::kSource, 0);
    write_wide(reg::kRandom, kRandom);
    write_wide(reg::kOut, kOut);
    write_wide(reg::kScaleOut, kScales);
    write_wide(reg::kFlagsOut, kFlags);
    const std::vector<BlockVector>& all = vectors_.vectors;
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first + 1;
      while (last < all.size() && last - first < kMost && all[last].tuser == all[first].tuser &&
             all[last].elements == all[first].elements && last != lose_ && first != lose_) {
        ++last;
      }
      if (first != lose_) job(first, last);
      first = last;
    }
    done_();
  }

  void job(std::size_t first, std::size_t last) {
    const BlockVector& vector = vectors_.vectors[first];
    const std::size_t count = last - first;
    const std::size_t length = vector.elements;
    const std::size_t width = (vector.tuser >> 10 & 3) == 0 ? 4 : 2;
    std::vector<std::uint8_t> source(count * length * width);
    std::vector<std::uint8_t> random(count * length * 4);
    for (std::size_t i = 0; i < count * length; ++i) {
      const BlockVector& each = vectors_.vectors[first + i / length];
      for (std::size_t byte = 0; byte < width; ++byte) {
        source[i * width + byte] = static_cast<std::uint8_t>(each.source[i % length] >> (8 * byte));
      }
      for (std::size_t byte = 0; byte < 4; ++byte) {
        random[i * 4 + byte] = static_cast<std::uint8_t>(each.random[i % length] >> (8 * byte));
      }
    }
    access(tlm::TLM_WRITE_COMMAND, reg::kBuffer, source.data(), source.size());
    access(tlm::TLM_WRITE_COMMAND, reg::kBuffer + kRandom, random.data(), random.size());
    write(reg::kTuser, vector.tuser);
    write_wide(reg::kLength, length);
    write(reg::kRows, static_cast<std::uint32_t>(count));
    write(reg::kControl, reg::kGo | reg::kIrqEnable | reg::kLocal);
    while (!irq.read()) wait(irq.posedge_event());
    std::uint32_t status = 0;
    access(tlm::TLM_READ_COMMAND, reg::kStatus, &status, 4);
    write(reg::kStatus, reg::kDone | reg::kError);
    while (irq.read()) wait(irq.negedge_event());
    if ((status & reg::kError) != 0) {
      std::array<char, 512> why{};
      access(tlm::TLM_READ_COMMAND, reg::kMessage, why.data(), why.size());
      return checker_.on_broken(why.data());
    }
    std::vector<std::uint8_t> codes(count * length);
    std::vector<std::uint8_t> scales(count);
    std::vector<std::uint8_t> flags(count);
    access(tlm::TLM_READ_COMMAND, reg::kBuffer + kOut, codes.data(), codes.size());
    access(tlm::TLM_READ_COMMAND, reg::kBuffer + kScales, scales.data(), scales.size());
    access(tlm::TLM_READ_COMMAND, reg::kBuffer + kFlags, flags.data(), flags.size());
    for (std::size_t i = 0; i < count; ++i)
      check(first + i, codes.data() + i * length, scales[i], flags[i]);
  }

  // The answers as beats, to the checker that pins have too.
  void check(std::size_t number, const std::uint8_t* codes, std::uint8_t scale,
             std::uint8_t flags) {
    const BlockVector& vector = vectors_.vectors[number];
    BeatIn in;
    in.tuser = vector.tuser;
    in.keep = vector.elements == kLanes ? ~0U : (1U << vector.elements) - 1;
    std::copy(vector.source.begin(), vector.source.end(), in.source.begin());
    BeatRandom random{};
    std::copy(vector.random.begin(), vector.random.end(), random.begin());
    BeatOut out;
    std::copy_n(codes, vector.elements, out.codes.begin());
    out.keep = in.keep;
    out.user = static_cast<std::uint16_t>(flags << 8 | scale);
    flipper_.on_in(in);
    flipper_.on_random(random);
    flipper_.on_out(out, "");
  }

  const VectorFile& vectors_;
  std::size_t lose_;
  std::function<void()> done_;
  QuantizerChecker checker_;
  Flipper flipper_;
};

int compare(const Arguments& arguments) {
  VectorFile vectors = read_vectors(arguments.file);
  if (arguments.is_empty) vectors.vectors.clear();
  SourceOptions options;
  options.input_stall = options.output_stall = arguments.stall;
  options.lose = arguments.lose;
  sc_clock clock("clk_i", 10, SC_NS);
  int running = 3;
  const auto done = [&running] {
    if (--running == 0) sc_stop();
  };
  PinBench<mx_quantizer<>> model("model", vectors, options, arguments.flip_of("model"), clock,
                                 done);
  PinBench<Vmx_sc_whole> rtl("rtl", vectors, options, arguments.flip_of("rtl"), clock, done);
  TargetOptions target_options;
  QuantizerTarget target("target", target_options);
  Initiator initiator("initiator", vectors, options, arguments.flip_of("tlm"), done);
  sc_signal<bool> irq("irq");
  initiator.socket.bind(target.socket);
  initiator.irq(irq);
  target.irq(irq);
  sc_trace_file* trace = nullptr;
  if (!arguments.vcd.empty()) {
    trace = sc_create_vcd_trace_file(arguments.vcd.c_str());
    trace->set_time_unit(1, SC_NS);
    sc_trace(trace, clock, "clk_i");
    model.wires.trace(trace);
  }
  sc_start();
  if (trace != nullptr) sc_close_vcd_trace_file(trace);
  bool passed = true;
  for (QuantizerChecker* each : {&initiator.checker(), &model.checker, &rtl.checker}) {
    each->finish();
    std::cout << each->report();
    passed = passed && each->passed();
  }
  const bool agrees = model.checker.digest() == rtl.checker.digest() &&
                      model.checker.digest() == initiator.checker().digest();
  if (!agrees) std::cout << "the digests differ\n";
  std::cout << (passed && agrees ? "PASS" : "FAIL") << '\n';
  return passed && agrees ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--empty") {
      arguments.is_empty = true;
    } else if (name == "--stall") {
      arguments.stall = static_cast<unsigned>(std::atoi(value.c_str()));
      ++i;
    } else if (name == "--lose") {
      arguments.lose = static_cast<std::size_t>(std::atoll(value.c_str()));
      ++i;
    } else if (name == "--flip") {
      arguments.flip_way = value;
      arguments.flip = i + 2 < argc ? static_cast<std::size_t>(std::atoll(argv[i + 2])) : 0;
      i += 2;
    } else if (name == "--vcd") {
      arguments.vcd = value;
      ++i;
    } else {
      arguments.file = name;
    }
  }
  try {
    return compare(arguments);
  } catch (const VectorError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
