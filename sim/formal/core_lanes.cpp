// P5.lanes, P5.record: from lanes alone to the lanes of the core.
#include <fmt/format.h>

#include <string>

#include "sim/formal/lane_alone.hpp"
#include "sim/formal/properties.hpp"

namespace mx::sim {
namespace {

/// The core's record, by the name that it has once the core is flat. The broken property gives a
/// lane the random word of its neighbour.
std::string lanes(Property property) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [32*32-1:0] words,
    input wire [31:0] keep,
    input wire [26:0] settings,
    input wire [255:0] random
);
  wire [255:0] codes, alone;
  wire [31:0] underflow, saturated;
  (* hierconn *) wire [31:0] \u_core.underflow_s6 ;
  (* hierconn *) wire [31:0] \u_core.saturated_s6 ;
  (* hierconn *) wire [mx_pkg::CTL_WIDTH-1:0] \u_core.control_s4 ;
  mx_quantizer_core #(.Lanes(32), .BlockSize(32)) u_core (
      .clk_i(clk_i), .rst_ni(1'b1), .ready_i(1'b1), .valid_i(1'b1), .data_i(words), .keep_i(keep),
      .last_i(1'b0), .config_i(settings), .rnd_i(random), .codes_o(codes));
  genvar g;
  generate
    for (g = 0; g < 32; g = g + 1) begin : g_lane
      mx_alone u_alone (.clk_i(clk_i), .word_i(words[32*g +: 32]), .keep_i(keep[g]), .config_i(settings),
          .record_i(\u_core.control_s4 ), .random_i(random[8*(g ^ {}) +: 8]),
          .code_o(alone[8*g +: 8]), .underflow_o(underflow[g]), .saturated_o(saturated[g]));
    end
  endgenerate
  always @* begin
    assert (codes == alone);
    assert (\u_core.underflow_s6 == underflow);
    assert (\u_core.saturated_s6 == saturated);
  end
endmodule
)",
                     property == Property::kBroken ? 1 : 0);
}

/// The broken property gives a block of zeros the exponent of its scale code.
std::string record(Property property) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [32*32-1:0] words,
    input wire [31:0] keep,
    input wire [26:0] settings
);
  wire [15:0] status;
  wire [mx_pkg::CTL_WIDTH-1:0] record;
  (* hierconn *) wire [26:0] \u_core.config_s4 ;
  (* hierconn *) wire [mx_pkg::CTL_WIDTH-1:0] \u_core.control_s4 ;
  mx_quantizer_core #(.Lanes(32), .BlockSize(32)) u_core (
      .clk_i(clk_i), .rst_ni(1'b1), .ready_i(1'b1), .valid_i(1'b1), .data_i(words), .keep_i(keep),
      .last_i(1'b0), .config_i(settings), .rnd_i(256'd0), .status_o(status));
  mx_record u_record (.config_i(settings), .scale_i(status[7:0]), .is_zero_block_i({}status[9]),
                      .nan_base_i(\u_core.control_s4 [mx_pkg::CTL_BASE_LSB +: 9]), .record_o(record));
  always @* begin
    assume (settings[2:0] < 6);
    assert (\u_core.control_s4 == record);
    assert (\u_core.config_s4 == settings);
  end
endmodule
)",
                     property == Property::kBroken ? "1'b0 & " : "");
}

}  // namespace

std::vector<Obligation> core_lane_obligations() {
  const std::string alone(kLaneAloneVerilog);
  return {
      {"P5.lanes",
       "in mx_quantizer_core of 32 lanes: code and wires to underflow and saturated of each "
       "lane are those of the lane alone (P1f, P1fs) under its own word, kept bit and random "
       "word, the block's configuration and record; for all words of all lanes, all random "
       "words and every configuration word",
       FormalEngine::kSat, alone + lanes(Property::kRight), alone + lanes(Property::kBroken)},
      {"P5.record",
       "in mx_quantizer_core of 32 lanes: what a block tells its lanes is what P1f and P1fs "
       "tell them under the block's configuration, its scale code and whether it is a block "
       "of zeros, for all words of all lanes and every configuration word of a format",
       FormalEngine::kSat, alone + record(Property::kRight), alone + record(Property::kBroken)}};
}

}  // namespace mx::sim
