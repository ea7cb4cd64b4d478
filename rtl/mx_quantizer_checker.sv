// SPDX-License-Identifier: Apache-2.0
// Assertions on mx_quantizer, simulation only: immediate ones in clocked blocks, which Verilator
// (verilator --assert) and Icarus both take. Where bind works the file binds itself to every
// instance; elsewhere a bench instantiates it. A failing assertion ends the run with its name.
//
//   OutputKnown_A                  nothing unknown leaves (four-state simulators only)
//   StablePayload_A, ValidHeld_A   an offered beat stays as it is until it is taken
//   KeepBytesAgree_A, LegalCode_A  the input: all bytes of a slot agree, only enabled codes
//   BeatOrder_A                    no beat is dropped or duplicated: what comes out is next in line
//                                  (kept lanes and tlast of each accepted beat, in a queue)
//   Latency_A                      a beat that meets no stall comes out after Latency cycles
//   RandomOrder_A, RandomTaken_A   one random word for each beat, after it enters, before it goes
//   MaximumAgrees_A                the largest exponent and its carry are the naive loop's
//   ScaleOfNan_A                   scale FF under mxgold-default iff a NaN or Inf was kept
//   NoNanCode_A                    no NaN code comes from finite lanes under sat_finite
// and, under Verilator, cover points for full, stalled, partial and special traffic.
//
// Parameters: those of the instance. Example: bind, at the end of this file.
`default_nettype none

module mx_quantizer_checker #(
    parameter int Lanes = 32,
    parameter int BlockSize = 32,
    parameter int InFmtMask = 7,
    parameter int FmtMask = 'h3F,
    parameter int RoundMask = 'h3FF,
    parameter int RuleMask = 'h1F,
    parameter int PolicyMask = 'h7FFF,
    parameter int PipeLane = 3,
    parameter int OutSkid = 0,
    parameter int InWidth = 32
) (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic [Lanes*InWidth/8-1:0] s_axis_tkeep,
    input logic                       s_axis_tlast,
    input logic [               31:0] s_axis_tuser,
    input logic                       s_axis_tvalid,
    input logic                       s_axis_tready,
    input logic                       rnd_ready_o,
    input logic [        Lanes*8-1:0] m_axis_tdata,
    input logic [          Lanes-1:0] m_axis_tkeep,
    input logic                       m_axis_tlast,
    input logic [               15:0] m_axis_tuser,
    input logic                       m_axis_tvalid,
    input logic                       m_axis_tready,
    // Inside: what the lanes say of the scale at S1, the largest key at S3, when S2 and S3 load.
    input logic [        Lanes*8-1:0] exponents_s1,
    input logic [          Lanes-1:0] nonzero_s1,
    input logic [          Lanes-1:0] carry_s1,
    input logic [                7:0] exponent_s3,
    input logic                       carry_s3,
    input logic [                3:2] take
);

  localparam int Beats = BlockSize / Lanes;
  localparam int Latency = Beats + 3 + PipeLane + OutSkid;
  localparam int Depth = 256;  // beats in flight: at most 2 * 64 in the store and a pipeline of 8

  // Assertions sample the asynchronous reset at the clock.
  // verilator lint_off SYNCASYNCNET
  logic armed_q;  // nothing is claimed before the first reset
  initial armed_q = 1'b0;
  always @(negedge rst_ni) armed_q <= 1'b1;

  wire in_beat = s_axis_tvalid & s_axis_tready;
  wire out_beat = m_axis_tvalid & m_axis_tready;

  // What is in flight, as a ring buffer that the checker fills and empties on its own.
  logic [Lanes-1:0] keep_in;
  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      keep_in[i] = s_axis_tkeep[i*InWidth/8];
    end
  end

  logic [Lanes:0] line[Depth];
  logic [31:0]    user_line[Depth];
  logic [31:0]    accepted_at[Depth];
  logic [31:0] sent_q, received_q, random_q, cycle_q, stalled_at_q, beat_q;
  logic [31:0] user_q;
  wire  [31:0] user_in = (Beats == 1 || beat_q == 0) ? s_axis_tuser : user_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q       <= 0;
      received_q   <= 0;
      random_q     <= 0;
      cycle_q      <= 0;
      stalled_at_q <= 0;
      beat_q       <= 0;
    end else begin
      cycle_q <= cycle_q + 1;
      if (in_beat) begin
        sent_q <= sent_q + 1;
        beat_q <= (s_axis_tlast || beat_q == Beats - 1) ? 0 : beat_q + 1;
      end
      if (out_beat) received_q <= received_q + 1;
      if (rnd_ready_o) random_q <= random_q + 1;
      if (m_axis_tvalid && !m_axis_tready) stalled_at_q <= cycle_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_beat) begin
      line[sent_q%Depth]        <= {s_axis_tlast, keep_in};
      user_line[sent_q%Depth]   <= user_in;
      accepted_at[sent_q%Depth] <= cycle_q;
      user_q                    <= user_in;
    end
  end
  wire [31:0] user_out = user_line[received_q%Depth];
  wire [Lanes:0] line_out = line[received_q%Depth];
  wire [31:0] accepted_out = accepted_at[received_q%Depth];
  wire unused_user = ^user_out;

  localparam int PayloadWidth = Lanes * 9 + 17;
  wire [PayloadWidth-1:0] payload = {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser};

  // Four states: unknown bits. The first, because what is unknown breaks other rules too.
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (^{m_axis_tvalid, s_axis_tready, rnd_ready_o} !== 1'bx &&
              (!m_axis_tvalid || ^payload !== 1'bx))
      else $fatal(1, "OutputKnown_A");
    end
  end

  // Handshake.
  logic held_q;
  logic [PayloadWidth-1:0] payload_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
    end else begin
      held_q <= m_axis_tvalid & ~m_axis_tready;
    end
  end
  always_ff @(posedge clk_i) payload_q <= payload;
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!held_q || payload == payload_q)
      else $fatal(1, "StablePayload_A");
      assert (!held_q || m_axis_tvalid)
      else $fatal(1, "ValidHeld_A");
    end
  end

  // Input.
  logic keep_bytes_agree;
  always_comb begin
    keep_bytes_agree = 1'b1;
    for (int i = 0; i < Lanes; i++) begin
      if (s_axis_tkeep[i*InWidth/8+:InWidth/8] != {(InWidth / 8) {keep_in[i]}}) begin
        keep_bytes_agree = 1'b0;
      end
    end
  end
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!s_axis_tvalid || keep_bytes_agree)
      else $fatal(1, "KeepBytesAgree_A");
    end
  end

  // Policy fields that PolicyMask disables must be zero; the others have a largest code each.
  function automatic logic policy_legal(input logic [31:0] user);
    policy_legal = user[31:mx_pkg::CFG_WIDTH] == '0 &&
        user[mx_pkg::OVERFLOW_LSB+:2] <= mx_pkg::OVERFLOW_NONE_INF_OR_NAN &&
        user[mx_pkg::AMAX_OVER_LSB+:2] <= mx_pkg::AMAX_FINITE_ONLY &&
        user[mx_pkg::NAN_LSB+:3] <= mx_pkg::NAN_TO_OPPOSITE_ZERO;
    for (int n = 0; n <= mx_pkg::SRC_FTZ_LSB - mx_pkg::POLICY_LSB; n++) begin
      // A two or three bit field is enabled by the mask bit of its lowest bit.
      if (n != 1 && n != 3 && n != 8 && n != 9 && !PolicyMask[n] && user[12+n]) begin
        policy_legal = 1'b0;
      end
    end
    if (!PolicyMask[0] && user[13]) policy_legal = 1'b0;
    if (!PolicyMask[2] && user[15]) policy_legal = 1'b0;
    if (!PolicyMask[7] && user[21:20] != 2'b00) policy_legal = 1'b0;
  endfunction
  wire legal_code = FmtMask[{2'b00, s_axis_tuser[mx_pkg::FORMAT_LSB+:3]}] &&
      RoundMask[{1'b0, s_axis_tuser[mx_pkg::ROUNDING_LSB+:4]}] &&
      RuleMask[{2'b00, s_axis_tuser[mx_pkg::RULE_LSB+:3]}] &&
      InFmtMask[{3'b000, s_axis_tuser[mx_pkg::SOURCE_LSB+:2]}] && policy_legal(
      s_axis_tuser
  );
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!s_axis_tvalid || (Beats != 1 && beat_q != 0) || legal_code)
      else $fatal(1, "LegalCode_A");
    end
  end

  // Order, latency, random words.
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!out_beat || (received_q < sent_q && {m_axis_tlast, m_axis_tkeep} == line_out))
      else $fatal(1, "BeatOrder_A");
      // Exact where a block is one beat and no stall came after it was accepted.
      assert (!out_beat || Beats != 1 || stalled_at_q >= accepted_out ||
              cycle_q - accepted_out == Latency)
      else $fatal(1, "Latency_A");
      assert (!rnd_ready_o || random_q < sent_q)
      else $fatal(1, "RandomOrder_A");
      assert (!out_beat || random_q > received_q || (rnd_ready_o && random_q == received_q))
      else $fatal(1, "RandomTaken_A");
    end
  end

  // The maximum, the naive way: {exponent, carry}, with S2 and S3 as they load.
  logic [8:0] naive, naive_s2_q, naive_s3_q;
  always_comb begin
    naive = '0;
    for (int i = 0; i < Lanes; i++) begin
      if (nonzero_s1[i] && {exponents_s1[i*8+:8], carry_s1[i]} > naive) begin
        naive = {exponents_s1[i*8+:8], carry_s1[i]};
      end
    end
  end
  logic [3:2] known_q;  // the stage has loaded since reset
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= '0;
    end else begin
      if (take[2]) known_q[2] <= 1'b1;
      if (take[3]) known_q[3] <= known_q[2];
    end
  end
  always_ff @(posedge clk_i) begin
    if (take[2]) naive_s2_q <= naive;
    if (take[3]) naive_s3_q <= naive_s2_q;
  end
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!known_q[3] || {exponent_s3, carry_s3} == naive_s3_q)
      else $fatal(1, "MaximumAgrees_A");
    end
  end

  // Results.
  wire default_policies = user_out[mx_pkg::CFG_WIDTH-1:mx_pkg::POLICY_LSB] == '0;
  wire special = m_axis_tuser[mx_pkg::STATUS_HAS_NAN] | m_axis_tuser[mx_pkg::STATUS_HAS_INF];
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!m_axis_tvalid || !default_policies || (m_axis_tuser[7:0] == 8'hFF) == special)
      else $fatal(1, "ScaleOfNan_A");
    end
  end

  logic any_nan_code;
  always_comb begin
    any_nan_code = 1'b0;
    for (int i = 0; i < Lanes; i++) begin
      case (user_out[mx_pkg::FORMAT_LSB+:3])
        mx_pkg::FMT_E4M3FN: any_nan_code |= m_axis_tdata[i*8+:7] == 7'h7F;
        mx_pkg::FMT_E5M2:   any_nan_code |= m_axis_tdata[i*8+:7] > 7'h7B;
        default:            ;
      endcase
    end
  end
  wire saturates = user_out[mx_pkg::OVERFLOW_LSB+:2] == mx_pkg::OVERFLOW_SAT_FINITE;
  always @(posedge clk_i) begin
    if (rst_ni && armed_q) begin
      assert (!m_axis_tvalid || !saturates || m_axis_tuser[7:0] == 8'hFF ||
              m_axis_tuser[mx_pkg::STATUS_HAS_NAN] || !any_nan_code)
      else $fatal(1, "NoNanCode_A");
    end
  end

`ifdef VERILATOR
  // Traffic.
  wire seen = armed_q & rst_ni;
  cover property (@(posedge clk_i) seen && in_beat && out_beat);
  cover property (@(posedge clk_i) seen && m_axis_tvalid && !m_axis_tready);
  cover property (@(posedge clk_i) seen && s_axis_tvalid && !s_axis_tready);
  cover property (@(posedge clk_i) seen && in_beat && keep_in != '1);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[7:0] == 8'hFF);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[mx_pkg::STATUS_SCALE_CLAMPED]);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[mx_pkg::STATUS_ZERO_BLOCK]);
