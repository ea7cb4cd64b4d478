#include "sim/compile/compiled.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "golden/bytes/error.hpp"
#include "golden/bytes/host_error.hpp"
#include "golden/bytes/sha256.hpp"
#include "sim/compile/cache.hpp"
#include "sim/compile/shell_word.hpp"
#include "sim/dut/dut.hpp"
#include "sim/record/interrupt.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// A folder of this process below the cache, removed with all that is in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& cache) {
    std::string name = cache / "building-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw golden::VectorError(
          cache.string() +
          ": cannot make a folder in it; set MXGOLD_CACHE to one that can be written");
    }
    path_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs `make` in a folder of its own. A signal ends the tools too; then the folder goes, and then
/// this program.
void build(const fs::path& cache, const std::string& notice,
           const std::function<void(const fs::path&)>& make) {
  fmt::print(stderr, "{}\n", notice);
  int signal = 0;
  {
    const InterruptWatch watch;
    const Workshop workshop(cache);
    try {
      make(workshop.path());
    } catch (const golden::VectorError&) {
      if (InterruptWatch::caught() == 0) throw;
    }
    signal = InterruptWatch::caught();
  }
  if (signal == 0) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string key_with(const std::string& key, const ReadFiles& files) {
  CacheKey whole;
  whole.add("key", key);
  for (const auto& [name, digest] : files.digests()) whole.add(name, digest);
  return whole.text();
}

}  // namespace

ToolEnd run_by_shell(const std::string& command) {
  ToolEnd end;
  std::FILE* const pipe = popen(fmt::format("( {} ) 2>&1", command).c_str(), "r");
  if (pipe == nullptr) {
    throw golden::HostError(
        fmt::format("cannot start a shell: {}; it was for: {}", std::strerror(errno), command));
  }
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    end.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw golden::VectorError(path.string() + ": cannot read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file_below(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw golden::VectorError(path.string() +
                              ": cannot write; set MXGOLD_CACHE to a folder that can be");
}

void require_buildable(const fs::path& folder) {
  if (folder.native().find_first_of(" \t\n") == std::string::npos) return;
  throw golden::VectorError(
      fmt::format("{}: has a space in its path, where make cannot build; set MXGOLD_CACHE to a "
                  "folder without",
                  folder.parent_path().native()));
}

std::string verilator() {
  const char* const named = std::getenv("MXGOLD_VERILATOR");
  return named == nullptr ? "verilator" : named;
}

std::string verilator_version() {
  const ToolEnd end = run_by_shell(fmt::format("{} --version", shell_word(verilator())));
  if (end.status == 0) return end.text;
  throw DutError(
      fmt::format("modules are compiled by Verilator, and '{} --version' ended with {}: install "
                  "the package verilator, or name the program in MXGOLD_VERILATOR",
                  verilator(), end.status));
}

std::string errors_of(const std::string& log) {
  constexpr std::size_t kLines = 40;
  std::string errors;
  std::size_t lines = 0;
  bool is_error = false;
  for (std::size_t at = 0; at < log.size() && lines < kLines;) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('%')) is_error = line.starts_with("%Error");
    const auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
    if (!line.starts_with('%') && (says("rror") || says("not found") || says("No such file")))
      is_error = true;
    if (!is_error) continue;
    errors += "  " + line + '\n';
    ++lines;
  }
  return errors.empty() ? log.substr(0, 4000) : errors;
}

std::string lack_in(const std::string& log) {
  // As the C library, compilers, make and Verilator say it.
  constexpr std::array<std::string_view, 8> kWords = {
      "No space left on device",  "Disk quota exceeded",     "Cannot allocate memory",
      "virtual memory exhausted", "out of memory",           "Resource temporarily unavailable",
      "Too many open files",      "Killed signal terminated"};
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = std::string_view(log).substr(at, end - at);
    const auto says = [&](std::string_view words) { return line.find(words) != line.npos; };
    if (std::ranges::any_of(kWords, says)) return std::string(line);
    at = end + 1;
  }
  return "";
}

struct CacheKey::State {
  golden::Sha256 digest;
};

CacheKey::CacheKey() : state_(std::make_unique<State>()) {}
CacheKey::~CacheKey() = default;

void CacheKey::add(std::string_view name, std::string_view text) {
  state_->digest.update(
      fmt::format("{} {} {}\n", name, text.size(), golden::to_hex(golden::sha256(text))));
}

std::string CacheKey::text() { return golden::to_hex(state_->digest.finish()).substr(0, 32); }

std::string compiled(const std::string& folder, const std::string& key, const std::string& notice,
                     const std::string& product, const std::function<void(const fs::path&)>& make) {
  const fs::path cache = own_cache(folder);
  const fs::path file = cache / key;
  if (!fs::exists(fs::symlink_status(file))) {
    build(cache, notice, [&](const fs::path& workshop) {
      make(workshop);
      if (InterruptWatch::caught() != 0) return;
      close_to_others(workshop / product);
      fs::rename(workshop / product, file);
    });
  }
  require_own(file);
  return file;
}

std::string compiled_of_files(const std::string& folder, const std::string& key,
                              const std::string& notice, const std::string& product,
                              const std::function<ReadFiles(const fs::path&)>& make) {
  const fs::path cache = own_cache(folder);
  const fs::path list = cache / (key + ".read");
  if (fs::exists(fs::symlink_status(list))) {
    require_own(list);
    const fs::path file = cache / key_with(key, ReadFiles::now(whole_file(list)));
    if (fs::exists(fs::symlink_status(file))) {
      require_own(file);
      return file;
    }
  }
  fs::path file;
  build(cache, notice, [&](const fs::path& workshop) {
    const ReadFiles files = make(workshop);
    if (InterruptWatch::caught() != 0) return;
    file = cache / key_with(key, files);
    write_file_below(workshop / "names.read", files.names());
    close_to_others(workshop);
    std::error_code error;
    fs::rename(workshop / product, file, error);
    // A folder does not take the place of another: a process beside this one made the same.
    if (error && !fs::exists(file)) {
      throw golden::VectorError(fmt::format("{}: {}; set MXGOLD_CACHE to a folder of one's own",
                                            file.native(), error.message()));
    }
    fs::rename(workshop / "names.read", list);
  });
  require_own(file);
  return file;
}

std::vector<std::string> files_read_for(const std::string& folder, const std::string& key) {
  const fs::path list = own_cache(folder) / (key + ".read");
  std::vector<std::string> names;
  if (!fs::exists(list)) return names;
  const ReadFiles files = ReadFiles::now(whole_file(list));
  for (const auto& [name, digest] : files.digests()) names.push_back(name);
  return names;
}

}  // namespace mx::sim
