// SPDX-License-Identifier: Apache-2.0
// The handshake of one pipeline stage: its valid bit, and when its registers load.
//
// A stage is ready where it is empty or the one behind it is ready, so a gap closes while the
// receiver stalls. take_o is 1 in the cycles in which a beat comes in: the stage's data registers
// load then and at no other time. A stage that is not Registered is wires.
//
// Latency: 1 if Registered, else 0. Only the valid bit is reset.
//
// Parameters: Registered 0 or 1.
//
// Example: valid_o 0 and ready_i 0: ready_o is 1, and a beat that is offered is taken.
`default_nettype none

module mx_stage #(
    parameter int Registered = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic valid_i,
    output logic ready_o,
    output logic take_o,
    output logic valid_o,
    input  logic ready_i
);

  assign take_o = valid_i & ready_o;

  generate
    if (Registered != 0) begin : g_register
      logic valid_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q <= 1'b0;
        end else if (ready_o) begin
          valid_q <= valid_i;
        end
      end
      assign valid_o = valid_q;
      assign ready_o = ready_i | ~valid_q;
    end else begin : g_wires
      assign valid_o = valid_i;
      assign ready_o = ready_i;
      logic unused_clock;
      assign unused_clock = ^{clk_i, rst_ni};
    end
  endgenerate

endmodule

`default_nettype wire
