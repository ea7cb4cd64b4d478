// SPDX-License-Identifier: Apache-2.0
// Skid buffer: one spare entry behind a stage, passed through while empty.
//
// ready_o is a register's output: no combinational path leads from ready_i to it. A beat that
// arrives while the receiver stalls waits in the spare entry. Full throughput, latency 0.
//
// Parameters: Width of the payload.
//
// Example: ready_i falls while beat 5 is offered: beat 5 goes to the spare entry, ready_o falls in
// the next cycle, and the stage in front holds beat 6.
`default_nettype none

module mx_skid #(
    parameter int Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    output logic             ready_o,
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o
);

  logic             full_q;
  logic [Width-1:0] spare_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
    end else begin
      full_q <= ~ready_i & (full_q | valid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!full_q && valid_i) begin
      spare_q <= data_i;
    end
  end

  assign ready_o = ~full_q;
  assign valid_o = full_q | valid_i;
  assign data_o  = full_q ? spare_q : data_i;

endmodule

`default_nettype wire
