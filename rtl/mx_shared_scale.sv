// SPDX-License-Identifier: Apache-2.0
// Largest key and block flags -> scale code, status, and what the lanes need. Combinational.
//
// spec R5.2: S = E + p - emax, clamped below to 0; 255 (emax 0, E = 254, p = 1) by
// scale_sat; even_up and even_down that carry out of exponent 254 by even_carry. Special blocks
// first: a NaN under amax_over = all, then an infinity unless finite_only; then the zero block.
//
// exponent_base_o = 1 - emin - S, so that a lane's biased destination exponent is its own exponent
// plus the base. It is added from the key directly, beside S, not after it.
//
// Example: e4m3fn, floor, key of 1.0 {7Fh, 1, 0}: S = 77h, base = 7 - 119 = -112.
`default_nettype none

module mx_shared_scale #(
    parameter logic [6:0] FmtMask = 7'h3F
) (
    input  logic [9:0] key_i,
    input  logic       has_nan_i,
    input  logic       has_inf_i,
    input  logic [5:0] format_i,        // one-hot
    input  logic       even_rule_i,     // even_up or even_down
    input  logic [1:0] amax_over_i,
    input  logic       inf_block_i,
    input  logic       even_carry_i,
    input  logic       zero_scale_i,
    input  logic       scale_sat_i,
    output logic [7:0] scale_o,
    output logic       is_nan_o,        // scale_o is FF
    output logic       clamped_o,
    output logic       zero_block_o,
    output logic [8:0] exponent_base_o
);

  logic [3:0] emax, abs_emin;
  always_comb begin
    emax     = '0;
    abs_emin = '0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        emax |= {4{format_i[f]}} & mx_pkg::emax(f[2:0]);
        abs_emin |= {4{format_i[f]}} & mx_pkg::abs_emin(f[2:0]);
      end
    end
  end

  logic carry, in_range;
  logic [9:0] unclamped;
  logic [8:0] base_zero;
  logic nan_block, inf_block, below, above, carry_nan;
  always_comb begin
    in_range = key_i[1];
    carry = key_i[1] & key_i[0];
    unclamped = {2'b00, key_i[9:2]} + {9'd0, carry} - {6'd0, emax};
    base_zero = {5'd0, abs_emin} + 9'd1;

    nan_block = has_nan_i & (amax_over_i == mx_pkg::AMAX_ALL);
    inf_block = has_inf_i & (amax_over_i != mx_pkg::AMAX_FINITE_ONLY) & ~nan_block;
    zero_block_o = (key_i == 10'd0) & ~nan_block & ~inf_block;
    below = ~in_range | unclamped[9];
    above = unclamped == 10'd255;
    carry_nan = even_rule_i & carry & (key_i[9:2] == 8'd254) & even_carry_i;
    clamped_o = ~nan_block & ~inf_block & ~zero_block_o & (below | above | carry_nan);
    is_nan_o     = nan_block | (inf_block & ~inf_block_i) |
                   (~inf_block & (carry_nan | (above & scale_sat_i)));

    scale_o = unclamped[7:0];
    exponent_base_o = base_zero + {5'd0, emax} - {1'b0, key_i[9:2]} - {8'd0, carry};
    if (inf_block | above) begin
      scale_o         = 8'hFE;
      exponent_base_o = base_zero - 9'd254;
    end else if (below) begin
      scale_o         = (zero_block_o & zero_scale_i) ? 8'h7F : 8'h00;
      exponent_base_o = base_zero;
    end
    if (is_nan_o) begin
      scale_o = 8'hFF;
    end
  end

endmodule

`default_nettype wire
