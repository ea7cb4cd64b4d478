// SPDX-License-Identifier: Apache-2.0
// The front of one lane: source word in, normalized significand out at stage S3.
//
//   S1      unpacked word, and what it says of the scale
//   S2, S3  normalized significand, waiting for the largest key
//
// A register takes what is before it where its bit of take_i is 1. Data registers have no reset;
// valid bits live in mx_quantizer_core. lane_o, the lane's part of a beat, is laid out by the
// LANE_ constants of mx_pkg, with the significand on top.
//
// Parameters: see mx_quantizer; the derived ones come from mx_quantizer_core.
//
// Example: bf16 3F88 (1.0625), FracWidth 7, SigFrac 7: exponent 7Fh after S1, significand 88h after
// S3.
`default_nettype none

module mx_lane_front #(
    parameter logic [2:0] InFmtMask = 3'b111,
    parameter int InWidth = 32,
    parameter int FracWidth = 23,
    parameter int SigFrac = 15,
    parameter int HasFixed = 1,
    parameter int Subnormals = 1,
    parameter int NormDepth = 15
) (
    input  logic                                          clk_i,
    input  logic [                                   3:1] take_i,
    // Before S1.
    input  logic [                           InWidth-1:0] word_i,
    input  logic                                          keep_i,
    input  logic [                                   2:0] source_i,
    input  logic                                          ftz_i,
    input  logic                                          rule_enable_i,
    input  logic                                          rule_exact_too_i,
    input  logic [                                   6:0] rule_ones_i,
    // After S1.
    output logic [                                   7:0] exponent_o,
    output logic                                          nonzero_o,
    output logic                                          in_range_o,
    output logic                                          carry_o,
    output logic                                          is_nan_o,
    output logic                                          is_inf_o,
    // After S3.
    output logic [mx_pkg::LANE_SIGNIFICAND_LSB+SigFrac:0] lane_o
);

  // S1: unpack and key.
  logic sign_d, is_subnormal_d, is_nan_d, is_inf_d, nonzero_d;
  logic [          7:0] exponent_d;
  logic [FracWidth-1:0] fraction_d;
  logic in_range_d, carry_d;

  mx_unpack #(
      .InFmtMask(InFmtMask),
      .InWidth(InWidth),
      .FracWidth(FracWidth),
      .Subnormals(Subnormals)
  ) u_unpack (
      .word_i(word_i),
      .keep_i(keep_i),
      .source_i(source_i),
      .ftz_i(ftz_i),
      .sign_o(sign_d),
      .exponent_o(exponent_d),
      .fraction_o(fraction_d),
      .is_subnormal_o(is_subnormal_d),
      .is_nan_o(is_nan_d),
      .is_inf_o(is_inf_d),
      .nonzero_o(nonzero_d)
  );

  mx_key #(
      .FracWidth (FracWidth),
      .HasFixed  (HasFixed),
      .Subnormals(Subnormals)
  ) u_key (
      .exponent_i(exponent_d),
      .fraction_i(fraction_d),
      .nonzero_i(nonzero_d),
      .enable_i(rule_enable_i),
      .exact_too_i(rule_exact_too_i),
      .ones_i(rule_ones_i),
      .in_range_o(in_range_d),
      .carry_o(carry_d)
  );

  logic sign_s1_q, is_subnormal_s1_q, is_nan_s1_q, is_inf_s1_q, nonzero_s1_q;
  logic [          7:0] exponent_s1_q;
  logic [FracWidth-1:0] fraction_s1_q;
  always_ff @(posedge clk_i) begin
    if (take_i[1]) begin
      sign_s1_q         <= sign_d;
      is_subnormal_s1_q <= is_subnormal_d;
      is_nan_s1_q       <= is_nan_d;
      is_inf_s1_q       <= is_inf_d;
      nonzero_s1_q      <= nonzero_d;
      exponent_s1_q     <= exponent_d;
      fraction_s1_q     <= fraction_d;
      in_range_o        <= in_range_d;
      carry_o           <= carry_d;
    end
  end
  assign exponent_o = exponent_s1_q;
  assign nonzero_o  = nonzero_s1_q;
  assign is_nan_o   = is_nan_s1_q;
  assign is_inf_o   = is_inf_s1_q;

  // S2, S3: normalize, then wait for the maximum.
  logic [      8:0] exponent_n;
  logic [SigFrac:0] significand_n;
  mx_normalize #(
      .FracWidth(FracWidth),
      .SigFrac(SigFrac),
      .Depth(NormDepth)
  ) u_normalize (
      .is_subnormal_i(is_subnormal_s1_q),
      .exponent_i(exponent_s1_q),
      .fraction_i(fraction_s1_q),
      .exponent_o(exponent_n),
      .significand_o(significand_n)
  );

  logic [mx_pkg::LANE_SIGNIFICAND_LSB+SigFrac:0] lane_d, lane_s2_q;
  always_comb begin
    lane_d[mx_pkg::LANE_NONZERO_LSB] = nonzero_s1_q;
    lane_d[mx_pkg::LANE_INF_LSB] = is_inf_s1_q;
    lane_d[mx_pkg::LANE_NAN_LSB] = is_nan_s1_q;
    lane_d[mx_pkg::LANE_SIGN_LSB] = sign_s1_q;
    lane_d[mx_pkg::LANE_EXPONENT_LSB+:mx_pkg::LANE_EXPONENT_WIDTH] = exponent_n;
    lane_d[mx_pkg::LANE_SIGNIFICAND_LSB+:SigFrac+1] = significand_n;
  end
  always_ff @(posedge clk_i) begin
    if (take_i[2]) lane_s2_q <= lane_d;
    if (take_i[3]) lane_o <= lane_s2_q;
  end

endmodule

`default_nettype wire
