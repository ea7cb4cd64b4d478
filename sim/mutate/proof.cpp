#include "sim/mutate/proof.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "sim/mutate/cone.hpp"
#include "sim/mutate/tools.hpp"

namespace mx::sim {
namespace {

constexpr std::string_view kMark = "MXGOLD PROOF ";

/// What the solver said of each module, by its number.
void read_verdicts(const std::filesystem::path& log, std::vector<Proof>& proofs) {
  std::ifstream file(log);
  Proof* proof = nullptr;
  bool in_model = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kMark)) {
      proof = &proofs.at(std::stoul(line.substr(kMark.size())));
      in_model = false;
      continue;
    }
    if (proof == nullptr) continue;
    if (line.find("SAT proof finished - no model found: SUCCESS!") != std::string::npos) {
      *proof = {ProofResult::kEquivalent,
                "for all states and inputs: the same next state and outputs"};
    } else if (line.find("SAT proof finished - model found: FAIL!") != std::string::npos) {
      *proof = {ProofResult::kDiffers, "differs in some state"};
    } else if (line.find("Interrupted SAT solver: TIMEOUT!") != std::string::npos) {
      *proof = {ProofResult::kUndecided, "the proof did not end in time"};
    }
  }
  static_cast<void>(in_model);
}

}  // namespace

std::vector<Proof> prove_equivalence(const NetlistFiles& netlist,
                                     const std::vector<Mutation>& mutants,
                                     const std::filesystem::path& work, int seconds_each) {
  std::vector<Proof> proofs(mutants.size());
  if (mutants.empty()) return proofs;
  const NetGraph graph(netlist.json);
  std::ofstream modules(work / "proofs.il");
  std::ofstream script(work / "proofs.ys");
  script << "read_rtlil " << (work / "proofs.il").string() << "\n";
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    const std::string name = fmt::format("proof_{}", i);
    const std::optional<std::string> module = proof_module(graph, mutants[i], name);
    if (!module) {
      proofs[i] = {ProofResult::kEquivalent, "reaches no register, memory or output"};
      continue;
    }
    modules << *module;
    script << fmt::format("log {}{}\nsat -timeout {} -prove differ 0 {}\n", kMark, i, seconds_each,
                          name);
  }
  modules.close();
  script.close();
  run_tool({"yosys", "-s", (work / "proofs.ys").string()}, work, work / "proofs.log");
  read_verdicts(work / "proofs.log", proofs);
  return proofs;
}

}  // namespace mx::sim
