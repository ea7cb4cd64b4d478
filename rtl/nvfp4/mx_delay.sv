// SPDX-License-Identifier: Apache-2.0
// Data that wait: out after so many moves. No reset.
//
// Parameters: Width; Cycles, 1 or more.
//
// Example: Cycles 3: what is on data_i in one cycle is on data_o three moves later.
`default_nettype none

module mx_delay #(
    parameter int Width  = 8,
    parameter int Cycles = 2
) (
    input  logic             clk_i,
    input  logic             en_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o
);

  logic [Cycles*Width-1:0] waiting_q;
  generate
    if (Cycles == 1) begin : g_one
      always_ff @(posedge clk_i) begin
        if (en_i) waiting_q <= data_i;
      end
    end else begin : g_several
      always_ff @(posedge clk_i) begin
        if (en_i) waiting_q <= {waiting_q[(Cycles-1)*Width-1:0], data_i};
      end
    end
  endgenerate
  assign data_o = waiting_q[Cycles*Width-1-:Width];

endmodule

`default_nettype wire
