// SPDX-License-Identifier: Apache-2.0
// Largest key and block flags -> scale code, status, and what the lanes need. Combinational.
//
// spec R5.2: S = E + p - emax, clamped below to 0; 255 (emax 0, E = 254, p = 1) by
// scale_sat; even_up and even_down that carry out of exponent 254 by even_carry. Special blocks
// first: a NaN under amax_over = all, then an infinity unless finite_only; then the zero block.
//
// base_o = 1 - emin - S, so that a lane's biased destination exponent is its own exponent plus the
// base; shift_base_o = shift_one - base. All are added from the key beside S, not after it, and
// for both values of the carry, which comes last.
//
// Parameters: FmtMask; MaxMan = the largest man_bits of the enabled formats.
//
// Example: e4m3fn, floor, key of 1.0 {7Fh, 1, 0}: S = 77h, base = 7 - 119 = -112.
`default_nettype none

module mx_shared_scale #(
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter int MaxMan = 6
) (
    input  logic [7:0] exponent_i,    // of the largest key
    input  logic       in_range_i,
    input  logic       carry_i,
    input  logic       nonzero_i,     // any lane has a key
    input  logic       has_nan_i,
    input  logic       has_inf_i,
    input  logic [5:0] format_i,      // one-hot
    input  logic       even_rule_i,   // even_up or even_down
    input  logic [1:0] amax_over_i,
    input  logic       inf_block_i,
    input  logic       even_carry_i,
    input  logic       zero_scale_i,
    input  logic       scale_sat_i,
    output logic [7:0] scale_o,
    output logic       is_nan_o,      // scale_o is FF
    output logic       clamped_o,
    output logic       zero_block_o,
    output logic [8:0] base_o,
    output logic [5:0] shift_base_o
);

  // Of the format: emax, 1 - emin, and shift_one - (1 - emin).
  logic [3:0] emax;
  logic [4:0] base_zero;
  logic [5:0] shift_zero;

  logic nan_block, inf_block, special, at_top, above, below, carry_nan;
  logic [8:0] plain, carried;  // S before clamping, two's complement
  logic [8:0] base_plain, base_carried;
  logic [5:0] shift_plain, shift_carried;
  logic [7:0] code;
  always_comb begin
    emax       = '0;
    base_zero  = '0;
    shift_zero = '0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        emax |= {4{format_i[f]}} & mx_pkg::emax(f[2:0]);
        base_zero |= {5{format_i[f]}} & ({1'b0, mx_pkg::abs_emin(f[2:0])} + 5'd1);
        shift_zero |= {6{format_i[f]}} & (MaxMan[5:0] - {3'd0, mx_pkg::man_bits(
            f[2:0]
        )} - {2'd0, mx_pkg::abs_emin(
            f[2:0]
        )});
      end
    end

    // Special blocks, the highest codes and the lowest.
    plain = {1'b0, exponent_i} - {5'd0, emax};
    carried = {1'b0, exponent_i} - {5'd0, emax} + 9'd1;
    nan_block = has_nan_i & (amax_over_i == mx_pkg::AMAX_ALL);
    inf_block = has_inf_i & (amax_over_i != mx_pkg::AMAX_FINITE_ONLY) & ~nan_block;
    special = nan_block | inf_block;
    at_top = carry_i & (exponent_i == 8'd254);
    above = at_top & (emax == 4'd0);
    below = ~in_range_i | (carry_i ? carried[8] : plain[8]);
    carry_nan = even_rule_i & at_top & even_carry_i;
    zero_block_o = ~nonzero_i & ~special;
    clamped_o = nonzero_i & ~special & (below | above | carry_nan);
    is_nan_o     = nan_block | (inf_block & ~inf_block_i) |
                   (~inf_block & (carry_nan | (above & scale_sat_i)));

    base_plain = {4'd0, base_zero} + {5'd0, emax} - {1'b0, exponent_i};
    base_carried = {4'd0, base_zero} + {5'd0, emax} - {1'b0, exponent_i} - 9'd1;
    shift_plain = shift_zero - {2'd0, emax} + exponent_i[5:0];
    shift_carried = shift_zero - {2'd0, emax} + exponent_i[5:0] + 6'd1;
    if (inf_block | above) begin
      code         = 8'hFE;
      base_o       = {4'd0, base_zero} - 9'd254;
      shift_base_o = shift_zero + 6'd62;  // 254 in six bits
    end else if (below) begin
      code         = (~nonzero_i & zero_scale_i) ? 8'h7F : 8'h00;
      base_o       = {4'd0, base_zero};
      shift_base_o = shift_zero;
    end else begin
      code         = carry_i ? carried[7:0] : plain[7:0];
      base_o       = carry_i ? base_carried : base_plain;
      shift_base_o = carry_i ? shift_carried : shift_plain;
    end
    scale_o = is_nan_o ? 8'hFF : code;
  end

endmodule

`default_nettype wire
