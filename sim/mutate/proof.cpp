#include "sim/mutate/proof.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <functional>
#include <optional>

#include "sim/mutate/cone.hpp"
#include "sim/mutate/tools.hpp"
#include "sim/mutate/window.hpp"

namespace mx::sim {
namespace {

constexpr std::string_view kMark = "MXGOLD PROOF ";

/// What the solver said of each module, by its number.
void read_verdicts(const std::filesystem::path& log, const std::string& answer,
                   std::vector<Proof>& proofs) {
  std::ifstream file(log);
  Proof* proof = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) {
      proof = &proofs.at(std::stoul(line.substr(kMark.size())));
      continue;
    }
    if (proof == nullptr) continue;
    if (line.find("SAT proof finished - no model found: SUCCESS!") != std::string::npos) {
      *proof = {ProofResult::kEquivalent, answer};
    } else if (line.find("SAT proof finished - model found: FAIL!") != std::string::npos) {
      *proof = {ProofResult::kDiffers, "differs in some state"};
    } else if (line.find("Interrupted SAT solver: TIMEOUT!") != std::string::npos) {
      *proof = {ProofResult::kUndecided, "the proof did not end in time"};
    }
  }
}

/// What is asked about a mutant: the module's text, or nothing where the question cannot be asked.
using Question = std::function<std::optional<std::string>(const Mutation&, const std::string&)>;

struct Round {
  std::string name;  ///< of its files
  Question ask;
  std::string answer;  ///< what a proof says
};

/// Asks about every mutant that is not proved yet.
void ask(const Round& round, const std::vector<Mutation>& mutants,
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
    script << fmt::format("log {}{}\nsat -timeout {} -prove differ 0 {}\n", kMark, i, seconds_each,
                          name);
  }
  modules.close();
  script.close();
  if (is_empty) return;
  run_tool({"yosys", "-s", ys.string()}, work, log);
  read_verdicts(log, round.answer, proofs);
}

}  // namespace

std::vector<Proof> prove_equivalence(const NetlistFiles& netlist,
                                     const std::vector<Mutation>& mutants,
                                     const std::filesystem::path& work, int seconds_each) {
  std::vector<Proof> proofs(mutants.size());
  if (mutants.empty()) return proofs;
  const NetGraph graph(netlist.json);
  ask({"states",
       [&](const Mutation& mutant, const std::string& name) {
         return proof_module(graph, mutant, name);
       },
       "for all states and inputs: the same next state and outputs"},
      mutants, work, seconds_each, proofs);
  const WindowFacts facts(graph);
  constexpr std::array kSizes = {WindowSize{0, 0}, WindowSize{0, 1}, WindowSize{1, 1},
                                 WindowSize{2, 2}, WindowSize{4, 3}, WindowSize{9, 0},
                                 WindowSize{9, 9}};
  for (const WindowSize& size : kSizes) {
    ask({fmt::format("window_{}_{}", size.forward, size.back),
         [&](const Mutation& mutant, const std::string& name) {
           return window_module(facts, mutant, size, name);
         },
         fmt::format("for all legal beats: the same {} ({} registers back)",
                     size.forward == 9 ? std::string("outputs")
                                       : fmt::format("state {} registers on", size.forward),
                     size.back)},
        mutants, work, seconds_each, proofs);
  }
  return proofs;
}

}  // namespace mx::sim
