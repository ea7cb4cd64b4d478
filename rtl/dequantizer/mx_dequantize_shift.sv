// SPDX-License-Identifier: Apache-2.0
// Exponent and fraction without ends -> those of a result: subnormal, special or as they are.
// Combinational.
//
// t_i is the result's exponent field less one, were that without end. Where it is negative the
// result is subnormal: {hidden bit, fraction} moves ~t_i places to the right, and is_small_o says
// that its exponent field is 0. Zero is subnormal and has no hidden bit. Where t_i is too large,
// overflow_i says what follows. NaN and infinity have a field of ones; the largest value has the
// one below and ones in the whole fraction.
//
// 17 bits of fraction are enough (spec R7.2): no product of an MX element and an E8M0 scale has
// more in fp32, and what bf16 and fp16 round at lies above.
//
// Parameters: HasHalf 1 where fp16 is a result. PlaceBits 1..5: of the places that a subnormal moves;
// without fp16 the formats bound them, and with fp16 32 places are as good as more.
//
// Example: t_i = -1, fraction_i 0 (2^-127): is_small_o 1, wide_o 10000h, for 0.5 * 2^-126.
`default_nettype none

module mx_dequantize_shift #(
    parameter int HasHalf   = 1,
    parameter int PlaceBits = 5
) (
    input  logic        is_half_i,
    input  logic [ 1:0] overflow_i,
    input  logic        is_zero_i,
    input  logic        is_nan_i,
    input  logic        is_inf_i,
    input  logic [ 9:0] t_i,         // two's complement
    input  logic [ 5:0] fraction_i,
    output logic        is_nan_o,
    output logic        is_top_o,
    output logic        is_small_o,
    output logic [ 7:0] t_o,
    output logic [16:0] wide_o
);

  logic beyond, over, is_ones;
  logic [PlaceBits-1:0] places;
  always_comb begin
    // No exponent field is left from 254 on, in fp16 from 30 on.
    beyond     = t_i[8] | (&t_i[7:1]) | (is_half_i & ((|t_i[7:5]) | (&t_i[4:1])));
    over       = beyond & ~t_i[9] & ~is_zero_i & ~is_inf_i;
    is_nan_o   = is_nan_i | (over & (overflow_i == mx_pkg::DEQ_OVERFLOW_NAN));
    is_ones    = is_nan_o | is_inf_i | (over & (overflow_i == mx_pkg::DEQ_OVERFLOW_INF));
    is_top_o   = over & ~is_ones;
    is_small_o = (t_i[9] | is_zero_i) & ~is_ones;
    // Moves of more than 31 places leave nothing that rounds up; neither do 31.
    places     = ~t_i[PlaceBits-1:0] | {PlaceBits{(HasHalf != 0) & ~(&t_i[8:5])}};
    if (is_ones | is_top_o) begin
      t_o    = {{3{~is_half_i}}, 3'b111, is_ones, ~is_ones};
      wide_o = {is_nan_o | is_top_o, {16{is_top_o}}};
    end else begin
      t_o    = t_i[7:0];
      wide_o = is_small_o ? {~is_zero_i, fraction_i, 10'd0} >> places : {fraction_i, 11'd0};
    end
  end

endmodule

`default_nettype wire
