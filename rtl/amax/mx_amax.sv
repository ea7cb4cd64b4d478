// SPDX-License-Identifier: Apache-2.0
// The largest finite magnitude of a tensor, as FP32 and as an E8M0 scale. AXI4-Stream.
//
// The input is that of mx_quantizer, and a tensor ends by tlast: s_axis_tuser holds the source
// (11:10, codes SRC_*) and whether subnormal sources are zeros (26), of every beat; its other bits
// are ignored. Element i is s_axis_tdata[i*IN +: IN], IN = 32 if fp32 is enabled, else 16; 16-bit
// sources are in the low half. A lane is kept if the lowest bit of its slot's tkeep is 1; others
// do not count.
//
// m_axis_tdata: the largest magnitude of the kept finite elements, exactly, as a positive FP32
// number; 0 where there is none. m_axis_tuser: 7:0 its exponent as an E8M0 code, floor(log2) + 127
// and 00 below 2^-127; 9 every kept element is a zero, 10 Inf and 11 NaN among the kept ones;
// the rest is 0. The places are those of mx_quantizer's status.
//
// Latency: log2(Lanes) + 2 cycles from the last beat. Throughput: one beat each cycle. While
// results are taken s_axis_tready is 1, so that the unit may look on at a stream beside another
// one. A stall of the receiver reaches s_axis_tready through a register of the skid buffer behind
// the result. Reset: asynchronous, active low, valid bits and where a tensor begins.
//
// Parameters
//   Lanes      1, 2, 4, 8, 16 or 32 elements a beat
//   InFmtMask  bit n enables source code n: fp32, bf16, fp16
// A source that is not enabled is illegal input: the answer is then some value, never X.
//
// Example: fp32 3F800000, C0400000 (-3.0): 40400000 (3.0) with E8M0 code 80 (2.0).
`default_nettype none

module mx_amax #(
    parameter  int Lanes     = 32,
    parameter  int InFmtMask = 7,
    localparam int InWidth   = ((InFmtMask >> mx_pkg::SRC_FP32) & 1) != 0 ? 32 : 16
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [  Lanes*InWidth-1:0] s_axis_tdata,
    input  logic [Lanes*InWidth/8-1:0] s_axis_tkeep,
    input  logic                       s_axis_tlast,
    input  logic [               31:0] s_axis_tuser,
    input  logic                       s_axis_tvalid,
    output logic                       s_axis_tready,
    output logic [               31:0] m_axis_tdata,
    output logic [               15:0] m_axis_tuser,
    output logic                       m_axis_tvalid,
    input  logic                       m_axis_tready
);

  generate
    if (Lanes < 1 || Lanes > 32 || (Lanes & (Lanes - 1)) != 0) begin : g_lanes
      mx_amax_needs_1_2_4_8_16_or_32_lanes u_stop ();
    end
    if (InFmtMask < 1 || InFmtMask > 7) begin : g_sources
      mx_amax_needs_infmtmask_from_1_to_7 u_stop ();
    end
  endgenerate

  localparam int HasHalf = (InFmtMask >> mx_pkg::SRC_FP16) & 1;
  localparam int FracWidth = InWidth == 32 ? 23 : HasHalf != 0 ? 10 : 7;
  localparam int Width = 8 + FracWidth;
  localparam int Levels = $clog2(Lanes);  // of the tree, behind the stage of the elements

  // Stage 0 has the elements' magnitudes, stage n the larger ones of pairs of stage n - 1. A stage
  // moves where it or one behind it is empty, or the last one moves; its data, where a beat comes.
  logic [Levels:0] valid_q, last_q, move, take, coming;
  logic move_result;
  assign s_axis_tready = move[0];
  always_comb begin
    coming    = valid_q << 1;
    coming[0] = s_axis_tvalid;
    for (int i = 0; i <= Levels; i++) begin
      move[i] = move_result | ~(&(valid_q | ~({(Levels + 1) {1'b1}} << i)));
    end
    take = coming & move;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= (valid_q & ~move) | take;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 1; i <= Levels; i++) begin
      if (take[i]) last_q[i] <= last_q[i-1];
    end
    if (take[0]) last_q[0] <= s_axis_tlast;
  end

  // The elements.
  logic [2:0] source;
  logic ftz;
  assign ftz = s_axis_tuser[mx_pkg::SRC_FTZ_LSB];
  mx_onehot #(
      .Count(3),
      .Width(2),
      .Mask ({13'd0, InFmtMask[2:0]})
  ) u_source (
      .code_i  (s_axis_tuser[mx_pkg::SOURCE_LSB+:2]),
      .onehot_o(source)
  );
  logic unused_input;  // other fields; all bytes of a slot have the same tkeep
  assign unused_input = ^{s_axis_tuser, s_axis_tkeep};

  // Nodes of stage n begin at 2 * (Leaves - (Leaves >> n)); Leaves are the lanes. A node is the
  // magnitude, with NaN and Inf above it.
  localparam int Leaves = 1 << Levels;
  localparam int Nodes = 2 * Leaves - 1;
  localparam int Node = Width + 2;
  logic [Nodes*Node-1:0] node_d, node_q;
  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_element
      logic [7:0] exponent;
      logic [FracWidth-1:0] fraction;
      logic is_counted, is_nan, is_inf, unused_sign, unused_subnormal;
      mx_unpack #(
          .InFmtMask(InFmtMask[2:0]),
          .InWidth  (InWidth),
          .FracWidth(FracWidth)
      ) u_unpack (
          .word_i        (s_axis_tdata[i*InWidth+:InWidth]),
          .keep_i        (s_axis_tkeep[i*InWidth/8]),
          .source_i      (source),
          .ftz_i         (ftz),
          .sign_o        (unused_sign),
          .exponent_o    (exponent),
          .fraction_o    (fraction),
          .is_subnormal_o(unused_subnormal),
          .is_nan_o      (is_nan),
          .is_inf_o      (is_inf),
          .nonzero_o     (is_counted)
      );
      assign node_d[i*Node+:Node] = {is_nan, is_inf, {exponent, fraction} & {Width{is_counted}}};
    end
    for (genvar n = 1; n <= Levels; n++) begin : g_level
      for (genvar i = 0; i < Leaves >> n; i++) begin : g_pair
        localparam int From = (2 * (Leaves - (Leaves >> (n - 1))) + 2 * i) * Node;
        localparam int To = (2 * (Leaves - (Leaves >> n)) + i) * Node;
        mx_amax_larger #(
            .Width(Width)
        ) u_larger (
            .a_i(node_q[From+:Width]),
            .b_i(node_q[From+Node+:Width]),
            .larger_o(node_d[To+:Width])
        );
        assign node_d[To+Width+:2] = node_q[From+Width+:2] | node_q[From+Node+Width+:2];
      end
    end
    for (genvar n = 0; n <= Levels; n++) begin : g_register
      localparam int First = 2 * (Leaves - (Leaves >> n)) * Node;
      localparam int Bits = (Leaves >> n) * Node;
      always_ff @(posedge clk_i) if (take[n]) node_q[First+:Bits] <= node_d[First+:Bits];
    end
  endgenerate

  // The tensor. Its E8M0 code is the exponent field: that of subnormals is 00, of 2^-127.
  logic result_valid, result_ready;
  logic [Width-1:0] amax, amax_m;
  logic [1:0] special, special_m;
  mx_amax_running #(
      .Width(Width)
  ) u_running (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .valid_i(valid_q[Levels]),
      .last_i(last_q[Levels]),
      .magnitude_i(node_q[(Nodes-1)*Node+:Width]),
      .special_i(node_q[(Nodes-1)*Node+Width+:2]),
      .move_o(move_result),
      .valid_o(result_valid),
      .amax_o(amax),
      .special_o(special),
      .ready_i(result_ready)
  );
  mx_skid #(
      .Width(Width + 2)
  ) u_skid (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(result_valid),
      .ready_o(result_ready),
      .data_i ({amax, special}),
      .valid_o(m_axis_tvalid),
      .ready_i(m_axis_tready),
      .data_o ({amax_m, special_m})
  );
  assign m_axis_tdata = 32'(amax_m) << (31 - Width);
  always_comb begin
    m_axis_tuser[7:0] = amax_m[Width-1-:8];
    m_axis_tuser[mx_pkg::STATUS_SCALE_CLAMPED] = 1'b0;
    m_axis_tuser[mx_pkg::STATUS_ZERO_BLOCK] = amax_m == '0 && special_m == 2'b00;
    m_axis_tuser[mx_pkg::STATUS_HAS_INF] = special_m[0];
    m_axis_tuser[mx_pkg::STATUS_HAS_NAN] = special_m[1];
    m_axis_tuser[15:mx_pkg::STATUS_HAS_NAN+1] = '0;
  end

endmodule

`default_nettype wire
