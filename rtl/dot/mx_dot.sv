// SPDX-License-Identifier: Apache-2.0
// Dot products of OCP MX and NVFP4 blocks, added to an FP32 number: C + A * B. AXI4-Stream.
//
// A beat has one pair of codes a lane, and one pair of scales for all of them: element i of A is
// s_axis_tdata[8*i +: 8], of B s_axis_tdata[8*(Lanes+i) +: 8], right-aligned. A lane takes part
// where s_axis_tkeep[i] is 1; the upper half of tkeep, that of B, follows. s_axis_tuser: 7:0 scale
// code of A, 15:8 of B, 18:16 format of A, 21:19 of B (mx_pkg; 6 is nvfp4), 63:32 C, which counts
// in the first beat. A dot product takes beats up to tlast; then its sum leaves, FP32. Formats may
// change with each beat.
//
// Each beat is one step: sum' = RNE32(sum + the sum of the beat's products). A product of elements
// and scales is exact, then cut toward zero at 2^(m - AlignBits + 1), m the largest sum of
// exponents of a product that is not zero; subnormals count at the least exponent, int8 at 0. Cut
// products and the running sum are added exactly. It is the reference's mode `accumulator` with
// group = Lanes, align_bits = AlignBits, carry afterwards, align exponent_sum, all else by default
// (spec R7.3). NaN, 0 * Inf, Inf - Inf and NaN scales (E8M0 FF, UE4M3 7F) give 7FC00000.
//
// nvfp4 has UE4M3 scales, and blocks of 16: with 32 lanes half of them are not kept. It goes with
// any format but e4m3fn and e5m2.
//
// Latency: 16 cycles, one more where nvfp4 is enabled. Throughput: one beat each cycle where each
// is a dot product of its own; beats of one dot product each sixth cycle, for each waits for the
// sum before it. A stall of the receiver stops the stages that hold beats one behind the other, so
// gaps close up; it reaches s_axis_tready through a register. Reset: asynchronous, active low,
// valid bits and the place in a dot product only.
//
// Parameters
//   Lanes      8, 16 or 32
//   FmtMask    bit n enables format code n: e4m3fn, e5m2, e2m3fn, e3m2fn, e2m1fn, int8, nvfp4
//   AlignBits  15..40
// A code that is not enabled is illegal input: the answer is then some number, never X.
//
// Example: 32 lanes of e4m3fn 38 (1.0), scales 7F (1.0), C 3F800000 (1.0): 42040000 (33.0).
`default_nettype none

module mx_dot #(
    parameter int Lanes = 32,
    parameter int FmtMask = 'h7F,
    parameter int AlignBits = 24
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [Lanes*16-1:0] s_axis_tdata,
    input  logic [ Lanes*2-1:0] s_axis_tkeep,
    input  logic                s_axis_tlast,
    input  logic [        63:0] s_axis_tuser,
    input  logic                s_axis_tvalid,
    output logic                s_axis_tready,
    output logic [        31:0] m_axis_tdata,
    output logic                m_axis_tvalid,
    input  logic                m_axis_tready
);

  generate
    if (Lanes != 8 && Lanes != 16 && Lanes != 32) begin : g_lanes
      mx_dot_needs_8_16_or_32_lanes u_stop ();
    end
    if (FmtMask < 1 || FmtMask > 'h7F) begin : g_formats
      mx_dot_needs_fmtmask_from_1_to_7f u_stop ();
    end
    if (AlignBits < 15 || AlignBits > 40) begin : g_align
      mx_dot_needs_alignbits_from_15_to_40 u_stop ();
    end
  endgenerate

  localparam logic [6:0] Mask = FmtMask[6:0];
  localparam int HasFixed = Mask[mx_pkg::FMT_INT8] ? 1 : 0;
  localparam int HasNvfp4 = Mask[6] ? 1 : 0;
  localparam int SigBits = HasFixed != 0 ? 8 : 4;
  // Bits of a product, of those two or three above the point; of a row of the sum.
  localparam int ProdBits = HasFixed != 0 ? 15 : 8;
  localparam int Above = HasFixed != 0 ? 3 : 2;
  localparam int Width = AlignBits + Above - 1;

  // Stages S1 to S10 or S11 in front of the sum, six behind.
  localparam int Front = 10 + HasNvfp4;
  localparam int Stages = Front + 6;

  // A stage moves where it is empty or the one behind it moves. Into the sum goes what begins a dot
  // product, else what finds the sum before it done. What is not last leaves there.
  logic [Stages:1] valid, can, take, last;
  logic [Front:1] first;
  logic may_enter, done, ready;
  assign may_enter = first[Front] | ~(|valid[Stages-1:Front+1]);
  always_comb begin
    ready = done | ~last[Stages];
    for (int k = Stages; k >= 1; k--) begin
      ready  = ready | ~valid[k];
      can[k] = ready;
      if (k == Front + 1) ready = ready & may_enter;
    end
    take[1] = can[1] & s_axis_tvalid;
    for (int k = 2; k <= Stages; k++) begin
      take[k] = can[k] & valid[k-1] & (k != Front + 1 | may_enter);
    end
  end
  assign s_axis_tready = can[1];

  logic first_d;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid   <= '0;
      first_d <= 1'b1;
    end else begin
      for (int k = 1; k <= Stages; k++) begin
        if (can[k]) valid[k] <= take[k];
      end
      if (take[1]) first_d <= s_axis_tlast;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      first[1] <= first_d;
      last[1]  <= s_axis_tlast;
    end
    for (int k = 2; k <= Stages; k++) begin
      if (take[k]) last[k] <= last[k-1];
    end
    for (int k = 2; k <= Front; k++) begin
      if (take[k]) first[k] <= first[k-1];
    end
  end

  // Scales and formats. The base and the largest place are the exponent field of FP32 of the sum's
  // highest bit.
  logic [7:0] a_layout, b_layout, a_field, b_field;
  logic [3:0] a_bias, b_bias, a_sig, b_sig;
  logic a_ue4m3, b_ue4m3, a_nan, b_nan;
  mx_dot_format #(
      .FmtMask(Mask)
  ) u_a (
      .format_i(s_axis_tuser[18:16]),
      .scale_i(s_axis_tuser[7:0]),
      .layout_o(a_layout),
      .field_o(a_field),
      .bias_o(a_bias),
      .is_ue4m3_o(a_ue4m3),
      .significand_o(a_sig),
      .scale_nan_o(a_nan)
  );
  mx_dot_format #(
      .FmtMask(Mask)
  ) u_b (
      .format_i(s_axis_tuser[21:19]),
      .scale_i(s_axis_tuser[15:8]),
      .layout_o(b_layout),
      .field_o(b_field),
      .bias_o(b_bias),
      .is_ue4m3_o(b_ue4m3),
      .significand_o(b_sig),
      .scale_nan_o(b_nan)
  );
  logic unused_input;
  assign unused_input = ^{s_axis_tuser[31:22], s_axis_tkeep[2*Lanes-1:Lanes]};

  localparam logic [9:0] Shift = 10'(Above + 4 + 2 * HasNvfp4 - 127);
  logic [8:0] fields_s1;
  logic [4:0] biases_s1;
  logic [9:0] base_s2, base_s3;
  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      fields_s1 <= {1'b0, a_field} + {1'b0, b_field};
      biases_s1 <= {1'b0, a_bias} + {1'b0, b_bias};
    end
    if (take[2]) base_s2 <= {1'b0, fields_s1} - {5'd0, biases_s1} + Shift;
    if (take[3]) base_s3 <= base_s2;
  end

  // Lanes.
  logic [Lanes-1:0] plus, minus, signs;
  logic [6*Lanes-1:0] places;
  logic [5:0] largest_s3;
  logic [Lanes*Width-1:0] rows;
  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      mx_dot_lane #(
          .FmtMask(Mask),
          .SigBits(SigBits),
          .ProdBits(ProdBits),
          .Width(Width)
      ) u_lane (
          .clk_i(clk_i),
          .en_i(take[4:1]),
          .a_i(s_axis_tdata[8*i+:8]),
          .b_i(s_axis_tdata[8*(Lanes+i)+:8]),
          .keep_i(s_axis_tkeep[i]),
          .a_layout_i(a_layout),
          .b_layout_i(b_layout),
          .plus_o(plus[i]),
          .minus_o(minus[i]),
          .place_s1_o(places[6*i+:6]),
          .sign_s1_o(signs[i]),
          .largest_i(largest_s3),
          .row_o(rows[i*Width+:Width])
      );
    end
  endgenerate
  mx_dot_max #(
      .Lanes(Lanes)
  ) u_max (
      .clk_i(clk_i),
      .en_i(take[3:2]),
      .places_i(places),
      .largest_o(largest_s3)
  );

  // Infinities and NaN of all lanes, the exponent, and C go along.
  logic [Front:1] plus_q, minus_q;
  logic [5:0] negative_s3, negative_s4;
  logic [9:0] exponent_s4, exponent_s5, exponent_s6, exponent_s7, exponent_s8;
  mx_dot_count #(
      .Bits(Lanes)
  ) u_count (
      .clk_i(clk_i),
      .en_i(take[3:2]),
      .bits_i(signs),
      .count_o(negative_s3)
  );
  always_ff @(posedge clk_i) begin
    if (take[1]) begin
      plus_q[1]  <= (|plus) | a_nan | b_nan;
      minus_q[1] <= (|minus) | a_nan | b_nan;
    end
    for (int k = 2; k <= Front; k++) begin
      if (take[k]) begin
        plus_q[k]  <= plus_q[k-1];
        minus_q[k] <= minus_q[k-1];
      end
    end
    if (take[4]) begin
      negative_s4 <= negative_s3;
      exponent_s4 <= base_s3 + {4'd0, largest_s3};
    end
    if (take[5]) exponent_s5 <= exponent_s4;
    if (take[6]) exponent_s6 <= exponent_s5;
    if (take[7]) exponent_s7 <= exponent_s6;
    if (take[8]) exponent_s8 <= exponent_s7;
  end
  logic [32*Front-1:0] start;
  always_ff @(posedge clk_i) begin
    if (take[1] && first_d) start[31:0] <= s_axis_tuser[63:32];
    for (int k = 2; k <= Front; k++) begin
      if (take[k] && first[k-1]) start[32*(k-1)+:32] <= start[32*(k-2)+:32];
    end
  end

  logic [Width+5:0] sum_s8;
  mx_dot_sum #(
      .Lanes(Lanes),
      .Width(Width)
  ) u_sum (
      .clk_i(clk_i),
      .en_i(take[8:5]),
      .rows_i(rows),
      .negative_i(negative_s4),
      .sum_o(sum_s8)
  );

  // Magnitude, times the significands of both scales, normalized.
  localparam int Bits = Width + 5 + 2 * HasNvfp4;
  logic sign_scaled, sign_s9;
  logic [Width+4:0] magnitude_s9;
  logic [9:0] exponent_s9, exponent_scaled;
  logic [Bits-1:0] scaled;
  always_ff @(posedge clk_i) begin
    if (take[9]) begin
      sign_s9 <= sum_s8[Width+5];
      magnitude_s9 <= (sum_s8[Width+4:0] ^ {Width + 5{sum_s8[Width+5]}}) +
                      {{Width + 4{1'b0}}, sum_s8[Width+5]};
      exponent_s9 <= exponent_s8;
    end
  end
  generate
    if (HasNvfp4 != 0) begin : g_scale
      mx_dot_scale #(
          .Width  (Width + 5),
          .FmtMask(Mask)
      ) u_scale (
          .clk_i(clk_i),
          .en_i(take[10:1]),
          .a_i(a_sig),
          .b_i(b_sig),
          .is_scaled_i(a_ue4m3 | b_ue4m3),
          .magnitude_i(magnitude_s9),
          .scaled_o(scaled)
      );
      always_ff @(posedge clk_i) begin
        if (take[10]) begin
          sign_scaled     <= sign_s9;
          exponent_scaled <= exponent_s9;
        end
      end
    end else begin : g_no_scale
      assign sign_scaled     = sign_s9;
      assign exponent_scaled = exponent_s9;
      assign scaled          = magnitude_s9;
      logic unused_scale;
      assign unused_scale = ^{a_sig, b_sig, a_ue4m3, b_ue4m3};
    end
  endgenerate

  logic [5:0] zeros;
  logic is_zero, is_zero_n, sign_n;
  logic [9:0] exponent_n;
  logic [Bits-1:0] number_n;
  mx_dot_zeros #(
      .Width(Bits)
  ) u_zeros (
      .number_i (scaled),
      .zeros_o  (zeros),
      .is_zero_o(is_zero)
  );
  always_ff @(posedge clk_i) begin
    if (take[Front]) begin
      sign_n     <= sign_scaled;
      exponent_n <= exponent_scaled - {4'd0, zeros};
      number_n   <= scaled << zeros;
      is_zero_n  <= is_zero;
    end
  end

  // FP32 needs at least its own 24 bits.
  localparam int SumBits = Bits < 24 ? 24 : Bits;
  logic [31:0] sum;
  mx_dot_accumulate #(
      .Bits(SumBits)
  ) u_accumulate (
      .clk_i(clk_i),
      .en_i(take[Stages:Front+1]),
      .start_i(first[Front] ? start[32*Front-1-:32] : sum),
      .sign_i(sign_n),
      .exponent_i(exponent_n),
      .number_i(SumBits'(number_n) << (SumBits - Bits)),
      .is_zero_i(is_zero_n),
      .plus_i(plus_q[Front]),
      .minus_i(minus_q[Front]),
      .sum_o(sum)
  );

  mx_skid #(
      .Width(32)
  ) u_skid (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(valid[Stages] & last[Stages]),
      .ready_o(done),
      .data_i (sum),
      .valid_o(m_axis_tvalid),
      .ready_i(m_axis_tready),
      .data_o (m_axis_tdata)
  );

endmodule

`default_nettype wire
