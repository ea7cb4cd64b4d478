// SPDX-License-Identifier: Apache-2.0
// Exponent field and fraction -> true exponent and significand with its hidden bit. Combinational.
//
// A source subnormal is shifted left until its hidden bit is set, at most Depth places, and its
// exponent is 1 - places. Depth = 1 - emin of the destination with the smallest emin is enough: a
// value that needs more places is subnormal in the destination even at scale code 00, and
// mx_lane_align then sees that the hidden bit is missing.
//
// From here on the significand only moves right, so fraction bits that can never be rounded at are
// joined into the last bit, as a sticky bit.
//
// Parameters: FracWidth; SigFrac fraction bits leave, FracWidth or fewer; Depth 0 (no subnormal
// arrives here) or 1, 3, 7, 15.
//
// Example: FracWidth 7, SigFrac 7, Depth 15, bf16 0020 (2^-128): exponent -1, significand 80h.
`default_nettype none

module mx_normalize #(
    parameter int FracWidth = 23,
    parameter int SigFrac = 15,
    parameter int Depth = 15
) (
    input  logic                 is_subnormal_i,
    input  logic [          7:0] exponent_i,
    input  logic [FracWidth-1:0] fraction_i,
    output logic [          8:0] exponent_o,      // bit 8: below 0, bits 7 to 4 count as ones
    output logic [    SigFrac:0] significand_o
);

  logic [FracWidth:0] significand;
  generate
    if (Depth == 0) begin : g_none
      assign exponent_o = {1'b0, exponent_i};
      logic unused_subnormal;
      assign unused_subnormal = is_subnormal_i;
      assign significand = {1'b1, fraction_i};
    end else begin : g_shift
      logic [FracWidth:0] moved;
      logic [3:0] places;
      always_comb begin
        moved  = {~is_subnormal_i, fraction_i};
        places = 4'd0;
        // Powers of two from Depth downwards; steps wider than the significand find only zeros.
        for (int k = 3; k >= 0; k--) begin
          if (((Depth >> k) & 1) == 1 && (1 << k) <= FracWidth) begin
            if ((moved >> (FracWidth + 1 - (1 << k))) == '0) begin
              moved     = moved << (1 << k);
              places[k] = 1'b1;
            end
          end
        end
        significand = moved;
        if (is_subnormal_i) begin
          exponent_o = {places > 4'd1, exponent_i[7:4], 4'd1 - places};
        end else begin
          exponent_o = {1'b0, exponent_i};
        end
      end
    end

    if (SigFrac == FracWidth) begin : g_whole
      assign significand_o = significand;
    end else begin : g_join
      assign significand_o = {significand[FracWidth-:SigFrac], |significand[FracWidth-SigFrac:0]};
    end
  endgenerate

endmodule

`default_nettype wire
