// SPDX-License-Identifier: Apache-2.0
// Scale of a block times scale of its tensor -> odd multiples of a quarter of it. Three registers.
//
// The codes of e2m1fn change at 0.25, 0.75, 1.25, 1.75, 2.5, 3.5 and 5 times scale * g, and 7 would
// be beyond the largest: 1, 3, 5 and 7 quarters, and 5 and 7 of them doubled. Each multiple is
// product_o * 2^(exponent_o - 30), its leading bit at 30.
//
// Example: scale 38h (1.0), g 1.0: the multiples 0.25, 0.75, 1.25, 1.75 have exponents 125, 126,
// 127, 127.
`default_nettype none

module mx_nvfp4_multiples (
    input  logic         clk_i,
    input  logic         en_i,
    input  logic [  6:0] scale_i,     // UE4M3
    input  logic [ 23:0] tensor_i,    // significand of g
    input  logic [  9:0] exponent_i,  // its exponent field, two's complement
    output logic [123:0] product_o,   // of 1, 3, 5 and 7 quarters, the first lowest
    output logic [ 39:0] exponent_o
);

  // M1: the product, and the exponent that it would have with its leading bit at 27.
  logic [25:0] low, high;
  logic [27:0] product_d, product_q;
  logic [9:0] exponent_q;
  always_comb begin
    low       = {2'd0, tensor_i & {24{scale_i[0]}}} + {1'b0, tensor_i & {24{scale_i[1]}}, 1'b0};
    high      = {2'd0, tensor_i & {24{scale_i[2]}}} + {1'b0, tensor_i & {24{|scale_i[6:3]}}, 1'b0};
    product_d = {2'd0, low} + {high, 2'd0};
  end

  // M2: its leading bit at 27.
  logic [27:0] leading, leading_q2;
  logic [2:0] zeros;
  logic [9:0] exponent_q2;
  always_comb begin
    leading = product_q;
    zeros   = 3'd0;
    for (int k = 2; k >= 0; k--) begin
      if ((leading >> (28 - (1 << k))) == '0) begin
        leading  = leading << (1 << k);
        zeros[k] = 1'b1;
      end
    end
  end

  // M3: 3, 5 and 7 times; each has one of two places for its leading bit.
  logic [30:0] one, three, five, seven;
  always_comb begin
    one   = {3'd0, leading_q2};
    three = one + (one << 1);
    five  = one + (one << 2);
    seven = (one << 3) - one;
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      product_q <= product_d;
      exponent_q <= exponent_i + {6'd0, scale_i[6:3]} + {9'd0, scale_i[6:3] == 4'd0} - 10'd5;
      leading_q2 <= leading;
      exponent_q2 <= exponent_q - {7'd0, zeros};
      product_o <= {
        seven[30] ? seven : seven << 1,
        five[30] ? five : five << 1,
        three[29] ? three << 1 : three << 2,
        one << 3
      };
      exponent_o <= {
        exponent_q2 - {9'd0, ~seven[30]},
        exponent_q2 - {9'd0, ~five[30]},
        exponent_q2 - {8'd0, ~three[29], three[29]},
        exponent_q2 - 10'd3
      };
    end
  end

endmodule

`default_nettype wire
