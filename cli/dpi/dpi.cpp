// mxgold dpi: where the SystemVerilog packages and the libraries for simulators are.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/base/command.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDpiExamples = R"TEXT(
Paths of the build tree or of the installed tree that this program belongs to.
docs/bench-calls.md says what is in the packages.

Examples:
  verilator --binary --timing $(mxgold dpi --sv) bench.sv --top-module bench \
    -LDFLAGS "$(mxgold dpi --ldflags)"
  iverilog -g2012 -o bench.vvp bench.sv && vvp $(mxgold dpi --vpi) bench.vvp
  verilator --lint-only --top-module top $(mxgold dpi --rtl)/mx_pkg.sv top.sv -y $(mxgold dpi --rtl))TEXT";

struct DpiOptions {
  bool sv = false;
  bool uvm = false;
  bool cflags = false;
  bool ldflags = false;
  bool vpi = false;
  bool rtl = false;
};

/// Folders of one tree.
struct Tree {
  fs::path packages;
  fs::path uvm;
  std::vector<fs::path> headers;
  fs::path dpi;
  fs::path vpi;
  fs::path rtl;
};

/// The installed tree around the program, else the tree in which it was built.
Tree tree_of_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path prefix = program.parent_path().parent_path();
  const fs::path packages = prefix / "share" / "mxgold" / "sv";
  const fs::path rtl = prefix / "share" / "mxgold" / "rtl";
  // Debian's packages bring the RTL with the program, and the rest with libmxgold-dev.
  if (fs::exists(rtl, error) || fs::exists(packages, error)) {
    return {packages,
            packages / "uvm",
            {prefix / "include"},
            prefix / MX_LIBRARY_FOLDER,
            prefix / MX_LIBRARY_FOLDER / "mxgold",
            rtl};
  }
  const fs::path source = MX_SOURCE_ROOT;
  return {source / "bridge" / "dpi",
          source / "bridge" / "uvm",
          {source / "bridge" / "model", source / "backend" / "abi", source / "sim" / "plugin"},
          prefix / "bridge" / "dpi",
          prefix / "bridge" / "vpi",
          source / "rtl"};
}

/// A file that has to be there.
std::string there(const fs::path& file, std::string_view remedy) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    fail(Exit::kBadInput, "{} is not there: {}", file.string(), remedy);
  }
  return file.string();
}

void print_paths(const DpiOptions& options) {
  const Tree tree = tree_of_program();
  std::vector<std::string> words;
  if (options.sv) {
    for (const char* name : {"mxgold_pkg.sv", "mxgold_scoreboard_pkg.sv"}) {
      words.push_back(
          there(tree.packages / name, "install libmxgold-dev, or keep the sources of the build"));
    }
  }
  if (options.uvm) {
    words.push_back("+incdir+" + tree.uvm.string());
    for (const char* name : {"mxgold_clock_if.sv", "mxgold_axis_if.sv", "mxgold_uvm_pkg.sv"}) {
      words.push_back(
          there(tree.uvm / name, "install libmxgold-dev, or keep the sources of the build"));
    }
  }
  if (options.cflags) {
    for (const fs::path& folder : tree.headers) words.push_back("-I" + folder.string());
  }
  if (options.ldflags) {
    (void)there(tree.dpi / "libmxgold_dpi.so",
                "build the target mxgold_dpi; CMake says where it has no svdpi.h");
    words.push_back(fmt::format("-L{0} -lmxgold_dpi -Wl,-rpath,{0}", tree.dpi.string()));
  }
  if (options.vpi) {
    (void)there(tree.vpi / "mxgold.vpi",
                "build the target mxgold_vpi; CMake says where it has no vpi_user.h");
    words.push_back(fmt::format("-M {} -m mxgold", tree.vpi.string()));
  }
  if (options.rtl) {
    (void)there(tree.rtl / "mx_quantizer.sv", "keep the sources of the build, or install it");
    words.push_back(tree.rtl.string());
  }
  if (words.empty()) fail(Exit::kUsage, "give --sv, --uvm, --cflags, --ldflags, --vpi or --rtl");
  fmt::print("{}\n", fmt::join(words, " "));
}

}  // namespace

void add_dpi(const Command& root, Exit&) {
  const Command command = root.add_subcommand(
      "dpi", "Print the paths that a simulator needs: SystemVerilog packages, DPI-C, VPI, RTL");
  const auto options = std::make_shared<DpiOptions>();
  command.add_flag("--sv", options->sv, "The packages, for a simulator's list of sources");
  command.add_flag("--uvm", options->uvm,
                   "The UVM environment and its include folder, for a list of sources behind "
                   "those of --sv");
  command.add_flag("--cflags", options->cflags,
                   "Folders of mxgold_model.h, mxgold.h and mxgold_device.h");
  command.add_flag("--ldflags", options->ldflags, "How to link libmxgold_dpi.so");
  command.add_flag("--vpi", options->vpi, "What vvp loads the system tasks by");
  command.add_flag("--rtl", options->rtl, "Folder of the RTL: mx_quantizer and its modules");
  command.footer(kDpiExamples);
  command.callback([options] { print_paths(*options); });
}

}  // namespace mx::cli
