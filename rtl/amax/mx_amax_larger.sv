// SPDX-License-Identifier: Apache-2.0
// The larger of two magnitudes. Combinational.
//
// Parameters: Width.
//
// Example: 0005h and 0003h: 0005h.
`default_nettype none

module mx_amax_larger #(
    parameter int Width = 31
) (
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] larger_o
);

  assign larger_o = a_i > b_i ? a_i : b_i;

endmodule

`default_nettype wire
