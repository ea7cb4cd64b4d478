// SPDX-License-Identifier: Apache-2.0
// Lane, last step: round, saturate, attach the sign. Combinational.
//
// Overflow is judged on the rounded magnitude: it lies above max_code if it was max_code and goes
// up, or (e4m3fn, where NaN sits one above 448) if it was the NaN code before rounding. Two's
// complement: -m is ~m + 1, so a negative lane inverts, and rounding up cancels the + 1.
//
// Parameters: as mx_round; HasFixed = 1 where int8 is enabled, HasTopNan = 1 where e4m3fn is.
//
// Example: e2m1fn (max 07, over_negative 0F), sign 1, magnitude 07, up: code 0F, saturated.
`default_nettype none

module mx_lane_pack #(
    parameter int KeptBits = 8,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int HasStochastic = 1,
    parameter int HasFixed = 1,
    parameter int HasTopNan = 1
) (
    input  logic                          sign_i,
    input  logic                          nonzero_i,
    input  logic                          force_up_i,
    input  logic [                   6:0] magnitude_i,
    input  logic [          KeptBits-1:0] fraction_i,
    input  logic                          sticky_i,
    input  logic [            SrBits-1:0] random_i,
    input  logic [mx_pkg::PACK_WIDTH-1:0] pack_i,       // see mx_pack_control
    output logic [                   7:0] code_o,
    output logic                          underflow_o,
    output logic                          saturated_o
);

  logic top_nan, is_fixed, allow_min, flush;
  logic [6:0] max_code;
  logic [7:0] sign_mask, over_positive, over_negative;
  assign max_code = pack_i[mx_pkg::PACK_MAX_CODE_LSB+:mx_pkg::PACK_MAX_CODE_WIDTH];
  assign top_nan = pack_i[mx_pkg::PACK_TOP_NAN_LSB];
  assign is_fixed = pack_i[mx_pkg::PACK_IS_FIXED_LSB];
  assign allow_min = pack_i[mx_pkg::PACK_ALLOW_MIN_LSB];
  assign sign_mask = pack_i[mx_pkg::PACK_SIGN_MASK_LSB+:mx_pkg::PACK_SIGN_MASK_WIDTH];
  assign over_positive = pack_i[mx_pkg::PACK_OVER_POSITIVE_LSB+:mx_pkg::PACK_OVER_POSITIVE_WIDTH];
  assign over_negative = pack_i[mx_pkg::PACK_OVER_NEGATIVE_LSB+:mx_pkg::PACK_OVER_NEGATIVE_WIDTH];
  assign flush = pack_i[mx_pkg::PACK_FLUSH_LSB];

  logic up;
  mx_round #(
      .KeptBits(KeptBits),
      .SrBits(SrBits),
      .SrVariant(SrVariant),
      .HasStochastic(HasStochastic)
  ) u_round (
      .sign_i(sign_i),
      .lsb_i(magnitude_i[0]),
      .fraction_i(fraction_i),
      .sticky_i(sticky_i),
      .random_i(random_i),
      .nearest_i(pack_i[mx_pkg::PACK_NEAREST_LSB]),
      .tie_odd_i(pack_i[mx_pkg::PACK_TIE_ODD_LSB]),
      .tie_positive_i(pack_i[mx_pkg::PACK_TIE_POSITIVE_LSB]),
      .tie_negative_i(pack_i[mx_pkg::PACK_TIE_NEGATIVE_LSB]),
      .up_even_i(pack_i[mx_pkg::PACK_UP_EVEN_LSB]),
      .up_positive_i(pack_i[mx_pkg::PACK_UP_POSITIVE_LSB]),
      .up_negative_i(pack_i[mx_pkg::PACK_UP_NEGATIVE_LSB]),
      .stochastic_i(pack_i[mx_pkg::PACK_STOCHASTIC_LSB]),
      .up_o(up)
  );

  logic inc, invert, at_max, above_max, negative_out;
  logic [7:0] inverted, rounded;
  always_comb begin
    inc          = up | force_up_i;
    invert       = (HasFixed != 0) & is_fixed & sign_i;
    above_max    = (HasTopNan != 0) & top_nan & nonzero_i & (magnitude_i == 7'h7F);
    at_max       = (magnitude_i == max_code) & ~(invert & allow_min);
    saturated_o  = above_max | (at_max & inc);
    underflow_o  = nonzero_i & (magnitude_i == 7'd0) & ~inc;
    inverted     = {invert, magnitude_i ^ {7{invert}}};
    rounded      = inverted + {7'd0, inc ^ invert};
    negative_out = sign_i & ~(underflow_o & flush);
    if (saturated_o) begin
      code_o = sign_i ? over_negative : over_positive;
    end else begin
      code_o = rounded | (sign_mask & {8{negative_out}});
    end
  end

endmodule

`default_nettype wire
