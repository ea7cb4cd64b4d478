#include "sim/device/build.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "golden/bytes/error.hpp"
#include "golden/bytes/sha256.hpp"
#include "sim/device/bench_files.hpp"
#include "sim/device/fit.hpp"
#include "sim/device/ports.hpp"
#include "sim/device/shell_word.hpp"
#include "sim/device/source.hpp"
#include "sim/dut/dut.hpp"
#include "sim/record/interrupt.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

struct ToolEnd {
  int status = 0;
  std::string text;
};

/// Runs a command by the shell; both of its streams.
ToolEnd run_tool(const std::string& command) {
  ToolEnd end;
  std::FILE* const pipe = popen(fmt::format("( {} ) 2>&1", command).c_str(), "r");
  if (pipe == nullptr) throw DutError("cannot start a shell for: " + command);
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

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw golden::VectorError(path.string() +
                              ": cannot write; set MXGOLD_CACHE to a folder that can be");
}

std::string verilator() {
  const char* const named = std::getenv("MXGOLD_VERILATOR");
  return named == nullptr ? "verilator" : named;
}

std::string verilator_version() {
  const ToolEnd end = run_tool(fmt::format("{} --version", shell_word(verilator())));
  if (end.status == 0) return end.text;
  throw DutError(
      fmt::format("device files need Verilator, and '{} --version' ended with {}: install "
                  "the package verilator, or name the program in MXGOLD_VERILATOR",
                  verilator(), end.status));
}

fs::path cache_folder() {
  if (const char* const own = std::getenv("MXGOLD_CACHE"); own != nullptr && *own != '\0')
    return own;
  if (const char* const xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    return fs::path(xdg) / "mxgold";
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache" / "mxgold";
  }
  return fs::temp_directory_path() / "mxgold";
}

/// A digest of everything that the program is made of.
std::string key_of(const Description& description, Tracing tracing, const std::string& version) {
  golden::Sha256 digest;
  const auto add = [&](std::string_view name, std::string_view text) {
    digest.update(
        fmt::format("{} {} {}\n", name, text.size(), golden::to_hex(golden::sha256(text))));
  };
  add("verilator", version);
  if (tracing == Tracing::kPresent) add("waves", "fst");
  for (const BenchFile& file : bench_files()) add(file.path, file.text);
  add("description", description.text);
  for (const std::string& source : description.sources) add(source, whole_file(source));
  for (const std::string& folder : description.include) {
    std::vector<fs::path> files;
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
      if (each.is_regular_file()) files.push_back(each.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) add(file.string(), whole_file(file));
  }
  return golden::to_hex(digest.finish()).substr(0, 32);
}

/// What says which module is meant, for any mode of Verilator.
std::string module_words(const Description& description) {
  std::string words =
      fmt::format(" --top-module {} -Wno-fatal --no-timing", shell_word(description.top));
  const auto add = [&](const std::string& word) { words += fmt::format(" {}", shell_word(word)); };
  for (const std::string& folder : description.include) add(fmt::format("-I{}", folder));
  for (const auto& [name, value] : description.define) add(fmt::format("-D{}={}", name, value));
  for (const auto& [name, value] : description.parameter) add(fmt::format("-G{}={}", name, value));
  for (const std::string& option : description.verilator) add(option);
  for (const std::string& source : description.sources) add(source);
  return words;
}

/// The lines of a log that say what is wrong; all where none does.
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
    if (!line.starts_with('%') && line.find("rror") != std::string::npos) is_error = true;
    if (!is_error) continue;
    errors += "  " + line + '\n';
    ++lines;
  }
  return errors.empty() ? log.substr(0, 4000) : errors;
}

/// A folder of this process below the cache, removed with all that is in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& cache) {
    std::error_code error;
    fs::create_directories(cache, error);
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

void verilate(const Description& description, Tracing tracing, const fs::path& folder) {
  std::string users;
  for (const BenchFile& file : bench_files()) {
    write_file(folder / file.path, file.text);
    if (file.path.ends_with(".cpp")) users += fmt::format(" {}", file.path);
  }
  const std::string module = module_words(description);
  const std::string_view waves = tracing == Tracing::kPresent
                                     ? " --trace-fst -CFLAGS '-DMX_WAVES -DVL_USER_FINISH "
                                       "-DVL_USER_STOP -DVL_USER_FATAL' -LDFLAGS -lz"
                                     : "";
  const ToolEnd end = run_tool(
      fmt::format("cd {} && {} --cc --exe --prefix Vdevice --Mdir . -O3 --assert --x-assign unique "
                  "--x-initial unique -CFLAGS '-std=c++20 -I.'{}{}{} mx_device.cpp",
                  shell_word(folder.native()), shell_word(verilator()), waves, module, users));
  if (end.status == 0) return;
  throw golden::VectorError(
      fmt::format("{}: the module does not compile:\n{}  again: {} --lint-only{}", description.path,
                  errors_of(end.text), verilator(), module));
}

void compile(const Description& description, const fs::path& folder) {
  write_file(folder / "mx_device.cpp",
             device_source(fit(description, ports_of(whole_file(folder / "Vdevice.h")))));
  const bool has_ccache = run_tool("command -v ccache >/dev/null").status == 0;
  const ToolEnd end = run_tool(fmt::format(
      "cd {} && {}make -s -j2 -f Vdevice.mk OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1 Vdevice",
      shell_word(folder.native()), has_ccache ? "OBJCACHE=ccache " : ""));
  if (end.status == 0) return;
  throw golden::VectorError(
      fmt::format("{}: the Verilated module does not compile with the bench:\n{}", description.path,
                  errors_of(end.text)));
}

}  // namespace

std::string build_device(const Description& description, Tracing tracing) {
  const fs::path cache = cache_folder() / "devices";
  const fs::path program = cache / key_of(description, tracing, verilator_version());
  if (fs::exists(program)) return program;
  fmt::print(stderr, "compiling {} of {}{}\n", description.top, description.path,
             tracing == Tracing::kPresent ? ", with waveforms" : "");
  int signal = 0;
  {
    // A signal ends the tools too; then the folder goes, and then this program.
    const InterruptWatch watch;
    const Workshop workshop(cache);
    try {
      verilate(description, tracing, workshop.path());
      compile(description, workshop.path());
      if (InterruptWatch::caught() == 0) fs::rename(workshop.path() / "Vdevice", program);
    } catch (const golden::VectorError&) {
      if (InterruptWatch::caught() == 0) throw;
    }
    signal = InterruptWatch::caught();
  }
  if (signal != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  return program;
}

}  // namespace mx::sim
