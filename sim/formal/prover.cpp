#include "sim/formal/prover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "golden/bytes/error.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/gates/equivalence.hpp"
#include "sim/gates/flat_ports.hpp"
#include "sim/gates/own_block.hpp"
#include "sim/lanes/widen.hpp"
#include "sim/netlist/tools.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// Registers become wires before anything is optimised: what a pipeline answers when its inputs
/// hold still is what stands before them.
constexpr std::string_view kWires = R"((* techmap_celltype = "$adff" *)
module registers_with_reset_to_wires (CLK, ARST, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  parameter ARST_POLARITY = 1;
  parameter ARST_VALUE = 0;
  input CLK;
  input ARST;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  assign Q = D;
endmodule
(* techmap_celltype = "$dff" *)
module registers_to_wires (CLK, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  input CLK;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  assign Q = D;
endmodule
)";

/// Before the processor time of a question in its log, which is what is kept of a verdict.
constexpr std::string_view kUsedMark = "MXGOLD CPU SECONDS ";

std::string reading(std::span<const RtlSource> sources) {
  std::string names;
  for (const RtlSource& source : sources) names += " " + source.name;
  return "read_verilog -sv" + names + "\n";
}

/// Yosys' commands. Tables stay multiplexers: Yosys 0.23 makes memories of large ones, which SAT
/// does not read.
std::string script_of(const FormalQuestion& question, std::span<const RtlSource> sources,
                      int seconds) {
  if (question.engine == FormalEngine::kEquivalence) {
    return circuits_script(reading(sources), question.making.rtl, question.text);
  }
  if (question.engine == FormalEngine::kOwnBlock) {
    return circuit_script(reading(sources), question.making.rtl);
  }
  // Memories become registers first where statements name their words, which have no names later.
  const std::string read = fmt::format(
      "{}read_verilog -formal obligation.v\nhierarchy -check -top mx_proof\n"
      "proc -norom\n{}flatten\n",
      reading(sources), question.engine == FormalEngine::kInduction ? "memory\n" : "");
  if (question.engine == FormalEngine::kSat) {
    return fmt::format(
        "{}opt_expr\nopt_clean\ntechmap -map wires.v\nopt -full\n"
        "select -assert-none t:$dff t:$dffe t:$adff t:$adffe t:$sdff t:$mem* t:$dlatch\n"
        "sat -timeout {} -prove-asserts -set-assumes -set-def-inputs -show-inputs mx_proof\n",
        read, seconds);
  }
  if (question.engine == FormalEngine::kInduction) {
    return fmt::format(
        "{}opt -full\nasync2sync\nopt -full\ndffunmap\nsetundef -undriven -zero\n"
        "sat -timeout {} -tempinduct -prove-asserts -maxsteps {} mx_proof\n",
        read, seconds, question.cycles);
  }
  // A reset is one of the first cycle there, as the statements have it.
  return fmt::format(
      "{}opt -full\nmemory\nopt -full\nasync2sync\nopt -full\ntechmap\nopt\n"
      "setundef -undriven -init -zero\ndffunmap\naigmap\nwrite_aiger -zinit proof.aig\n",
      read);
}

/// ABC's commands: the assertions become one, equal registers are merged.
std::string abc_script(const FormalQuestion& question, int seconds) {
  if (question.engine == FormalEngine::kEquivalence) {
    return compare_script("rtl.gates.aig", "netlist.gates.aig", seconds);
  }
  if (question.engine == FormalEngine::kOwnBlock) {
    return compare_script("stream.aig", "still.aig", seconds);
  }
  const std::string prepared = "read proof.aig; fold; scleanup; scorr; orpos; ";
  return prepared + (question.engine == FormalEngine::kBounded
                         ? fmt::format("dc2; scorr; bmc3 -F {} -T {}", question.cycles, seconds)
                         : fmt::format("pdr -T {}", seconds));
}

bool is_of_abc(FormalEngine engine) {
  return engine != FormalEngine::kSat && engine != FormalEngine::kInduction;
}

std::string version_of_yosys() {
  const ToolEnd end = run_by_shell("yosys -V");
  if (end.status == 0) return end.text;
  throw ToolError(
      fmt::format("proofs are made by Yosys, and 'yosys -V' ended with {}: install the "
                  "package yosys",
                  end.status));
}

/// The digits of hex of digits of binary.
std::string hex_of(std::string_view bits) {
  std::string hex;
  for (std::size_t left = bits.size(); left > 0;) {
    const std::size_t count = left % 4 == 0 ? 4 : left % 4;
    int digit = 0;
    for (const char bit : bits.substr(bits.size() - left, count)) digit = 2 * digit + (bit == '1');
    hex += fmt::format("{:x}", digit);
    left -= count;
  }
  return hex;
}

/// The lines of the model: "  \word   8405137   804091   0000...".
std::string example_of(const std::string& log) {
  std::string example;
  std::size_t at = log.find("Signal Name");
  while (at != std::string::npos) {
    at = log.find("\n  \\", at);
    if (at == std::string::npos) break;
    const std::size_t end = std::min(log.find('\n', at + 1), log.size());
    std::array<std::string_view, 4> words;  // name, decimal, hex, binary
    std::size_t next = at + 4;
    for (std::string_view& word : words) {
      next = log.find_first_not_of(' ', next);
      const std::size_t stop = std::min(log.find(' ', next), end);
      if (next < end) word = std::string_view(log).substr(next, stop - next);
      next = stop;
    }
    if (words[0] != "clk_i") {
      example += fmt::format("{}{}={}", example.empty() ? "" : " ", words[0], hex_of(words[3]));
    }
    at = end;
  }
  return example;
}

FormalAnswer answer_of(const std::string& log, const FormalQuestion& question) {
  const auto says = [&](std::string_view text) { return log.find(text) != std::string::npos; };
  const std::string_view cycles = "was asserted in frame ";
  const std::string held = fmt::format("No output asserted in {} frames.", question.cycles);
  FormalAnswer answer;
  if (says("SAT proof finished - no model found: SUCCESS!") || says("\nProperty proved.") ||
      says("\nInduction step proven: SUCCESS!") || says("\nNetworks are equivalent")) {
    answer.verdict = FormalVerdict::kProved;
  } else if (question.engine == FormalEngine::kBounded && says(held)) {
    answer.verdict = FormalVerdict::kHeld;
  } else if (says("SAT proof finished - model found: FAIL!")) {
    answer.verdict = FormalVerdict::kRefuted;
    answer.example = example_of(log);
  } else if (says("model found for base case: FAIL!")) {
    answer.verdict = FormalVerdict::kRefuted;
    answer.example = fmt::format("a run of at most {} cycles", question.cycles);
  } else if (says("\nNetworks are NOT EQUIVALENT")) {
    answer.verdict = FormalVerdict::kRefuted;
    answer.example =
        question.engine == FormalEngine::kOwnBlock ? foreign_of(log) : difference_of(log);
  } else if (says(cycles)) {
    answer.verdict = FormalVerdict::kRefuted;
    const int last = std::stoi(log.substr(log.find(cycles) + cycles.size()));
    answer.example = fmt::format("a run of {} cycles", last + 1);
  } else if (!says("Interrupted SAT solver: TIMEOUT!") && !says("\nProperty UNDECIDED.") &&
             !says("No output asserted in ") && !says("\nNetworks are UNDECIDED.") &&
             !says("Reached maximum number of time steps -> proof failed.")) {
    throw ToolError(fmt::format(
        "{}: the solver says neither that it is proved nor that it is refuted", question.name));
  }
  if (const std::size_t at = log.rfind(kUsedMark); at != std::string::npos) {
    answer.cpu_seconds = std::stod(log.substr(at + kUsedMark.size()));
  }
  return answer;
}

/// The netlist that a question is about, in the cache too: its control changes a gate of the same.
fs::path netlist_of(const FormalQuestion& question, std::span<const RtlSource> sources) {
  const std::string script = netlist_script(reading(sources), question.making.netlist);
  CacheKey key;
  key.add("yosys", version_of_yosys());
  key.add("script", script);
  if (question.making.is_wide) key.add("widening", widening());
  for (const RtlSource& source : sources) key.add(source.name, source.text);
  const auto make = [&](const fs::path& folder) {
    for (const RtlSource& source : sources) write_file_below(folder / source.name, source.text);
    if (question.making.is_wide) {
      const std::vector<RtlSource> rtl(sources.begin(), sources.end());
      for (const RtlSource& made : widened(rtl, folder / "widening")) {
        write_file_below(folder / made.name, with_flat_ports(made.text));
      }
    }
    write_file_below(folder / "netlist.ys", script);
    run_tool({"yosys", "-q", "-s", "netlist.ys"}, folder, folder / "netlist.log");
  };
  return compiled("netlists", key.text(), fmt::format("making the netlist of {}", question.name),
                  "netlist.il", make);
}

/// Thrown past the cache, which keeps what is decided alone.
struct TimeOver {
  std::string log;
};

std::string fresh_log(const FormalQuestion& question, std::span<const RtlSource> sources,
                      int seconds, const fs::path& netlist, const fs::path& folder) {
  for (const RtlSource& source : sources) write_file_below(folder / source.name, source.text);
  if (question.engine == FormalEngine::kEquivalence) {
    fs::create_symlink(fs::absolute(netlist), folder / "netlist.il");
  } else {
    write_file_below(folder / "obligation.v", question.text);
    write_file_below(folder / "wires.v", kWires);
  }
  write_file_below(folder / "proof.ys", script_of(question, sources, seconds));
  double seconds_used = run_tool({"yosys", "-s", "proof.ys"}, folder, folder / "yosys.log");
  std::string log = whole_file(folder / "yosys.log");
  if (question.engine == FormalEngine::kEquivalence) log += pair_circuits(folder);
  if (question.engine == FormalEngine::kOwnBlock) {
    log += ask_own_block(folder, question.making.one, question.text);
  }
  if (is_of_abc(question.engine)) {
    seconds_used +=
        run_tool({"yosys-abc", "-c", abc_script(question, seconds)}, folder, folder / "abc.log");
    log += whole_file(folder / "abc.log");
  }
  log += fmt::format("\n{}{:.2f}\n", kUsedMark, seconds_used);
  if (answer_of(log, question).verdict == FormalVerdict::kUndecided) throw TimeOver{log};
  return log;
}

}  // namespace

