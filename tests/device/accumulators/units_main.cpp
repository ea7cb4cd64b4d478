// Writes the stimuli of the probe with what the reference's matrix units answer, so that the judge
// of a device judges those too: usage accumulator_units FOLDER
#include <cstdio>

#include "tests/device/accumulators/set_file.hpp"
#include "tests/device/matrix/emulated.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: accumulator_units FOLDER\n");
    return 2;
  }
  return mx::probe::write_sets(arguments[1], &mx::probe::ask_reference) ? 0 : 1;
}
