// The shortest program with a device of its own: a function that makes it.
#include <memory>

#include "cli/program/sim_main.hpp"
#include "sim/dut/reference.hpp"

int main(int argc, char** argv) {
  return mx::sim_main(argc, argv, "plain",
                      [] { return std::make_unique<mx::sim::ReferenceDut>(); });
}
