// SPDX-License-Identifier: Apache-2.0
// The sum of all rows as a two's complement number, in four steps (S5 to S8).
//
// A negative lane's row is inverted: it stands for row + 1 - 2^Width. So the number of negative
// lanes is added at the bottom and taken away above the rows, and no row needs sign bits.
//
// Parameters: Lanes 8, 16 or 32 rows of Width bits, row i at [i*Width +: Width].
//
// Example: rows 1 and, inverted, 1, the others 0, one lane negative: sum_o 0 four cycles later.
`default_nettype none

module mx_dot_sum #(
    parameter  int Lanes = 32,
    parameter  int Width = 26,
    localparam int Bits  = Width + 6
) (
    input  logic                   clk_i,
    input  logic [            8:5] en_i,
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

  // S6: with the row of the signs 10 rows become 3; 6 or 4 do at once.
  localparam int Rows3 = Rows2 + 1 > 6 ? 6 : 3;
  logic [Bits-1:0] signs;
  logic [Rows3*Bits-1:0] rows3;
  logic [3*Bits-1:0] rows4, rows_s6;
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
  always_ff @(posedge clk_i) begin
    if (en_i[6]) rows_s6 <= rows4;
  end

  // S7, S8: two rows, added in two halves.
  localparam int Half = Bits / 2;
  logic [2*Bits-1:0] rows5;
  logic [Half:0] low_s7;
  logic [Bits-Half-1:0] upper_a_s7, upper_b_s7, upper_s8;
  mx_dot_level #(
      .Rows (3),
      .Width(Bits)
  ) u_level5 (
      .rows_i(rows_s6),
      .rows_o(rows5)
  );
  assign upper_s8 = upper_a_s7 + upper_b_s7 + {{Bits - Half - 1{1'b0}}, low_s7[Half]};
  always_ff @(posedge clk_i) begin
    if (en_i[7]) begin
      low_s7     <= {1'b0, rows5[Bits+:Half]} + {1'b0, rows5[Half-1:0]};
      upper_a_s7 <= rows5[2*Bits-1:Bits+Half];
      upper_b_s7 <= rows5[Bits-1:Half];
    end
    if (en_i[8]) begin
      sum_o <= {upper_s8, low_s7[Half-1:0]};
    end
  end

endmodule

`default_nettype wire
