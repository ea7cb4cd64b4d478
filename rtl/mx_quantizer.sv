// SPDX-License-Identifier: Apache-2.0
// FP32 / BF16 / FP16 blocks -> OCP MX blocks, one beat each cycle. AXI4-Stream in and out.
//
// Every block carries its own configuration in s_axis_tuser (fields and codes: mx_pkg); it is taken
// with the block's first beat. m_axis_tuser: 7:0 scale code, 8 scale clamped, 9 zero block, 10 Inf
// and 11 NaN among the kept lanes, 12 underflow (a nonzero finite element got a zero code),
// 13 saturated (a rounded magnitude above the largest code). 12 and 13 are 0 under scale FF; where
// a block takes several beats they cover the beats so far, so its last beat has all of them.
//
// Element i is at s_axis_tdata[i*IN +: IN], IN = 32 if fp32 is enabled, else 16; 16-bit sources sit
// in the low half. Element codes are right-aligned, one byte each. A lane is kept if the lowest bit
// of its slot's tkeep is 1; a lane that is not kept counts as +0 and leaves as code 0 with tkeep 0.
// Lane i rounds with rnd_i[i*SrBits +: SrBits]; a word is taken in every cycle in which rnd_ready_o
// is 1, once a beat, in beat order, whatever its rounding.
//
// Latency: of a block of one beat, 4 + PipeLane cycles from the cycle that accepts it to the first
// cycle of its result (PipeLane 3: 7); of a block of several, BlockSize / Lanes + 4 + PipeLane from
// its first beat to its first result; one more with OutSkid. Throughput: one beat each cycle; N
// unstalled one-beat blocks take N + latency cycles. A stage moves where it is empty or the one
// behind it moves, and its data registers load only with a beat. A stall of the receiver reaches
// s_axis_tready through a register: the beat in the last stage waits in a skid buffer, which at the
// narrow end costs half of what it would at the input.
// Reset: asynchronous, active low, valid bits only.
//
// Parameters
//   Lanes       1, 2, 4, 8, 16 or 32 elements a beat, at most BlockSize
//   BlockSize   16, 32 or 64
//   InFmtMask   bit n enables source code n: fp32, bf16, fp16
//   FmtMask     bit n enables format code n; 6 (nvfp4) is not available
//   RoundMask   bit n enables rounding code n; 9 is stochastic
//   RuleMask    bit n enables scale rule code n
//   PolicyMask  bit n: the field that starts at tuser bit 12 + n may be nonzero; 0: defaults only
//   SrBits      2..16 random bits an element
//   SrVariant   0 (A), 1 (B), 2 (C): what rounding code 9 means
//   Subnormals  0: subnormal sources are zeros whatever src_ftz says
//   PipeLane    0..3 registers behind the scale
//   OutSkid     1: the output comes from registers
// A code or a policy that is not enabled is illegal input: the answer is then some block, never X
// and never a hang. What is not enabled vanishes in synthesis.
//
// Example: block of 32 times fp32 3F800000 (1.0), tuser 0 (e4m3fn, ties_to_even, floor):
// m_axis_tuser 0077, every byte of m_axis_tdata 78.
`default_nettype none

module mx_quantizer #(
    parameter int Lanes = 32,
    parameter int BlockSize = 32,
    parameter int InFmtMask = 7,
    parameter int FmtMask = 'h3F,
    parameter int RoundMask = 'h3FF,
    parameter int RuleMask = 'h1F,
    parameter int PolicyMask = 'h7FFF,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int Subnormals = 1,
    parameter int PipeLane = 3,
    parameter int OutSkid = 0,
    localparam int InWidth = ((InFmtMask >> mx_pkg::SRC_FP32) & 1) != 0 ? 32 : 16
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [  Lanes*InWidth-1:0] s_axis_tdata,
    input  logic [Lanes*InWidth/8-1:0] s_axis_tkeep,
    input  logic                       s_axis_tlast,
    input  logic [               31:0] s_axis_tuser,
    input  logic                       s_axis_tvalid,
    output logic                       s_axis_tready,
    input  logic [   Lanes*SrBits-1:0] rnd_i,
    output logic                       rnd_ready_o,
    output logic [        Lanes*8-1:0] m_axis_tdata,
    output logic [          Lanes-1:0] m_axis_tkeep,
    output logic                       m_axis_tlast,
    output logic [               15:0] m_axis_tuser,
    output logic                       m_axis_tvalid,
    input  logic                       m_axis_tready
);

  // Parameters outside their ranges stop every tool: there is no module of these names.
  generate
    if (BlockSize != 16 && BlockSize != 32 && BlockSize != 64) begin : g_block_size
      mx_quantizer_needs_blocksize_16_32_or_64 u_stop ();
    end
    if (Lanes < 1 || Lanes > 32 || Lanes > BlockSize || (Lanes & (Lanes - 1)) != 0) begin : g_lanes
      mx_quantizer_needs_lanes_1_2_4_8_16_or_32_up_to_blocksize u_stop ();
    end
    if (InFmtMask < 1 || InFmtMask > 'h7) begin : g_in_fmt_mask
      mx_quantizer_needs_infmtmask_from_1_to_7 u_stop ();
    end
    if (FmtMask < 1 || FmtMask > 'h3F) begin : g_fmt_mask
      mx_quantizer_needs_fmtmask_from_1_to_3f u_stop ();
    end
    if (RoundMask < 1 || RoundMask > 'h3FF) begin : g_round_mask
      mx_quantizer_needs_roundmask_from_1_to_3ff u_stop ();
    end
    if (RuleMask < 1 || RuleMask > 'h1F) begin : g_rule_mask
      mx_quantizer_needs_rulemask_from_1_to_1f u_stop ();
    end
    if (PolicyMask < 0 || PolicyMask > 'h7FFF) begin : g_policy_mask
      mx_quantizer_needs_policymask_from_0_to_7fff u_stop ();
    end
    if (SrBits < 2 || SrBits > 16) begin : g_sr_bits
      mx_quantizer_needs_srbits_from_2_to_16 u_stop ();
    end
    if (SrVariant < 0 || SrVariant > 2) begin : g_sr_variant
      mx_quantizer_needs_srvariant_0_1_or_2 u_stop ();
    end
    if (Subnormals < 0 || Subnormals > 1) begin : g_subnormals
      mx_quantizer_needs_subnormals_0_or_1 u_stop ();
    end
    if (PipeLane < 0 || PipeLane > 3) begin : g_pipe_lane
      mx_quantizer_needs_pipelane_from_0_to_3 u_stop ();
    end
    if (OutSkid < 0 || OutSkid > 1) begin : g_out_skid
      mx_quantizer_needs_outskid_0_or_1 u_stop ();
    end
  endgenerate

  // Policies that are not enabled are constant 0.
  localparam logic [mx_pkg::CFG_WIDTH-1:0] CfgMask = {
    PolicyMask[mx_pkg::SRC_FTZ_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::ZERO_SIGN_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::INT_MIN_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::SCALE_SAT_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::ZERO_BLOCK_SCALE_LSB-mx_pkg::POLICY_LSB],
    {mx_pkg::NAN_WIDTH{PolicyMask[mx_pkg::NAN_LSB-mx_pkg::POLICY_LSB]}},
    PolicyMask[mx_pkg::EVEN_CARRY_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::NAN_SCALE_CODES_LSB-mx_pkg::POLICY_LSB],
    PolicyMask[mx_pkg::INF_BLOCK_LSB-mx_pkg::POLICY_LSB],
    {mx_pkg::AMAX_OVER_WIDTH{PolicyMask[mx_pkg::AMAX_OVER_LSB-mx_pkg::POLICY_LSB]}},
    {mx_pkg::OVERFLOW_WIDTH{PolicyMask[mx_pkg::OVERFLOW_LSB-mx_pkg::POLICY_LSB]}},
    {mx_pkg::POLICY_LSB{1'b1}}
  };

  logic [Lanes-1:0] keep;
  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      keep[i] = s_axis_tkeep[i*InWidth/8];
    end
  end
  logic unused_input;  // reserved configuration bits; the upper bytes of a slot follow the lowest
  assign unused_input = ^{s_axis_tkeep, s_axis_tuser};

  localparam int OutWidth = Lanes * 9 + 17;
  logic valid_s7, ready_s7, skid_valid, skid_ready, take_out;
  logic [OutWidth-1:0] out_s7, skid_data;
  mx_quantizer_core #(
      .Lanes(Lanes),
      .BlockSize(BlockSize),
      .InFmtMask(InFmtMask[2:0]),
      .FmtMask(FmtMask[6:0]),
      .RoundMask(RoundMask[9:0]),
      .RuleMask(RuleMask[4:0]),
      .SrBits(SrBits),
      .SrVariant(SrVariant),
      .Subnormals(Subnormals),
      .PipeLane(PipeLane),
      .InWidth(InWidth)
  ) u_core (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(s_axis_tvalid),
      .ready_o(s_axis_tready),
      .data_i(s_axis_tdata),
      .keep_i(keep),
      .last_i(s_axis_tlast),
      .config_i(s_axis_tuser[mx_pkg::CFG_WIDTH-1:0] & CfgMask),
      .rnd_i(rnd_i),
      .rnd_ready_o(rnd_ready_o),
      .valid_o(valid_s7),
      .ready_i(ready_s7),
      .codes_o(out_s7[Lanes*9+16:Lanes+17]),
      .keep_o(out_s7[Lanes+16:17]),
      .last_o(out_s7[16]),
      .status_o(out_s7[15:0])
  );

  mx_skid #(
      .Width(OutWidth)
  ) u_skid (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(valid_s7),
      .ready_o(ready_s7),
      .data_i (out_s7),
      .valid_o(skid_valid),
      .ready_i(skid_ready),
      .data_o (skid_data)
  );

  mx_stage #(
      .Registered(OutSkid)
  ) u_out_stage (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(skid_valid),
      .ready_o(skid_ready),
      .take_o (take_out),
      .valid_o(m_axis_tvalid),
      .ready_i(m_axis_tready)
  );
  mx_register #(
      .Width(OutWidth),
      .Registered(OutSkid)
  ) u_out (
      .clk_i (clk_i),
      .take_i(take_out),
      .data_i(skid_data),
      .data_o({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser})
  );

endmodule

`default_nettype wire