`endif
  // verilator lint_on SYNCASYNCNET

endmodule

`ifdef VERILATOR
bind mx_quantizer mx_quantizer_checker #(
    .Lanes(Lanes),
    .BlockSize(BlockSize),
    .InFmtMask(InFmtMask),
    .FmtMask(FmtMask),
    .RoundMask(RoundMask),
    .RuleMask(RuleMask),
    .PolicyMask(PolicyMask),
    .PipeLane(PipeLane),
    .OutSkid(OutSkid),
    .InWidth(InWidth)
) u_checker (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .s_axis_tkeep(s_axis_tkeep),
    .s_axis_tlast(s_axis_tlast),
    .s_axis_tuser(s_axis_tuser),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .rnd_ready_o(rnd_ready_o),
    .m_axis_tdata(m_axis_tdata),
    .m_axis_tkeep(m_axis_tkeep),
    .m_axis_tlast(m_axis_tlast),
    .m_axis_tuser(m_axis_tuser),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready),
    .exponents_s1(u_core.exponents_s1),
    .nonzero_s1(u_core.nonzero_s1),
    .carry_s1(u_core.carry_s1),
    .exponent_s3(u_core.u_block_scale.beat_exponent),
    .carry_s3(u_core.u_block_scale.beat_carry),
    .take(u_core.take[3:2])
);
`endif

`default_nettype wire
