// SPDX-License-Identifier: Apache-2.0
// The quantizer without its AXI4-Stream clothes: seven stages, lanes and block control.
//
// S1 key, S2 and S3 maximum, S4 scale, S5 align, S6 shift, S7 round and pack. A stage moves where
// it is empty or the one behind it moves. Where a block takes several beats, a queue between S3 and
// S4 holds two blocks. The configuration is taken with the first beat of a block and travels with
// it.
//
// Latency: 4 + PipeLane cycles from a block of one beat to its result; of a block of several,
// BlockSize / Lanes + 4 + PipeLane from its first beat to its first result. One beat each cycle.
// Parameters: see mx_quantizer, which checks them.
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
    input  logic                         valid_i,
    output logic                         ready_o,
    input  logic [    Lanes*InWidth-1:0] data_i,
    input  logic [            Lanes-1:0] keep_i,
    input  logic                         last_i,
    input  logic [mx_pkg::CFG_WIDTH-1:0] config_i,
    input  logic [     Lanes*SrBits-1:0] rnd_i,
    output logic                         rnd_ready_o,
    output logic                         valid_o,
    input  logic                         ready_i,
    output logic [          Lanes*8-1:0] codes_o,
    output logic [            Lanes-1:0] keep_o,
    output logic                         last_o,
    output logic [                 15:0] status_o
);

  localparam int Beats = BlockSize / Lanes;
  localparam int FracWidth =
      InFmtMask[mx_pkg::SRC_FP32] ? 23 : InFmtMask[mx_pkg::SRC_FP16] ? 10 : 7;
  localparam int HasField0 = (InFmtMask[1:0] != 2'b00) ? 1 : 0;  // fp32 or bf16: subnormals arrive
  localparam int NormDepth = (Subnormals != 0 && HasField0 != 0) ? {28'd0, mx_pkg::most_abs_emin(
      FmtMask
  )} + 1 : 0;
  localparam int HasFixed = FmtMask[mx_pkg::FMT_INT8] ? 1 : 0;
  localparam int HasTopNan = FmtMask[mx_pkg::FMT_E4M3FN] ? 1 : 0;
  localparam int HasStochastic = RoundMask[mx_pkg::RND_STOCHASTIC] ? 1 : 0;
  localparam int MaxMan = {29'd0, mx_pkg::most_man_bits(FmtMask)};
  localparam logic [6:0] MagMask = mx_pkg::magnitude_mask(FmtMask);
  localparam int KeptBits = (HasStochastic == 0) ? 1 : (SrVariant == 0) ? SrBits : SrBits + 1;
  localparam int ShiftWidth = $clog2(MaxMan + 2 + KeptBits);
  localparam int SigFrac = (FracWidth < MaxMan + KeptBits + 1) ? FracWidth : MaxMan + KeptBits + 1;
  localparam int CfgWidth = mx_pkg::CFG_WIDTH;
  localparam int CtlWidth = mx_pkg::CTL_WIDTH;
  localparam int PackWidth = mx_pkg::PACK_WIDTH;
  localparam int LaneWidth = mx_pkg::LANE_SIGNIFICAND_LSB + SigFrac + 1;
  localparam int StatusWidth = 12;  // scale code and the bits that the scale decides

  // The handshake from the input to S7. A stage's registers load where its bit of take is 1.
  logic [7:1] take, offered, ready, valid, ready_behind;
  logic taken_behind_s3, queue_valid, queue_ready;
  assign offered         = {valid[6:4], queue_valid, valid[2:1], valid_i};
  assign ready_behind    = {ready_i, ready[7:5], queue_ready, ready[3:2]};
  assign ready_o         = ready[1];
  assign valid_o         = valid[7];
  assign taken_behind_s3 = valid[3] & queue_ready;
  generate
    for (genvar s = 1; s <= 7; s++) begin : g_stage
      mx_stage #(
          .Registered(s <= 4 || s > 7 - PipeLane ? 1 : 0)
      ) u_stage (
          .clk_i  (clk_i),
          .rst_ni (rst_ni),
          .valid_i(offered[s]),
          .ready_o(ready[s]),
          .take_o (take[s]),
          .valid_o(valid[s]),
          .ready_i(ready_behind[s])
      );
    end
  endgenerate

  // Before S1: where a block begins and ends, and its configuration.
  logic first, block_end;
  logic [CfgWidth-1:0] config_d;
  generate
    if (Beats == 1) begin : g_whole_block
      assign first     = 1'b1;
      assign block_end = 1'b1;
      assign config_d  = config_i;
    end else begin : g_beats
      logic [$clog2(Beats)-1:0] beat_q;
      logic [CfgWidth-1:0] config_q;
      assign first     = beat_q == '0;
      assign block_end = last_i | (&beat_q);
      assign config_d  = first ? config_i : config_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          beat_q <= '0;
        end else if (take[1]) begin
          beat_q <= block_end ? '0 : beat_q + 1'b1;
        end
      end
      always_ff @(posedge clk_i) begin
        if (take[1]) begin
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

  // S1 to S3: configuration, kept lanes, where the block begins and ends.
  logic [CfgWidth-1:0] config_s1, config_s2, config_s3;
  logic [Lanes-1:0] keep_s1, keep_s2, keep_s3;
  logic last_s1, last_s2, last_s3, first_s1, first_s2, first_s3, end_s1, end_s2, end_s3;
  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      {config_s1, keep_s1, last_s1} <= {config_d, keep_i, last_i};
      {first_s1, end_s1} <= {first, block_end};
    end
    if (take[2]) begin
      {config_s2, keep_s2, last_s2} <= {config_s1, keep_s1, last_s1};
      {first_s2, end_s2} <= {first_s1, end_s1};
    end
    if (take[3]) begin
      {config_s3, keep_s3, last_s3} <= {config_s2, keep_s2, last_s2};
      {first_s3, end_s3} <= {first_s2, end_s2};
    end
  end

  // The scale of the block.
  logic [Lanes*8-1:0] exponents_s1;
  logic [Lanes-1:0] nonzero_s1, in_range_s1, carry_s1, is_nan_s1, is_inf_s1;
  logic [5:0] format_s2;
  logic [CtlWidth-1:0] control_d, control_s4;
  logic [StatusWidth-1:0] status_d, status_s4;
  logic [CfgWidth-1:0] block_config, config_s4;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask ({9'd0, FmtMask})
  ) u_format_s2 (
      .code_i  (config_s2[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format_s2)
  );
  mx_block_scale #(
      .Lanes  (Lanes),
      .Beats  (Beats),
      .FmtMask(FmtMask),
      .MaxMan (MaxMan)
  ) u_block_scale (
      .clk_i(clk_i),
      .take_i({taken_behind_s3, take[3:2]}),
      .exponents_i(exponents_s1),
      .nonzero_i(nonzero_s1),
      .in_range_i(in_range_s1),
      .carry_i(carry_s1),
      .is_nan_i(is_nan_s1),
      .is_inf_i(is_inf_s1),
      .format_s2_i(format_s2),
      .config_i(block_config),
      .first_s3_i(first_s3),
      .control_o(control_d),
      .status_o(status_d)
  );

  // S4: a beat, and what its block tells it.
  localparam int BeatWidth = Lanes * LaneWidth + Lanes + 1;
  localparam int RecordWidth = CtlWidth + StatusWidth + CfgWidth;
  logic [Lanes*LaneWidth-1:0] lanes_s3, lanes_s4;
  logic [  BeatWidth-1:0] beat_d;
  logic [RecordWidth-1:0] record_d;
  logic first_d, first_s4, last_s4;
  logic [Lanes-1:0] keep_s4;
  generate
    if (Beats == 1) begin : g_one_beat
      assign queue_valid  = valid[3];
      assign queue_ready  = ready[4];
      assign block_config = config_s3;
      assign beat_d       = {lanes_s3, keep_s3, last_s3};
      assign record_d     = {control_d, status_d, config_s3};
      assign first_d      = 1'b1;
      logic unused_ends;
      assign unused_ends = first_s3 ^ end_s3;
    end else begin : g_queue
      always_ff @(posedge clk_i) begin
        if (taken_behind_s3) begin
          block_config <= config_s3;
        end
      end
      mx_block_queue #(
          .BeatWidth(BeatWidth),
          .Beats(Beats),
          .RecordWidth(RecordWidth)
      ) u_queue (
          .clk_i(clk_i),
          .rst_ni(rst_ni),
          .valid_i(valid[3]),
          .ready_o(queue_ready),
          .end_i(end_s3),
          .beat_i({lanes_s3, keep_s3, last_s3}),
          .record_i({control_d, status_d, block_config}),
          .valid_o(queue_valid),
          .ready_i(ready[4]),
          .first_o(first_d),
          .beat_o(beat_d),
          .record_o(record_d)
      );
    end
  endgenerate
  mx_register #(
      .Width(BeatWidth + RecordWidth + 1)
  ) u_s4 (
      .clk_i (clk_i),
      .take_i(take[4]),
      .data_i({beat_d, record_d, first_d}),
      .data_o({lanes_s4, keep_s4, last_s4, control_s4, status_s4, config_s4, first_s4})
  );

  // S5: what S7 and the output still need of the block.
  localparam int RestWidth = StatusWidth + Lanes + 2;
  logic [CfgWidth-1:0] config_s5;
  logic [RestWidth-1:0] rest_s5, rest_s6;
  mx_register #(
      .Width(CfgWidth + RestWidth),
      .Registered(PipeLane >= 3 ? 1 : 0)
  ) u_s5 (
      .clk_i (clk_i),
      .take_i(take[5]),
      .data_i({config_s4, status_s4, keep_s4, last_s4, first_s4}),
      .data_o({config_s5, rest_s5})
  );
  assign rnd_ready_o = valid[5] & ready[6];

  // S6: with what the block tells S7.
  logic [5:0] format_s5;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask ({9'd0, FmtMask})
  ) u_format_s5 (
      .code_i  (config_s5[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format_s5)
  );
  logic [PackWidth-1:0] pack_d, pack_s6;
  mx_pack_control #(
      .FmtMask  (FmtMask),
      .RoundMask(RoundMask)
  ) u_pack_control (
      .format_i(format_s5),
      .rounding_i(config_s5[mx_pkg::ROUNDING_LSB+:mx_pkg::ROUNDING_WIDTH]),
      .overflow_i(config_s5[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .int_min_i(config_s5[mx_pkg::INT_MIN_LSB]),
      .flush_i(config_s5[mx_pkg::ZERO_SIGN_LSB]),
      .pack_o(pack_d)
  );
  mx_register #(
      .Width(PackWidth + RestWidth),
      .Registered(PipeLane >= 2 ? 1 : 0)
  ) u_s6 (
      .clk_i (clk_i),
      .take_i(take[6]),
      .data_i({pack_d, rest_s5}),
      .data_o({pack_s6, rest_s6})
  );
  logic [StatusWidth-1:0] status_s6, status_s7;
  logic [Lanes-1:0] keep_s6;
  logic last_s6, first_s6;
  assign {status_s6, keep_s6, last_s6, first_s6} = rest_s6;

  // S7: the flags of the elements complete the status.
  logic [Lanes-1:0] underflow_s6, saturated_s6;
  logic underflow_d, saturated_d, underflow_s7, saturated_s7;
  generate
    if (Beats == 1) begin : g_flags
      assign underflow_d = |underflow_s6;
      assign saturated_d = |saturated_s6;
      logic unused_first;
      assign unused_first = first_s6;
    end else begin : g_running_flags
      // Every beat reports its block up to and including itself; the last one reports all of it.
      // No enable: a beat that waits, or has left nothing but its registers, only adds itself
      // again, and a block's first beat clears what was before.
      logic underflow_q, saturated_q;
      assign underflow_d = (|underflow_s6) | (~first_s6 & underflow_q);
      assign saturated_d = (|saturated_s6) | (~first_s6 & saturated_q);
      always_ff @(posedge clk_i) begin
        underflow_q <= underflow_d;
        saturated_q <= saturated_d;
      end
    end
  endgenerate
  mx_register #(
      .Width(RestWidth + 1),
      .Registered(PipeLane >= 1 ? 1 : 0)
  ) u_s7 (
      .clk_i (clk_i),
      .take_i(take[7]),
      .data_i({saturated_d, underflow_d, status_s6, keep_s6, last_s6}),
      .data_o({saturated_s7, underflow_s7, status_s7, keep_o, last_o})
  );
  always_comb begin
    status_o[StatusWidth-1:0] = status_s7;
    status_o[mx_pkg::STATUS_UNDERFLOW] = underflow_s7;
    status_o[mx_pkg::STATUS_SATURATED] = saturated_s7;
    status_o[15:mx_pkg::STATUS_SATURATED+1] = '0;
  end

  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      mx_lane_front #(
          .InFmtMask(InFmtMask),
          .InWidth(InWidth),
          .FracWidth(FracWidth),
          .SigFrac(SigFrac),
          .HasFixed(HasFixed),
          .Subnormals(Subnormals),
          .NormDepth(NormDepth)
      ) u_front (
          .clk_i(clk_i),
          .take_i(take[3:1]),
          .word_i(data_i[i*InWidth+:InWidth]),
          .keep_i(keep_i[i]),
          .source_i(source_d),
          .ftz_i(config_d[mx_pkg::SRC_FTZ_LSB]),
          .rule_enable_i(rule_enable),
          .rule_exact_too_i(rule_exact_too),
          .rule_ones_i(rule_ones),
          .exponent_o(exponents_s1[i*8+:8]),
          .nonzero_o(nonzero_s1[i]),
          .in_range_o(in_range_s1[i]),
          .carry_o(carry_s1[i]),
          .is_nan_o(is_nan_s1[i]),
          .is_inf_o(is_inf_s1[i]),
          .lane_o(lanes_s3[i*LaneWidth+:LaneWidth])
      );
      mx_lane_back #(
          .SigFrac(SigFrac),
          .MaxMan(MaxMan),
          .MagMask(MagMask),
          .HasFixed(HasFixed),
          .HasTopNan(HasTopNan),
          .SrBits(SrBits),
          .SrVariant(SrVariant),
          .HasStochastic(HasStochastic),
          .KeptBits(KeptBits),
          .ShiftWidth(ShiftWidth),
          .PipeLane(PipeLane)
      ) u_back (
          .clk_i(clk_i),
          .take_i(take[7:5]),
          .lane_i(lanes_s4[i*LaneWidth+:LaneWidth]),
          .keep_i(keep_s4[i]),
          .flush_i(config_s4[mx_pkg::ZERO_SIGN_LSB]),
          .control_i(control_s4),
          .random_i(rnd_i[i*SrBits+:SrBits]),
          .pack_i(pack_s6),
          .underflow_o(underflow_s6[i]),
          .saturated_o(saturated_s6[i]),
          .code_o(codes_o[i*8+:8])
      );
    end
  endgenerate

endmodule

`default_nettype wire
