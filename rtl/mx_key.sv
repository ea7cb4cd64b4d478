// SPDX-License-Identifier: Apache-2.0
// What one lane says of its block's scale beside its exponent field. Combinational.
//
// The key of a lane is {exponent field, in_range, carry}, and the largest key of a block decides
// its scale. For exponent field >= 1, in_range is 1 and carry is the scale rule's. carry grows with
// the fraction at equal exponents, so the largest key is that of the largest magnitude.
// A zero, a NaN, an infinity has no key. Subnormals (exponent field 0) are ordered by what they
// make of the scale: only a format with emax = 0 (int8) can reach scale codes 0 and 1 from there:
//   2^-127 and above   {1, p}   p of the fraction shifted once
//   2^-128, carry      {1, 0}   the carry brings it to 2^-127
//   anything else      {0, 0}   scale code below 0: always clamped
// and for the other formats each of these three is clamped.
//
// Parameters: FracWidth; HasFixed = 1 where a format with emax 0 is enabled.
//
// Example: 1.5 (fraction 1000000, exponent field 7Fh) under ceil: in_range 1, carry 1.
`default_nettype none

module mx_key #(
    parameter int FracWidth  = 23,
    parameter int HasFixed   = 1,
    parameter int Subnormals = 1
) (
    input  logic [          7:0] exponent_i,
    input  logic [FracWidth-1:0] fraction_i,
    input  logic                 nonzero_i,
    input  logic                 enable_i,     // rule: see mx_rule
    input  logic                 exact_too_i,
    input  logic [          6:0] ones_i,
    output logic                 in_range_o,
    output logic                 carry_o
);

  // The two fraction bits below the seven that the rules look at take part when shifted in.
  logic [8:0] top;
  logic       below;
  generate
    if (FracWidth > 9) begin : g_wide
      assign top   = fraction_i[FracWidth-1-:9];
      assign below = |fraction_i[FracWidth-10:0];
    end else begin : g_narrow
      assign top   = {fraction_i, {(9 - FracWidth) {1'b0}}};
      assign below = 1'b0;
    end
  endgenerate

  logic is_subnormal, is_small, carry;
  logic [8:0] seen;
  always_comb begin
    is_subnormal = (HasFixed != 0) & (Subnormals != 0) & (exponent_i == 8'd0);
    is_small = is_subnormal & ~top[8];  // below 2^-127
    seen = top;
    if (is_subnormal) begin
      seen = top[8] ? {top[7:0], 1'b0} : {top[6:0], 2'b00};
    end
    carry = enable_i & ((seen[8:2] & ones_i) == ones_i) &
            (exact_too_i | (|(seen[8:2] & ~ones_i)) | seen[1] | seen[0] | below);
    in_range_o = nonzero_i & (~is_small | (top[7] & carry));
    carry_o = nonzero_i & carry & ~is_small;
  end

endmodule

`default_nettype wire
