// SPDX-License-Identifier: Apache-2.0
// Source word -> sign, binary32-style exponent field, fraction, class. Combinational.
//
// fp32 and bf16 keep their exponent field; fp16 is rebiased (+112) and its subnormals are
// normalized (10-bit leading zero count): exponent_o is exact for every fp16 value. Exponent
// field 0 therefore means a zero or a subnormal of fp32 or bf16 only. The fraction is left-aligned.
// For NaN, infinities and lanes that are not kept, exponent_o and fraction_o are arbitrary.
// A lane that is not kept is a positive zero.
//
// Parameters: InFmtMask bit n enables source code n of mx_pkg; InWidth is 32 with fp32, else 16;
// FracWidth is the widest fraction of the enabled sources (23, 10 or 7). Subnormals = 0 flushes
// subnormal sources whatever ftz_i says.
//
// Example: fp16 0001 (2^-24): sign 0, exponent field 127 - 24 = 67h, fraction 0, nonzero 1.
`default_nettype none

module mx_unpack #(
    parameter logic [2:0] InFmtMask = 3'b111,
    parameter int InWidth = 32,
    parameter int FracWidth = 23,
    parameter int Subnormals = 1
) (
    input  logic [  InWidth-1:0] word_i,
    input  logic                 keep_i,
    input  logic [          2:0] source_i,        // one-hot over the enabled sources
    input  logic                 ftz_i,           // subnormal sources are zeros of their sign
    output logic                 sign_o,
    output logic [          7:0] exponent_o,
    output logic [FracWidth-1:0] fraction_o,
    output logic                 is_subnormal_o,  // exponent field 0 in the common form
    output logic                 is_nan_o,
    output logic                 is_inf_o,
    output logic                 nonzero_o        // finite, not zero, kept
);

  // Each enabled source in the common form; a disabled one is all zero and vanishes.
  logic sign32, sign16;
  logic [7:0] exponent32, exponent_bf, exponent_half;
  logic [FracWidth-1:0] fraction32, fraction_bf, fraction_half;
  logic special_half, subnormal_half;

  generate
    if (InFmtMask[mx_pkg::SRC_FP32]) begin : g_fp32
      assign sign32     = word_i[31];
      assign exponent32 = word_i[30:23];
      assign fraction32 = word_i[22:0];
    end else begin : g_no_fp32
      assign sign32     = 1'b0;
      assign exponent32 = '0;
      assign fraction32 = '0;
    end

    if (InFmtMask[mx_pkg::SRC_BF16]) begin : g_bf16
      assign exponent_bf = word_i[14:7];
      if (FracWidth > 7) begin : g_pad
        assign fraction_bf = {word_i[6:0], {(FracWidth - 7) {1'b0}}};
      end else begin : g_exact
        assign fraction_bf = word_i[6:0];
      end
    end else begin : g_no_bf16
      assign exponent_bf = '0;
      assign fraction_bf = '0;
    end

    if (InFmtMask[mx_pkg::SRC_FP16]) begin : g_fp16
      logic [3:0] zeros;  // leading zeros of the fraction; 9 for a zero, whose value is not used
      logic [9:0] shifted;
      always_comb begin
        casez (word_i[9:0])
          10'b1?????????: zeros = 4'd0;
          10'b01????????: zeros = 4'd1;
          10'b001???????: zeros = 4'd2;
          10'b0001??????: zeros = 4'd3;
          10'b00001?????: zeros = 4'd4;
          10'b000001????: zeros = 4'd5;
          10'b0000001???: zeros = 4'd6;
          10'b00000001??: zeros = 4'd7;
          10'b000000001?: zeros = 4'd8;
          default:        zeros = 4'd9;
        endcase
        subnormal_half = word_i[14:10] == 5'd0;
        special_half   = word_i[14:10] == 5'd31;
        // e + 112 is {e4, not e4 three times, e3..e0}; 112 - zeros for a subnormal.
        if (subnormal_half) begin
          shifted       = (word_i[9:0] << zeros) << 1;
          exponent_half = 8'd112 - {4'd0, zeros};
        end else begin
          shifted       = word_i[9:0];
          exponent_half = {word_i[14], {3{~word_i[14]}}, word_i[13:10]};
        end
      end
      if (FracWidth > 10) begin : g_pad
        assign fraction_half = {shifted, {(FracWidth - 10) {1'b0}}};
      end else begin : g_exact
        assign fraction_half = shifted;
      end
    end else begin : g_no_fp16
      assign exponent_half  = '0;
      assign fraction_half  = '0;
      assign special_half   = 1'b0;
      assign subnormal_half = 1'b0;
    end

    if (InFmtMask[2:1] != 2'b00) begin : g_sign16
      assign sign16 = word_i[15];
    end else begin : g_no_sign16
      assign sign16 = 1'b0;
    end
  endgenerate

  logic special, subnormal, fraction_zero;
  always_comb begin
    sign_o = keep_i & ((source_i[mx_pkg::SRC_FP32] & sign32) | (|source_i[2:1] & sign16));
    exponent_o = ({8{source_i[mx_pkg::SRC_FP32]}} & exponent32) |
                 ({8{source_i[mx_pkg::SRC_BF16]}} & exponent_bf) |
                 ({8{source_i[mx_pkg::SRC_FP16]}} & exponent_half);
    fraction_o = ({FracWidth{source_i[mx_pkg::SRC_FP32]}} & fraction32) |
                 ({FracWidth{source_i[mx_pkg::SRC_BF16]}} & fraction_bf) |
                 ({FracWidth{source_i[mx_pkg::SRC_FP16]}} & fraction_half);

    // A normalized fp16 power of two has an empty fraction, so zero and infinity look at the word.
    special = source_i[mx_pkg::SRC_FP16] ? special_half : &exponent_o;
    subnormal = source_i[mx_pkg::SRC_FP16] ? subnormal_half : exponent_o == 8'd0;
    fraction_zero = source_i[mx_pkg::SRC_FP16] ? word_i[9:0] == 10'd0 : fraction_o == '0;
    is_subnormal_o = ~source_i[mx_pkg::SRC_FP16] & subnormal;
    is_nan_o = keep_i & special & ~fraction_zero;
    is_inf_o = keep_i & special & fraction_zero;
    nonzero_o = keep_i & ~special & ~(subnormal & (fraction_zero | ftz_i | (Subnormals == 0)));
  end

endmodule

`default_nettype wire
