#include "sim/rtl/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
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

/// Are its text and what is compiled of it the library's, whatever the RTL?
bool is_of_library(const RtlFile& file) {
  return file.path.ends_with(".hpp") || file.path.ends_with(".cpp");
}

bool is_module(const std::string& name) {
  return name.starts_with("mx_") && name.ends_with(".sv") && !name.ends_with("_checker.sv") &&
         !name.ends_with("_bind.sv");
}

std::vector<Source> sources_of(const std::string& folder) {
  std::vector<Source> sources;
  if (folder.empty()) {
    for (const RtlFile& file : rtl_files()) {
      const std::string name = fs::path(file.path).filename();
      if (is_module(name)) sources.push_back({name, std::string(file.text)});
    }
  } else {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      const std::string name = entry.path().filename();
      if (is_module(name)) sources.push_back({name, whole_file(entry.path())});
    }
  }
  if (std::ranges::find(sources, "mx_quantizer.sv", &Source::name) == sources.end()) {
    throw golden::VectorError(fmt::format(
        "{}: no mx_quantizer.sv; give the folder of the RTL, or one of its faults (mxgold "
        "list faults)",
        folder.empty() ? "rtl" : folder));
  }
  // The package first.
  std::ranges::sort(sources, {}, [](const Source& source) {
    return std::pair(source.name != "mx_pkg.sv", source.name);
  });
  return sources;
}

void build(const std::vector<Source>& sources, Tracing tracing, const std::string& origin,
           const fs::path& folder) {
  for (const RtlFile& file : rtl_files()) {
    if (is_of_library(file)) write_file_below(folder / file.path, file.text);
  }
  std::string words;
  for (const Source& source : sources) {
    write_file_below(folder / "sources" / source.name, source.text);
    words += fmt::format(" sources/{}", source.name);
  }
  const bool has_ccache = run_by_shell("command -v ccache >/dev/null").status == 0;
  const ToolEnd end = run_by_shell(fmt::format(
      "cd {} && {} --cc --exe --build -j 2 -O3 -Wno-fatal -Werror-UNOPTFLAT --x-assign unique "
      "--x-initial unique --top-module mx_quantizer --prefix Vmx_quantizer --Mdir code -CFLAGS "
      "'-std=c++20 -fPIC -I.. -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL{}'{} -LDFLAGS "
      "'-shared -lz' -MAKEFLAGS 'OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1{}' -o rtl.so{} "
      "sim/rtl/library.cpp",
      shell_word(folder.native()), shell_word(verilator()),
      tracing == Tracing::kPresent ? " -DMX_WAVES" : "",
      tracing == Tracing::kPresent ? " --trace-fst" : "", has_ccache ? " OBJCACHE=ccache" : "",
      words));
  if (end.status != 0) {
    throw golden::VectorError(
        fmt::format("{}: the RTL does not compile:\n{}", origin, errors_of(end.text)));
  }
}

const RtlFunctions& load(const std::vector<Source>& sources, Tracing tracing,
                         const std::string& origin) {
  CacheKey key;
  key.add("verilator", verilator_version());
  key.add("waves", tracing == Tracing::kPresent ? "fst" : "none");
  for (const RtlFile& file : rtl_files()) {
    if (is_of_library(file)) key.add(file.path, file.text);
  }
  for (const Source& source : sources) key.add(source.name, source.text);
  const std::string notice = fmt::format("compiling the RTL of {}{}", origin,
                                         tracing == Tracing::kPresent ? ", with waveforms" : "");
  const std::string path =
      compiled("rtl", key.text(), notice, "code/rtl.so",
               [&](const fs::path& work) { build(sources, tracing, origin, work); });
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw DutError(fmt::format("{}: {}", path, ::dlerror()));
  const void* const functions = ::dlsym(library, "mx_rtl_functions");
  if (functions == nullptr) throw DutError(path + ": no mx_rtl_functions; delete this file");
  return *static_cast<const RtlFunctions*>(functions);
}

}  // namespace

RtlBuild load_rtl(const std::string& name, Tracing tracing) {
  if (const RtlFault* const fault = find_rtl_fault(name)) {
    if (!fault->is_whole()) {
      throw golden::VectorError(
          fmt::format("rtl:{}: the build of 32 lanes does not show this fault (tests: {})", name,
                      fault->builds));
    }
    return {load_faulty_rtl(tracing).functions, fault->number};
  }
  return {&load(sources_of(name), tracing, name.empty() ? "rtl" : name)};
}

RtlBuild load_faulty_rtl(Tracing tracing) {
  std::vector<RtlFault> faults;  // the texts of one stand on those before it
  std::ranges::copy_if(rtl_faults(), std::back_inserter(faults), &RtlFault::is_of_quantizer);
  return {&load(with_faults(sources_of(""), faults), tracing, "rtl with its faults")};
}

}  // namespace mx::sim
