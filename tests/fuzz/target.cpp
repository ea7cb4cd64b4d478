#include "tests/fuzz/target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#ifdef MX_WITH_DPI
#define MX_DPI_TARGET(ROW) ROW(dpi)
#else
#define MX_DPI_TARGET(ROW)
#endif
#ifdef MX_WITH_VPI
#define MX_VPI_TARGET(ROW) ROW(vpi)
#else
#define MX_VPI_TARGET(ROW)
#endif

// One line a target: NAME stands for `Target NAME_target()`.
#define MX_FUZZ_TARGETS(ROW) \
  ROW(casts)                 \
  ROW(shorthands)            \
  ROW(config_files)          \
  ROW(formats)               \
  ROW(numbers)               \
  ROW(words)                 \
  ROW(json)                  \
  ROW(vectors)               \
  ROW(manifests)             \
  ROW(coverage)              \
  ROW(certificates)          \
  ROW(indexes)               \
  ROW(scales)                \
  ROW(logs)                  \
  ROW(answers)               \
  ROW(given_answers)         \
  ROW(waivers)               \
  ROW(receipts)              \
  ROW(farms)                 \
  ROW(devices)               \
  ROW(replays)               \
  ROW(faults)                \
  ROW(npy)                   \
  ROW(safetensors)           \
  ROW(gguf)                  \
  ROW(onnx)                  \
  ROW(npz)                   \
  ROW(torch)                 \
  ROW(zips)                  \
  ROW(pickles)               \
  ROW(shards)                \
  ROW(checkpoints)           \
  ROW(commands)              \
  ROW(models)                \
  ROW(config_words)          \
  ROW(tensors)               \
  ROW(cast_calls)            \
  ROW(conversions)           \
  ROW(blocks)                \
  ROW(dots)                  \
  ROW(names)                 \
  ROW(plans)                 \
  ROW(books)                 \
  ROW(hadamards)             \
  ROW(layouts)               \
  ROW(questions)             \
  ROW(compared_values)       \
  ROW(compared_blocks)       \
  ROW(operations)            \
  ROW(exact_numbers)         \
  ROW(units)                 \
  ROW(plugins)               \
  ROW(pin_vectors)           \
  ROW(circuits)              \
  ROW(netlists)              \
  ROW(mutants)               \
  MX_DPI_TARGET(ROW)         \
  MX_VPI_TARGET(ROW)

namespace mx::fuzz {

#define MX_DECLARE(name) Target name##_target();
MX_FUZZ_TARGETS(MX_DECLARE)
#undef MX_DECLARE

std::span<const Target> targets() {
#define MX_ROW(name) name##_target(),
  static const Target kTargets[] = {MX_FUZZ_TARGETS(MX_ROW)};
#undef MX_ROW
  return kTargets;
}

const Target* find_target(std::string_view name) {
  const auto all = targets();
  const auto found = std::ranges::find(all, name, &Target::name);
  return found == all.end() ? nullptr : &*found;
}

void require(bool holds, std::string_view law, std::string_view input) {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s\ninput:", static_cast<int>(law.size()), law.data());
  for (const char c : input.substr(0, 2000)) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '\\';
    std::fprintf(stderr, is_plain ? "%c" : "\\x%02x",
                 is_plain ? static_cast<unsigned>(c) : static_cast<unsigned char>(c));
  }
  std::fputc('\n', stderr);
  std::abort();
}

void require_words(std::string_view message, std::string_view input) {
  require(!message.empty(), "a refusal without words", input);
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
  std::size_t written = 0;
  while (descriptor_ >= 0 && written < bytes.size()) {
    const ssize_t count = write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  require(descriptor_ >= 0 && written == bytes.size(), "no file in memory", "");
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::string checkout() {
  const char* const other = std::getenv("MX_FUZZ_CHECKOUT");
  return other == nullptr ? MX_CHECKOUT : other;
}

std::string file_of_checkout(std::string_view path) {
  std::ifstream file(checkout() + "/" + std::string(path), std::ios::binary);
  require(static_cast<bool>(file), "a seed is missing", path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mx::fuzz
