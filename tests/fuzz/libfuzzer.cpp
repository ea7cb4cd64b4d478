// One target under libFuzzer: MX_FUZZ_TARGET names it. With MX_FUZZ_SEEDS its seeds are written
// into that folder, and nothing is run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/fuzz/json_change.hpp"
#include "tests/fuzz/target.hpp"

namespace {

const mx::fuzz::Target* chosen = nullptr;
std::size_t inputs_read = 0;

/// Beside libFuzzer's own numbers: a target that refuses all but its seeds sees little.
void print_read() { std::fprintf(stderr, "stat::inputs_read: %zu\n", inputs_read); }

void write_seeds(const std::string& folder) {
  std::size_t number = 0;
  for (const std::string& seed : chosen->seeds()) {
    std::ofstream file(folder + "/seed" + std::to_string(number++), std::ios::binary);
    file << seed;
    mx::fuzz::require(static_cast<bool>(file.flush()), "seeds cannot be written", folder);
  }
  std::exit(0);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer calls them so.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("MX_FUZZ_TARGET");
  chosen = name == nullptr ? nullptr : mx::fuzz::find_target(name);
  if (chosen == nullptr) {
    std::fputs("MX_FUZZ_TARGET names no target; there are:\n", stderr);
    for (const mx::fuzz::Target& each : mx::fuzz::targets()) {
      std::printf("%.*s\n", static_cast<int>(each.name.size()), each.name.data());
    }
    std::exit(2);
  }
  if (const char* folder = std::getenv("MX_FUZZ_SEEDS"); folder != nullptr) write_seeds(folder);
  return std::atexit(print_read);
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Half of the changes of JSON leave it JSON; all others are libFuzzer's own.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 2 == 0) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const std::string changed = mx::fuzz::changed_json(input, seed / 2);
    if (!changed.empty() && changed.size() <= most) {
      std::ranges::copy(changed, data);
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto outcome = chosen->run({reinterpret_cast<const char*>(data), size});
  inputs_read += outcome == mx::fuzz::Outcome::kRead ? 1 : 0;
  return 0;
}
// NOLINTEND(readability-identifier-naming)
