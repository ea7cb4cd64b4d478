// SPDX-License-Identifier: Apache-2.0
// The largest of four magnitudes. Combinational.
//
// Parameters: Width.
//
// Example: magnitudes {0005h, 0003h, 0001h, 0004h}: 0005h.
`default_nettype none

module mx_nvfp4_max #(
    parameter int Width = 31
) (
    input  logic [4*Width-1:0] magnitudes_i,
    output logic [  Width-1:0] largest_o
);

  logic [Width-1:0] a, b, c, d, ab, cd;
  always_comb begin
    {d, c, b, a} = magnitudes_i;
    ab           = a > b ? a : b;
    cd           = c > d ? c : d;
    largest_o    = ab > cd ? ab : cd;
  end

endmodule

`default_nettype wire
