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
    input  logic                sign_i,
    input  logic                nonzero_i,
    input  logic                force_up_i,
    input  logic [         6:0] magnitude_i,
    input  logic [KeptBits-1:0] fraction_i,
    input  logic                sticky_i,
    input  logic [  SrBits-1:0] random_i,
    // Block controls: see mx_pack_control.
    input  logic [         7:0] round_i,
    input  logic [         6:0] max_code_i,
    input  logic                top_nan_i,
    input  logic                is_fixed_i,
    input  logic                allow_min_i,
    input  logic                flush_i,
    input  logic [         7:0] sign_mask_i,
    input  logic [         7:0] over_positive_i,
    input  logic [         7:0] over_negative_i,
    output logic [         7:0] code_o,
    output logic                underflow_o,
    output logic                saturated_o
);

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
      .nearest_i(round_i[0]),
      .tie_odd_i(round_i[1]),
      .tie_positive_i(round_i[2]),
      .tie_negative_i(round_i[3]),
      .up_even_i(round_i[4]),
      .up_positive_i(round_i[5]),
      .up_negative_i(round_i[6]),
      .stochastic_i(round_i[7]),
      .up_o(up)
  );

  logic inc, invert, at_max, above_max, negative_out;
  logic [7:0] inverted, rounded;
  always_comb begin
    inc          = up | force_up_i;
    invert       = (HasFixed != 0) & is_fixed_i & sign_i;
    above_max    = (HasTopNan != 0) & top_nan_i & nonzero_i & (magnitude_i == 7'h7F);
    at_max       = (magnitude_i == max_code_i) & ~(invert & allow_min_i);
    saturated_o  = above_max | (at_max & inc);
    underflow_o  = nonzero_i & (magnitude_i == 7'd0) & ~inc;
    inverted     = {invert, magnitude_i ^ {7{invert}}};
    rounded      = inverted + {7'd0, inc ^ invert};
    negative_out = sign_i & ~(underflow_o & flush_i);
    code_o       = rounded | (sign_mask_i & {8{negative_out}});
    if (saturated_o) begin
      code_o = sign_i ? over_negative_i : over_positive_i;
    end
  end

endmodule

`default_nettype wire
