// reference_judge [MUTANT]: runs the comparisons of mutants.hpp on the reference, or on one of its
// deliberately wrong versions, and exits with the verdict: 0 agreement, 6 the oracle disagrees,
// 2 unknown mutant. Without arguments it is the quickest check that reference and oracle agree.
#include <iostream>
#include <string_view>

#include "tests/reference/judgement/mutants.hpp"

int main(int argc, char** argv) {
  using namespace mx::oracle;
  const auto finish = [](const Report& report) {
    std::cout << report.text() << '\n' << (report.exit_code() == 0 ? "PASS\n" : "FAIL\n");
    return report.exit_code();
  };
  if (argc < 2) {
    const int elements = finish(judge_elements(reference_implementation()));
    const int blocks = finish(judge_blocks(reference_blocks()));
    return elements != 0 ? elements : blocks;
  }
  const std::string_view name = argv[1];
  for (const ElementMutant& mutant : element_mutants()) {
    if (mutant.name == name) return finish(judge_elements(mutant.implementation));
  }
  for (const BlockMutant& mutant : block_mutants()) {
    if (mutant.name == name) return finish(judge_blocks(mutant.implementation));
  }
  std::cerr << "unknown mutant '" << name << "'; known:";
  for (const ElementMutant& mutant : element_mutants()) std::cerr << ' ' << mutant.name;
  for (const BlockMutant& mutant : block_mutants()) std::cerr << ' ' << mutant.name;
  std::cerr << '\n';
  return 2;
}
