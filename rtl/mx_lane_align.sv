// SPDX-License-Identifier: Apache-2.0
// Lane, first step: exponent + base -> destination exponent field and shift amount. Combinational.
//
// biased = exponent - scale + 1 - emin. A normal result (biased >= 1) has the field `biased` and
// loses its hidden bit here; a subnormal one has field 0 and is shifted 1 - biased places further.
// The right shift is counted from a significand whose hidden bit stands at integer bit MaxMan, the
// largest man_bits of the enabled formats:
//   right = (MaxMan - man_bits) + max(0, 1 - biased), at most MaxShift, where only sticky is left.
// A NaN, an infinity and every lane under a NaN scale become a constant in the place of the field,
// with nonzero = 0 and an empty significand, so that nothing later has to know about them.
//
// Parameters: MaxShift = 1 + MaxMan + fraction bits kept for rounding, 2..24; ShiftWidth = its
// width; MagMask = the magnitude bits that any enabled format has.
//
// Example: MaxMan 6, e4m3fn, 1.0 under S = 77h (base -112): biased 15, field 15 * 8 = 78h, right 3.
`default_nettype none

module mx_lane_align #(
    parameter int MaxShift = 15,
    parameter int ShiftWidth = 4,
    parameter logic [6:0] MagMask = 7'h7F
) (
    input  logic                  sign_i,
    input  logic [           8:0] exponent_i,      // two's complement
    input  logic                  hidden_i,
    input  logic                  is_nan_i,
    input  logic                  is_inf_i,
    input  logic                  nonzero_i,
    input  logic                  keep_i,
    // Block controls: see mx_lane_control.
    input  logic [           8:0] base_i,          // two's complement
    input  logic [           2:0] shift_one_i,     // MaxMan + 1 - man_bits
    input  logic [           3:0] man_bits_i,      // one-hot: 1, 2, 3, 6
    input  logic                  block_nan_i,
    input  logic [           6:0] nan_code_i,
    input  logic                  nan_keep_i,
    input  logic                  nan_opposite_i,
    input  logic [           6:0] inf_code_i,
    input  logic                  inf_min_i,
    input  logic                  flush_i,
    output logic                  sign_o,
    output logic                  hidden_o,
    output logic                  nonzero_o,
    output logic                  force_up_o,
    output logic [           6:0] field_o,
    output logic [ShiftWidth-1:0] right_o
);

  logic [9:0] biased;  // two's complement
  logic [5:0] right;
  logic is_normal, is_far, use_nan, use_inf;
  logic [4:0] field;
  always_comb begin
    biased = {exponent_i[8], exponent_i} + {base_i[8], base_i};
    is_normal = ~biased[9] & (|biased[8:0]);
    nonzero_o = nonzero_i & ~block_nan_i;
    use_nan = block_nan_i ? keep_i : is_nan_i;
    use_inf = is_inf_i & ~block_nan_i;

    // A source subnormal still without hidden bit has biased <= 1 and is subnormal here too.
    hidden_o = hidden_i & ~is_normal;
    field = biased[4:0] & {5{is_normal & hidden_i & nonzero_o}};
    // One man_bits of 1 is e2m1fn, whose fields are 0 to 3 under its block's maximum.
    field_o  = MagMask & (({7{man_bits_i[0]}} & {4'b0000, field[1:0], 1'b0}) |
                          ({7{man_bits_i[1]}} & {field, 2'b00}) |
                          ({7{man_bits_i[2]}} & {field[3:0], 3'b000}) |
                          ({7{man_bits_i[3]}} & {field[0], 6'b000000}) |
                          ({7{use_nan}} & nan_code_i) |
                          ({7{use_inf}} & inf_code_i));

    // Six bits are enough for -31 <= biased <= 0; below that nothing is left to round with.
    is_far = biased[9] & ~(&biased[8:5]);
    right = {3'd0, shift_one_i} - (is_normal ? 6'd1 : biased[5:0]);
    right_o = right[ShiftWidth-1:0];
    if (is_far || !nonzero_o || right > MaxShift[5:0]) begin
      right_o = MaxShift[ShiftWidth-1:0];
    end

    if (block_nan_i) begin
      sign_o = 1'b0;
    end else if (is_nan_i) begin
      sign_o = (sign_i & nan_keep_i) | (~sign_i & nan_opposite_i);
    end else begin
      sign_o = sign_i & (nonzero_i | is_inf_i | ~flush_i);
    end
    force_up_o = use_inf & sign_i & inf_min_i;
  end

endmodule

`default_nettype wire
