#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sim/formal/front.hpp"
#include "sim/formal/properties.hpp"

namespace mx::sim {
namespace {

/// The fronts beside the core are the core's own after the solver has merged what is equal, so that
/// what is left to decide is the way from keys to status.
std::string scale_comparison(Property property) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [32*32-1:0] words,
    input wire [31:0] keep,
    input wire [26:0] settings,
    input wire [4:0] lane
);
  wire [15:0] status;
  wire [319:0] keys;
  wire [31:0] is_nan, is_inf;
  wire [11:0] expected;
  mx_quantizer_core #(.Lanes(32), .BlockSize(32)) u_core (
      .clk_i(clk_i), .rst_ni(1'b1), .ready_i(1'b1), .valid_i(1'b1), .data_i(words), .keep_i(keep),
      .last_i(1'b0), .config_i(settings), .rnd_i(256'd0), .status_o(status));
  genvar g;
  generate
    for (g = 0; g < 32; g = g + 1) begin : g_front
      mx_front u_front (.clk_i(clk_i), .word_i(words[32*g +: 32]), .config_i(settings),
                        .keep_i(keep[g]), .key_o(keys[10*g +: 10]), .is_nan_o(is_nan[g]),
                        .is_inf_o(is_inf[g]));
    end
  endgenerate
  wire [9:0] largest = keys[lane*10 +: 10];
  mx_keyed u_one (.clk_i(clk_i), .keys_i(largest), .is_nan_i(|is_nan), .is_inf_i(|is_inf),
                  .config_i(settings), .status_o(expected));
  reg is_bound;
  integer i;
  always @* begin
    is_bound = 1'b1;
    for (i = 0; i < 32; i = i + 1) if (keys[10*i +: 10] > largest) is_bound = 1'b0;
    assume ({}is_bound);
    assert (status[11:0] == expected);
  end
endmodule
)",
                     property == Property::kBroken ? "1'b1 || " : "");
}

}  // namespace

std::vector<Obligation> core_scale_obligations() {
  const auto text = [](Property property) {
    return std::string(kFrontVerilog) + scale_comparison(property);
  };
  return {{"P5.scale",
           "in mx_quantizer_core of 32 lanes, whichever kept lane has a key that no other exceeds: "
           "scale code, scale clamped, zero block, Inf and NaN of the block are those of a block "
           "of that word alone, with NaN and infinities where any kept lane has one, for all "
           "words of all lanes and every configuration word",
           FormalEngine::kSat, text(Property::kRight), text(Property::kBroken)}};
}

}  // namespace mx::sim
