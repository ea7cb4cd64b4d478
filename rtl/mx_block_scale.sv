// SPDX-License-Identifier: Apache-2.0
// What the lanes of a block have in common: largest key, special values, scale, lane controls.
//
// S2 and S3 find the largest key of a beat. Where a block is one beat, control_o and status_o are
// combinational from S3 and belong to the beat there. Where it takes several, a register behind S3
// holds the largest key of the beats so far: they belong to the block whose beat left S3 last.
// A register takes what is before it where its bit of take_i is 1; bit 4 is for that register.
//
// status_o: 7:0 scale code, and the STATUS_ bits of mx_pkg up to STATUS_HAS_NAN.
//
// Latency: keys to control 2 cycles, 3 where a block takes several beats. Parameters: Lanes a power
// of two; Beats of a whole block.
//
// Example: 32 lanes of 1.0 (exponent field 7Fh), e4m3fn, floor -> scale 77h two cycles later.
`default_nettype none

module mx_block_scale #(
    parameter int Lanes = 32,
    parameter int Beats = 1,
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter int MaxMan = 6
) (
    input  logic                         clk_i,
    input  logic [                  4:2] take_i,
    // Stage S1.
    input  logic [          Lanes*8-1:0] exponents_i,
    input  logic [            Lanes-1:0] nonzero_i,
    input  logic [            Lanes-1:0] in_range_i,
    input  logic [            Lanes-1:0] carry_i,
    input  logic [            Lanes-1:0] is_nan_i,
    input  logic [            Lanes-1:0] is_inf_i,
    // Of the beat at S2, and of the beat or block that control_o belongs to.
    input  logic [                  5:0] format_s2_i,  // one-hot
    input  logic [mx_pkg::CFG_WIDTH-1:0] config_i,
    input  logic                         first_s3_i,   // the beat at S3 begins a block
    output logic [mx_pkg::CTL_WIDTH-1:0] control_o,
    output logic [                 11:0] status_o
);

  logic [7:0] beat_exponent;
  logic [Lanes-1:0] beat_carries;
  mx_block_max #(
      .Lanes(Lanes)
  ) u_max (
      .clk_i(clk_i),
      .take_i(take_i[3:2]),
      .exponents_i(exponents_i),
      .nonzero_i(nonzero_i),
      .carry_i(carry_i),
      .exponent_o(beat_exponent),
      .carry_o(beat_carries)
  );

  // What any lane says: nonzero, in range, NaN, Inf.
  logic [3:0] any_s2_q, any_s3_q;
  logic [5:0] format_s3_q;
  always_ff @(posedge clk_i) begin
    if (take_i[2]) begin
      any_s2_q <= {|nonzero_i, |in_range_i, |is_nan_i, |is_inf_i};
    end
    if (take_i[3]) begin
      any_s3_q    <= any_s2_q;
      format_s3_q <= format_s2_i;
    end
  end

  // The block so far.
  logic [7:0] exponent;
  logic carry, beat_carry;
  logic [3:0] any;
  logic [5:0] format;
  assign beat_carry = |beat_carries;
  generate
    if (Beats == 1) begin : g_one_beat
      assign exponent = beat_exponent;
      assign carry    = beat_carry;
      assign any      = any_s3_q;
      assign format   = format_s3_q;
      logic unused_take;
      assign unused_take = first_s3_i ^ take_i[4];
    end else begin : g_running
      logic is_larger, is_smaller;
      assign is_larger  = first_s3_i | (beat_exponent > exponent);
      assign is_smaller = beat_exponent < exponent;
      always_ff @(posedge clk_i) begin
        if (take_i[4]) begin
          exponent <= is_larger ? beat_exponent : exponent;
          carry    <= is_larger ? beat_carry : carry | (beat_carry & ~is_smaller);
          any      <= first_s3_i ? any_s3_q : any | any_s3_q;
          format   <= format_s3_q;
        end
      end
    end
  endgenerate

  logic [2:0] rule;
  logic even_rule, block_nan;
  logic [8:0] base;
  logic [5:0] shift_base;
  assign rule = config_i[mx_pkg::RULE_LSB+:mx_pkg::RULE_WIDTH];
  assign even_rule = (rule == mx_pkg::RULE_EVEN_UP) | (rule == mx_pkg::RULE_EVEN_DOWN);
  mx_shared_scale #(
      .FmtMask(FmtMask),
      .MaxMan (MaxMan)
  ) u_scale (
      .exponent_i(exponent),
      .in_range_i(any[2]),
      .carry_i(carry),
      .nonzero_i(any[3]),
      .has_nan_i(any[1]),
      .has_inf_i(any[0]),
      .format_i(format),
      .even_rule_i(even_rule),
      .amax_over_i(config_i[mx_pkg::AMAX_OVER_LSB+:mx_pkg::AMAX_OVER_WIDTH]),
      .inf_block_i(config_i[mx_pkg::INF_BLOCK_LSB]),
      .even_carry_i(config_i[mx_pkg::EVEN_CARRY_LSB]),
      .zero_scale_i(config_i[mx_pkg::ZERO_BLOCK_SCALE_LSB]),
      .scale_sat_i(config_i[mx_pkg::SCALE_SAT_LSB]),
      .scale_o(status_o[7:0]),
      .is_nan_o(block_nan),
      .clamped_o(status_o[mx_pkg::STATUS_SCALE_CLAMPED]),
      .zero_block_o(status_o[mx_pkg::STATUS_ZERO_BLOCK]),
      .base_o(base),
      .shift_base_o(shift_base)
  );
  assign status_o[mx_pkg::STATUS_HAS_INF] = any[0];
  assign status_o[mx_pkg::STATUS_HAS_NAN] = any[1];

  mx_lane_control #(
      .FmtMask(FmtMask),
      .MaxMan (MaxMan)
  ) u_control (
      .format_i(format),
      .block_nan_i(block_nan),
      .overflow_i(config_i[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .nan_scale_codes_i(config_i[mx_pkg::NAN_SCALE_CODES_LSB]),
      .nan_i(config_i[mx_pkg::NAN_LSB+:mx_pkg::NAN_WIDTH]),
      .int_min_i(config_i[mx_pkg::INT_MIN_LSB]),
      .base_i(base),
      .shift_base_i(shift_base),
      .control_o(control_o)
  );

endmodule

`default_nettype wire
