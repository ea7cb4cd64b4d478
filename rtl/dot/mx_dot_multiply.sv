// SPDX-License-Identifier: Apache-2.0
// Product of two significands in two steps (S2, S3).
//
// Four bits: first the product of the three low bits of each, six functions of six inputs; then the
// rows of the two high bits are added. LUTs of six inputs hold both well.
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: Bits 4 or 8.
//
// Example: C times 9: 6C, two cycles later.
`default_nettype none

module mx_dot_multiply #(
    parameter int Bits = 4
) (
    input  logic              clk_i,
    input  logic [       3:2] en_i,
    input  logic [  Bits-1:0] a_i,
    input  logic [  Bits-1:0] b_i,
    output logic [2*Bits-1:0] product_o
);

  logic [2*Bits-1:0] product;
  generate
    if (Bits == 4) begin : g_table
      logic [5:0] low_s2;
      logic [3:0] a_s2, b_s2;
      logic [2:0] of_a, of_b, save, carry;
      always_ff @(posedge clk_i) begin
        if (en_i[2]) begin
          low_s2 <= {3'd0, a_i[2:0]} * {3'd0, b_i[2:0]};
          a_s2   <= a_i;
          b_s2   <= b_i;
        end
      end
      always_comb begin
        of_a = b_s2[2:0] & {3{a_s2[3]}};
        of_b = a_s2[2:0] & {3{b_s2[3]}};
        save = low_s2[5:3] ^ of_a ^ of_b;
        carry = (low_s2[5:3] & of_a) | (low_s2[5:3] & of_b) | (of_a & of_b);
        product = {{1'b0, a_s2[3] & b_s2[3], save} + {1'b0, carry, 1'b0}, low_s2[2:0]};
      end
    end else begin : g_plain
      logic [2*Bits-1:0] product_s2;
      always_ff @(posedge clk_i) begin
        if (en_i[2]) product_s2 <= {{Bits{1'b0}}, a_i} * {{Bits{1'b0}}, b_i};
      end
      assign product = product_s2;
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (en_i[3]) product_o <= product;
  end

endmodule

`default_nettype wire
