// SPDX-License-Identifier: Apache-2.0
// Configuration -> the controls of mx_lane_pack. Combinational, once a block.
//
// Overflow codes by sign: the largest code, except Inf (or NaN) under none_inf_or_nan unless the
// rounding is directed inward for that sign. -max of int8 is 81.
//
// Parameters: FmtMask, RoundMask bit n enables code n of mx_pkg.
//
// Example: e5m2, none_inf_or_nan, toward_negative: over_positive 7B, over_negative FC.
`default_nettype none

module mx_pack_control #(
    parameter logic [6:0] FmtMask   = 7'h3F,
    parameter logic [9:0] RoundMask = 10'h3FF
) (
    input  logic [5:0] format_i,         // one-hot
    input  logic [3:0] rounding_i,
    input  logic [1:0] overflow_i,
    input  logic       int_min_i,
    output logic [7:0] round_o,
    output logic [6:0] max_code_o,
    output logic       top_nan_o,
    output logic       is_fixed_o,
    output logic       allow_min_o,
    output logic [7:0] sign_mask_o,
    output logic [7:0] over_positive_o,
    output logic [7:0] over_negative_o
);

  localparam int Roundings = 10;

  logic [Roundings-1:0] mode;  // one-hot; constant where only one rounding is enabled
  always_comb begin
    for (int k = 0; k < Roundings; k++) begin
      mode[k] = RoundMask[k] & ((RoundMask == 10'd1 << k) | (rounding_i == k[3:0]));
    end
  end

  logic [6:0] beyond_code;
  logic [7:0] max_negative, beyond_negative;
  logic inward_positive, inward_negative, to_beyond;
  always_comb begin
    max_code_o  = '0;
    beyond_code = '0;
    sign_mask_o = '0;
    is_fixed_o  = 1'b0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        max_code_o |= {7{format_i[f]}} & mx_pkg::max_code(f[2:0]);
        beyond_code |= {7{format_i[f]}} & mx_pkg::beyond_code(f[2:0]);
        sign_mask_o |= {8{format_i[f]}} & mx_pkg::sign_mask(f[2:0]);
        is_fixed_o |= format_i[f] & mx_pkg::is_fixed(f[2:0]);
      end
    end
    top_nan_o = FmtMask[mx_pkg::FMT_E4M3FN] & format_i[mx_pkg::FMT_E4M3FN];
    allow_min_o = int_min_i;

    round_o[0] = mode[mx_pkg::RND_TIES_TO_EVEN] | mode[mx_pkg::RND_TIES_TO_AWAY] |
                 mode[mx_pkg::RND_TIES_TO_ZERO] | mode[mx_pkg::RND_TIES_TOWARD_POSITIVE];
    round_o[1] = mode[mx_pkg::RND_TIES_TO_EVEN];
    round_o[2] = mode[mx_pkg::RND_TIES_TO_AWAY] | mode[mx_pkg::RND_TIES_TOWARD_POSITIVE];
    round_o[3] = mode[mx_pkg::RND_TIES_TO_AWAY];
    round_o[4] = mode[mx_pkg::RND_TO_ODD];
    round_o[5] = mode[mx_pkg::RND_AWAY_FROM_ZERO] | mode[mx_pkg::RND_TOWARD_POSITIVE];
    round_o[6] = mode[mx_pkg::RND_AWAY_FROM_ZERO] | mode[mx_pkg::RND_TOWARD_NEGATIVE];
    round_o[7] = mode[mx_pkg::RND_STOCHASTIC];

    inward_positive = mode[mx_pkg::RND_TOWARD_ZERO] | mode[mx_pkg::RND_TOWARD_NEGATIVE];
    inward_negative = mode[mx_pkg::RND_TOWARD_ZERO] | mode[mx_pkg::RND_TOWARD_POSITIVE];
    to_beyond = (overflow_i == mx_pkg::OVERFLOW_NONE_INF_OR_NAN) & ~is_fixed_o;
    max_negative = is_fixed_o ? 8'h81 : {1'b0, max_code_o} | sign_mask_o;
    beyond_negative = {1'b0, beyond_code} | sign_mask_o;
    over_positive_o = {1'b0, (to_beyond & ~inward_positive) ? beyond_code : max_code_o};
    over_negative_o = (to_beyond & ~inward_negative) ? beyond_negative : max_negative;
  end

endmodule

`default_nettype wire
