// SPDX-License-Identifier: Apache-2.0
// Stages S2 to S4 of a block: largest key, special values, shared scale, lane controls.
//
// S2 reduces groups of four keys, S3 the groups; record_o is combinational from S3 (and, where a
// block has several beats, from the running maximum of the beats before) and is registered by the
// caller as stage S4. The configuration enters with S1.
//
// record_o, from the top: block_nan, base (9), shift_one (3), man_bits (4), nan_code (7), nan_keep,
// nan_opposite, inf_code (7), inf_min, has_nan, has_inf, zero_block, clamped, scale (8),
// configuration. mx_quantizer_core takes it apart in this order.
//
// Latency: keys to record 2 cycles. Parameters: Lanes a power of two; Beats of a whole block.
//
// Example: 32 keys of 1.0 ({7Fh, 1, 0}), e4m3fn, floor -> scale 77h two cycles later.
`default_nettype none

module mx_block_scale #(
    parameter int Lanes = 32,
    parameter int Beats = 1,
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter int MaxMan = 6,
    parameter int RecordWidth = 73
) (
    input  logic                         clk_i,
    input  logic                         en_i,
    // Stage S1.
    input  logic [         Lanes*10-1:0] keys_i,
    input  logic [            Lanes-1:0] is_nan_i,
    input  logic [            Lanes-1:0] is_inf_i,
    // Stage S3.
    input  logic [mx_pkg::CFG_WIDTH-1:0] config_s3_i,
    input  logic                         first_i,      // this beat begins a block
    input  logic                         take_i,       // this beat leaves S3
    output logic [      RecordWidth-1:0] record_o
);

  localparam int KeyWidth = 10;
  localparam int GroupSize = Lanes < 4 ? Lanes : 4;
  localparam int Groups = Lanes / GroupSize;

  // S2: one maximum for each group of lanes.
  logic [Groups*KeyWidth-1:0] groups_d, groups_s2_q;
  generate
    for (genvar g = 0; g < Groups; g++) begin : g_group
      mx_max #(
          .Count(GroupSize),
          .Width(KeyWidth)
      ) u_group_max (
          .keys_i(keys_i[g*GroupSize*KeyWidth+:GroupSize*KeyWidth]),
          .max_o (groups_d[g*KeyWidth+:KeyWidth])
      );
    end
  endgenerate

  // S3: one maximum for the beat.
  logic [KeyWidth-1:0] beat_key_d, beat_key_s3_q;
  mx_max #(
      .Count(Groups),
      .Width(KeyWidth)
  ) u_beat_max (
      .keys_i(groups_s2_q),
      .max_o (beat_key_d)
  );

  logic nan_s2_q, inf_s2_q, nan_s3_q, inf_s3_q;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      groups_s2_q   <= groups_d;
      nan_s2_q      <= |is_nan_i;
      inf_s2_q      <= |is_inf_i;
      beat_key_s3_q <= beat_key_d;
      nan_s3_q      <= nan_s2_q;
      inf_s3_q      <= inf_s2_q;
    end
  end

  // The block so far.
  logic [KeyWidth-1:0] key;
  logic has_nan, has_inf;
  generate
    if (Beats == 1) begin : g_one_beat
      assign key     = beat_key_s3_q;
      assign has_nan = nan_s3_q;
      assign has_inf = inf_s3_q;
      logic unused_take;
      assign unused_take = first_i ^ take_i;
    end else begin : g_running
      logic [KeyWidth-1:0] key_q;
      logic has_nan_q, has_inf_q;
      assign key     = (first_i || beat_key_s3_q > key_q) ? beat_key_s3_q : key_q;
      assign has_nan = nan_s3_q | (~first_i & has_nan_q);
      assign has_inf = inf_s3_q | (~first_i & has_inf_q);
      always_ff @(posedge clk_i) begin
        if (take_i) begin
          key_q     <= key;
          has_nan_q <= has_nan;
          has_inf_q <= has_inf;
        end
      end
    end
  endgenerate

  logic [5:0] format;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask ({9'd0, FmtMask})
  ) u_format (
      .code_i  (config_s3_i[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format)
  );

  logic [2:0] rule;
  logic       even_rule;
  assign rule      = config_s3_i[mx_pkg::RULE_LSB+:mx_pkg::RULE_WIDTH];
  assign even_rule = (rule == mx_pkg::RULE_EVEN_UP) | (rule == mx_pkg::RULE_EVEN_DOWN);

  logic [7:0] scale;
  logic block_nan, clamped, zero_block;
  logic [8:0] base;
  mx_shared_scale #(
      .FmtMask(FmtMask)
  ) u_scale (
      .key_i(key),
      .has_nan_i(has_nan),
      .has_inf_i(has_inf),
      .format_i(format),
      .even_rule_i(even_rule),
      .amax_over_i(config_s3_i[mx_pkg::AMAX_OVER_LSB+:mx_pkg::AMAX_OVER_WIDTH]),
      .inf_block_i(config_s3_i[mx_pkg::INF_BLOCK_LSB]),
      .even_carry_i(config_s3_i[mx_pkg::EVEN_CARRY_LSB]),
      .zero_scale_i(config_s3_i[mx_pkg::ZERO_BLOCK_SCALE_LSB]),
      .scale_sat_i(config_s3_i[mx_pkg::SCALE_SAT_LSB]),
      .scale_o(scale),
      .is_nan_o(block_nan),
      .clamped_o(clamped),
      .zero_block_o(zero_block),
      .exponent_base_o(base)
  );

  logic [2:0] shift_one;
  logic [3:0] man_bits;
  logic [6:0] nan_code, inf_code;
  logic nan_keep, nan_opposite, inf_min;
  mx_lane_control #(
      .FmtMask(FmtMask),
      .MaxMan (MaxMan)
  ) u_control (
      .format_i(format),
      .block_nan_i(block_nan),
      .overflow_i(config_s3_i[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .nan_scale_codes_i(config_s3_i[mx_pkg::NAN_SCALE_CODES_LSB]),
      .nan_i(config_s3_i[mx_pkg::NAN_LSB+:mx_pkg::NAN_WIDTH]),
      .int_min_i(config_s3_i[mx_pkg::INT_MIN_LSB]),
      .shift_one_o(shift_one),
      .man_bits_o(man_bits),
      .nan_code_o(nan_code),
      .nan_keep_o(nan_keep),
      .nan_opposite_o(nan_opposite),
      .inf_code_o(inf_code),
      .inf_min_o(inf_min)
  );

  assign record_o = {
    block_nan,
    base,
    shift_one,
    man_bits,
    nan_code,
    nan_keep,
    nan_opposite,
    inf_code,
    inf_min,
    has_nan,
    has_inf,
    zero_block,
    clamped,
    scale,
    config_s3_i
  };

endmodule

`default_nettype wire