FormalAnswer ask_solver(const FormalQuestion& question, std::span<const RtlSource> sources,
                        int seconds, const fs::path& logs) {
  const bool is_of_netlist = question.engine == FormalEngine::kEquivalence;
  const fs::path netlist = is_of_netlist ? netlist_of(question, sources) : fs::path();
  CacheKey key;
  key.add("yosys", version_of_yosys());
  key.add("time", kUsedMark);
  key.add("script", script_of(question, sources, 0) + abc_script(question, 0));
  key.add("obligation", question.text);
  if (is_of_netlist) key.add("netlist", netlist.filename().native());
  if (question.engine == FormalEngine::kOwnBlock) {
    key.add("form", kOwnBlockForm);
    key.add("one", question.making.one);
  }
  key.add("wires", kWires);
  for (const RtlSource& source : sources) key.add(source.name, source.text);
  std::string log;
  try {
    const auto decide = [&](const fs::path& folder) {
      write_file_below(folder / "decided", fresh_log(question, sources, seconds, netlist, folder));
    };
    log = whole_file(compiled("proofs", key.text(), fmt::format("proving {}", question.name),
                              "decided", decide));
  } catch (const TimeOver& over) {
    log = over.log;
  }
  if (!logs.empty()) write_file_below(logs / (question.name + ".log"), log);
  return answer_of(log, question);
}

}  // namespace mx::sim
