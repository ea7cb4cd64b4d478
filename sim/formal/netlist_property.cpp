// P7: netlists, made as rtl/synth_report and sweeps make them, do what the RTL does.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sim/formal/properties.hpp"
#include "sim/formal/published.hpp"
#include "sim/lanes/widen.hpp"

namespace mx::sim {
namespace {

/// One input of one gate inverted: the same one of a netlist in every run.
std::string broken_gate(std::string_view type) {
  return fmt::format("mutate -list 1 -seed 1 -mode inv -o broken.ys t:{}\nscript broken.ys\n",
                     type);
}

/// As many lanes of the RTL as the wide netlist has, whose ports are bits of all lanes side by
/// side.
std::string copies() {
  return fmt::format(R"(read_verilog -sv <<END_OF_COPIES
module lane_copies (
    input wire clk_i,
    input wire [{0}-1:0] valid_i,
    input wire [32*{0}-1:0] words_i,
    input wire [27*{0}-1:0] config_i,
    input wire [8*{0}-1:0] scale_i,
    input wire [8*{0}-1:0] random_i,
    output wire [{0}-1:0] valid_o,
    output wire [8*{0}-1:0] codes_o
);
  genvar k, b;
  generate
    for (k = 0; k < {0}; k = k + 1) begin : copies
      wire [31:0] word;
      wire [26:0] settings;
      wire [7:0] scale, random, code;
      for (b = 0; b < 32; b = b + 1) assign word[b] = words_i[b*{0}+k];
      for (b = 0; b < 27; b = b + 1) assign settings[b] = config_i[b*{0}+k];
      for (b = 0; b < 8; b = b + 1) assign scale[b] = scale_i[b*{0}+k];
      for (b = 0; b < 8; b = b + 1) assign random[b] = random_i[b*{0}+k];
      for (b = 0; b < 8; b = b + 1) assign codes_o[b*{0}+k] = code[b];
      lane_sweep #(.Lanes(1)) u (.clk_i(clk_i), .valid_i(valid_i[k]), .words_i(word),
          .config_i(settings), .scale_i(scale), .random_i(random), .valid_o(valid_o[k]),
          .codes_o(code));
    end
  endgenerate
endmodule
END_OF_COPIES
hierarchy -check -top lane_copies
)",
                     kWideLanesOfWord);
}

Obligation lanes() {
  const std::string read =
      "read_verilog -sv lane_sweep.v\nhierarchy -check -top lane_sweep\nproc\n";
  return {
      .name = fmt::format("P7.lanes{}", kWideLanesOfWord),
      .statement = fmt::format(
          "the netlist that `mxgold sweep --dut netlist` simulates, gates of {0} lanes each, is "
          "{0} times the lane of the RTL: for every input, and whatever registers hold, outputs "
          "and what registers hold next are the same",
          kWideLanesOfWord),
      .engine = FormalEngine::kEquivalence,
      .broken = broken_gate("$and"),
      .making = {.rtl = copies(), .netlist = "design -reset\n" + read, .is_wide = true}};
}

}  // namespace

std::string_view unit_of(std::string_view build) {
  return build.starts_with("mx_") ? build.substr(0, build.find(' ')) : "mx_quantizer";
}

std::string_view parameters_of(std::string_view build) {
  if (build.starts_with("mx_")) build.remove_prefix(std::min(build.find(' ') + 1, build.size()));
  return build.find('=') == std::string_view::npos ? "default parameters" : build;
}

std::string hierarchy_of(std::string_view build) {
  std::string text = fmt::format("hierarchy -check -top {}", unit_of(build));
  while (!build.empty()) {
    const std::size_t end = std::min(build.find(' '), build.size());
    const std::string_view pair = build.substr(0, end);
    build.remove_prefix(std::min(end + 1, build.size()));
    const std::size_t sign = pair.find('=');
    if (sign == std::string_view::npos) continue;
    text += fmt::format(" -chparam {} {}", pair.substr(0, sign), pair.substr(sign + 1));
  }
  return text + "\n";
}

Obligation netlist_obligation(const std::string& name, const std::string& build) {
  const std::string rtl = hierarchy_of(build);
  // Synthesis is flow A of rtl/synth_report.
  return {
      .name = "P7." + name,
      .statement = fmt::format(
          "the netlist of LUT6 and flip-flops of the build {} (rtl/synth_report), {}, does what "
          "{} does: for every input, and whatever registers hold, outputs and what "
          "registers hold next are the same",
          name, parameters_of(build), unit_of(build)),
      .engine = FormalEngine::kEquivalence,
      .broken = broken_gate("$lut"),
      .making = {.rtl = rtl, .netlist = rtl + "synth -flatten\nabc -lut 6\nopt_clean\n"},
      .unit = std::string(unit_of(build))};
}

std::vector<Obligation> netlist_obligations() {
  std::vector<Obligation> all = {lanes()};
  for (const Published& each : kPublished) {
    all.push_back(netlist_obligation(std::string(each.name), std::string(each.build)));
  }
  return all;
}

}  // namespace mx::sim
