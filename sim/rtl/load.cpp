#include "sim/rtl/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "golden/bytes/error.hpp"
#include "sim/compile/shell_word.hpp"
#include "sim/dut/dut.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

using Source = RtlSource;

/// How the simulations of every library end.
constexpr std::string_view kStop = "sim/rtl/library_stop.cpp";

/// The build that runs go through, with pins for a driver.
constexpr RtlLibrary kQuantizer{.folder = "rtl",
                                .top = "mx_quantizer",
                                .bench = "",
                                .header = "sim/dut/rtl_pins.hpp",
                                .code = "sim/rtl/library.cpp",
                                .functions = "mx_rtl_functions",
                                .optimised = "-O1",
                                .choice = {}};

std::string_view text_of(std::string_view path) {
  const auto files = rtl_files();
  const auto found = std::ranges::find(files, path, &RtlFile::path);
  return found == files.end() ? std::string_view{} : found->text;
}

bool is_module(const std::string& name) {
  return name.starts_with("mx_") && name.ends_with(".sv") && !name.ends_with("_checker.sv") &&
         !name.ends_with("_bind.sv");
}

/// The modules of this program that stand in a folder.
std::vector<Source> modules_in(std::string_view folder) {
  std::vector<Source> sources;
  for (const RtlFile& file : rtl_files()) {
    const fs::path path(file.path);
    const std::string name = path.filename();
    if (path.parent_path() == folder && is_module(name)) {
      sources.push_back({name, std::string(file.text)});
    }
  }
  return sources;
}

/// The modules that stand in somebody's folder.
std::vector<Source> modules_of(const fs::path& folder) {
  std::vector<Source> sources;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (is_module(name)) sources.push_back({name, whole_file(entry.path())});
  }
  return sources;
}

/// The package first.
bool comes_before(const Source& one, const Source& other) {
  return std::pair(one.name != "mx_pkg.sv", one.name) <
         std::pair(other.name != "mx_pkg.sv", other.name);
}

/// Does some text have this module in it, or is it the package?
bool is_named(const Source& module, std::string_view texts) {
  const std::string name = fs::path(module.name).stem();
  const auto has = [&](std::string_view behind) {
    return texts.find(fmt::format(" {} {}", name, behind)) != std::string_view::npos;
  };
  return name == "mx_pkg" || has("#(") || has("u_");
}

std::vector<Source> sources_of(const std::string& folder) {
  std::vector<Source> sources = folder.empty() ? modules_in("rtl") : modules_of(folder);
  if (std::ranges::find(sources, "mx_quantizer.sv", &Source::name) == sources.end()) {
    throw golden::VectorError(fmt::format(
        "{}: no mx_quantizer.sv; give the folder of the RTL, one of its faults (mxgold list "
        "faults), or a unit and parameters (mx_dequantizer,Lanes=8)",
        folder.empty() ? "rtl" : folder));
  }
  std::ranges::sort(sources, comes_before);
  return sources;
}

/// Those of a folder, and the bench: its own where the folder has one.
std::vector<Source> sources_of(const std::string& folder, const RtlLibrary& library) {
  std::vector<Source> sources = sources_of(folder);
  if (library.bench.empty()) return sources;
  const std::string name = fs::path(library.bench).filename();
  const fs::path own = fs::path(folder) / name;
  const bool has_own = !folder.empty() && fs::exists(own);
  sources.push_back({name, has_own ? whole_file(own) : std::string(text_of(library.bench))});
  return sources;
}

void build(const RtlLibrary& library, std::vector<Source> sources, Tracing tracing,
           const std::string& origin, const fs::path& folder) {
  require_buildable(folder);
  for (const std::string_view path : {library.header, library.code, kStop}) {
    write_file_below(folder / path, text_of(path));
  }
  if (library.made_of != nullptr) sources = library.made_of(sources, folder);
  std::string words;
  for (const Source& source : sources) {
    write_file_below(folder / "sources" / source.name, source.text);
    words += fmt::format(" sources/{}", source.name);
  }
  const bool has_ccache = run_by_shell("command -v ccache >/dev/null").status == 0;
  const ToolEnd end = run_by_shell(fmt::format(
      "cd {} && {} --cc --exe --build -j 2 -O3 -Wno-fatal -Werror-UNOPTFLAT --x-assign unique "
      "--x-initial unique --top-module {} --prefix V{} --Mdir code -CFLAGS "
      "'-std=c++20 -fPIC -I.. -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL{}'{} -LDFLAGS "
      "'-shared -lz' -MAKEFLAGS 'OPT_FAST={} OPT_SLOW=-O0 OPT_GLOBAL=-O1{}' -o rtl.so{} {} {}",
      shell_word(folder.native()), shell_word(verilator()), library.top, library.top,
      tracing == Tracing::kPresent ? " -DMX_WAVES" : "",
      tracing == Tracing::kPresent ? " --trace-fst" : "", library.optimised,
      has_ccache ? " OBJCACHE=ccache" : "", words, library.code, kStop));
  if (end.status != 0) {
    throw golden::VectorError(
        fmt::format("{}: the RTL does not compile:\n{}", origin, errors_of(end.text)));
  }
}

