#include "sim/device/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "golden/bytes/error.hpp"
#include "golden/bytes/host_error.hpp"
#include "sim/compile/shell_word.hpp"
#include "sim/device/bench_files.hpp"
#include "sim/device/fit.hpp"
#include "sim/device/ports.hpp"
#include "sim/device/source.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// The folder that is kept, and the program in it.
constexpr const char* kProduct = "made";
constexpr const char* kProgram = "Vdevice";

/// What the description names: its sources, and the files in its folders.
std::vector<std::string> named_files(const Description& description) {
  std::vector<std::string> files = description.sources;
  for (const std::string& folder : description.include) {
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
      if (each.is_regular_file()) files.push_back(each.path().string());
    }
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

/// A digest of everything that the program is made of, as far as the description names it.
std::string key_of(const Description& description, Tracing tracing, const std::string& version) {
  CacheKey key;
  key.add("verilator", version);
  if (tracing == Tracing::kPresent) key.add("waves", "fst");
  for (const BenchFile& file : bench_files()) key.add(file.path, file.text);
  for (const BenchFile& file : maker_files()) key.add(file.path, file.text);
  key.add("description", description.text);
  for (const std::string& file : named_files(description)) key.add(file, whole_file(file));
  return key.text();
}

/// Where files are looked for, besides what the further options name.
std::vector<std::string> folders_of(const Description& description) {
  std::vector<std::string> folders = description.include;
  for (const std::string& source : description.sources) {
    folders.push_back(fs::path(source).parent_path());
  }
  return folders;
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

/// Throws golden::HostError where the tool ended for want of something that the machine has too
/// little of.
void require_room(const std::string& path, const ToolEnd& end) {
  const std::string lack = end.status == 0 ? "" : lack_in(end.text);
  if (lack.empty()) return;
  throw golden::HostError(
      fmt::format("{}: the module could not be compiled on this machine: {}; the folder is that of "
                  "the cache (MXGOLD_CACHE)",
                  path, lack));
}

void verilate(const Description& description, Tracing tracing, const fs::path& folder) {
  require_buildable(folder);
  std::string users;
  for (const BenchFile& file : bench_files()) {
    write_file_below(folder / file.path, file.text);
    if (file.path.ends_with(".cpp")) users += fmt::format(" {}", file.path);
  }
  const std::string module = module_words(description);
  const std::string_view waves = tracing == Tracing::kPresent
                                     ? " --trace-fst -CFLAGS '-DMX_WAVES -DVL_USER_FINISH "
                                       "-DVL_USER_STOP -DVL_USER_FATAL' -LDFLAGS -lz"
                                     : "";
  // The name and the place come last: they hold whatever a list of options (-f) says.
  const ToolEnd end = run_by_shell(fmt::format(
      "cd {} && {} --cc --exe --no-MMD -O3 --assert --x-assign unique --x-initial unique -CFLAGS "
      "'-std=c++20 -I.'{}{}{} mx_device.cpp --prefix Vdevice --Mdir .",
      shell_word(folder.native()), shell_word(verilator()), waves, module, users));
  require_room(description.path, end);
  if (end.status == 0) {
    if (fs::exists(folder / "Vdevice.h") && fs::exists(folder / "Vdevice.mk")) return;
    throw golden::VectorError(
        fmt::format("{}: verilator: '{}' ended well and made no Vdevice.h; what it said:\n{}",
                    description.path, verilator(), end.text.substr(0, 400)));
  }
  throw golden::VectorError(
      fmt::format("{}: the module does not compile:\n{}  again: {} --lint-only{}", description.path,
                  errors_of(end.text), verilator(), module));
}

/// What the ports carry, a line a part: they are known only while the module is compiled.
constexpr const char* kCarried = "carried";

std::string text_of(const std::vector<Carried>& carried) {
  std::string text;
  for (const Carried& each : carried) {
    text += fmt::format("{} {} {} {:d} {:d} {:d} {}\n", each.field, each.words, each.width,
                        each.is_result, each.is_shared, each.is_number, each.place);
  }
  return text;
}

std::vector<Carried> carried_of(const std::string& text) {
  std::vector<Carried> list;
  std::istringstream in(text);
  for (Carried each; in >> each.field >> each.words >> each.width >> each.is_result >>
                     each.is_shared >> each.is_number;) {
    std::getline(in >> std::ws, each.place);
    list.push_back(each);
  }
  return list;
}

void compile(const Description& description, const fs::path& folder) {
  const FittedDevice fitted = fit(description, ports_of(whole_file(folder / "Vdevice.h")));
  write_file_below(folder / kProduct / kCarried, text_of(fitted.carried));
  write_file_below(folder / "mx_device.cpp", device_source(fitted));
  const bool has_ccache = run_by_shell("command -v ccache >/dev/null").status == 0;
  const ToolEnd end = run_by_shell(fmt::format(
      "cd {} && {}make -s -j2 -f Vdevice.mk OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1 Vdevice",
      shell_word(folder.native()), has_ccache ? "OBJCACHE=ccache " : ""));
  require_room(description.path, end);
  if (end.status == 0) return fs::rename(folder / kProgram, folder / kProduct / kProgram);
  // How make, a shell and ccache say that there is no such program.
  constexpr std::array<std::string_view, 3> kMissing = {"Error 127", "not found",
                                                        "Could not find compiler"};
  const bool is_missing = std::ranges::any_of(
      kMissing, [&](std::string_view words) { return end.text.find(words) != std::string::npos; });
  const bool lacks_zlib = end.text.find("zlib.h") != std::string::npos;
  throw golden::VectorError(fmt::format(
      "{}: the Verilated module does not compile with the bench{}{}:\n{}", description.path,
      is_missing ? "; the programs make and g++ are needed, install both" : "",
      lacks_zlib ? "; waveforms need zlib's header, install zlib1g-dev (Fedora: zlib-devel)" : "",
      errors_of(end.text)));
}

/// The folder of the cache.
constexpr const char* kCache = "devices";

}  // namespace

BuiltDevice build_device(const Description& description, Tracing tracing) {
  const std::string notice = fmt::format("compiling {} of {}{}", description.top, description.path,
                                         tracing == Tracing::kPresent ? ", with waveforms" : "");
  const auto make = [&](const fs::path& folder) {
    verilate(description, tracing, folder);
    // Before the long part: a file that changes meanwhile is another one at the next look-up.
    ReadFiles files = files_of_verilator(folder, description.verilator, folders_of(description));
    compile(description, folder);
    add_files_of_compiler(folder, files);
    return files;
  };
  const fs::path made = compiled_of_files(kCache, key_of(description, tracing, verilator_version()),
                                          notice, kProduct, make);
  return {made / kProgram, carried_of(whole_file(made / kCarried))};
}

std::vector<Port> ports_of_module(const Description& description) {
  constexpr const char* kHeader = "Vdevice.h";
  const std::string key = key_of(description, Tracing::kAbsent, verilator_version());
  const std::string notice = fmt::format("reading {}", description.top);
  return ports_of(whole_file(compiled("ports", key, notice, kHeader, [&](const fs::path& folder) {
    verilate(description, Tracing::kAbsent, folder);
  })));
}

std::vector<std::string> files_behind(const Description& description) {
  std::vector<std::string> files = named_files(description);
  const std::string key = key_of(description, Tracing::kAbsent, verilator_version());
  const std::vector<std::string> read = files_read_for(kCache, key);
  files.insert(files.end(), read.begin(), read.end());
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace mx::sim
