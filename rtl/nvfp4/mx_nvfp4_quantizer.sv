// SPDX-License-Identifier: Apache-2.0
// FP32 / BF16 blocks of 16 -> NVFP4 (e2m1fn under a UE4M3 scale and the FP32 scale g of the
// tensor), one block each cycle. AXI4-Stream. The rule is nvfp4_exact.
//
// Scale = amax / (6 g), element = x / (scale * g), each the exact quotient rounded once, to nearest
// even, saturating. The one division is of a block; lanes compare their magnitude with eight
// thresholds. Scale 00: zeros that keep their signs. NaN or Inf among the kept lanes: scale 7F and
// codes 0.
//
// s_axis_tuser[31:0] is g, a positive FP32 number, of every block; bit 32 chooses the source where
// both are enabled: 0 fp32, 1 bf16. Element i is at s_axis_tdata[i*IN +: IN], IN = 32 if fp32 is
// enabled, else 16; bf16 sits in the low half. A lane is kept if the lowest bit of its slot's tkeep
// is 1; one that is not kept counts as +0 and leaves as code 0.
// m_axis_tuser: 7:0 scale code, 8 scale clamped, 9 zero block, 10 Inf, 11 NaN, 12 underflow,
// 13 saturated, as those of mx_quantizer; 15:14 zero.
//
// Latency: 17 cycles. Throughput: one block each cycle. A stall of the receiver reaches
// s_axis_tready through a register of the skid buffer behind the codes, the narrow end. Reset:
// asynchronous, active low, valid bits only.
//
// Parameters: InFmtMask, bit n enables source code n: 1 fp32, 2 bf16, 3 both.
//
// Example: g 1.0 (3F800000), sixteen times fp32 40C00000 (6.0): scale 38 (1.0), every code 7.
`default_nettype none

module mx_nvfp4_quantizer #(
    parameter  int InFmtMask = 3,
    localparam int InWidth   = (InFmtMask & 1) != 0 ? 32 : 16
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [  16*InWidth-1:0] s_axis_tdata,
    input  logic [16*InWidth/8-1:0] s_axis_tkeep,
    input  logic                    s_axis_tlast,
    input  logic [            32:0] s_axis_tuser,
    input  logic                    s_axis_tvalid,
    output logic                    s_axis_tready,
    output logic [           127:0] m_axis_tdata,
    output logic [            15:0] m_axis_tkeep,
    output logic                    m_axis_tlast,
    output logic [            15:0] m_axis_tuser,
    output logic                    m_axis_tvalid,
    input  logic                    m_axis_tready
);

  generate
    if (InFmtMask < 1 || InFmtMask > 3) begin : g_in_fmt_mask
      mx_nvfp4_quantizer_needs_infmtmask_from_1_to_3 u_stop ();
    end
  endgenerate

  localparam int FracWidth = InWidth == 32 ? 23 : 7;
  localparam int MagWidth = FracWidth + 8;
  logic advance;

  // S1: signs, magnitudes and classes of the lanes; g.
  logic [16*MagWidth-1:0] magnitude_d, magnitude_s1;
  logic [15:0] sign_d, keep_d, nan_d, inf_d, nan_s1, inf_s1;
  logic [30:0] tensor_s1;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      keep_d[i] = s_axis_tkeep[i*InWidth/8];
      sign_d[i] = s_axis_tdata[i*InWidth+InWidth-1];
      magnitude_d[i*MagWidth+:MagWidth] = s_axis_tdata[i*InWidth+:MagWidth];
      if (InFmtMask == 3 && s_axis_tuser[32]) begin
        sign_d[i] = s_axis_tdata[i*InWidth+15];
        magnitude_d[i*MagWidth+:MagWidth] = {s_axis_tdata[i*InWidth+:15], {(MagWidth - 15) {1'b0}}};
      end
      magnitude_d[i*MagWidth+:MagWidth] = magnitude_d[i*MagWidth+:MagWidth] & {MagWidth{keep_d[i]}};
      nan_d[i] = (&magnitude_d[i*MagWidth+FracWidth+:8]) & (|magnitude_d[i*MagWidth+:FracWidth]);
      inf_d[i] = (&magnitude_d[i*MagWidth+FracWidth+:8]) & ~(|magnitude_d[i*MagWidth+:FracWidth]);
    end
  end
  logic unused_input;  // all bytes of a slot have the same tkeep; g is positive
  assign unused_input = ^{s_axis_tkeep, s_axis_tuser[32:31]};

  // Lanes wait for their thresholds, S2 to S15.
  localparam int LaneBits = 16 * (MagWidth + 2) + 1;
  logic [LaneBits-1:0] lanes_s15;
  mx_delay #(
      .Width (LaneBits),
      .Cycles(15)
  ) u_lanes (
      .clk_i (clk_i),
      .en_i  (advance),
      .data_i({magnitude_d, sign_d, keep_d, s_axis_tlast}),
      .data_o(lanes_s15)
  );

  // S2, S3: the largest magnitude. g as significand and exponent field.
  logic [4*MagWidth-1:0] four_d, four_s2;
  logic [MagWidth-1:0] amax_d, amax_s3;
  logic [9:0] g_exponent_d, g_exponent_s2;
  logic [23:0] g_d, g_s2;
  logic [1:0] special_s2, special_s3;
  generate
    for (genvar i = 0; i < 4; i++) begin : g_max
      mx_nvfp4_max #(
          .Width(MagWidth)
      ) u_max (
          .magnitudes_i(magnitude_s1[i*4*MagWidth+:4*MagWidth]),
          .largest_o(four_d[i*MagWidth+:MagWidth])
      );
    end
  endgenerate
  mx_nvfp4_max #(
      .Width(MagWidth)
  ) u_max (
      .magnitudes_i(four_s2),
      .largest_o(amax_d)
  );
  mx_nvfp4_normalize #(
      .FracWidth(23)
  ) u_tensor (
      .magnitude_i(tensor_s1),
      .exponent_o(g_exponent_d),
      .significand_o(g_d)
  );

  // S4: amax as significand and exponent field; three times g.
  logic [9:0] a_exponent_d, a_exponent_s4, difference_s10, g_exponent_s3, g_exponent_s4;
  logic [FracWidth:0] a_d, a_s4;
  logic [23:0] g_s3;
  logic [25:0] divisor_s4;
  logic zero_s4;
  logic [1:0] special_s4;
  mx_nvfp4_normalize #(
      .FracWidth(FracWidth)
  ) u_amax (
      .magnitude_i(amax_s3),
      .exponent_o(a_exponent_d),
      .significand_o(a_d)
  );

  // S5 to S10: the quotient amax / (6 g).
  logic [1:0] places_s10;
  logic [3:0] digits_s10;
  logic sticky_s10;
  mx_nvfp4_quotient #(
      .FracWidth(FracWidth)
  ) u_quotient (
      .clk_i(clk_i),
      .en_i(advance),
      .significand_i(a_s4),
      .divisor_i(divisor_s4),
      .places_o(places_s10),
      .digits_o(digits_s10),
      .sticky_o(sticky_s10)
  );
  logic [2:0] class_s10;  // NaN, Inf, zero block
  mx_delay #(
      .Width (13),
      .Cycles(6)
  ) u_class (
      .clk_i (clk_i),
      .en_i  (advance),
      .data_i({special_s4, zero_s4, a_exponent_s4 - g_exponent_s4 - 10'd2}),
      .data_o({class_s10, difference_s10})
  );
  logic [33:0] g_s11;
  mx_delay #(
      .Width (34),
      .Cycles(8)
  ) u_g (
      .clk_i (clk_i),
      .en_i  (advance),
      .data_i({g_exponent_s3, g_s3}),
      .data_o(g_s11)
  );

  // S11: the scale code.
  logic [6:0] scale_d, scale_s11, scale_s15;
  logic clamped_d;
  logic [3:0] flags_s11, flags_s15;  // NaN, Inf, zero block, clamped
  mx_nvfp4_scale u_scale (
      .exponent_i(difference_s10 - {8'd0, places_s10}),
      .digits_i(digits_s10),
      .sticky_i(sticky_s10),
      .is_zero_i(class_s10[0]),
      .code_o(scale_d),
      .is_clamped_o(clamped_d)
  );
  mx_delay #(
      .Width (11),
      .Cycles(4)
  ) u_scale_of_lanes (
      .clk_i (clk_i),
      .en_i  (advance),
      .data_i({flags_s11, scale_s11}),
      .data_o({flags_s15, scale_s15})
  );

  // S12 to S14: the thresholds' odd multiples. S15: as magnitudes; ties at 1, 5, 10 and 20 quarters
  // go down, to the even code.
  logic [123:0] multiples_s14;
  logic [ 39:0] exponents_s14;
  logic [8*MagWidth-1:0] least_d, least_s15;
  mx_nvfp4_multiples u_multiples (
      .clk_i(clk_i),
      .en_i(advance),
      .scale_i(scale_s11),
      .tensor_i(g_s11[23:0]),
      .exponent_i(g_s11[33:24]),
      .product_o(multiples_s14),
      .exponent_o(exponents_s14)
  );
  generate
    for (genvar k = 0; k < 8; k++) begin : g_threshold
      localparam int Multiple = k < 4 ? k : 2 + k % 2;
      localparam int Doubled = k < 4 ? 0 : k / 2 - 1;
      mx_nvfp4_threshold #(
          .FracWidth(FracWidth),
          .TieDown  (1 - k % 2)
      ) u_threshold (
          .product_i(multiples_s14[Multiple*31+:31]),
          .exponent_i(exponents_s14[Multiple*10+:10] + Doubled[9:0]),
          .least_o(least_d[k*MagWidth+:MagWidth])
      );
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (advance) begin
      magnitude_s1  <= magnitude_d;
      nan_s1        <= nan_d;
      inf_s1        <= inf_d;
      tensor_s1     <= s_axis_tuser[30:0];
      four_s2       <= four_d;
      special_s2    <= {|nan_s1, |inf_s1};
      g_s2          <= g_d;
      g_exponent_s2 <= g_exponent_d;
      amax_s3       <= amax_d;
      special_s3    <= special_s2;
      g_s3          <= g_s2;
      g_exponent_s3 <= g_exponent_s2;
      a_s4          <= a_d;
      a_exponent_s4 <= a_exponent_d;
      g_exponent_s4 <= g_exponent_s3;
      divisor_s4    <= {2'd0, g_s3} + {1'b0, g_s3, 1'b0};
      zero_s4       <= amax_s3 == '0;
      special_s4    <= special_s3;
      scale_s11     <= (|class_s10[2:1]) ? 7'h7F : scale_d;
      flags_s11     <= {class_s10, clamped_d & ~(|class_s10[2:1])};
      least_s15     <= least_d;
    end
  end

  // S16, S17: codes.
  logic [63:0] codes_s17;
  logic [15:0] underflow_s17, saturated_s17, keep_s17;
  logic [11:0] status_s17;
  logic [15:0] keep_s15, sign_s15;
  logic is_number, last_s15, last_s17;
  assign {sign_s15, keep_s15, last_s15} = lanes_s15[32:0];
  assign is_number = scale_s15 != 7'd0 && scale_s15 != 7'h7F;
  generate
    for (genvar i = 0; i < 16; i++) begin : g_lane
      mx_nvfp4_lane #(
          .Width(MagWidth)
      ) u_lane (
          .clk_i(clk_i),
          .en_i(advance),
          .magnitude_i(lanes_s15[33+i*MagWidth+:MagWidth]),
          .sign_i(sign_s15[i] & keep_s15[i] & (scale_s15 != 7'h7F)),
          .is_number_i(is_number & keep_s15[i]),
          .least_i(least_s15),
          .code_o(codes_s17[i*4+:4]),
          .underflow_o(underflow_s17[i]),
          .saturated_o(saturated_s17[i])
      );
    end
  endgenerate
  mx_delay #(
      .Width (28),
      .Cycles(2)
  ) u_beside (
      .clk_i (clk_i),
      .en_i  (advance),
      .data_i({keep_s15, last_s15, flags_s15, scale_s15}),
      .data_o({keep_s17, last_s17, status_s17[11:8], status_s17[6:0]})
  );
  assign status_s17[7] = 1'b0;

  logic [17:1] valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (advance) begin
      valid_q <= {valid_q[16:1], s_axis_tvalid};
    end
  end

  logic [63:0] codes;
  mx_skid #(
      .Width(97)
  ) u_skid (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(valid_q[17]),
      .ready_o(advance),
      .data_i ({codes_s17, keep_s17, last_s17, 2'b00, |saturated_s17, |underflow_s17, status_s17}),
      .valid_o(m_axis_tvalid),
      .ready_i(m_axis_tready),
      .data_o ({codes, m_axis_tkeep, m_axis_tlast, m_axis_tuser})
  );
  assign s_axis_tready = advance;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      m_axis_tdata[i*8+:8] = {4'd0, codes[i*4+:4]};
    end
  end

endmodule

`default_nettype wire
