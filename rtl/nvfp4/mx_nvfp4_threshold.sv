// SPDX-License-Identifier: Apache-2.0
// A threshold of the codes -> the least magnitude that reaches it. Combinational.
//
// The threshold is product_i * 2^(exponent_i - 30), exponent_i being that of the product's leading
// bit, as an exponent field without end. Magnitudes are compared as integers: what lies between two
// of them counts as the one above, and a tie that goes down counts as the one after it.
//
// scale * g is at most 17/16 of a sixth of the block's maximum where the scale is normal, and below
// 2^122 where it is subnormal. So no threshold has an exponent above 255, and with 255 its number is
// that of Inf or above: no finite magnitude reaches it.
//
// Parameters: FracWidth, 23 for fp32, 7 for bf16. TieDown 1: the threshold itself has the lower code.
//
// Example: FracWidth 7, product 1.0 (40000000h), exponent 127, TieDown 1: 3F81h.
`default_nettype none

module mx_nvfp4_threshold #(
    parameter int FracWidth = 23,
    parameter int TieDown   = 0
) (
    input  logic [         30:0] product_i,   // its leading bit is bit 30
    input  logic [          9:0] exponent_i,  // two's complement
    output logic [FracWidth+7:0] least_o
);

  logic is_low, lost;
  logic [9:0] below;
  logic [4:0] places;
  logic [FracWidth:0] whole, kept;
  always_comb begin
    is_low = $signed(exponent_i) < 10'sd1;
    below  = 10'd1 - exponent_i;
    // Subnormal magnitudes lack as many places as the exponent field lies below 1. 31 places leave
    // nothing: the least subnormal, or the one after it.
    places = below > 10'd31 ? 5'd31 : below[4:0];
    if (!is_low) places = 5'd0;
    whole = product_i[30-:FracWidth+1];
    kept = whole >> places;
    lost = (|product_i[29-FracWidth:0]) | ((whole & ~({(FracWidth + 1) {1'b1}} << places)) != '0);
    least_o = {is_low ? 8'd0 : exponent_i[7:0] - 8'd1, {FracWidth{1'b0}}} + {7'd0, kept} +
              {{(FracWidth + 7) {1'b0}}, lost | (TieDown != 0)};
  end

endmodule

`default_nettype wire
