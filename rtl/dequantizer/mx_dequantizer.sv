// SPDX-License-Identifier: Apache-2.0
// OCP MX and NVFP4 blocks -> FP32 / BF16 / FP16 values, one beat each cycle. AXI4-Stream.
//
// Every beat carries the scale of its block and its configuration in s_axis_tuser: 7:0 scale code,
// 10:8 format, 12:11 result, 14:13 what an overflow gives (codes: mx_pkg, DEQ_* and FMT_*,
// results as SRC_*). So a block may take any number of beats, and blocks of any size pass.
// m_axis_tuser of mx_quantizer has the scale code in the same place, in every beat.
//
// Element i is s_axis_tdata[i*8 +: 8], right-aligned. Its value is m_axis_tdata[i*OUT +: OUT], OUT =
// 32 if fp32 is enabled, else 16; bf16 and fp16 leave in the low half, the high half is zero. A
// lane that is not kept leaves as zero, with its tkeep bits 0.
//
// The value is element times scale, rounded once, to nearest even: subnormal where it is. A NaN
// scale (E8M0 FF, UE4M3 7F) makes all of its block NaN; NaN is canonical and positive. nvfp4 has
// the UE4M3 scale in 6:0; the FP32 scale of its tensor is left to what comes behind.
//
// Latency: 4 cycles. Throughput: one beat each cycle. The output comes from registers. A stall of
// the receiver stops the stages that hold beats one behind the other, so gaps close up; it reaches
// s_axis_tready through a register of the skid buffer, which stands at the narrow end, the input.
// Reset: asynchronous, active low, valid bits only.
//
// Parameters
//   Lanes    1, 2, 4, 8, 16 or 32 elements a beat
//   FmtMask  bit n enables format code n: e4m3fn, e5m2, e2m3fn, e3m2fn, e2m1fn, int8, nvfp4
//   ResMask  bit n enables result code n: fp32, bf16, fp16
// A code that is not enabled is illegal input: the answer is then some value, never X.
//
// Example: e2m1fn (format 4), scale 80 (2.0), to bf16 (tuser 0C80): code 05 (3.0) gives 40C0.
`default_nettype none

module mx_dequantizer #(
    parameter int Lanes = 32,
    parameter int FmtMask = 'h7F,
    parameter int ResMask = 7,
    localparam int OutWidth = ((ResMask >> mx_pkg::SRC_FP32) & 1) != 0 ? 32 : 16
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [         Lanes*8-1:0] s_axis_tdata,
    input  logic [           Lanes-1:0] s_axis_tkeep,
    input  logic                        s_axis_tlast,
    input  logic [                15:0] s_axis_tuser,
    input  logic                        s_axis_tvalid,
    output logic                        s_axis_tready,
    output logic [  Lanes*OutWidth-1:0] m_axis_tdata,
    output logic [Lanes*OutWidth/8-1:0] m_axis_tkeep,
    output logic                        m_axis_tlast,
    output logic                        m_axis_tvalid,
    input  logic                        m_axis_tready
);

  generate
    if (Lanes < 1 || Lanes > 32 || (Lanes & (Lanes - 1)) != 0) begin : g_lanes
      mx_dequantizer_needs_1_2_4_8_16_or_32_lanes u_stop ();
    end
    if (FmtMask < 1 || FmtMask > 'h7F) begin : g_formats
      mx_dequantizer_needs_fmtmask_from_1_to_7f u_stop ();
    end
    if (ResMask < 1 || ResMask > 7) begin : g_results
      mx_dequantizer_needs_resmask_from_1_to_7 u_stop ();
    end
  endgenerate

  // A beat that finds the first stage occupied waits in the skid buffer.
  localparam int InBits = Lanes * 9 + 1 + mx_pkg::DEQ_WIDTH;
  logic valid_s0, move_s1, last_s0;
  logic [Lanes*8-1:0] codes;
  logic [Lanes-1:0] keep_s0;
  logic [mx_pkg::DEQ_WIDTH-1:0] word;
  mx_skid #(
      .Width(InBits)
  ) u_skid (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(s_axis_tvalid),
      .ready_o(s_axis_tready),
      .data_i ({s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tuser[mx_pkg::DEQ_WIDTH-1:0]}),
      .valid_o(valid_s0),
      .ready_i(move_s1),
      .data_o ({codes, keep_s0, last_s0, word})
  );
  logic unused_word;
  assign unused_word = s_axis_tuser[15];

  // A stage moves where it is empty or the one behind it moves; its data, where a beat comes.
  logic valid_s1, valid_s2, valid_s3, move_s2, move_s3, move_s4;
  logic [4:1] take;
  assign move_s4 = m_axis_tready | ~m_axis_tvalid;
  assign move_s3 = move_s4 | ~valid_s3;
  assign move_s2 = move_s3 | ~valid_s2;
  assign move_s1 = move_s2 | ~valid_s1;
  assign take = {move_s4 & valid_s3, move_s3 & valid_s2, move_s2 & valid_s1, move_s1 & valid_s0};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_s1      <= 1'b0;
      valid_s2      <= 1'b0;
      valid_s3      <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end else begin
      if (move_s1) valid_s1 <= valid_s0;
      if (move_s2) valid_s2 <= valid_s1;
      if (move_s3) valid_s3 <= valid_s2;
      if (move_s4) m_axis_tvalid <= valid_s3;
    end
  end

  // What the lanes share.
  logic [6:0] format;
  logic is_half, is_bf16, scale_nan, scale_zero, is_two_level, carry_more;
  logic [1:0] overflow;
  logic [9:0] base;
  logic [2:0] fraction_one;
  logic [4:0] fraction_more;
  mx_dequantize_control #(
      .FmtMask(FmtMask[6:0]),
      .ResMask(ResMask[2:0])
  ) u_control (
      .word_i(word),
      .format_o(format),
      .is_half_o(is_half),
      .is_bf16_o(is_bf16),
      .overflow_o(overflow),
      .scale_nan_o(scale_nan),
      .scale_zero_o(scale_zero),
      .base_o(base),
      .is_two_level_o(is_two_level),
      .fraction_one_o(fraction_one),
      .fraction_more_o(fraction_more),
      .carry_more_o(carry_more)
  );

  logic is_half_s1, is_bf16_s1, scale_nan_s1, scale_zero_s1, is_two_level_s1, carry_more_s1;
  logic is_half_s2, is_bf16_s2, is_half_s3, is_bf16_s3, last_s1, last_s2, last_s3;
  logic [1:0] overflow_s1, overflow_s2;
  logic [9:0] base_s1;
  logic [2:0] fraction_one_s1;
  logic [4:0] fraction_more_s1;
  logic [Lanes-1:0] keep_s1, keep_s2, keep_s3, keep_s4;
  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      is_half_s1       <= is_half;
      is_bf16_s1       <= is_bf16;
      overflow_s1      <= overflow;
      scale_nan_s1     <= scale_nan;
      scale_zero_s1    <= scale_zero;
      base_s1          <= base;
      is_two_level_s1  <= is_two_level;
      fraction_one_s1  <= fraction_one;
      fraction_more_s1 <= fraction_more;
      carry_more_s1    <= carry_more;
      keep_s1          <= keep_s0;
      last_s1          <= last_s0;
    end
    if (take[2]) begin
      is_half_s2  <= is_half_s1;
      is_bf16_s2  <= is_bf16_s1;
      overflow_s2 <= overflow_s1;
      keep_s2     <= keep_s1;
      last_s2     <= last_s1;
    end
    if (take[3]) begin
      is_half_s3 <= is_half_s2;
      is_bf16_s3 <= is_bf16_s2;
      keep_s3    <= keep_s2;
      last_s3    <= last_s2;
    end
    if (take[4]) begin
      keep_s4      <= keep_s3;
      m_axis_tlast <= last_s3;
    end
  end

  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      mx_dequantize_lane #(
          .FmtMask (FmtMask[6:0]),
          .ResMask (ResMask[2:0]),
          .OutWidth(OutWidth)
      ) u_lane (
          .clk_i(clk_i),
          .en_i(take),
          .code_i(codes[i*8+:8]),
          .format_i(format),
          .keep_s1_i(keep_s1[i]),
          .scale_nan_i(scale_nan_s1),
          .scale_zero_i(scale_zero_s1),
          .base_i(base_s1),
          .is_two_level_i(is_two_level_s1),
          .fraction_one_i(fraction_one_s1),
          .fraction_more_i(fraction_more_s1),
          .carry_more_i(carry_more_s1),
          .is_half_s2_i(is_half_s2),
          .overflow_s2_i(overflow_s2),
          .is_half_s3_i(is_half_s3),
          .is_bf16_s3_i(is_bf16_s3),
          .value_o(m_axis_tdata[i*OutWidth+:OutWidth])
      );
      assign m_axis_tkeep[i*OutWidth/8+:OutWidth/8] = {OutWidth / 8{keep_s4[i]}};
    end
  endgenerate

endmodule

`default_nettype wire
