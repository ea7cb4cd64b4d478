// SPDX-License-Identifier: Apache-2.0
// Lane, first step: exponent + base -> destination exponent field and shift amount. Combinational.
//
// biased = exponent - scale + 1 - emin. A normal result (biased >= 1) has the field `biased` and
// loses its hidden bit here; a subnormal one has field 0 and is shifted 1 - biased places further.
// The right shift is counted from a significand whose hidden bit stands at integer bit MaxMan, the
// largest man_bits of the enabled formats:
//   right = (MaxMan - man_bits) + max(0, 1 - biased), at most MaxShift, where only sticky is left.
// It is subtracted from the block's shift_base beside `biased`, not after it.
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
    input  logic                         sign_i,
    input  logic [                  8:0] exponent_i,  // of mx_normalize
    input  logic                         hidden_i,
    input  logic                         is_nan_i,
    input  logic                         is_inf_i,
    input  logic                         nonzero_i,
    input  logic                         keep_i,
    input  logic [mx_pkg::CTL_WIDTH-1:0] control_i,   // see mx_lane_control
    input  logic                         flush_i,
    output logic                         sign_o,
    output logic                         hidden_o,
    output logic                         nonzero_o,
    output logic                         force_up_o,
    output logic [                  6:0] field_o,
    output logic [       ShiftWidth-1:0] right_o
);

  logic block_nan, nan_keep, nan_opposite, inf_min;
  logic [8:0] base;
  logic [5:0] shift_base;
  logic [2:0] shift_one;
  logic [3:0] man_bits;
  logic [6:0] nan_code, inf_code;
  assign block_nan = control_i[mx_pkg::CTL_BLOCK_NAN_LSB];
  assign base = control_i[mx_pkg::CTL_BASE_LSB+:mx_pkg::CTL_BASE_WIDTH];
  assign shift_base = control_i[mx_pkg::CTL_SHIFT_BASE_LSB+:mx_pkg::CTL_SHIFT_BASE_WIDTH];
  assign shift_one = control_i[mx_pkg::CTL_SHIFT_ONE_LSB+:mx_pkg::CTL_SHIFT_ONE_WIDTH];
  assign man_bits = control_i[mx_pkg::CTL_MAN_BITS_LSB+:mx_pkg::CTL_MAN_BITS_WIDTH];
  assign nan_code = control_i[mx_pkg::CTL_NAN_CODE_LSB+:mx_pkg::CTL_NAN_CODE_WIDTH];
  assign nan_keep = control_i[mx_pkg::CTL_NAN_KEEP_LSB];
  assign nan_opposite = control_i[mx_pkg::CTL_NAN_OPPOSITE_LSB];
  assign inf_code = control_i[mx_pkg::CTL_INF_CODE_LSB+:mx_pkg::CTL_INF_CODE_WIDTH];
  assign inf_min = control_i[mx_pkg::CTL_INF_MIN_LSB];

  logic [9:0] exponent, biased;  // two's complement
  logic [5:0] right;
  logic is_normal, is_far, too_far, use_nan, use_inf;
  logic [4:0] field;
  always_comb begin
    exponent = {{2{exponent_i[8]}}, exponent_i[7:4] | {4{exponent_i[8]}}, exponent_i[3:0]};
    biased = exponent + {base[8], base};
    is_normal = ~biased[9] & (|biased[8:0]);
    nonzero_o = nonzero_i & ~block_nan;
    use_nan = block_nan ? keep_i : is_nan_i;
    use_inf = is_inf_i & ~block_nan;

    // A source subnormal still without hidden bit has biased <= 1 and is subnormal here too.
    hidden_o = hidden_i & ~is_normal;
    field = biased[4:0] & {5{is_normal & hidden_i & nonzero_o}};
    // One man_bits of 1 is e2m1fn, whose fields are 0 to 3 under its block's maximum.
    field_o  = MagMask & (({7{man_bits[0]}} & {4'b0000, field[1:0], 1'b0}) |
                          ({7{man_bits[1]}} & {field, 2'b00}) |
                          ({7{man_bits[2]}} & {field[3:0], 3'b000}) |
                          ({7{man_bits[3]}} & {field[0], 6'b000000}) |
                          ({7{use_nan}} & nan_code) |
                          ({7{use_inf}} & inf_code));

    // Six bits are enough for -31 <= biased <= 0; below that nothing is left to round with.
    is_far = biased[9] & ~(&biased[8:5]);
    right = is_normal ? {3'd0, shift_one} - 6'd1 : shift_base - exponent[5:0];
    too_far = is_far || !nonzero_o || right > MaxShift[5:0];
    right_o = too_far ? MaxShift[ShiftWidth-1:0] : right[ShiftWidth-1:0];

    if (block_nan) begin
      sign_o = 1'b0;
    end else if (is_nan_i) begin
      sign_o = (sign_i & nan_keep) | (~sign_i & nan_opposite);
    end else begin
      sign_o = sign_i & (nonzero_i | is_inf_i | ~flush_i);
    end
    force_up_o = use_inf & sign_i & inf_min;
  end

endmodule

`default_nettype wire
