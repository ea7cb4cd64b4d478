#include "sim/prove/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "reference/parallel/threads.hpp"
#include "sim/netlist/tools.hpp"
#include "sim/prove/cone.hpp"
#include "sim/prove/window.hpp"

namespace mx::sim {
namespace {

constexpr std::string_view kMark = "MXGOLD PROOF ";

/// Inputs of a counterexample: net and moment, and the value.
using Values = std::map<std::pair<int, int>, bool>;

/// A line of the solver's model: "  \\g12_0   1  1  1".
bool add_value(const std::string& line, Values& values) {
  int net = 0;
  int moment = 0;
  int value = 0;
  if (std::sscanf(line.c_str(), " \\g%d_%d %d", &net, &moment, &value) != 3) return false;
  values[{moment, net}] = value != 0;
  return true;
}

/// The input ports of a counterexample in words, moment by moment; state is left out.
std::string example_text(const NetGraph& graph, const Values& values) {
  std::string text = "differs for";
  int last = -1;
  for (const auto& [key, unused] : values) last = std::max(last, key.first);
  for (int moment = 0; moment <= last; ++moment) {
    for (const NetPort& port : graph.ports()) {
      if (port.is_output) continue;
      std::string digits;
      bool is_known = false;
      for (std::size_t first = 0; first < port.bits.size(); first += 4) {
        unsigned digit = 0;
        for (std::size_t b = first; b < std::min(first + 4, port.bits.size()); ++b) {
          const auto found = values.find({moment, port.bits[b].number});
          if (found == values.end()) continue;
          is_known = true;
          digit |= found->second ? 1U << (b - first) : 0;
        }
        digits.insert(digits.begin(), "0123456789ABCDEF"[digit]);
      }
      if (is_known) text += fmt::format(" {}={}", port.name, digits);
    }
  }
  return text == "differs for" ? "differs in a state that need not be reached" : text;
}

/// What the solver said of each module, by its number.
void read_verdicts(const std::filesystem::path& log, const std::string& answer,
                   const NetGraph& graph, std::vector<Proof>& proofs) {
  std::ifstream file(log);
  Proof* proof = nullptr;
  Values values;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) {
      proof = &proofs.at(std::stoul(line.substr(kMark.size())));
      continue;
    }
    if (proof == nullptr) continue;
    if (proof->result == ProofResult::kDiffers) {
      if (add_value(line, values)) proof->text = example_text(graph, values);
    }
    if (line.find("SAT proof finished - no model found: SUCCESS!") != std::string::npos) {
      *proof = {ProofResult::kEquivalent, answer};
    } else if (line.find("SAT proof finished - model found: FAIL!") != std::string::npos) {
      *proof = {ProofResult::kDiffers, "differs in a state that need not be reached"};
      values.clear();
    } else if (line.find("Interrupted SAT solver: TIMEOUT!") != std::string::npos) {
      *proof = {ProofResult::kUndecided, "the proof did not end in time"};
    }
  }
}

/// What is asked about a mutant: the module's text, or nothing where the question cannot be asked.
using AskAboutMutant =
    std::function<std::optional<std::string>(const Mutation&, const std::string&)>;

struct Round {
  std::string name;  ///< of its files
  AskAboutMutant ask;
  std::string answer;  ///< what a proof says
};

/// Asks about every mutant that is not proved yet.
void ask(const Round& round, const std::vector<Mutation>& mutants, const NetGraph& graph,
         const std::filesystem::path& work, int seconds_each, std::vector<Proof>& proofs) {
  const std::filesystem::path il = work / (round.name + ".il");
  const std::filesystem::path ys = work / (round.name + ".ys");
  const std::filesystem::path log = work / (round.name + ".log");
  std::ofstream modules(il);
  std::ofstream script(ys);
  script << "read_rtlil " << il.string() << "\n";
  bool is_empty = true;
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (proofs[i].result == ProofResult::kEquivalent) continue;
    const std::string name = fmt::format("proof_{}", i);
    const std::optional<std::string> module = round.ask(mutants[i], name);
    if (!module) continue;
    is_empty = false;
    modules << *module;
    script << fmt::format("log {}{}\nsat -timeout {} -show-inputs -prove differ 0 {}\n", kMark, i,
                          seconds_each, name);
  }
  modules.close();
  script.close();
  if (is_empty) return;
  run_tool({"yosys", "-s", ys.string()}, work, log);
  read_verdicts(log, round.answer, graph, proofs);
}

