// SPDX-License-Identifier: Apache-2.0
// How many bits are ones, in two steps (S2, S3).
//
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: Bits 8, 16 or 32.
//
// Example: 32 bits, 80000001h: 2 two cycles later.
`default_nettype none

module mx_dot_count #(
    parameter int Bits = 32
) (
    input  logic            clk_i,
    input  logic [     3:2] en_i,
    input  logic [Bits-1:0] bits_i,  // S1
    output logic [     5:0] count_o  // S3
);

  localparam int Rows1 = Bits == 32 ? 17 : Bits == 16 ? 9 : 5;
  localparam int Rows2 = Bits == 32 ? 9 : Bits == 16 ? 5 : 3;
  localparam int Rows3 = Bits == 32 ? 5 : Bits == 16 ? 3 : 2;
  logic [Bits*6-1:0] rows;
  logic [Rows1*6-1:0] rows1, rows1_s2;
  logic [Rows2*6-1:0] rows2;
  logic [Rows3*6-1:0] rows3;
  always_comb begin
    for (int i = 0; i < Bits; i++) rows[6*i+:6] = {5'd0, bits_i[i]};
  end
  mx_dot_level #(
      .Rows (Bits),
      .Width(6)
  ) u_level1 (
      .rows_i(rows),
      .rows_o(rows1)
  );
  mx_dot_level #(
      .Rows (Rows1),
      .Width(6)
  ) u_level2 (
      .rows_i(rows1_s2),
      .rows_o(rows2)
  );
  mx_dot_level #(
      .Rows (Rows2),
      .Width(6)
  ) u_level3 (
      .rows_i(rows2),
      .rows_o(rows3)
  );
  logic [5:0] count;
  always_comb begin
    count = 6'd0;
    for (int i = 0; i < Rows3; i++) count = count + rows3[6*i+:6];
  end
  always_ff @(posedge clk_i) begin
    if (en_i[2]) rows1_s2 <= rows1;
    if (en_i[3]) count_o <= count;
  end

endmodule

`default_nettype wire
