#include "cli/doctor/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "cli/parts/child.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kSimulators = "Simulators", kCompilers = "Compilers",
                           kProofs = "Proofs and synthesis", kModels = "Other models",
                           kClusters = "Clusters", kPython = "Python";

/// A program that says its version.
struct Program {
  std::string_view group, name, question, purpose, remedy;
};

constexpr Program kPrograms[] = {
    {kSimulators, "verilator", "--version",
     "compiles SystemVerilog for run --dut device:FILE.json and rtl:FOLDER",
     "apt install verilator"},
    {kSimulators, "iverilog", "-V", "runs your bench with the VPI library (mxgold dpi --vpi)",
     "apt install iverilog"},
    {kCompilers, "c++", "--version", "compiles what Verilator makes, plugins and DPI-C code",
     "apt install g++"},
    {kCompilers, "make", "--version", "builds what Verilator makes", "apt install make"},
    {kCompilers, "nvcc", "--version", "builds mxgold with CUDA: run --dut cuda, --backend cuda",
     "install the CUDA toolkit"},
    {kProofs, "yosys", "-V", "proves statements about RTL (mxgold prove), makes netlists (mutate)",
     "apt install yosys"},
    {kProofs, "yosys-abc", "", "solves what yosys asks (mxgold prove)", "apt install yosys"},
    {kClusters, "sbatch", "--version", "submits shards to Slurm (mxgold farm --slurm)",
     "ask whoever runs the cluster"},
    {kPython, "python3", "--version", "runs the mxgold package and cocotb benches",
     "apt install python3"}};

/// A package of Python.
struct Package {
  std::string_view name, purpose;
};

constexpr Package kPackages[] = {{"mxgold", "this model in Python: pip install mxgold"},
                                 {"numpy", "arrays of the Python package"},
                                 {"cocotb", "benches in Python with mxgold.bench"},
                                 {"torch", "tensors and operators of mxgold.torch"},
                                 {"ml_dtypes", "NumPy types of narrow formats"}};

std::string first_version(const std::string& text) {
  static const std::regex kVersion("[0-9]+(\\.[0-9A-Za-z]+)+");
  std::smatch found;
  return std::regex_search(text, found, kVersion) ? found.str() : "";
}

bool is_in_path(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::error_code ignored;
    const auto file = std::filesystem::path(folder) / name;
    const auto rights = std::filesystem::status(file, ignored).permissions();
    if (std::filesystem::is_regular_file(file, ignored) &&
        (rights & std::filesystem::perms::others_exec) != std::filesystem::perms::none) {
      return true;
    }
  }
  return false;
}

std::string program_of(const Program& program) {
  const char* const verilator = std::getenv("MXGOLD_VERILATOR");
  return program.name == "verilator" && verilator != nullptr ? verilator
                                                             : std::string(program.name);
}

Tool found_program(const Program& program) {
  Tool tool{program.group, program.name, program.purpose, program.remedy};
  const std::string name = program_of(program);
  if (program.question.empty()) {
    tool.is_found = is_in_path(name);
    return tool;
  }
  const ChildEnd end = run_child(name, {std::string(program.question)}, "");
  constexpr int kNotStarted = 127;
  tool.is_found = end.signal == 0 && end.status != kNotStarted;
  if (tool.is_found) tool.version = first_version(end.out + end.err);
  return tool;
}

/// Nothing is imported: importing torch takes seconds.
std::vector<Tool> found_packages() {
  std::string code = "import importlib.metadata as m\nfor n in '";
  for (const Package& each : kPackages) code += fmt::format("{} ", each.name);
  code += "'.split():\n try: print(n, m.version(n))\n except m.PackageNotFoundError: pass\n";
  const std::string out = "\n" + run_child("python3", {"-c", code}, "").out;
  std::vector<Tool> tools;
  for (const Package& each : kPackages) {
    Tool tool{kPython, each.name, each.purpose, "pip install it for that python3"};
    const std::size_t at = out.find(fmt::format("\n{} ", each.name));
    tool.is_found = at != std::string::npos;
    if (tool.is_found) tool.version = first_version(out.substr(at + each.name.size() + 2));
    tools.push_back(std::move(tool));
  }
  return tools;
}

/// Is the header in one of the folders that compilers search, or in `home`/include?
bool has_header(const char* name, const char* home) {
  std::vector<std::filesystem::path> folders = {"/usr/include", "/usr/local/include"};
  if (home != nullptr) folders.insert(folders.begin(), std::filesystem::path(home) / "include");
  std::error_code ignored;
  return std::ranges::any_of(
      folders, [&](const auto& each) { return std::filesystem::exists(each / name, ignored); });
}

Tool systemc() {
  Tool tool{kModels, "SystemC", "TLM models and checkers (docs/systemc.md)",
            "apt install libsystemc-dev, or set SYSTEMC_HOME"};
  tool.is_found = has_header("systemc.h", std::getenv("SYSTEMC_HOME"));
  return tool;
}

Tool zlib() {
  Tool tool{kCompilers, "zlib.h", "waveforms of device files (run --waves)",
            "apt install zlib1g-dev"};
  tool.is_found = has_header("zlib.h", nullptr);
  return tool;
}

}  // namespace

std::vector<Tool> tools_here() {
  std::vector<Tool> tools;
  for (const Program& each : kPrograms) {
    if (each.group == kProofs && tools.back().group == kCompilers) tools.push_back(zlib());
    if (each.group == kClusters) tools.push_back(systemc());
    tools.push_back(found_program(each));
  }
  for (Tool& each : found_packages()) tools.push_back(std::move(each));
  return tools;
}

}  // namespace mx::cli
