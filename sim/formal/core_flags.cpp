// P5.flags: underflow and saturated of a block are those of its lanes.
#include <fmt/format.h>

#include "sim/formal/properties.hpp"

namespace mx::sim {
namespace {

/// The flags of lanes are wires of the core, by the names that they have once it is flat. The
/// broken property forgets a lane.
std::string comparison(Property property) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [32*32-1:0] words,
    input wire [31:0] keep,
    input wire [26:0] settings,
    input wire [255:0] random
);
  wire [15:0] status;
  (* hierconn *) wire [31:0] \u_core.underflow_s6 ;
  (* hierconn *) wire [31:0] \u_core.saturated_s6 ;
  mx_quantizer_core #(.Lanes(32), .BlockSize(32)) u_core (
      .clk_i(clk_i), .rst_ni(1'b1), .ready_i(1'b1), .valid_i(1'b1), .data_i(words), .keep_i(keep),
      .last_i(1'b0), .config_i(settings), .rnd_i(random), .status_o(status));
  always @* begin
    assert (status[12] == |(\u_core.underflow_s6 & 32'h{0}));
    assert (status[13] == |(\u_core.saturated_s6 & 32'h{0}));
    assert (status[15:14] == 2'd0);
  end
endmodule
)",
                     property == Property::kBroken ? "7FFFFFFF" : "FFFFFFFF");
}

}  // namespace

std::vector<Obligation> core_flag_obligations() {
  return {{"P5.flags",
           "in mx_quantizer_core of 32 lanes: underflow and saturated stand in the status where "
           "any lane adds them, and nowhere else; bits 14 and 15 are 0; for all words of all "
           "lanes, all random words and every configuration word",
           FormalEngine::kSat, comparison(Property::kRight), comparison(Property::kBroken)}};
}

}  // namespace mx::sim
