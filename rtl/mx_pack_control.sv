// SPDX-License-Identifier: Apache-2.0
// Configuration -> what a block tells mx_lane_pack. Combinational, once a block.
//
// pack_o is laid out by the PACK_ constants of mx_pkg. The first eight bits are the rounding:
// mx_round says what each of them means.
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
    input  logic [                   5:0] format_i,    // one-hot
    input  logic [                   3:0] rounding_i,
    input  logic [                   1:0] overflow_i,
    input  logic                          int_min_i,
    input  logic                          flush_i,     // zero_sign of the block
    output logic [mx_pkg::PACK_WIDTH-1:0] pack_o
);

  localparam int Roundings = 10;

  logic [Roundings-1:0] mode;  // one-hot; constant where only one rounding is enabled
  always_comb begin
    for (int k = 0; k < Roundings; k++) begin
      mode[k] = RoundMask[k] & ((RoundMask == 10'd1 << k) | (rounding_i == k[3:0]));
    end
  end

  logic [6:0] beyond_code, max_code;
  logic [7:0] max_negative, beyond_negative, over_positive, over_negative, sign_mask;
  logic top_nan, is_fixed;
  logic nearest, tie_odd, tie_positive, tie_negative, up_even, up_positive, up_negative, stochastic;
  logic inward_positive, inward_negative, to_beyond;
  always_comb begin
    max_code = '0;
    beyond_code = '0;
    sign_mask = '0;
    is_fixed = 1'b0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      if (FmtMask[f]) begin
        max_code |= {7{format_i[f]}} & mx_pkg::max_code(f[2:0]);
        beyond_code |= {7{format_i[f]}} & mx_pkg::beyond_code(f[2:0]);
        sign_mask |= {8{format_i[f]}} & mx_pkg::sign_mask(f[2:0]);
        is_fixed |= format_i[f] & mx_pkg::is_fixed(f[2:0]);
      end
    end
    top_nan = FmtMask[mx_pkg::FMT_E4M3FN] & format_i[mx_pkg::FMT_E4M3FN];

    nearest = mode[mx_pkg::RND_TIES_TO_EVEN] | mode[mx_pkg::RND_TIES_TO_AWAY] |
                 mode[mx_pkg::RND_TIES_TO_ZERO] | mode[mx_pkg::RND_TIES_TOWARD_POSITIVE];
    tie_odd = mode[mx_pkg::RND_TIES_TO_EVEN];
    tie_positive = mode[mx_pkg::RND_TIES_TO_AWAY] | mode[mx_pkg::RND_TIES_TOWARD_POSITIVE];
    tie_negative = mode[mx_pkg::RND_TIES_TO_AWAY];
    up_even = mode[mx_pkg::RND_TO_ODD];
    up_positive = mode[mx_pkg::RND_AWAY_FROM_ZERO] | mode[mx_pkg::RND_TOWARD_POSITIVE];
    up_negative = mode[mx_pkg::RND_AWAY_FROM_ZERO] | mode[mx_pkg::RND_TOWARD_NEGATIVE];
    stochastic = mode[mx_pkg::RND_STOCHASTIC];

    inward_positive = mode[mx_pkg::RND_TOWARD_ZERO] | mode[mx_pkg::RND_TOWARD_NEGATIVE];
    inward_negative = mode[mx_pkg::RND_TOWARD_ZERO] | mode[mx_pkg::RND_TOWARD_POSITIVE];
    to_beyond = (overflow_i == mx_pkg::OVERFLOW_NONE_INF_OR_NAN) & ~is_fixed;
    max_negative = is_fixed ? 8'h81 : {1'b0, max_code} | sign_mask;
    beyond_negative = {1'b0, beyond_code} | sign_mask;
    over_positive = {1'b0, (to_beyond & ~inward_positive) ? beyond_code : max_code};
    over_negative = (to_beyond & ~inward_negative) ? beyond_negative : max_negative;

    pack_o[mx_pkg::PACK_NEAREST_LSB] = nearest;
    pack_o[mx_pkg::PACK_TIE_ODD_LSB] = tie_odd;
    pack_o[mx_pkg::PACK_TIE_POSITIVE_LSB] = tie_positive;
    pack_o[mx_pkg::PACK_TIE_NEGATIVE_LSB] = tie_negative;
    pack_o[mx_pkg::PACK_UP_EVEN_LSB] = up_even;
    pack_o[mx_pkg::PACK_UP_POSITIVE_LSB] = up_positive;
    pack_o[mx_pkg::PACK_UP_NEGATIVE_LSB] = up_negative;
    pack_o[mx_pkg::PACK_STOCHASTIC_LSB] = stochastic;
    pack_o[mx_pkg::PACK_MAX_CODE_LSB+:mx_pkg::PACK_MAX_CODE_WIDTH] = max_code;
    pack_o[mx_pkg::PACK_TOP_NAN_LSB] = top_nan;
    pack_o[mx_pkg::PACK_IS_FIXED_LSB] = is_fixed;
    pack_o[mx_pkg::PACK_ALLOW_MIN_LSB] = int_min_i;
    pack_o[mx_pkg::PACK_SIGN_MASK_LSB+:mx_pkg::PACK_SIGN_MASK_WIDTH] = sign_mask;
    pack_o[mx_pkg::PACK_OVER_POSITIVE_LSB+:mx_pkg::PACK_OVER_POSITIVE_WIDTH] = over_positive;
    pack_o[mx_pkg::PACK_OVER_NEGATIVE_LSB+:mx_pkg::PACK_OVER_NEGATIVE_WIDTH] = over_negative;
    pack_o[mx_pkg::PACK_FLUSH_LSB] = flush_i;
  end

endmodule

`default_nettype wire
