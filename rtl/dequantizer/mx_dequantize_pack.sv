// SPDX-License-Identifier: Apache-2.0
// Exponent and fraction -> word of the result, rounded to nearest even. Combinational.
//
// Only subnormal results round, in bf16 and fp16: a fraction of 6 bits fits both. A carry out of the
// fraction is the exponent field 1. bf16 and fp16 share an incrementer of fp16's 10 bits; the three
// that bf16 has not are ones, through which its carry goes.
//
// Parameters: OutWidth 32 with fp32 as a result, else 16.
//
// Example: bf16, is_small_i 1, wide_i 00300h (0.75 of the last place): word 0001.
`default_nettype none

module mx_dequantize_pack #(
    parameter int OutWidth = 32
) (
    input  logic                is_half_i,
    input  logic                is_bf16_i,
    input  logic                sign_i,
    input  logic                is_top_i,
    input  logic                is_small_i,
    input  logic [         7:0] t_i,
    input  logic [        16:0] wide_i,
    output logic [OutWidth-1:0] value_o
);

  logic guard, sticky, odd, up, carry;
  logic [9:0] kept, rounded;
  logic [7:0] exponent;
  always_comb begin
    guard            = is_half_i ? wide_i[6] : wide_i[9];
    odd              = is_half_i ? wide_i[7] : wide_i[10];
    sticky           = (|wide_i[5:0]) | (~is_half_i & (|wide_i[8:6]));
    up               = is_small_i & (is_half_i | is_bf16_i) & guard & (sticky | odd);
    kept             = wide_i[16:7] | {7'd0, {3{is_bf16_i}}};
    {carry, rounded} = {1'b0, kept} + {10'd0, up};
    exponent         = is_small_i ? {7'd0, carry} : t_i + 8'd1;
  end

  logic [15:0] half, bf16;
  assign half = {sign_i, exponent[4:0], rounded};
  assign bf16 = {sign_i, exponent, rounded[9:3]};
  generate
    if (OutWidth == 32) begin : g_wide
      always_comb begin
        if (is_half_i) value_o = {16'd0, half};
        else if (is_bf16_i) value_o = {16'd0, bf16};
        else value_o = {sign_i, exponent, rounded, wide_i[6:0], {6{is_top_i}}};
      end
    end else begin : g_narrow
      assign value_o = is_half_i ? half : bf16;
      logic unused_top;
      assign unused_top = is_top_i;
    end
  endgenerate

endmodule

`default_nettype wire
