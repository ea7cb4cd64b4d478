// SPDX-License-Identifier: Apache-2.0
// Lane, second step: significand and shift amount -> magnitude before rounding. Combinational.
//
// The significand enters with its hidden bit at integer bit MaxMan and moves right. What stays
// above the point, joined with the exponent field, is the magnitude code of the neighbour below;
// KeptBits fraction bits and a sticky bit remain for the rounder. A carry out of rounding moves the
// joined field as it should.
//
// Parameters: SigFrac fraction bits, MaxMan, KeptBits.
//
// Example: e4m3fn (MaxMan 6: right = 3), 1.0625 = significand 88h of SigFrac 7, field 78h: hidden
// bit removed, 08h -> magnitude 78h, kept fraction 1000...: a tie.
`default_nettype none

module mx_lane_shift #(
    parameter int SigFrac = 15,
    parameter int MaxMan = 6,
    parameter int KeptBits = 8,
    parameter int ShiftWidth = 4
) (
    input  logic [     SigFrac:0] significand_i,
    input  logic                  nonzero_i,
    input  logic [           6:0] field_i,
    input  logic [ShiftWidth-1:0] right_i,
    output logic [           6:0] magnitude_o,
    output logic [  KeptBits-1:0] fraction_o,
    output logic                  sticky_o
);

  localparam int MaxShift = 1 + MaxMan + KeptBits;
  localparam int Total = SigFrac + 1 + MaxShift;

  logic [Total-1:0] shifted;
  logic [      6:0] integer_part;
  always_comb begin
    shifted = {significand_i, {MaxShift{1'b0}}} >> right_i;
    integer_part = '0;
    integer_part[MaxMan:0] = shifted[Total-1-:MaxMan+1];
    magnitude_o = field_i | integer_part;
    fraction_o  = shifted[SigFrac+1+:KeptBits];
    sticky_o    = nonzero_i & (|shifted[SigFrac:0]);
  end

endmodule

`default_nettype wire
