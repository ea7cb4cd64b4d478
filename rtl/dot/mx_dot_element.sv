// SPDX-License-Identifier: Apache-2.0
// Element code -> sign, significand, place, class. Combinational.
//
// A finite element is (-1)^sign * significand * 2^(place - bias); bias is its format's, int8's 1.
// The place is the exponent field, and 1 for a subnormal element and for int8: nothing is
// normalized. The significand has three bits below the point; where int8 is enabled it has six,
// and two above. layout_i says how the fields of the format lie (mx_dot_format).
//
// Parameters: FmtMask bit n enables format code n of mx_pkg, bit 6 nvfp4. SigBits 4, with int8 8.
//
// Example: e4m3fn 81 (-2^-9): sign 1, significand 0.001, place 1, for 2^-3 * 2^(1 - 7).
`default_nettype none

module mx_dot_element #(
    parameter logic [6:0] FmtMask = 7'h7F,
    parameter int SigBits = 4
) (
    input  logic [        7:0] code_i,
    input  logic [        7:0] layout_i,
    output logic               sign_o,
    output logic [SigBits-1:0] significand_o,
    output logic [        4:0] place_o,
    output logic               is_zero_o,
    output logic               is_nan_o,
    output logic               is_inf_o
);

  localparam logic HasFp8 = FmtMask[mx_pkg::FMT_E4M3FN] | FmtMask[mx_pkg::FMT_E5M2];

  logic fixed, eight, six, two_bits, one_bit;
  logic [2:0] wide;
  assign {fixed, eight, six, wide, two_bits, one_bit} = layout_i;

  // Fractions are brought to the same place, and exponents cut to their width.
  logic [7:0] x;
  logic [4:0] exponent;
  logic hidden;
  always_comb begin
    x = code_i;
    if (two_bits) x = {code_i[6:0], 1'b0};
    if (one_bit) x = {code_i[5:0], 2'b00};
    exponent = x[7:3] & {wide, {2{~fixed}}};
    hidden   = |exponent;
    place_o  = {exponent[4:1], exponent[0] | ~hidden};
    sign_o   = eight ? code_i[7] : six ? code_i[5] : code_i[3];
  end

  generate
    if (SigBits == 8) begin : g_fixed
      logic [7:0] magnitude;
      assign magnitude     = (code_i ^ {8{code_i[7]}}) + {7'd0, code_i[7]};
      assign significand_o = fixed ? magnitude : {1'b0, hidden, x[2:0], 3'd0};
    end else begin : g_floating
      assign significand_o = {hidden, x[2:0]};
    end
  endgenerate
  assign is_zero_o = significand_o == '0;

  // e4m3fn has one NaN, e5m2 three and an infinity; no other format has either.
  logic top;
  assign top      = HasFp8 & wide[1] & (&code_i[6:2]);
  assign is_nan_o = top & (wide[2] ? |code_i[1:0] : &code_i[1:0]);
  assign is_inf_o = top & wide[2] & ~(|code_i[1:0]);

endmodule

`default_nettype wire
