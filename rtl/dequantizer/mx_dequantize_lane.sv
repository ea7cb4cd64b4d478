// SPDX-License-Identifier: Apache-2.0
// One lane of the dequantizer: element code in, value out, four registers behind each other.
//
// S1 takes the code apart (mx_element_unpack). S2 adds the exponents of element and scale. S3
// decides what the result is and shifts subnormals (mx_dequantize_shift). S4 rounds and packs
// (mx_dequantize_pack). A register takes what is before it where its bit of en_i is 1.
//
// Parameters: FmtMask and ResMask as mx_dequantizer; OutWidth 32 with fp32 as a result, else 16.
//
// Example: e4m3fn 81 under scale 7F to fp32: -2^-9, word BB000000.
`default_nettype none

module mx_dequantize_lane #(
    parameter logic [6:0] FmtMask = 7'h7F,
    parameter logic [2:0] ResMask = 3'h7,
    parameter int OutWidth = 32
) (
    input  logic                clk_i,
    input  logic [         4:1] en_i,
    input  logic [         7:0] code_i,
    input  logic [         6:0] format_i,         // one-hot over the enabled formats
    // Of the beat in S1 (mx_dequantize_control).
    input  logic                keep_s1_i,
    input  logic                scale_nan_i,
    input  logic                scale_zero_i,
    input  logic [         9:0] base_i,
    input  logic                is_two_level_i,
    input  logic [         2:0] fraction_one_i,
    input  logic [         4:0] fraction_more_i,
    input  logic                carry_more_i,
    // Of the beat in S2, and of the one in S3.
    input  logic                is_half_s2_i,
    input  logic [         1:0] overflow_s2_i,
    input  logic                is_half_s3_i,
    input  logic                is_bf16_s3_i,
    output logic [OutWidth-1:0] value_o
);

  logic sign_d, zero_d, nan_d, inf_d;
  logic [5:0] fraction_d, place_d;
  mx_element_unpack #(
      .FmtMask(FmtMask)
  ) u_unpack (
      .code_i(code_i),
      .format_i(format_i),
      .sign_o(sign_d),
      .fraction_o(fraction_d),
      .place_o(place_d),
      .is_zero_o(zero_d),
      .is_nan_o(nan_d),
      .is_inf_o(inf_d)
  );

  logic sign_s1, zero_s1, nan_s1, inf_s1;
  logic [5:0] fraction_s1, place_s1;
  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      sign_s1     <= sign_d;
      zero_s1     <= zero_d;
      nan_s1      <= nan_d;
      inf_s1      <= inf_d;
      fraction_s1 <= fraction_d;
      place_s1    <= place_d;
    end
  end

  logic more, is_zero, is_nan;
  logic [9:0] t;
  logic [5:0] fraction;
  always_comb begin
    more = is_two_level_i & fraction_s1[5];
    t    = base_i + {{4{place_s1[5]}}, place_s1} + {9'd0, more & carry_more_i};
    if (is_two_level_i) begin
      fraction = more ? {fraction_more_i, 1'b0} : {fraction_one_i, 3'b000};
    end else begin
      fraction = fraction_s1;
    end
    // A lane that is not kept is a positive zero, whatever its scale.
    is_nan  = keep_s1_i & (nan_s1 | scale_nan_i);
    is_zero = ~keep_s1_i | ((zero_s1 | scale_zero_i) & ~is_nan);
  end

  logic sign_s2, zero_s2, nan_s2, inf_s2;
  logic [9:0] t_s2;
  logic [5:0] fraction_s2;
  always_ff @(posedge clk_i) begin
    if (en_i[2]) begin
      sign_s2     <= sign_s1 & keep_s1_i;
      zero_s2     <= is_zero;
      nan_s2      <= is_nan;
      inf_s2      <= inf_s1 & keep_s1_i;
      t_s2        <= t;
      fraction_s2 <= fraction & {6{~is_zero}};
    end
  end

  logic nan, is_top, is_small;
  logic [ 7:0] t_end;
  logic [16:0] wide;
  // How far a subnormal of fp32 or bf16 moves: up to 16 places from e5m2, 9 from e4m3fn, 6, 4, 3, 1.
  localparam int PlaceBits =
      (ResMask[mx_pkg::SRC_FP16] || FmtMask[mx_pkg::FMT_E5M2]) ? 5 :
      FmtMask[mx_pkg::FMT_E4M3FN] ? 4 :
      (FmtMask[mx_pkg::FMT_INT8] || FmtMask[mx_pkg::FMT_E3M2FN]) ? 3 :
      FmtMask[mx_pkg::FMT_E2M3FN] ? 2 : 1;
  mx_dequantize_shift #(
      .HasHalf  (ResMask[mx_pkg::SRC_FP16] ? 1 : 0),
      .PlaceBits(PlaceBits)
  ) u_shift (
      .is_half_i(is_half_s2_i),
      .overflow_i(overflow_s2_i),
      .is_zero_i(zero_s2),
      .is_nan_i(nan_s2),
      .is_inf_i(inf_s2),
      .t_i(t_s2),
      .fraction_i(fraction_s2),
      .is_nan_o(nan),
      .is_top_o(is_top),
      .is_small_o(is_small),
      .t_o(t_end),
      .wide_o(wide)
  );

  logic sign_s3, top_s3, small_s3;
  logic [ 7:0] t_s3;
  logic [16:0] wide_s3;
  always_ff @(posedge clk_i) begin
    if (en_i[3]) begin
      sign_s3  <= sign_s2 & ~nan;
      top_s3   <= is_top;
      small_s3 <= is_small;
      t_s3     <= t_end;
      wide_s3  <= wide;
    end
  end

  logic [OutWidth-1:0] value;
  mx_dequantize_pack #(
      .OutWidth(OutWidth)
  ) u_pack (
      .is_half_i(is_half_s3_i),
      .is_bf16_i(is_bf16_s3_i),
      .sign_i(sign_s3),
      .is_top_i(top_s3),
      .is_small_i(small_s3),
      .t_i(t_s3),
      .wide_i(wide_s3),
      .value_o(value)
  );

  always_ff @(posedge clk_i) begin
    if (en_i[4]) begin
      value_o <= value;
    end
  end

endmodule

`default_nettype wire
