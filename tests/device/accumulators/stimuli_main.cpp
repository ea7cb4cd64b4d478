// Writes the stimuli of the probe without results, where there is no nvcc: model.py's own test
// needs no device.
#include <cstdio>

#include "tests/device/accumulators/set_file.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: accumulator_stimuli FOLDER\n");
    return 2;
  }
  return mx::probe::write_sets(arguments[1], &mx::probe::run_nothing) ? 0 : 1;
}
