// SPDX-License-Identifier: Apache-2.0
// Configuration -> the controls of mx_lane_align. Combinational, once a block.
//
// The code of a NaN: canonical_positive and keep_sign take the NaN code (the largest code in
// formats without NaN), to_positive_max and to_signed_max the largest code, to_opposite_zero zero.
// Under a NaN scale every kept lane takes nan_code_o: the canonical NaN or zero by nan_scale_codes.
//
// Parameters: FmtMask; MaxMan = the largest man_bits of the enabled formats.
//
// Example: MaxMan 6, e4m3fn, all policies 0: nan_code 7F, inf_code 7E, shift_one 4, man_bits 0100.
`default_nettype none

module mx_lane_control #(
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter int MaxMan = 6
) (
    input  logic [5:0] format_i,           // one-hot
    input  logic       block_nan_i,
    input  logic [1:0] overflow_i,
    input  logic       nan_scale_codes_i,
    input  logic [2:0] nan_i,
    input  logic       int_min_i,
    output logic [2:0] shift_one_o,
    output logic [3:0] man_bits_o,
    output logic [6:0] nan_code_o,
    output logic       nan_keep_o,
    output logic       nan_opposite_o,
    output logic [6:0] inf_code_o,
    output logic       inf_min_o
);

  logic [2:0] man_bits;
  logic [6:0] max_code, nan_code, beyond_code;
  logic has_nan, is_fixed;
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

    shift_one_o    = MaxMan[2:0] + 3'd1 - man_bits;
    man_bits_o     = {man_bits == 3'd6, man_bits == 3'd3, man_bits == 3'd2, man_bits == 3'd1};

    nan_keep_o     = (nan_i == mx_pkg::NAN_KEEP_SIGN) | (nan_i == mx_pkg::NAN_TO_SIGNED_MAX);
    nan_opposite_o = nan_i == mx_pkg::NAN_TO_OPPOSITE_ZERO;
    nan_code_o     = nan_code;
    if (block_nan_i) begin
      nan_code_o = nan_code & {7{nan_scale_codes_i & has_nan}};
    end else if (nan_opposite_o) begin
      nan_code_o = '0;
    end else if (nan_i == mx_pkg::NAN_TO_POSITIVE_MAX || nan_i == mx_pkg::NAN_TO_SIGNED_MAX) begin
      nan_code_o = max_code;
    end

    inf_code_o = overflow_i == mx_pkg::OVERFLOW_SAT_FINITE ? max_code : beyond_code;
    inf_min_o  = is_fixed & int_min_i;
  end

endmodule

`default_nettype wire
