// Rates of the SystemC models, each in a process of its own: a kernel elaborates once.
//
//   systemc_bench [ELEMENTS]     elements a second of CPU time over all threads
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "mxgold_systemc.h"

namespace {

using namespace mxgold;
using namespace sc_core;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::uint32_t ordinary(Draw& draw) {
  return (draw.next() & 0x807FFFFF) | (120 + draw.next() % 8) << 23;
}

/// The first `blocks` blocks of mxfp4 from fp32 over and over.
VectorFile vectors_of(std::size_t blocks) {
  Draw draw(1);
  VectorFile file;
  file.name = "bench";
  file.lanes = 32;
  for (std::size_t i = 0; i < blocks; ++i) {
    BlockVector vector;
    vector.tuser = 4;
    vector.elements = 32;
    for (int lane = 0; lane < 32; ++lane) vector.source.push_back(ordinary(draw));
    vector.random.assign(32, 0);
    file.vectors.push_back(std::move(vector));
  }
  return file;
}

/// `checks`: with monitor and checker.
bool pins(std::size_t elements, bool checks, double& seconds) {
  const VectorFile file = vectors_of(elements / 32);
  sc_clock clock("clk_i", 10, SC_NS);
  QuantizerWires<> wires;
  mx_quantizer<> dut("dut");
  QuantizerSource<> source("source", file);
  QuantizerChecker checker("dut", file.build(32));
  std::unique_ptr<QuantizerMonitor<>> monitor;
  wires.bind(dut, clock);
  wires.bind(source, clock);
  if (checks) {
    monitor = std::make_unique<QuantizerMonitor<>>("monitor", checker);
    wires.bind(*monitor, clock);
  }
  const double before = cpu_seconds();
  sc_start();
  seconds = cpu_seconds() - before;
  checker.finish();
  return source.finished() && (!checks || checker.passed());
}

/// Quantizes a tensor in a memory; the time is that of one job.
class Initiator : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};

  Initiator(sc_module_name name, std::size_t elements, std::uint64_t flags)
      : sc_module(name), elements_(elements), flags_(flags) {
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] bool is_right() const { return is_right_; }

 private:
  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time delay = SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
  }
  void write(std::uint64_t address, std::uint64_t value, unsigned bytes) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, bytes);
  }

  void run() {
    std::string text = "format=mxfp4";
    access(tlm::TLM_WRITE_COMMAND, reg::kText, text.data(), static_cast<unsigned>(text.size() + 1));
    write(reg::kLength, 4096, 8);
    write(reg::kRows, elements_ / 4096, 4);
    write(reg::kOut, 4 * elements_, 8);
    write(reg::kScaleOut, 5 * elements_, 8);
    write(reg::kFlagsOut, flags_, 8);
    const double before = cpu_seconds();
    write(reg::kControl, reg::kGo, 4);
    std::uint32_t status = reg::kBusy;
    while ((status & reg::kBusy) != 0) {
      wait(1, SC_MS);
      access(tlm::TLM_READ_COMMAND, reg::kStatus, &status, 4);
    }
    seconds_ = cpu_seconds() - before;
    is_right_ = status == reg::kDone;
    sc_stop();
  }

  std::size_t elements_;
  std::uint64_t flags_;
  double seconds_ = 0;
  bool is_right_ = false;
};

bool tlm_job(std::size_t elements, Dmi dmi, bool by_blocks, double& seconds) {
  Memory memory("memory", 7 * elements, dmi);
  Draw draw(1);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint32_t word = ordinary(draw);
    std::memcpy(memory.bytes().data() + 4 * i, &word, 4);
  }
  QuantizerTarget target("target");
  target.memory.bind(memory.socket);
  Initiator initiator("initiator", elements, by_blocks ? 6 * elements : 0);
  initiator.socket.bind(target.socket);
  sc_start();
  seconds = initiator.seconds();
  return initiator.is_right();
}

using Measure = std::function<bool(std::size_t, double&)>;

bool measure(const char* name, std::size_t elements, const Measure& run) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    double seconds = 0;
    const bool is_right = run(elements, seconds);
    std::printf("%-50s %8.1f M elements/s%s\n", name,
                1e-6 * static_cast<double>(elements) / seconds, is_right ? "" : "  FAILED");
    std::fflush(stdout);
    _exit(is_right ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::size_t elements =
      (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 22) / 4096 * 4096;
  if (elements == 0) {
    std::fprintf(stderr,
                 "usage: systemc_bench [ELEMENTS], at least 4096; it takes no other options\n");
    return 0;
  }
  sc_report_handler::set_actions(SC_INFO, SC_DO_NOTHING);
  bool all = measure("pins: source and module", elements,
                     [](std::size_t n, double& s) { return pins(n, false, s); });
  all &= measure("pins: source, module, monitor and checker", elements,
                 [](std::size_t n, double& s) { return pins(n, true, s); });
  all &= measure("TLM: a tensor by DMI", 4 * elements,
                 [](std::size_t n, double& s) { return tlm_job(n, Dmi::kPresent, false, s); });
  all &= measure("TLM: a tensor by transactions of 64 KiB", 4 * elements,
                 [](std::size_t n, double& s) { return tlm_job(n, Dmi::kAbsent, false, s); });
  all &= measure("TLM: block by block, with the flags of each", elements,
                 [](std::size_t n, double& s) { return tlm_job(n, Dmi::kPresent, true, s); });
  return all ? 0 : 1;
}
