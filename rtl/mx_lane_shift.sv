// Lane, second step: significand and shift amount -> magnitude before rounding. Combinational.
//
// The significand enters with its hidden bit at integer bit 6 and moves right. What stays above the
// point, joined with the exponent field, is the magnitude code of the neighbour below; KeptBits
// fraction bits and a sticky bit remain for the rounder. A carry out of rounding moves the joined
// field as it should.
//
// Parameters: FracWidth, KeptBits; MaxShift = 7 + KeptBits.
//
// Example: e4m3fn (right = 3), 1.0625 = significand 88h of FracWidth 7, field 78h: hidden bit
// removed, 08h -> magnitude 78h, kept fraction 1000...: a tie.
`default_nettype none

module mx_lane_shift #(
    parameter int FracWidth = 23,
    parameter int KeptBits = 8,
    parameter int ShiftWidth = 4
) (
    input  logic [FracWidth:0]    significand_i,
    input  logic                  nonzero_i,
    input  logic [6:0]            field_i,
    input  logic [ShiftWidth-1:0] right_i,
    output logic [6:0]            magnitude_o,
    output logic [KeptBits-1:0]   fraction_o,
    output logic                  sticky_o
);

  localparam int MaxShift = 7 + KeptBits;
  localparam int Total = FracWidth + 1 + MaxShift;

  logic [Total-1:0] shifted;
  always_comb begin
    shifted     = {significand_i, {MaxShift{1'b0}}} >> right_i;
    magnitude_o = field_i | shifted[Total-1-:7];
    fraction_o  = shifted[Total-8-:KeptBits];
    sticky_o    = nonzero_i & (|shifted[FracWidth:0]);
  end

endmodule

`default_nettype wire
