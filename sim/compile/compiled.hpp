// Programs and libraries that are compiled when they are first asked for, and kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compile/read_files.hpp"

namespace mx::sim {

/// Can what is compiled record waveforms? What can is slower.
enum class Tracing : std::uint8_t { kAbsent, kPresent };

struct ToolEnd {
  int status = 0;
  std::string text;  ///< both of its streams
};

/// Runs a command by the shell.
[[nodiscard]] ToolEnd run_by_shell(const std::string& command);

/// The Verilator that is used: MXGOLD_VERILATOR, else that of the path.
[[nodiscard]] std::string verilator();
/// What it says of itself. Throws DutError where there is none.
[[nodiscard]] std::string verilator_version();

[[nodiscard]] std::string whole_file(const std::filesystem::path& path);
/// Makes the folders above it, too.
void write_file_below(const std::filesystem::path& path, std::string_view text);

/// Throws golden::VectorError where make cannot build in the folder: one with a space in its path.
void require_buildable(const std::filesystem::path& folder);

/// The lines of a log that say what is wrong; all where none does.
[[nodiscard]] std::string errors_of(const std::string& log);

/// The line of a log that says what the machine has too little of (space, memory, processes); ""
/// where none does.
[[nodiscard]] std::string lack_in(const std::string& log);

/// A digest over names and texts.
class CacheKey {
 public:
  CacheKey();
  ~CacheKey();
  CacheKey(const CacheKey&) = delete;
  CacheKey& operator=(const CacheKey&) = delete;
  void add(std::string_view name, std::string_view text);
  [[nodiscard]] std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file with this key in a folder of the cache; where there is none, what `make` leaves in a
/// folder of its own as `product`, `notice` being said on standard error before. A file enters the
/// cache (sim/compile/cache.hpp) whole, by a rename, and leaves it as the user's own only. A signal
/// ends the program once the tools have ended. `make` throws golden::VectorError.
[[nodiscard]] std::string compiled(const std::string& folder, const std::string& key,
                                   const std::string& notice, const std::string& product,
                                   const std::function<void(const std::filesystem::path&)>& make);

/// compiled() of a file or folder where `make` alone knows what it reads: it says so, and what it
/// made is found as long as these files are as they were. Names of files stand beside the products,
/// whose own names are digests of the key and of what the files hold: neither is ever changed, so
/// processes that compile at once do not disturb each other.
[[nodiscard]] std::string compiled_of_files(
    const std::string& folder, const std::string& key, const std::string& notice,
    const std::string& product, const std::function<ReadFiles(const std::filesystem::path&)>& make);

/// The files that the product of compiled_of_files() hangs on, also some that are not there; none
/// where nothing with this key was made.
[[nodiscard]] std::vector<std::string> files_read_for(const std::string& folder,
                                                      const std::string& key);

}  // namespace mx::sim
