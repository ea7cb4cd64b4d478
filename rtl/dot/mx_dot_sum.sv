// SPDX-License-Identifier: Apache-2.0
// The sum of all rows as a two's complement number, in two steps (S5, S6).
//
// A negative lane's row is inverted: it stands for row + 1 - 2^Width. So the number of negative
// lanes is added at the bottom and taken away above the rows, and no row needs sign bits.
//
// Parameters: Lanes 8, 16 or 32 rows of Width bits, row i at [i*Width +: Width].
//
// Example: rows 1 and, inverted, 1, the others 0, one lane negative: sum_o 0 two cycles later.
`default_nettype none

module mx_dot_sum #(
    parameter int Lanes = 32,
    parameter int Width = 26,
    localparam int Bits = Width + 6
) (
    input  logic                   clk_i,
    input  logic [            6:5] en_i,
    input  logic [Lanes*Width-1:0] rows_i,
    input  logic [            5:0] negative_i,  // how many lanes are
    output logic [       Bits-1:0] sum_o
);

  // S5: 32 rows become 9, 16 become 6, 8 become 5.
  localparam int Rows1 = Lanes == 32 ? 17 : Lanes == 16 ? 9 : 5;
  localparam int Rows2 = Lanes == 32 ? 9 : Lanes == 16 ? 5 : 3;
  logic [Lanes*Bits-1:0] rows;
  logic [Rows1*Bits-1:0] rows1;
  logic [Rows2*Bits-1:0] rows2, rows_s5;
  logic [5:0] negative_s5;
  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      rows[i*Bits+:Bits] = {6'd0, rows_i[i*Width+:Width]};
    end
  end
  mx_dot_level #(
      .Rows (Lanes),
      .Width(Bits)
  ) u_level1 (
      .rows_i(rows),
      .rows_o(rows1)
  );
  mx_dot_level #(
      .Rows (Rows1),
      .Width(Bits)
  ) u_level2 (
      .rows_i(rows1),
      .rows_o(rows2)
  );
  always_ff @(posedge clk_i) begin
    if (en_i[5]) begin
      rows_s5     <= rows2;
      negative_s5 <= negative_i;
    end
  end

  // S6: with the row of the signs 10 rows become 6, 3 and 2; 6 or 4 become 3 and 2.
  localparam int Rows3 = Rows2 + 1 > 6 ? 6 : 3;
  logic [Bits-1:0] signs;
  logic [Rows3*Bits-1:0] rows3;
  logic [3*Bits-1:0] rows4;
  logic [2*Bits-1:0] rows5;
  assign signs = {-negative_s5, {Width - 6{1'b0}}, negative_s5};
  mx_dot_level #(
      .Rows (Rows2 + 1),
      .Width(Bits)
  ) u_level3 (
      .rows_i({signs, rows_s5}),
      .rows_o(rows3)
  );
  generate
    if (Rows3 == 6) begin : g_level4
      mx_dot_level #(
          .Rows (6),
          .Width(Bits)
      ) u_level4 (
          .rows_i(rows3),
          .rows_o(rows4)
      );
    end else begin : g_no_level4
      assign rows4 = rows3;
    end
  endgenerate
  mx_dot_level #(
      .Rows (3),
      .Width(Bits)
  ) u_level5 (
      .rows_i(rows4),
      .rows_o(rows5)
  );
  always_ff @(posedge clk_i) begin
    if (en_i[6]) begin
      sum_o <= rows5[2*Bits-1:Bits] + rows5[Bits-1:0];
    end
  end

endmodule

`default_nettype wire
