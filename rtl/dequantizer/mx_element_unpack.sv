// SPDX-License-Identifier: Apache-2.0
// Element code -> sign, normalized significand, exponent, class. Combinational.
//
// A finite element that is not zero is (-1)^sign * 1.fraction * 2^(place_o - bias), where bias is
// the exponent bias of its format (0 for int8) and place_o lies in -6..31: the exponent field of a
// normal value, 1 - zeros of a subnormal one with that many leading zeros. int8 counts as
// subnormal: magnitude m is m/128 * 2^1.
// For zeros, NaN and infinities fraction_o and place_o are arbitrary. Bits of the code above the
// format's width are ignored.
//
// Parameters: FmtMask bit n enables format code n of mx_pkg; nvfp4 has elements of e2m1fn.
//
// Example: e4m3fn 81 (-2^-9): sign 1, fraction 0, place -2, for 1.0 * 2^(-2 - 7).
`default_nettype none

module mx_element_unpack #(
    parameter logic [6:0] FmtMask = 7'h7F
) (
    input  logic [7:0] code_i,
    input  logic [6:0] format_i,    // one-hot over the enabled formats
    output logic       sign_o,
    output logic [5:0] fraction_o,
    output logic [5:0] place_o,     // two's complement
    output logic       is_zero_o,
    output logic       is_nan_o,
    output logic       is_inf_o
);

  logic e4m3, e5m2, e2m3, e3m2, e2m1, fixed;
  always_comb begin
    e4m3 = format_i[mx_pkg::FMT_E4M3FN] & FmtMask[mx_pkg::FMT_E4M3FN];
    e5m2 = format_i[mx_pkg::FMT_E5M2] & FmtMask[mx_pkg::FMT_E5M2];
    e2m3 = format_i[mx_pkg::FMT_E2M3FN] & FmtMask[mx_pkg::FMT_E2M3FN];
    e3m2 = format_i[mx_pkg::FMT_E3M2FN] & FmtMask[mx_pkg::FMT_E3M2FN];
    e2m1  = (format_i[mx_pkg::FMT_E2M1FN] & FmtMask[mx_pkg::FMT_E2M1FN]) |
            (format_i[mx_pkg::FMT_NVFP4] & FmtMask[mx_pkg::FMT_NVFP4]);
    fixed = format_i[mx_pkg::FMT_INT8] & FmtMask[mx_pkg::FMT_INT8];
  end

  // Floating formats: exponent field and the top of the significand, left-aligned.
  logic [4:0] exponent;
  logic [2:0] mantissa;
  always_comb begin
    exponent = ({5{e4m3}} & {1'b0, code_i[6:3]}) | ({5{e5m2}} & code_i[6:2]) |
               ({5{e2m3}} & {3'd0, code_i[4:3]}) | ({5{e3m2}} & {2'd0, code_i[4:2]}) |
               ({5{e2m1}} & {3'd0, code_i[2:1]});
    mantissa = ({3{e4m3 | e2m3}} & code_i[2:0]) | ({3{e5m2 | e3m2}} & {code_i[1:0], 1'b0}) |
               ({3{e2m1}} & {code_i[0], 2'b00});
    sign_o = ((e4m3 | e5m2 | fixed) & code_i[7]) | ((e2m3 | e3m2) & code_i[5]) | (e2m1 & code_i[3]);
    is_nan_o = (e4m3 & (&code_i[6:0])) | (e5m2 & (&code_i[6:2]) & (|code_i[1:0]));
    is_inf_o = e5m2 & (&code_i[6:2]) & ~(|code_i[1:0]);
  end

  // What has leading zeros: {hidden bit, mantissa}, or the magnitude of int8.
  logic [7:0] significand, magnitude;
  logic [2:0] zeros;
  logic normal;
  always_comb begin
    magnitude   = (code_i ^ {8{code_i[7]}}) + {7'd0, code_i[7]};
    normal      = |exponent;
    significand = {normal, mantissa, 4'd0} | ({8{fixed}} & magnitude);
    is_zero_o   = significand == 8'd0;
    zeros       = 3'd0;
    for (int k = 2; k >= 0; k--) begin
      if ((significand >> (8 - (1 << k))) == '0) begin
        significand = significand << (1 << k);
        zeros[k]    = 1'b1;
      end
    end
    fraction_o = significand[6:1];
    place_o    = normal ? {1'b0, exponent} : 6'd1 - {3'd0, zeros};
  end

  logic unused_bits;  // the hidden bit; the lowest one, which no magnitude above 127 has
  assign unused_bits = ^{significand[7], significand[0]};

endmodule

`default_nettype wire
