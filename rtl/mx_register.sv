// SPDX-License-Identifier: Apache-2.0
// The data of one pipeline stage: registers that load with a beat, or wires.
//
// Latency: 1 if Registered, else 0. No reset: the stage's valid bit (mx_stage) says what counts.
//
// Parameters: Width of the data, Registered 0 or 1.
//
// Example: Registered 1, take_i 0: data_o holds.
`default_nettype none

module mx_register #(
    parameter int Width = 8,
    parameter int Registered = 1
) (
    input  logic             clk_i,
    input  logic             take_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o
);

  generate
    if (Registered != 0) begin : g_register
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i) begin
        if (take_i) begin
          data_q <= data_i;
        end
      end
      assign data_o = data_q;
    end else begin : g_wires
      assign data_o = data_i;
      logic unused_clock;
      assign unused_clock = ^{clk_i, take_i};
    end
  endgenerate

endmodule

`default_nettype wire
