#include "sim/netlist/build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw ToolError(fmt::format("{}: cannot be written", path.string()));
}

/// The modules by name, the package first, without what belongs to no netlist.
std::vector<std::string> sources_of(const fs::path& rtl) {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(rtl, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_module = name.starts_with("mx_") && name.ends_with(".sv");
    if (is_module && name != "mx_pkg.sv" && name != "mx_lfsr.sv" &&
        name.find("_checker") == std::string::npos) {
      names.push_back(name);
    }
  }
  if (std::ranges::find(names, "mx_quantizer.sv") == names.end()) {
    throw ToolError(
        fmt::format("{}: no mx_quantizer.sv; give the folder of the RTL (--rtl)", rtl.string()));
  }
  std::ranges::sort(names);
  names.insert(names.begin(), "mx_pkg.sv");
  return names;
}

std::vector<Mutation> read_list(const fs::path& path) {
  std::ifstream file(path);
  std::vector<Mutation> list;
  for (std::string line; std::getline(file, line);) {
    std::optional<Mutation> mutation = parse_mutation(line);
    if (!mutation) throw ToolError(fmt::format("{}: not a mutation: {}", path.string(), line));
    list.push_back(std::move(*mutation));
  }
  return list;
}

}  // namespace

std::string digest_of_rtl(const fs::path& rtl) {
  golden::Sha256 sha;
  for (const std::string& name : sources_of(rtl)) {
    std::ifstream file(rtl / name, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
      throw ToolError(fmt::format("{}: cannot be read", (rtl / name).string()));
    }
    sha.update(fmt::format("{}\n{}\n", name, text.str()));
  }
  return golden::to_hex(sha.finish());
}

NetlistFiles make_netlist(const fs::path& rtl, const NetlistBuild& build, const fs::path& work) {
  const NetlistFiles files{work / "netlist.il", work / "netlist.json", {}};
  // $pmux says nothing of two selections at once, which a mutant can make: every tool takes
  // another.
  write(work / "netlist.ys",
        fmt::format("read_verilog -sv {}\n"
                    "hierarchy -check -top mx_quantizer -chparam Lanes {} -chparam BlockSize {}\n"
                    "proc; flatten; opt; pmuxtree; opt_clean; check -assert\n"
                    "write_rtlil {}\nwrite_json {}\n",
                    fmt::join(sources_of(rtl), " "), build.lanes, build.block, files.rtlil.string(),
                    files.json.string()));
  // Most of what Yosys 0.23 gets wrong it warns of.
  run_tool({"yosys", "-e", ".*", "-s", (work / "netlist.ys").string()}, rtl, work / "netlist.log");
  // More than there are: all of them.
  const fs::path list = work / "all_mutations.txt";
  write(work / "list.ys", fmt::format("read_rtlil {}\nmutate -list 100000000 -seed 1 -o {}\n",
                                      files.rtlil.string(), list.string()));
  run_tool({"yosys", "-q", "-s", (work / "list.ys").string()}, work, work / "list.log");
  NetlistFiles result = files;
  result.all = read_list(list);
  if (result.all.empty()) {
    throw ToolError(fmt::format(
        "yosys lists no mutation of the netlist ({}): is the program in PATH a Yosys of 0.23 or "
        "later?",
        list.string()));
  }
  return result;
}

fs::path compile_mutants(const NetlistFiles& netlist, const std::vector<Mutation>& mutants,
                         const fs::path& work) {
  if (mutants.size() >= std::size_t{1} << kMutselBits) {
    throw ToolError(fmt::format("{} mutants, at most {} fit one netlist", mutants.size(),
                                (1 << kMutselBits) - 1));
  }
  // Without drivers of their own, vectors of a flat netlist look like loops to Verilator.
  std::string script = fmt::format("read_rtlil {}\n", netlist.rtlil.string());
  int number = 0;
  for (const Mutation& mutant : mutants) {
    ++number;
    if (mutant.is_of_logic()) script += mutant.command(number) + "\n";
  }
  script += fmt::format("opt_clean\nsplitnets -driver\nwrite_verilog -noattr {}\n",
                        (work / "mutants.v").string());
  write(work / "mutants.ys", script);
  run_tool({"yosys", "-q", "-s", (work / "mutants.ys").string()}, work, work / "mutants.log");
  write(work / "library.cpp", netlist_library_source());
  run_tool({"verilator",
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "-Wno-lint",
            "-Wno-fatal",
            "-Werror-UNOPTFLAT",
            "--x-assign",
            "unique",
            "--x-initial",
            "unique",
            "--top-module",
            "mx_quantizer",
            "--prefix",
            "Vmutants",
            "--Mdir",
            (work / "code").string(),
            "-CFLAGS",
            "-fPIC -DVL_USER_FINISH -DVL_USER_STOP -DVL_USER_FATAL",
            "-LDFLAGS",
            "-shared",
            "-o",
            "libmutants.so",
            "-MAKEFLAGS",
            "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1",
            (work / "mutants.v").string(),
            (work / "library.cpp").string()},
           work, work / "verilator.log");
  return work / "code" / "libmutants.so";
}

}  // namespace mx::sim
