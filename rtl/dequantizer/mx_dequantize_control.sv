// SPDX-License-Identifier: Apache-2.0
// What all lanes of a beat share: the exponent that the scale adds, and the policies. Combinational.
//
// base_o + place of mx_element_unpack is the result's exponent field, were it without end, less
// one. nvfp4 has two significands of elements, 1 and 1.5; each times the scale's is one fraction
// of five bits for the whole block, and 1.5 times 1.5 or more goes one exponent up.
//
// Parameters: FmtMask bit n enables format code n, ResMask bit n source code n as a result.
//
// Example: e4m3fn, fp32, scale 7F (1.0): base 127 - 7 - 1 = 119; code 38 (1.0) has place 7.
`default_nettype none

module mx_dequantize_control #(
    parameter logic [6:0] FmtMask = 7'h7F,
    parameter logic [2:0] ResMask = 3'h7
) (
    input  logic [mx_pkg::DEQ_WIDTH-1:0] word_i,
    output logic [                  6:0] format_o,         // one-hot over the enabled formats
    output logic                         is_half_o,        // the result is fp16
    output logic                         is_bf16_o,
    output logic [                  1:0] overflow_o,
    output logic                         scale_nan_o,
    output logic                         scale_zero_o,
    output logic [                  9:0] base_o,           // two's complement
    output logic                         is_two_level_o,   // nvfp4: the fractions below count
    output logic [                  2:0] fraction_one_o,
    output logic [                  4:0] fraction_more_o,
    output logic                         carry_more_o
);

  logic [7:0] scale;
  logic [2:0] format;
  logic [1:0] result;
  assign scale      = word_i[mx_pkg::DEQ_SCALE_LSB+:mx_pkg::DEQ_SCALE_WIDTH];
  assign format     = word_i[mx_pkg::DEQ_FORMAT_LSB+:mx_pkg::DEQ_FORMAT_WIDTH];
  assign result     = word_i[mx_pkg::DEQ_RESULT_LSB+:mx_pkg::DEQ_RESULT_WIDTH];
  assign overflow_o = word_i[mx_pkg::DEQ_OVERFLOW_LSB+:mx_pkg::DEQ_OVERFLOW_WIDTH];
  assign is_half_o  = ResMask[mx_pkg::SRC_FP16] & (result == mx_pkg::SRC_FP16);
  assign is_bf16_o  = ResMask[mx_pkg::SRC_BF16] & (result == mx_pkg::SRC_BF16);

  logic nvfp4;
  always_comb begin
    for (int i = 0; i < 7; i++) begin
      format_o[i] = FmtMask[i] & (format == i[2:0]);
    end
    nvfp4 = format_o[mx_pkg::FMT_NVFP4];
    is_two_level_o = nvfp4;
  end

  // The scale of nvfp4, ue4m3: 1.fraction_one * 2^(scale_place - 7).
  logic signed [4:0] scale_place;
  logic [5:0] times;  // 1.fraction_one * 1.5, in sixteenths
  always_comb begin
    if (scale[6:3] != 4'd0) begin
      scale_place    = {1'b0, scale[6:3]};
      fraction_one_o = scale[2:0];
    end else begin
      casez (scale[2:0])
        3'b1??: begin
          scale_place    = 5'sd0;
          fraction_one_o = {scale[1:0], 1'b0};
        end
        3'b01?: begin
          scale_place    = -5'sd1;
          fraction_one_o = {scale[0], 2'b00};
        end
        default: begin
          scale_place    = -5'sd2;
          fraction_one_o = 3'b000;
        end
      endcase
    end
    times = {1'b0, 1'b1, fraction_one_o, 1'b0} + {2'b00, 1'b1, fraction_one_o};
    carry_more_o = times[5];
    fraction_more_o = times[5] ? times[4:0] : {times[3:0], 1'b0};
  end

  // Everything else of the exponent: scale code less biases.
  logic [9:0] bias;  // of the format, and one more
  logic [9:0] field;  // of the scale
  always_comb begin
    bias = 10'd1;  // int8
    if (format_o[mx_pkg::FMT_E4M3FN]) bias = 10'd8;
    if (format_o[mx_pkg::FMT_E5M2]) bias = 10'd16;
    if (format_o[mx_pkg::FMT_E3M2FN]) bias = 10'd4;
    if (format_o[mx_pkg::FMT_E2M3FN] | format_o[mx_pkg::FMT_E2M1FN] | nvfp4) bias = 10'd2;
    if (is_half_o) bias = bias + 10'd112;
    field = nvfp4 ? 10'd120 + {{5{scale_place[4]}}, scale_place} : {2'b00, scale};
    base_o = field - bias;
    scale_nan_o = nvfp4 ? &scale[6:0] : &scale;
    scale_zero_o = nvfp4 & (scale[6:0] == 7'd0);
  end

  logic unused_sign;  // ue4m3 has none
  assign unused_sign = scale[7];

endmodule

`default_nettype wire
