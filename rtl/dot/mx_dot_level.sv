// SPDX-License-Identifier: Apache-2.0
// One level of a tree of adders: rows in, about half as many rows with the same sum out, modulo
// 2^Width. Combinational.
//
// Six rows become three: the bits of each column's count, a LUT of six inputs each. That is one LUT
// for each bit that goes; full adders take two.
//
// Parameters: Rows and Width, row i at [i*Width +: Width].
//
// Example: six rows of 1: rows 0, 2 and 4.
`default_nettype none

module mx_dot_level #(
    parameter  int Rows  = 32,
    parameter  int Width = 32,
    localparam int Left  = Rows % 6,
    localparam int Out   = 3 * (Rows / 6) + (Left < 3 ? Left : Left == 3 ? 2 : 3)
) (
    input  logic [Rows*Width-1:0] rows_i,
    output logic [ Out*Width-1:0] rows_o
);

  generate
    for (genvar g = 0; g < Rows / 6; g++) begin : g_six
      mx_dot_count6 #(
          .Width(Width)
      ) u_count (
          .rows_i(rows_i[6*g*Width+:6*Width]),
          .rows_o(rows_o[3*g*Width+:3*Width])
      );
    end
    if (Left == 1 || Left == 2) begin : g_pass
      assign rows_o[Out*Width-1-:Left*Width] = rows_i[Rows*Width-1-:Left*Width];
    end else if (Left != 0) begin : g_left
      logic [3*Width-1:0] counted;
      mx_dot_count6 #(
          .Width(Width)
      ) u_count (
          .rows_i({{(6 - Left) * Width{1'b0}}, rows_i[Rows*Width-1-:Left*Width]}),
          .rows_o(counted)
      );
      if (Left == 3) begin : g_two
        assign rows_o[Out*Width-1-:2*Width] = counted[2*Width-1:0];
        logic unused_fours;
        assign unused_fours = ^counted[3*Width-1:2*Width];
      end else begin : g_three
        assign rows_o[Out*Width-1-:3*Width] = counted;
      end
    end
  endgenerate

endmodule

`default_nettype wire
