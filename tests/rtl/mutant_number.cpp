// Which fault, or stuck wire, a mutated model has: the environment says it.
#include <cstdlib>

extern "C" int mx_mutant_number() {
  const char* const number = std::getenv("MX_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}
