// SPDX-License-Identifier: Apache-2.0
// Leading zeros of a number, Width where it is 0. Combinational.
//
// Parameters: Width 2..64.
//
// Example: Width 8, 13h: 3.
`default_nettype none

module mx_dot_zeros #(
    parameter int Width = 32
) (
    input  logic [Width-1:0] number_i,
    output logic [      5:0] zeros_o,
    output logic             is_zero_o
);

  // The upper half decides each bit of the count; what is counted on is that half or the other.
  logic [63:0] v;
  always_comb begin
    v = {number_i, {64 - Width{1'b1}}};
    zeros_o = 6'd0;
    for (int k = 5; k >= 0; k--) begin
      if ((v >> (64 - (1 << k))) == '0) begin
        zeros_o[k] = 1'b1;
        v = v << (1 << k);
      end
    end
    is_zero_o = number_i == '0;
  end

endmodule

`default_nettype wire