const void* load(const RtlLibrary& library, const std::vector<Source>& sources, Tracing tracing,
                 const std::string& origin) {
  CacheKey key;
  key.add("verilator", verilator_version());
  if (library.maker != nullptr) key.add("maker", library.maker());
  key.add("waves", tracing == Tracing::kPresent ? "fst" : "none");
  for (const std::string_view path : {library.header, library.code, kStop}) {
    key.add(path, text_of(path));
  }
  for (const Source& source : sources) key.add(source.name, source.text);
  const std::string notice = fmt::format("compiling the RTL of {}{}", origin,
                                         tracing == Tracing::kPresent ? ", with waveforms" : "");
  const std::string path =
      compiled(std::string(library.folder), key.text(), notice, "code/rtl.so",
               [&](const fs::path& work) { build(library, sources, tracing, origin, work); });
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) throw DutError(fmt::format("{}: {}", path, ::dlerror()));
  const void* const functions = ::dlsym(handle, std::string(library.functions).c_str());
  if (functions == nullptr) {
    throw DutError(fmt::format("{}: no {}; delete this file", path, library.functions));
  }
  return functions;
}

std::string digest_of(const std::vector<Source>& sources) {
  CacheKey key;
  for (const Source& source : sources) key.add(source.name, source.text);
  return key.text();
}

LoadedRtl load_with_faults(const RtlLibrary& library, Tracing tracing, int fault) {
  std::vector<RtlFault> faults;  // the texts of one stand on those before it
  std::ranges::copy_if(rtl_faults(), std::back_inserter(faults), &RtlFault::is_of_quantizer);
  const std::vector<Source> sources = with_faults(sources_of("", library), faults, library.choice);
  return {load(library, sources, tracing, "rtl with its faults"), fault, digest_of(sources)};
}

const RtlFunctions* pins_of(const LoadedRtl& loaded) {
  return static_cast<const RtlFunctions*>(loaded.functions);
}

}  // namespace

std::vector<RtlSource> rtl_sources(const std::string& folder) { return sources_of(folder); }

std::vector<RtlSource> unit_sources(std::string_view folder, const std::string& own) {
  std::vector<RtlSource> shared = sources_of(own);
  if (folder == "rtl") return shared;
  std::vector<RtlSource> alone =
      own.empty() ? modules_in(folder) : modules_of(fs::path(own) / fs::path(folder).filename());
  // What the unit's modules have, and what that has.
  std::string texts;
  for (const RtlSource& each : alone) texts += each.text;
  std::vector<RtlSource> sources;
  for (bool is_more = true; is_more;) {
    const auto had = std::ranges::partition(
        shared, [&](const RtlSource& each) { return !is_named(each, texts); });
    is_more = !had.empty();
    for (const RtlSource& each : had) texts += each.text;
    std::ranges::move(had, std::back_inserter(sources));
    shared.erase(had.begin(), had.end());
  }
  std::ranges::sort(sources, comes_before);
  std::ranges::move(alone, std::back_inserter(sources));
  return sources;
}

std::string folder_of_unit(std::string_view top) {
  for (const RtlFile& file : rtl_files()) {
    const fs::path path(file.path);
    if (file.path.starts_with("rtl/") && path.stem() == top) return path.parent_path();
  }
  throw golden::VectorError(fmt::format("{}: the RTL of this program has no such module", top));
}

LoadedRtl load_library(const RtlLibrary& library, const std::string& name, Tracing tracing) {
  if (const RtlFault* const fault = find_rtl_fault(name)) {
    if (library.made_of != nullptr) {
      throw golden::VectorError(fmt::format(
          "{}: faults are chosen where the RTL itself is simulated; give a folder with it", name));
    }
    if (!fault->is_whole()) {
      throw golden::VectorError(
          fmt::format("rtl:{}: the build of 32 lanes does not show this fault (tests: {})", name,
                      fault->builds));
    }
    return load_with_faults(library, tracing, fault->number);
  }
  const std::vector<Source> sources = sources_of(name, library);
  return {load(library, sources, tracing, name.empty() ? "rtl" : name), 0, digest_of(sources)};
}

RtlBuild load_rtl(const std::string& name, Tracing tracing) {
  const LoadedRtl loaded = load_library(kQuantizer, name, tracing);
  return {pins_of(loaded), loaded.fault};
}

RtlBuild load_faulty_rtl(Tracing tracing) {
  return {pins_of(load_with_faults(kQuantizer, tracing, 0))};
}

}  // namespace mx::sim
