// Assertions on mx_quantizer, bound to every instance of it where assertions are compiled
// (verilator --assert). Simulation only.
//
//   StablePayload_A, ValidHeld_A   an offered beat stays as it is until it is taken
//   KeepBytesAgree_A, LegalCode_A  the input: all bytes of a slot agree, only enabled codes
//   BeatOrder_A                    no beat is dropped or duplicated: what comes out is next in line
//                                  (kept lanes and tlast of each accepted beat, in a queue)
//   Latency_A                      a beat that meets no stall comes out after Latency cycles
//   RandomOrder_A, RandomTaken_A   one random word for each beat, after it enters, before it goes
//   MaximumAgrees_A                the tree's maximum is the naive loop's
//   ScaleOfNan_A                   scale FF under mxgold-default iff a NaN or Inf was kept
//   NoNanCode_A                    no NaN code comes from finite lanes under sat_finite
//   OutputKnown_A                  nothing unknown leaves (four-state simulators only)
// and cover points for full, stalled, partial and special traffic.
//
// Parameters: those of the instance. Example: bind, at the end of this file.
`default_nettype none

`ifdef VERILATOR
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
    // Inside: the keys at S1 and the maximum at S3, two cycles later.
    input logic [       Lanes*10-1:0] keys_s1,
    input logic [                9:0] max_s3,
    input logic                       front_en
);

  localparam int Beats = BlockSize / Lanes;
  localparam int Latency = Beats + 3 + PipeLane + OutSkid;
  localparam int Depth = 256;  // beats in flight: at most 2 * 64 in the store and a pipeline of 8

  // Assertions sample the asynchronous reset at the clock: that is what disable iff is for.
  // verilator lint_off SYNCASYNCNET
  logic armed_q;  // nothing is claimed before the first reset
  initial armed_q = 1'b0;
  always_ff @(negedge rst_ni) armed_q <= 1'b1;

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

  // Handshake.
  property StablePayload;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q) m_axis_tvalid && !m_axis_tready |=> $stable(
        {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser}
    );
  endproperty
  StablePayload_A :
  assert property (StablePayload);

  property ValidHeld;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    m_axis_tvalid && !m_axis_tready |=> m_axis_tvalid;
  endproperty
  ValidHeld_A :
  assert property (ValidHeld);

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
  property KeepBytesAgree;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q) s_axis_tvalid |-> keep_bytes_agree;
  endproperty
  KeepBytesAgree_A :
  assert property (KeepBytesAgree);

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
  property LegalCode;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    s_axis_tvalid && (Beats == 1 || beat_q == 0) |->
    FmtMask[{2'b00, s_axis_tuser[mx_pkg::FORMAT_LSB+:3]}] &&
    RoundMask[{1'b0, s_axis_tuser[mx_pkg::ROUNDING_LSB+:4]}] &&
    RuleMask[{2'b00, s_axis_tuser[mx_pkg::RULE_LSB+:3]}] &&
    InFmtMask[{3'b000, s_axis_tuser[mx_pkg::SOURCE_LSB+:2]}] &&
    policy_legal(
        s_axis_tuser
    );
  endproperty
  LegalCode_A :
  assert property (LegalCode);

  // Order, latency, random words.
  property BeatOrder;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    out_beat |-> received_q < sent_q && {m_axis_tlast, m_axis_tkeep} == line_out;
  endproperty
  BeatOrder_A :
  assert property (BeatOrder);

  // Exact where a block is one beat and no stall came after it was accepted.
  property LatencyBound;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    out_beat && Beats == 1 && stalled_at_q < accepted_out |->
    cycle_q - accepted_out == Latency;
  endproperty
  Latency_A :
  assert property (LatencyBound);

  property RandomOrder;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q) rnd_ready_o |-> random_q < sent_q;
  endproperty
  RandomOrder_A :
  assert property (RandomOrder);

  property RandomTaken;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    out_beat |-> random_q > received_q || (rnd_ready_o && random_q == received_q);
  endproperty
  RandomTaken_A :
  assert property (RandomTaken);

  // The maximum, the naive way, two stages later.
  logic [9:0] naive, naive_s2_q, naive_s3_q;
  always_comb begin
    naive = '0;
    for (int i = 0; i < Lanes; i++) begin
      if (keys_s1[i*10+:10] > naive) naive = keys_s1[i*10+:10];
    end
  end
  logic [2:0] known_q;  // the stages hold keys that were clocked in after reset
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= '0;
    end else if (front_en) begin
      known_q <= {known_q[1:0], 1'b1};
    end
  end
  always_ff @(posedge clk_i) begin
    if (front_en) begin
      naive_s2_q <= naive;
      naive_s3_q <= naive_s2_q;
    end
  end
  property MaximumAgrees;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q) known_q[2] |-> max_s3 == naive_s3_q;
  endproperty
  MaximumAgrees_A :
  assert property (MaximumAgrees);

  // Results.
  property ScaleOfNan;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    m_axis_tvalid && user_out[mx_pkg::CFG_WIDTH-1:mx_pkg::POLICY_LSB] == '0 |->
    (m_axis_tuser[7:0] == 8'hFF) ==
    (m_axis_tuser[mx_pkg::STATUS_HAS_NAN] || m_axis_tuser[mx_pkg::STATUS_HAS_INF]);
  endproperty
  ScaleOfNan_A :
  assert property (ScaleOfNan);

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
  property NoNanCode;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q)
    m_axis_tvalid && user_out[mx_pkg::OVERFLOW_LSB+:2] == mx_pkg::OVERFLOW_SAT_FINITE &&
    m_axis_tuser[7:0] != 8'hFF && !m_axis_tuser[mx_pkg::STATUS_HAS_NAN] |-> !any_nan_code;
  endproperty
  NoNanCode_A :
  assert property (NoNanCode);

  property OutputKnown;
    @(posedge clk_i) disable iff (!rst_ni || !armed_q) !$isunknown(
        m_axis_tvalid
    ) && !$isunknown(
        s_axis_tready
    ) && (!m_axis_tvalid || !$isunknown(
        {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser}
    ));
  endproperty
  OutputKnown_A :
  assert property (OutputKnown);

  // Traffic.
  wire seen = armed_q & rst_ni;
  cover property (@(posedge clk_i) seen && in_beat && out_beat);
  cover property (@(posedge clk_i) seen && m_axis_tvalid && !m_axis_tready);
  cover property (@(posedge clk_i) seen && s_axis_tvalid && !s_axis_tready);
  cover property (@(posedge clk_i) seen && in_beat && keep_in != '1);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[7:0] == 8'hFF);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[mx_pkg::STATUS_SCALE_CLAMPED]);
  cover property (@(posedge clk_i) seen && out_beat && m_axis_tuser[mx_pkg::STATUS_ZERO_BLOCK]);
  // verilator lint_on SYNCASYNCNET

endmodule

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
    .keys_s1(u_core.keys_s1),
    .max_s3(u_core.u_block_scale.beat_key_s3_q),
    .front_en(u_core.front_en)
);
`endif

`default_nettype wire
