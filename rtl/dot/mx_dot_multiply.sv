// SPDX-License-Identifier: Apache-2.0
// Product of two significands. Combinational.
//
// Four bits: the product of the three low bits of each is six functions of six inputs; the rows of
// the two high bits are added to it. LUTs of six inputs hold that well.
//
// Parameters: Bits 4 or 8.
//
// Example: C times 9 is 6C.
`default_nettype none

module mx_dot_multiply #(
    parameter int Bits = 4
) (
    input  logic [  Bits-1:0] a_i,
    input  logic [  Bits-1:0] b_i,
    output logic [2*Bits-1:0] product_o
);

  generate
    if (Bits == 4) begin : g_table
      logic [5:0] low;
      logic [2:0] of_a, of_b, save, carry;
      always_comb begin
        low = {3'd0, a_i[2:0]} * {3'd0, b_i[2:0]};
        of_a = b_i[2:0] & {3{a_i[3]}};
        of_b = a_i[2:0] & {3{b_i[3]}};
        save = low[5:3] ^ of_a ^ of_b;
        carry = (low[5:3] & of_a) | (low[5:3] & of_b) | (of_a & of_b);
        product_o = {{1'b0, a_i[3] & b_i[3], save} + {1'b0, carry, 1'b0}, low[2:0]};
      end
    end else begin : g_plain
      assign product_o = {{Bits{1'b0}}, a_i} * {{Bits{1'b0}}, b_i};
    end
  endgenerate

endmodule

`default_nettype wire