std::span<const WindowSize> sizes_of(ProofRange range) {
  static constexpr std::array kLocal = {WindowSize{0, 0}, WindowSize{0, 1}};
  static constexpr std::array kNear = {WindowSize{1, 1}, WindowSize{2, 2}};
  static constexpr std::array kWide = {WindowSize{4, 3}, WindowSize{6, 6}, WindowSize{9, 9}};
  if (range == ProofRange::kLocal) return kLocal;
  return range == ProofRange::kNear ? std::span<const WindowSize>(kNear) : kWide;
}

/// ABC's prover for a question that SAT did not decide in time: it first finds what the two copies
/// have in common. Where it gives up too, nothing is proved.
bool proves_by_abc(const std::string& module, const std::filesystem::path& work) {
  const std::filesystem::path il = work / "abc.il";
  const std::filesystem::path aig = work / "abc.aig";
  const std::filesystem::path log = work / "abc.log";
  std::ofstream(il) << module;
  run_tool({"yosys", "-q", "-p",
            fmt::format("read_rtlil {}; hierarchy -top proof; techmap; opt; aigmap; opt_clean; "
                        "write_aiger {}",
                        il.string(), aig.string())},
           work, work / "abc_yosys.log");
  run_tool({"yosys-abc", "-c", fmt::format("read {}; strash; iprove", aig.string())}, work, log);
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("UNSATISFIABLE")) return true;
  }
  return false;
}

void ask_abc(const NetFacts& facts, const std::vector<Mutation>& mutants,
             const std::filesystem::path& work, std::vector<Proof>& proofs) {
  constexpr WindowSize kSize{6, 6};
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (proofs[i].result != ProofResult::kUndecided) continue;
    const std::optional<std::string> module = window_module(facts, mutants[i], kSize, "proof");
    if (!module || !proves_by_abc(*module, work)) continue;
    proofs[i] = {ProofResult::kEquivalent,
                 fmt::format("for all legal beats: the same state {} registers on ({} registers "
                             "back), by ABC",
                             kSize.forward, kSize.back)};
  }
}

/// One after the other, the narrow questions about all of them first.
std::vector<Proof> prove_in_turn(const NetGraph& graph, const std::vector<Mutation>& mutants,
                                 const ProofOptions& options) {
  std::vector<Proof> proofs(mutants.size());
  if (options.range == ProofRange::kLocal) {
    ask({"states",
         [&](const Mutation& mutant, const std::string& name) {
           return proof_module(graph, mutant, name);
         },
         "for all states and inputs: the same next state and outputs"},
        mutants, graph, options.work, options.seconds_each, proofs);
  }
  const NetFacts facts(graph);
  for (const WindowSize& size : sizes_of(options.range)) {
    ask({fmt::format("window_{}_{}", size.forward, size.back),
         [&](const Mutation& mutant, const std::string& name) {
           return window_module(facts, mutant, size, name);
         },
         fmt::format("for all legal beats: the same {} ({} registers back)",
                     size.forward == 9 ? std::string("outputs")
                                       : fmt::format("state {} registers on", size.forward),
                     size.back)},
        mutants, graph, options.work, options.seconds_each, proofs);
  }
  if (options.range == ProofRange::kWide) ask_abc(facts, mutants, options.work, proofs);
  return proofs;
}

}  // namespace

std::vector<Proof> prove_equivalence(const NetlistFiles& netlist,
                                     const std::vector<Mutation>& mutants,
                                     const ProofOptions& options) {
  std::vector<Proof> proofs(mutants.size());
  if (mutants.empty()) return proofs;
  const NetGraph graph(netlist.json);
  const std::size_t shares = std::clamp<std::size_t>(mutants.size(), 1, options.threads);
  share_work(shares, 1, static_cast<int>(shares), [&](std::size_t share, std::size_t) {
    ProofOptions own = options;
    own.work = options.work / fmt::format("proofs_{}", share);
    std::filesystem::create_directories(own.work);
    std::vector<Mutation> some;
    for (std::size_t i = share; i < mutants.size(); i += shares) some.push_back(mutants[i]);
    const std::vector<Proof> found = prove_in_turn(graph, some, own);
    for (std::size_t k = 0; k < found.size(); ++k) proofs[share + k * shares] = found[k];
  });
  return proofs;
}

}  // namespace mx::sim
