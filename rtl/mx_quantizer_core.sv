// SPDX-License-Identifier: Apache-2.0
// The quantizer without its AXI4-Stream clothes: seven stages, lanes and block control.
//
// S1 key, S2 and S3 maximum, S4 scale, S5 align, S6 shift, S7 round and pack. Every stage advances
// together while advance_i is 1; where a block takes several beats, S1 to S3 stop on their own when
// both halves of the store are taken. The configuration is taken with the first beat of a block and
// travels with it.
//
// Latency: BlockSize / Lanes + 3 + PipeLane cycles from the first beat of a block to its first
// result; one beat each cycle. Parameters: see mx_quantizer, which checks them.
//
// Example: 32 lanes of bf16 3F80, e4m3fn, all policies 0: seven cycles later 32 codes 78h,
// status 0077h.
`default_nettype none

module mx_quantizer_core #(
    parameter int Lanes = 32,
    parameter int BlockSize = 32,
    parameter logic [2:0] InFmtMask = 3'b111,
    parameter logic [6:0] FmtMask = 7'h3F,
    parameter logic [9:0] RoundMask = 10'h3FF,
    parameter logic [4:0] RuleMask = 5'h1F,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int Subnormals = 1,
    parameter int PipeLane = 3,
    parameter int InWidth = 32
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         advance_i,
    input  logic                         valid_i,
    output logic                         ready_o,
    input  logic [    Lanes*InWidth-1:0] data_i,
    input  logic [            Lanes-1:0] keep_i,
    input  logic                         last_i,
    input  logic [mx_pkg::CFG_WIDTH-1:0] config_i,
    input  logic [     Lanes*SrBits-1:0] rnd_i,
    output logic                         rnd_ready_o,
    output logic                         valid_o,
    output logic [          Lanes*8-1:0] codes_o,
    output logic [            Lanes-1:0] keep_o,
    output logic                         last_o,
    output logic [                 15:0] status_o
);

  localparam int Beats = BlockSize / Lanes;
  localparam int IndexWidth = $clog2(2 * Beats);
  localparam int FracWidth =
      InFmtMask[mx_pkg::SRC_FP32] ? 23 : InFmtMask[mx_pkg::SRC_FP16] ? 10 : 7;
  localparam int HasField0 = (InFmtMask[1:0] != 2'b00) ? 1 : 0;  // fp32 or bf16: subnormals arrive
  // Depth of the normalizer: 1 - emin of the enabled format with the smallest emin. These depths
  // are runs of ones, so their OR is their maximum.
  localparam logic [3:0] MaxDepth = ({4{FmtMask[mx_pkg::FMT_E4M3FN]}} & (mx_pkg::abs_emin(
      mx_pkg::FMT_E4M3FN
  ) + 4'd1)) | ({4{FmtMask[mx_pkg::FMT_E5M2]}} & (mx_pkg::abs_emin(
      mx_pkg::FMT_E5M2
  ) + 4'd1)) | ({4{FmtMask[mx_pkg::FMT_E3M2FN]}} & (mx_pkg::abs_emin(
      mx_pkg::FMT_E3M2FN
  ) + 4'd1)) | 4'd1;
  localparam int NormDepth = (Subnormals != 0 && HasField0 != 0) ? {28'd0, MaxDepth} : 0;
  localparam int HasFixed = FmtMask[mx_pkg::FMT_INT8] ? 1 : 0;
  localparam int HasTopNan = FmtMask[mx_pkg::FMT_E4M3FN] ? 1 : 0;
  localparam int HasStochastic = RoundMask[mx_pkg::RND_STOCHASTIC] ? 1 : 0;
  // Most stored significand bits of any enabled format, and the magnitude bits any of them has.
  localparam int MaxMan = FmtMask[mx_pkg::FMT_INT8] ? {29'd0, mx_pkg::man_bits(
      mx_pkg::FMT_INT8
  )} : FmtMask[mx_pkg::FMT_E4M3FN] | FmtMask[mx_pkg::FMT_E2M3FN] ? {29'd0, mx_pkg::man_bits(
      mx_pkg::FMT_E4M3FN
  )} : FmtMask[mx_pkg::FMT_E5M2] | FmtMask[mx_pkg::FMT_E3M2FN] ? {29'd0, mx_pkg::man_bits(
      mx_pkg::FMT_E5M2
  )} : {29'd0, mx_pkg::man_bits(
      mx_pkg::FMT_E2M1FN
  )};
  localparam logic [6:0] MagMask =
      ({7{FmtMask[mx_pkg::FMT_E4M3FN] | FmtMask[mx_pkg::FMT_E5M2] | FmtMask[mx_pkg::FMT_INT8]}}) |
      ({7{FmtMask[mx_pkg::FMT_E2M3FN]}} & mx_pkg::max_code(
      mx_pkg::FMT_E2M3FN
  )) | ({7{FmtMask[mx_pkg::FMT_E3M2FN]}} & mx_pkg::max_code(
      mx_pkg::FMT_E3M2FN
  )) | ({7{FmtMask[mx_pkg::FMT_E2M1FN]}} & mx_pkg::max_code(
      mx_pkg::FMT_E2M1FN
  ));
  localparam int KeptBits = (HasStochastic == 0) ? 1 : (SrVariant == 0) ? SrBits : SrBits + 1;
  localparam int ShiftWidth = $clog2(MaxMan + 2 + KeptBits);
  localparam int SigFrac = (FracWidth < MaxMan + KeptBits + 1) ? FracWidth : MaxMan + KeptBits + 1;
  localparam int CfgWidth = mx_pkg::CFG_WIDTH;
  localparam int RecordWidth = 46 + CfgWidth;

  // Before S1: where a block begins and ends, and its configuration.
  logic front_en, block_end;
  logic [CfgWidth-1:0] config_d;
  assign ready_o = front_en;
  generate
    if (Beats == 1) begin : g_whole_block
      assign block_end = 1'b1;
      assign config_d  = config_i;
    end else begin : g_beats
      logic [IndexWidth-2:0] beat_q;
      logic [  CfgWidth-1:0] config_q;
      assign block_end = last_i | (&beat_q);
      assign config_d  = (beat_q == '0) ? config_i : config_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          beat_q <= '0;
        end else if (valid_i && front_en) begin
          beat_q <= block_end ? '0 : beat_q + 1'b1;
        end
      end
      always_ff @(posedge clk_i) begin
        if (valid_i && front_en) begin
          config_q <= config_d;
        end
      end
    end
  endgenerate

  logic [5:0] format_d;
  logic [2:0] source_d;
  logic rule_enable, rule_exact_too;
  logic [6:0] rule_ones;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask ({9'd0, FmtMask})
  ) u_format (
      .code_i  (config_d[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format_d)
  );
  mx_onehot #(
      .Count(3),
      .Width(mx_pkg::SOURCE_WIDTH),
      .Mask ({13'd0, InFmtMask})
  ) u_source (
      .code_i  (config_d[mx_pkg::SOURCE_LSB+:mx_pkg::SOURCE_WIDTH]),
      .onehot_o(source_d)
  );
  mx_rule #(
      .FmtMask (FmtMask),
      .RuleMask(RuleMask)
  ) u_rule (
      .format_i(format_d),
      .rule_i(config_d[mx_pkg::RULE_LSB+:mx_pkg::RULE_WIDTH]),
      .enable_o(rule_enable),
      .exact_too_o(rule_exact_too),
      .ones_o(rule_ones)
  );

  // S1 to S3 of the block: configuration, kept lanes, ends.
  localparam int FrontWidth = CfgWidth + Lanes + 2;
  logic valid_s1, valid_s2, valid_s3;
  logic [FrontWidth-1:0] front_s1, front_s2, front_s3;
  mx_stage #(
      .Width(FrontWidth)
  ) u_s1 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(front_en),
      .valid_i(valid_i),
      .data_i({config_d, keep_i, last_i, block_end}),
      .valid_o(valid_s1),
      .data_o(front_s1)
  );
  mx_stage #(
      .Width(FrontWidth)
  ) u_s2 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(front_en),
      .valid_i(valid_s1),
      .data_i(front_s1),
      .valid_o(valid_s2),
      .data_o(front_s2)
  );
  mx_stage #(
      .Width(FrontWidth)
  ) u_s3 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(front_en),
      .valid_i(valid_s2),
      .data_i(front_s2),
      .valid_o(valid_s3),
      .data_o(front_s3)
  );
  logic [CfgWidth-1:0] config_s3;
  logic [Lanes-1:0]    keep_s3;
  logic last_s3, end_s3;
  assign {config_s3, keep_s3, last_s3, end_s3} = front_s3;

  logic [Lanes*10-1:0] keys_s1;
  logic [Lanes-1:0] is_nan_s1, is_inf_s1;
  logic first_s3, take_s3;
  logic [RecordWidth-1:0] record_d;
  mx_block_scale #(
      .Lanes(Lanes),
      .Beats(Beats),
      .FmtMask(FmtMask),
      .MaxMan(MaxMan),
      .RecordWidth(RecordWidth)
  ) u_block_scale (
      .clk_i(clk_i),
      .en_i(front_en),
      .keys_i(keys_s1),
      .is_nan_i(is_nan_s1),
      .is_inf_i(is_inf_s1),
      .config_s3_i(config_s3),
      .first_i(first_s3),
      .take_i(take_s3),
      .record_o(record_d)
  );

  // S4: the record of a block beside its beats.
  logic valid_s4, first_s4, last_s4;
  logic [      Lanes-1:0] keep_s4;
  logic [RecordWidth-1:0] record_s4;
  logic [IndexWidth-1:0] write_index, read_index;
  generate
    if (Beats == 1) begin : g_s4
      assign front_en    = advance_i;
      assign first_s3    = 1'b1;
      assign take_s3     = 1'b0;
      assign first_s4    = 1'b1;
      assign write_index = '0;
      assign read_index  = '0;
      mx_stage #(
          .Width(RecordWidth + Lanes + 1)
      ) u_s4 (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .en_i(advance_i),
          .valid_i(valid_s3),
          .data_i({record_d, keep_s3, last_s3}),
          .valid_o(valid_s4),
          .data_o({record_s4, keep_s4, last_s4})
      );
      logic unused_end;
      assign unused_end = end_s3;
    end else begin : g_queue
      mx_block_queue #(
          .Lanes(Lanes),
          .Beats(Beats),
          .IndexWidth(IndexWidth),
          .RecordWidth(RecordWidth)
      ) u_queue (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .valid_i(valid_s3),
          .ready_o(front_en),
          .end_i(end_s3),
          .last_i(last_s3),
          .keep_i(keep_s3),
          .record_i(record_d),
          .first_o(first_s3),
          .write_o(take_s3),
          .write_index_o(write_index),
          .valid_o(valid_s4),
          .en_i(advance_i),
          .read_index_o(read_index),
          .first_beat_o(first_s4),
          .last_o(last_s4),
          .keep_o(keep_s4),
          .record_o(record_s4)
      );
    end
  endgenerate

  logic block_nan, nan_keep, nan_opposite, inf_min;
  logic [8:0] base;
  logic [2:0] shift_one;
  logic [3:0] man_bits;
  logic [6:0] nan_code, inf_code;
  logic [        11:0] status_s4;  // has_nan, has_inf, zero_block, clamped, scale
  logic [CfgWidth-1:0] config_s4;
  assign {block_nan, base, shift_one, man_bits, nan_code, nan_keep, nan_opposite, inf_code, inf_min,
          status_s4, config_s4} = record_s4;

  // S5: what S7 and the output still need of the block.
  localparam int BackWidth = CfgWidth + 12 + Lanes + 2;
  logic                 valid_s5;
  logic [BackWidth-1:0] back_s5;
  mx_stage #(
      .Width(BackWidth),
      .Registered(PipeLane >= 3 ? 1 : 0)
  ) u_s5 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(advance_i),
      .valid_i(valid_s4),
      .data_i({config_s4, status_s4, keep_s4, last_s4, first_s4}),
      .valid_o(valid_s5),
      .data_o(back_s5)
  );
  logic [CfgWidth-1:0] config_s5;
  logic [  Lanes+13:0] rest_s5;
  assign {config_s5, rest_s5} = back_s5;
  assign rnd_ready_o = valid_s5 & advance_i;

  // S6: with the controls of S7.
  logic [5:0] format_s5;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask ({9'd0, FmtMask})
  ) u_format_s5 (
      .code_i  (config_s5[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format_s5)
  );

  localparam int ControlWidth = 8 + 7 + 3 + 8 + 8 + 8 + 1;
  logic [ControlWidth-1:0] control_d, control_s6;
  logic [7:0] round_d, sign_mask_d, over_positive_d, over_negative_d;
  logic [6:0] max_code_d;
  logic top_nan_d, is_fixed_d, allow_min_d;
  mx_pack_control #(
      .FmtMask  (FmtMask),
      .RoundMask(RoundMask)
  ) u_pack_control (
      .format_i(format_s5),
      .rounding_i(config_s5[mx_pkg::ROUNDING_LSB+:mx_pkg::ROUNDING_WIDTH]),
      .overflow_i(config_s5[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .int_min_i(config_s5[mx_pkg::INT_MIN_LSB]),
      .round_o(round_d),
      .max_code_o(max_code_d),
      .top_nan_o(top_nan_d),
      .is_fixed_o(is_fixed_d),
      .allow_min_o(allow_min_d),
      .sign_mask_o(sign_mask_d),
      .over_positive_o(over_positive_d),
      .over_negative_o(over_negative_d)
  );
  assign control_d = {
    round_d,
    max_code_d,
    top_nan_d,
    is_fixed_d,
    allow_min_d,
    sign_mask_d,
    over_positive_d,
    over_negative_d,
    config_s5[mx_pkg::ZERO_SIGN_LSB]
  };

  logic              valid_s6;
  logic [Lanes+13:0] rest_s6;
  mx_stage #(
      .Width(ControlWidth + Lanes + 14),
      .Registered(PipeLane >= 2 ? 1 : 0)
  ) u_s6 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(advance_i),
      .valid_i(valid_s5),
      .data_i({control_d, rest_s5}),
      .valid_o(valid_s6),
      .data_o({control_s6, rest_s6})
  );
  logic [7:0] round_s6, sign_mask_s6, over_positive_s6, over_negative_s6;
  logic [6:0] max_code_s6;
  logic top_nan_s6, is_fixed_s6, allow_min_s6, flush_s6;
  logic [     11:0] status_s6;
  logic [Lanes-1:0] keep_s6;
  logic last_s6, first_s6;
  assign {round_s6, max_code_s6, top_nan_s6, is_fixed_s6, allow_min_s6, sign_mask_s6,
          over_positive_s6, over_negative_s6, flush_s6} = control_s6;
  assign {status_s6, keep_s6, last_s6, first_s6} = rest_s6;

  // S7: the flags of the elements complete the status.
  logic [Lanes-1:0] underflow_s6, saturated_s6;
  logic underflow_d, saturated_d, underflow_o, saturated_o;
  logic [11:0] status_s7;
  generate
    if (Beats == 1) begin : g_flags
      assign underflow_d = |underflow_s6;
      assign saturated_d = |saturated_s6;
      logic unused_first;
      assign unused_first = first_s6;
    end else begin : g_running_flags
      // Every beat reports its block up to and including itself; the last one reports all of it.
      // No enable: a beat that waits only adds itself again, a block's first beat clears what was
      // before, and no bubble comes between the beats of a block behind the queue.
      logic underflow_q, saturated_q;
      assign underflow_d = (|underflow_s6) | (~first_s6 & underflow_q);
      assign saturated_d = (|saturated_s6) | (~first_s6 & saturated_q);
      always_ff @(posedge clk_i) begin
        underflow_q <= underflow_d;
        saturated_q <= saturated_d;
      end
    end
  endgenerate

  mx_stage #(
      .Width(Lanes + 15),
      .Registered(PipeLane >= 1 ? 1 : 0)
  ) u_s7 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .en_i(advance_i),
      .valid_i(valid_s6),
      .data_i({saturated_d, underflow_d, status_s6, keep_s6, last_s6}),
      .valid_o(valid_o),
      .data_o({saturated_o, underflow_o, status_s7, keep_o, last_o})
  );
  assign status_o = {
    2'b00,
    saturated_o,
    underflow_o,
    status_s7[11],
    status_s7[10],
    status_s7[9],
    status_s7[8],
    status_s7[7:0]
  };

  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      mx_lane #(
          .InFmtMask(InFmtMask),
          .InWidth(InWidth),
          .FracWidth(FracWidth),
          .SigFrac(SigFrac),
          .MaxMan(MaxMan),
          .MagMask(MagMask),
          .HasFixed(HasFixed),
          .HasTopNan(HasTopNan),
          .Subnormals(Subnormals),
          .NormDepth(NormDepth),
          .SrBits(SrBits),
          .SrVariant(SrVariant),
          .HasStochastic(HasStochastic),
          .KeptBits(KeptBits),
          .ShiftWidth(ShiftWidth),
          .PipeLane(PipeLane),
          .Beats(Beats),
          .IndexWidth(IndexWidth)
      ) u_lane (
          .clk_i(clk_i),
          .front_en_i(front_en),
          .back_en_i(advance_i),
          .word_i(data_i[i*InWidth+:InWidth]),
          .keep_i(keep_i[i]),
          .source_i(source_d),
          .ftz_i(config_d[mx_pkg::SRC_FTZ_LSB]),
          .rule_enable_i(rule_enable),
          .rule_exact_too_i(rule_exact_too),
          .rule_ones_i(rule_ones),
          .key_o(keys_s1[i*10+:10]),
          .is_nan_o(is_nan_s1[i]),
          .is_inf_o(is_inf_s1[i]),
          .store_write_i(take_s3),
          .store_write_index_i(write_index),
          .store_read_index_i(read_index),
          .keep_s4_i(keep_s4[i]),
          .base_i(base),
          .shift_one_i(shift_one),
          .man_bits_i(man_bits),
          .block_nan_i(block_nan),
          .nan_code_i(nan_code),
          .nan_keep_i(nan_keep),
          .nan_opposite_i(nan_opposite),
          .inf_code_i(inf_code),
          .inf_min_i(inf_min),
          .flush_s4_i(config_s4[mx_pkg::ZERO_SIGN_LSB]),
          .random_i(rnd_i[i*SrBits+:SrBits]),
          .round_i(round_s6),
          .max_code_i(max_code_s6),
          .top_nan_i(top_nan_s6),
          .is_fixed_i(is_fixed_s6),
          .allow_min_i(allow_min_s6),
          .flush_s6_i(flush_s6),
          .sign_mask_i(sign_mask_s6),
          .over_positive_i(over_positive_s6),
          .over_negative_i(over_negative_s6),
          .underflow_o(underflow_s6[i]),
          .saturated_o(saturated_s6[i]),
          .code_o(codes_o[i*8+:8])
      );
    end
  endgenerate

endmodule

`default_nettype wire
