// SPDX-License-Identifier: Apache-2.0
// Format and scale code of a side of a beat -> how elements lie, what the scale is. Combinational.
//
// layout_o is for mx_dot_element: 7 two's complement; the sign in bit 7, 6; in bit 5, 5, else in
// bit 3; which exponents have a bit 4, 3, 2 (4:2); fractions of two bits, 1, of one, 0.
// A scale is significand * 2^(field - 127), significand 1.0 for E8M0 and from 0 to 1.875 for UE4M3.
// field_o - bias_o is 127 more than the exponent that scale and format add to an element's place.
// A code that is not enabled acts as some format.
//
// Parameters: FmtMask bit n enables format code n of mx_pkg, bit 6 nvfp4.
//
// Example: e4m3fn, scale 7F (1.0): layout 4C, field 127, bias 7, significand 1.000.
`default_nettype none

module mx_dot_format #(
    parameter logic [6:0] FmtMask = 7'h7F
) (
    input  logic [2:0] format_i,
    input  logic [7:0] scale_i,
    output logic [7:0] layout_o,
    output logic [7:0] field_o,
    output logic [3:0] bias_o,
    output logic       is_ue4m3_o,
    output logic [3:0] significand_o,
    output logic       scale_nan_o
);

  // Where one format alone is enabled, nothing is decided.
  logic [6:0] is_format;
  logic e5m2, e2m3, e3m2, e2m1, fixed, nvfp4, four;
  always_comb begin
    for (int i = 0; i < 7; i++) begin
      is_format[i] = FmtMask[i] & ((FmtMask == 7'd1 << i) | (format_i == i[2:0]));
    end
    e5m2  = is_format[mx_pkg::FMT_E5M2];
    e2m3  = is_format[mx_pkg::FMT_E2M3FN];
    e3m2  = is_format[mx_pkg::FMT_E3M2FN];
    e2m1  = is_format[mx_pkg::FMT_E2M1FN];
    fixed = is_format[mx_pkg::FMT_INT8];
    nvfp4 = is_format[6];
    four  = e2m1 | nvfp4;
  end

  logic narrow;  // exponents of two bits, or none
  always_comb begin
    narrow = e2m3 | four | fixed;
    layout_o = {
      fixed, ~(e2m3 | e3m2 | four), e2m3 | e3m2, e5m2, ~(narrow | e3m2), ~narrow, e5m2 | e3m2, four
    };
    bias_o = {e5m2, ~narrow & ~e3m2, ~narrow, 1'b1};
    is_ue4m3_o = nvfp4;
    significand_o = nvfp4 ? {|scale_i[6:3], scale_i[2:0]} : 4'b1000;
    field_o = nvfp4 ? 8'd120 + {4'd0, scale_i[6:4], scale_i[3] | ~(|scale_i[6:3])} : scale_i;
    scale_nan_o = nvfp4 ? &scale_i[6:0] : &scale_i;
  end

  logic unused_code;  // that of e4m3fn, which is what is left
  assign unused_code = is_format[mx_pkg::FMT_E4M3FN];

endmodule

`default_nettype wire
