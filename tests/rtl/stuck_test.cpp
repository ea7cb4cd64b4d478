// Every wire of every lane at eight places of mx_quantizer, stuck at 0 and at 1: the smoke suite
// must see each. stuck.txt says where the places are; a wire that no block of the suite tells is
// named.
//
// usage: rtl_stuck STEP     takes every STEP-th wire
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include MX_MODEL_HEADER
#include "sim/dut/verilated_model.hpp"
#include "sim/stimulus/suite_parts.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

struct Place {
  int number = 0;
  const char* wire = "";
  int bits = 0;
};
constexpr std::array kPlaces = {
    Place{1, "key", 10},      Place{2, "exponent", 9}, Place{3, "significand", 16},
    Place{4, "field", 7},     Place{5, "shift", 4},    Place{6, "magnitude", 7},
    Place{7, "kept bits", 8}, Place{8, "random", 8},
};

/// The blocks of the suite that walk: what tells most wires, and soon.
test::GivenBlocks walking_blocks() {
  SuiteOptions options;
  options.configs = Selection::all().configurations(options.random_bits);
  const SuiteParts parts = make_parts(options);
  std::vector<BlockIn> blocks;
  golden::RecordBatch batch;
  for (const Part& part : parts.parts) {
    if (!part.name().starts_with("walk")) continue;
    std::vector<BlockIn> more(part.size());
    part.fill(0, more, batch);
    blocks.insert(blocks.end(), more.begin(), more.end());
  }
  return test::GivenBlocks(std::move(blocks), {}, parts.configs);
}

class Judge {
 public:
  /// Does the suite see that the wire is stuck? 0: nothing is.
  [[nodiscard]] bool sees(int number) const {
    setenv("MX_MUTANT", std::to_string(number).c_str(), 1);
    return differs(walks_) || differs(test::smoke());
  }

 private:
  static bool differs(const BlockSource& blocks) {
    const auto make_dut = [] { return std::make_unique<VerilatedModel<MX_MODEL>>("stuck"); };
    RunOptions options = test::plain_options();
    options.stop_after = 1;
    return run(blocks, make_dut, options).exit_code() != 0;
  }

  test::GivenBlocks walks_ = walking_blocks();
};

int run_all(int step) {
  const Judge judge;
  if (judge.sees(0)) {
    std::puts("FAIL: a mismatch although nothing is stuck");
    return 1;
  }
  int tried = 0;
  int seen = 0;
  int turn = 0;
  for (const Place& place : kPlaces) {
    for (int wire = 0; wire < kLanes * place.bits * 2; ++wire) {
      if (turn++ % step != 0) continue;
      const int lane = wire % kLanes;
      const int bit = wire / kLanes / 2;
      const int value = wire / kLanes % 2;
      ++tried;
      if (judge.sees(1'000'000 + place.number * 100'000 + lane * 1'000 + bit * 10 + value)) {
        ++seen;
      } else {
        std::printf("SURVIVES: %s[%d] of lane %d stuck at %d\n", place.wire, bit, lane, value);
        std::fflush(stdout);
      }
    }
  }
  std::printf("%s: %d of %d stuck wires are seen\n", seen == tried && tried > 0 ? "PASS" : "FAIL",
              seen, tried);
  return seen == tried && tried > 0 ? 0 : 1;
}

}  // namespace
}  // namespace mx::sim

int main(int argc, char** argv) {
  return mx::sim::run_all(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1);
}
