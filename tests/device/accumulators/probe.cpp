// Runs the stimuli through the matrix units of a Hopper GPU and writes operands and results for
// model.py to judge.
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/device/accumulators/set_file.hpp"
#include "tests/device/matrix/ask.hpp"

namespace mx::probe {
namespace {

Answer run_on_device(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                     const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  Answer answer = ask_device(instruction, a, b, c);
  if (answer.differing != 0) {
    std::printf("%s: %u dot products depend on their row\n", std::string(instruction.name).c_str(),
                answer.differing);
  }
  return answer;
}

}  // namespace
}  // namespace mx::probe

int main(int count, char** arguments) {
  using namespace mx::probe;
  const bool is_emulation = count == 3 && std::strcmp(arguments[1], "--emulate") == 0;
  if (count != 2 && !is_emulation) {
    std::fprintf(stderr, "usage: device_accumulators [--emulate] FOLDER\n");
    return 2;
  }
  if (is_emulation) return write_sets(arguments[2], &run_nothing) ? 0 : 1;
  if (const std::string why = obstacle(); !why.empty()) {
    std::printf("SKIP: %s\n", why.c_str());
    return 77;
  }
  std::printf("device: %s\n", device_name().c_str());
  try {
    if (!write_sets(arguments[1], &run_on_device)) return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("%zu instructions, %zu classes, seed %016llx\n", kInstructions.size(),
              kClasses.size(), static_cast<unsigned long long>(kSeed));
  return 0;
}
