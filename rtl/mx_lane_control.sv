// SPDX-License-Identifier: Apache-2.0
// Configuration and scale -> what a block tells mx_lane_align. Combinational, once a block.
//
// control_o is laid out by the CTL_ constants of mx_pkg:
//   block_nan     the scale code is FF
//   base          1 - emin - scale code: exponent + base is the destination's exponent field
//   shift_one     MaxMan + 1 - man_bits: how far the significand of the field 1 moves right, plus 1
//   shift_base    shift_one - base, six bits of it
//   man_bits      one-hot: 1, 2, 3, 6
//   nan_code, nan_keep, nan_opposite, inf_code, inf_min: NaN and Inf lanes
//
// The code of a NaN: canonical_positive and keep_sign take the NaN code (the largest code in
// formats without NaN), to_positive_max and to_signed_max the largest code, to_opposite_zero zero.
// Under a NaN scale every kept lane takes nan_code: the canonical NaN or zero by nan_scale_codes.
//
// Parameters: FmtMask; MaxMan = the largest man_bits of the enabled formats.
//
// Example: MaxMan 6, e4m3fn, all policies 0: nan_code 7F, inf_code 7E, shift_one 4, man_bits 0100.
`default_nettype none

module mx_lane_control #(
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter int MaxMan = 6
) (
    input  logic [                  5:0] format_i,           // one-hot
    input  logic                         block_nan_i,
    input  logic [                  1:0] overflow_i,
    input  logic                         nan_scale_codes_i,
    input  logic [                  2:0] nan_i,
    input  logic                         int_min_i,
    input  logic [                  8:0] base_i,             // from mx_shared_scale
    input  logic [                  5:0] shift_base_i,
    output logic [mx_pkg::CTL_WIDTH-1:0] control_o
);

  logic [2:0] man_bits;
  logic [6:0] max_code, nan_code, beyond_code, lane_nan;
  logic has_nan, is_fixed, opposite;
  always_comb begin
    man_bits    = '0;
    max_code    = '0;
    nan_code    = '0;
    beyond_code = '0;
    has_nan     = 1'b0;
    is_fixed    = 1'b0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        man_bits |= {3{format_i[f]}} & mx_pkg::man_bits(f[2:0]);
        max_code |= {7{format_i[f]}} & mx_pkg::max_code(f[2:0]);
        nan_code |= {7{format_i[f]}} & mx_pkg::nan_code(f[2:0]);
        beyond_code |= {7{format_i[f]}} & mx_pkg::beyond_code(f[2:0]);
        has_nan |= format_i[f] & mx_pkg::has_nan(f[2:0]);
        is_fixed |= format_i[f] & mx_pkg::is_fixed(f[2:0]);
      end
    end

    opposite = nan_i == mx_pkg::NAN_TO_OPPOSITE_ZERO;
    if (block_nan_i) begin
      lane_nan = nan_code & {7{nan_scale_codes_i & has_nan}};
    end else if (opposite) begin
      lane_nan = '0;
    end else if (nan_i == mx_pkg::NAN_TO_POSITIVE_MAX || nan_i == mx_pkg::NAN_TO_SIGNED_MAX) begin
      lane_nan = max_code;
    end else begin
      lane_nan = nan_code;
    end

    control_o[mx_pkg::CTL_BLOCK_NAN_LSB] = block_nan_i;
    control_o[mx_pkg::CTL_BASE_LSB+:mx_pkg::CTL_BASE_WIDTH] = base_i;
    control_o[mx_pkg::CTL_SHIFT_BASE_LSB+:mx_pkg::CTL_SHIFT_BASE_WIDTH] = shift_base_i;
    control_o[mx_pkg::CTL_SHIFT_ONE_LSB+:mx_pkg::CTL_SHIFT_ONE_WIDTH] =
        MaxMan[2:0] + 3'd1 - man_bits;
    control_o[mx_pkg::CTL_MAN_BITS_LSB+:mx_pkg::CTL_MAN_BITS_WIDTH] = {
      man_bits == 3'd6, man_bits == 3'd3, man_bits == 3'd2, man_bits == 3'd1
    };
    control_o[mx_pkg::CTL_NAN_CODE_LSB+:mx_pkg::CTL_NAN_CODE_WIDTH] = lane_nan;
    control_o[mx_pkg::CTL_NAN_KEEP_LSB] =
        (nan_i == mx_pkg::NAN_KEEP_SIGN) | (nan_i == mx_pkg::NAN_TO_SIGNED_MAX);
    control_o[mx_pkg::CTL_NAN_OPPOSITE_LSB] = opposite;
    control_o[mx_pkg::CTL_INF_CODE_LSB+:mx_pkg::CTL_INF_CODE_WIDTH] =
        overflow_i == mx_pkg::OVERFLOW_SAT_FINITE ? max_code : beyond_code;
    control_o[mx_pkg::CTL_INF_MIN_LSB] = is_fixed & int_min_i;
  end

endmodule

`default_nettype wire
