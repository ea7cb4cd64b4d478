// SPDX-License-Identifier: Apache-2.0
// Does the magnitude go up? Combinational, one lane.
//
// The deterministic modes are a choice for each of three cases below the last kept bit (exact never
// moves): directed - up whenever inexact; above a tie (`nearest`); at a tie. mx_pack_control turns
// the rounding code into these. Stochastic rounding is a carry out of kept fraction + random, never
// a compare, so exact values cannot move:
//   SrVariant 0 (A)  the top SrBits discarded bits + R
//   SrVariant 1 (B)  the top SrBits + 1 discarded bits + {R, 1}
//   SrVariant 2 (C)  the top SrBits discarded bits, rounded ties_to_even by those below, + R
//
// Parameters: KeptBits = SrBits for A, SrBits + 1 for B and C, 1 without stochastic rounding.
//
// Example: ties_to_even (nearest = 1, tie_odd = 1), fraction 10000000, sticky 0, lsb 1: up.
`default_nettype none

module mx_round #(
    parameter int KeptBits = 8,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int HasStochastic = 1
) (
    input  logic                sign_i,
    input  logic                lsb_i,
    input  logic [KeptBits-1:0] fraction_i,
    input  logic                sticky_i,
    input  logic [  SrBits-1:0] random_i,
    input  logic                nearest_i,
    input  logic                tie_odd_i,       // at a tie: up where the lower candidate is odd
    input  logic                tie_positive_i,  // at a tie: up where positive
    input  logic                tie_negative_i,
    input  logic                up_even_i,       // inexact: up where the lower candidate is even
    input  logic                up_positive_i,   // inexact: up where positive
    input  logic                up_negative_i,
    input  logic                stochastic_i,
    output logic                up_o
);

  logic guard, sticky, directed, tie;
  generate
    if (KeptBits > 1) begin : g_sticky
      assign sticky = sticky_i | (|fraction_i[KeptBits-2:0]);
    end else begin : g_no_sticky
      assign sticky = sticky_i;
    end
  endgenerate

  always_comb begin
    guard    = fraction_i[KeptBits-1];
    directed = (up_even_i & ~lsb_i) | (sign_i ? up_negative_i : up_positive_i);
    tie      = (tie_odd_i & lsb_i) | (sign_i ? tie_negative_i : tie_positive_i);
  end

  logic chance;
  generate
    if (HasStochastic == 0) begin : g_deterministic
      assign chance = 1'b0;
      logic unused_random;
      assign unused_random = ^{random_i, stochastic_i};
    end else if (SrVariant == 0) begin : g_a
      logic [SrBits:0] sum;
      assign sum    = {1'b0, fraction_i} + {1'b0, random_i};
      assign chance = sum[SrBits];
    end else if (SrVariant == 1) begin : g_b
      logic [SrBits+1:0] sum;
      assign sum    = {1'b0, fraction_i} + {1'b0, random_i, 1'b1};
      assign chance = sum[SrBits+1];
    end else begin : g_c
      logic [SrBits:0] sum;
      logic            carry;
      assign carry  = fraction_i[0] & (sticky_i | fraction_i[1]);
      assign sum    = {1'b0, fraction_i[SrBits:1]} + {1'b0, random_i} + {{SrBits{1'b0}}, carry};
      assign chance = sum[SrBits];
    end
  endgenerate

  always_comb begin
    up_o = ((guard | sticky) & directed) | (guard & sticky & nearest_i) | (guard & ~sticky & tie) |
           (chance & stochastic_i);
  end

endmodule

`default_nettype wire
