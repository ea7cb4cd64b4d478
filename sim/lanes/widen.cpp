#include "sim/lanes/widen.hpp"

#include <fmt/format.h>

#include <array>

#include "golden/bytes/error.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/compile/shell_word.hpp"
#include "sim/dut/dut.hpp"

namespace mx::sim {
namespace {

// Gates are bitwise for vectors too; a multiplexer is not. Enables and resets of flip-flops stay
// gates before them.
constexpr std::string_view kScript =
    "hierarchy -top lane_sweep -chparam Lanes 1; proc; flatten; opt -full -nodffe -nosdff; "
    "techmap; "
    "simplemap; opt -nodffe -nosdff; opt_clean -purge; "
    "abc -g AND,OR,XOR,XNOR,ANDNOT,ORNOT; opt_clean -purge; splitnets; clean -purge; rename "
    "-enumerate -pattern n%; write_verilog -noattr net.v";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

std::string replaced(std::string_view line, std::string_view bit, std::string_view wide) {
  std::string text(line);
  for (std::size_t at = text.find(bit); at != std::string::npos; at = text.find(bit, at)) {
    text.replace(at, bit.size(), wide);
    at += wide.size();
  }
  return text;
}

/// "  wire n5;", "  input [31:0] words_i;"; "" where the line declares nothing.
std::string wide_declaration(std::string_view line) {
  constexpr std::array<std::string_view, 4> kKinds = {"wire ", "reg ", "input ", "output "};
  const std::string_view text = trimmed(line);
  for (const std::string_view kind : kKinds) {
    if (!text.starts_with(kind)) continue;
    std::string_view rest = text.substr(kind.size());
    if (rest == "clk_i;") return std::string(line);
    std::string_view range;
    if (rest.starts_with('[')) {
      range = rest.substr(0, rest.find(']') + 1);
      rest = trimmed(rest.substr(range.size()));
    }
    return fmt::format("  {}{}[{}:0] {}", kind, range, kWideLanesOfWord - 1, rest);
  }
  return {};
}

/// A gate or a flip-flop: names, bits of ports, & | ^ ~ and parentheses, = or <=.
bool is_bitwise(std::string_view text) {
  const bool is_known = text.starts_with("assign ") || text.find(" <= ") != std::string_view::npos;
  return is_known && text.ends_with(';') &&
         text.find_first_of("?!+-*/{}") == std::string_view::npos &&
         text.find("&&") == std::string_view::npos && text.find("||") == std::string_view::npos &&
         text.find("if ") == std::string_view::npos;
}

std::string wide_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty() || text.starts_with("/*") || text == "endmodule" ||
      text.starts_with("module ") || text == "always @(posedge clk_i)") {
    return std::string(line);
  }
  if (std::string declared = wide_declaration(line); !declared.empty()) return declared;
  if (!is_bitwise(text)) {
    throw golden::VectorError(
        fmt::format("the netlist of a lane has what is no gate on single bits: {}", text));
  }
  const std::string zeros = replaced(line, "1'h0", fmt::format("{}'h0", kWideLanesOfWord));
  return replaced(zeros, "1'h1", fmt::format("~{}'h0", kWideLanesOfWord));
}

}  // namespace

std::string yosys_version() {
  const ToolEnd end = run_by_shell("yosys -V");
  if (end.status == 0) return end.text;
  throw DutError(
      fmt::format("netlists are made by Yosys, and 'yosys -V' ended with {}: install the package "
                  "yosys, or sweep --dut rtl",
                  end.status));
}

std::string widened_text(std::string_view netlist) {
  std::string wide;
  while (!netlist.empty()) {
    const std::size_t end = std::min(netlist.find('\n'), netlist.size());
    wide += wide_line(netlist.substr(0, end)) + '\n';
    netlist.remove_prefix(std::min(end + 1, netlist.size()));
  }
  return wide;
}

std::vector<RtlSource> widened(const std::vector<RtlSource>& sources,
                               const std::filesystem::path& folder) {
  std::string files;
  for (const RtlSource& source : sources) {
    // A quantizer around the lanes, and what Yosys would have to elaborate of it, is not needed.
    write_file_below(folder / "rtl" / source.name, source.text);
    files += fmt::format(" rtl/{}", source.name);
  }
  const ToolEnd end =
      run_by_shell(fmt::format("cd {} && yosys -q -p {}", shell_word(folder.native()),
                               shell_word(fmt::format("read_verilog -sv{}; {}", files, kScript))));
  if (end.status != 0) {
    throw golden::VectorError(fmt::format("Yosys refuses the lanes:\n{}", errors_of(end.text)));
  }
  return {{"lane_sweep.v", widened_text(whole_file(folder / "net.v"))}};
}

}  // namespace mx::sim
