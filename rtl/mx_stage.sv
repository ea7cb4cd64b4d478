// SPDX-License-Identifier: Apache-2.0
// One pipeline stage of block-level signals: a register with enable, or wires.
//
// Latency: 1 if Registered, else 0. Only the valid bit is reset.
//
// Parameters: Width of the payload, Registered 0 or 1.
//
// Example: Registered 1, en_i 0: valid_o and data_o hold.
`default_nettype none

module mx_stage #(
    parameter int Width = 8,
    parameter int Registered = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  generate
    if (Registered != 0) begin : g_register
      logic             valid_q;
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          valid_q <= 1'b0;
        end else if (en_i) begin
          valid_q <= valid_i;
        end
      end
      always_ff @(posedge clk_i) begin
        if (en_i) begin
          data_q <= data_i;
        end
      end
      assign valid_o = valid_q;
      assign data_o  = data_q;
    end else begin : g_wires
      assign valid_o = valid_i;
      assign data_o  = data_i;
      logic unused_clock;
      assign unused_clock = ^{clk_i, rst_ni, en_i};
    end
  endgenerate

endmodule

`default_nettype wire
