// What is fuzzed: entries of the project that take bytes from strangers. Each reads its input or
// refuses it in words; a crash, a hang, another exception or a broken law ends the process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::fuzz {

enum class Outcome : std::uint8_t { kRead, kRefused };

struct Target {
  std::string_view name;
  Outcome (*run)(std::string_view input);
  /// Inputs to start from, at least one of which is read.
  std::vector<std::string> (*seeds)();
  int turns = 2000;  ///< changes of seeds that the default tests try
};

[[nodiscard]] std::span<const Target> targets();
/// Nullptr for another name.
[[nodiscard]] const Target* find_target(std::string_view name);

/// Prints rule and input and aborts where the rule does not hold.
void require(bool holds, std::string_view law, std::string_view input);
/// The rule of refusals: they say something.
void require_words(std::string_view message, std::string_view input);

/// Bytes as a file that a path names, for readers that take paths.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// The folder of the checkout that was built, or MX_FUZZ_CHECKOUT, for a fuzzer that outlives it.
[[nodiscard]] std::string checkout();
/// A file of the checkout, by its path from the root.
[[nodiscard]] std::string file_of_checkout(std::string_view path);

/// Calls read(); a refusal is an exception of one type.
template <typename Refusal, typename Read>
[[nodiscard]] Outcome read_or_refuse(std::string_view input, Read&& read) {
  try {
    read();
  } catch (const Refusal& refusal) {
    require_words(refusal.what(), input);
    return Outcome::kRefused;
  }
  return Outcome::kRead;
}

}  // namespace mx::fuzz
