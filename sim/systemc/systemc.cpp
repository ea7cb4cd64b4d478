// The pin-level SystemC module as a device: a process for each, which steps its kernel pin change
// by pin change, behind the bench that the Verilated RTL has.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "sim/compile/shell_word.hpp"
#include "sim/dut/kind.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/process/child.hpp"
#include "sim/systemc/pin_messages.hpp"

namespace mx::sim {
namespace {

constexpr const char* kProgram = "mxgold_systemc_dut";

/// Patience for an answer of a process that only has to step a clock.
constexpr std::chrono::milliseconds kPatience{10'000};

/// Beside this program, as in a build tree, or where an installed tree has it; "" for nowhere.
std::string program() {
  std::error_code none;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const std::filesystem::path installed = folder.parent_path() / MX_LIBRARY_FOLDER / "mxgold";
  for (const std::filesystem::path& place : {folder, installed}) {
    if (std::filesystem::exists(place / kProgram, none)) return place / kProgram;
  }
  return {};
}

class PinProcess {
 public:
  explicit PinProcess(const std::string& path)
      : child_("SC_COPYRIGHT_MESSAGE=DISABLE exec " + shell_word(path)) {
    const std::string wanted =
        fmt::format("{} {} {}\n", kPinGreeting, sizeof(PinRequest), sizeof(RtlPins));
    await(wanted.size());
    if (in_ != wanted) {
      throw DutError(fmt::format("{}: of another build than this program; build both again", path));
    }
    in_.clear();
  }

  void eval(RtlPins& pins) {
    // Nobody looks at the outputs between a rising edge and the fall of the clock.
    const PinRequest request{pins.clk_i == 0 ? 1U : 0U, pins};
    out_.append(reinterpret_cast<const char*>(&request), sizeof request);
    if (request.answers == 0) return;
    await(sizeof pins);
    RtlPins answer;
    std::memcpy(&answer, in_.data(), sizeof answer);
    in_.clear();
    pins.s_axis_tready = answer.s_axis_tready;
    pins.rnd_ready_o = answer.rnd_ready_o;
    pins.m_axis_tvalid = answer.m_axis_tvalid;
    pins.m_axis_tlast = answer.m_axis_tlast;
    pins.m_axis_tuser = answer.m_axis_tuser;
    pins.m_axis_tkeep = answer.m_axis_tkeep;
    pins.m_axis_tdata = answer.m_axis_tdata;
  }

 private:
  void await(std::size_t bytes) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (in_.size() < bytes) {
      if (child_.output_ended()) {
        const std::string end = child_.wait(kPatience).value_or("it does not end");
        throw DutError(
            fmt::format("the SystemC process ended: {}{}{}", end.empty() ? "exit status 0" : end,
                        child_.last_words().empty() ? "" : "; it said: ", child_.last_words()));
      }
      // false also for words to people.
      const bool moved = child_.exchange(out_, in_, kPatience);
      if (!moved && std::chrono::steady_clock::now() >= deadline) {
        throw DutError("the SystemC process does not answer");
      }
    }
  }

  Child child_;
  std::string out_;
  std::string in_;
};

void* make(int, int) {
  try {
    return std::make_unique<PinProcess>(program()).release();
  } catch (const DutError& error) {
    throw DutError(std::string("systemc: ") + error.what());
  }
}

[[maybe_unused]] constexpr RtlFunctions kFunctions = {  // not without a bench on pins
    .make = make,
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the other half of make
    .destroy = [](void* model) { delete static_cast<PinProcess*>(model); },
    .eval = [](void* model, RtlPins& pins) { static_cast<PinProcess*>(model)->eval(pins); },
    .open = nullptr,
    .dump = nullptr,
    .close = nullptr};

}  // namespace

DutKind systemc_dut() {
  DutKind kind{.name = "systemc",
               .argument = "",
               .help = "the quantizer at pin level in SystemC, a process each",
               .random_bits = kRtlRandomBits,
               .zeroes_dont_care = true};  // as the RTL
#ifdef MX_HAVE_RTL
  if (program().empty()) {
    kind.missing = "no mxgold_systemc_dut beside this program or in ../" MX_LIBRARY_FOLDER
                   "/mxgold: it is built where pkg-config finds SystemC (Debian: libsystemc-dev), "
                   "and installed with the component libmxgold-dev";
    return kind;
  }
  kind.make = [](const DutRequest&) -> DutFactory {
    return [] { return make_loaded_rtl_dut("systemc", kFunctions, 0, nullptr); };
  };
#else
  kind.missing = "this build has no bench on pins; configure with MXGOLD_SIM=ON and verilator";
#endif
  return kind;
}

}  // namespace mx::sim
