// SPDX-License-Identifier: Apache-2.0
// Scale rule -> what a lane has to look for in its fraction. Combinational, once a block.
//
// Every rule adds p to the exponent of the largest magnitude, and for every rule
//   p = enable and (fraction bits under `ones` are all ones)
//              and (exact_too, or some fraction bit outside `ones` is set)
// where `ones` is a run of bits from the top of the 7 leading fraction bits:
//   ceil: none; rceil: the fraction of the format's largest value; even_up and even_down: the top
//   man_bits + 1, and even_up alone counts the exact run.
//
// Parameters: FmtMask, RuleMask bit n enables code n of mx_pkg.
//
// Example: e2m1fn, even_up: ones = 1100000, exact_too = 1, so 1.75 rounds up to 2.
`default_nettype none

module mx_rule #(
    parameter logic [6:0] FmtMask  = 7'h3F,
    parameter logic [4:0] RuleMask = 5'h1F
) (
    input  logic [5:0] format_i,     // one-hot over the enabled formats
    input  logic [2:0] rule_i,
    output logic       enable_o,
    output logic       exact_too_o,
    output logic [6:0] ones_o
);

  localparam int Rules = 5;

  logic [Rules-1:0] rule;  // one-hot; constant where only one rule is enabled
  always_comb begin
    for (int k = 0; k < Rules; k++) begin
      rule[k] = RuleMask[k] & ((RuleMask == 5'd1 << k) | (rule_i == k[2:0]));
    end
  end

  logic [6:0] max_fraction, even_ones;
  always_comb begin
    max_fraction = '0;
    even_ones    = '0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        max_fraction |= {7{format_i[f]}} & mx_pkg::max_fraction(f[2:0]);
        even_ones |= {7{format_i[f]}} & ~(7'h7F >> ({1'b0, mx_pkg::man_bits(f[2:0])} + 4'd1));
      end
    end
    enable_o    = rule[mx_pkg::RULE_CEIL] | rule[mx_pkg::RULE_RCEIL] |
                  rule[mx_pkg::RULE_EVEN_UP] | rule[mx_pkg::RULE_EVEN_DOWN];
    exact_too_o = rule[mx_pkg::RULE_EVEN_UP];
    ones_o      = ({7{rule[mx_pkg::RULE_RCEIL]}} & max_fraction) |
                  ({7{rule[mx_pkg::RULE_EVEN_UP] | rule[mx_pkg::RULE_EVEN_DOWN]}} & even_ones);
  end

endmodule

`default_nettype wire
