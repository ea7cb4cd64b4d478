// SPDX-License-Identifier: Apache-2.0
// amax / (6 g): the first digits of the quotient, and whether it goes on. Six registers.
//
// Of the significands a of amax and g of the tensor's scale, both in [1, 2), a / (1.5 g) lies
// between 1/3 and 4/3. Moved by 0, 1 or 2 places it is 1.digits; places_o is the move.
//
// Parameters: FracWidth, of a: 23 for fp32, 7 for bf16.
//
// Example: a 1.5, g 1.0: places 0, digits 0000, no sticky.
`default_nettype none

module mx_nvfp4_quotient #(
    parameter int FracWidth = 23
) (
    input  logic               clk_i,
    input  logic               en_i,
    input  logic [FracWidth:0] significand_i,
    input  logic [       25:0] divisor_i,      // three times the significand of g: 1.5 * 2^24
    output logic [        1:0] places_o,
    output logic [        3:0] digits_o,
    output logic               sticky_o
);

  // Q1: how many places.
  logic [25:0] once;
  logic [1:0] places, places_q1;
  logic [25:0] once_q1, divisor_q1;
  always_comb begin
    once   = {1'b0, significand_i, {(24 - FracWidth) {1'b0}}};
    places = 2'd2;
    if ({once, 1'b0} >= {1'b0, divisor_i}) places = 2'd1;
    if (once >= divisor_i) places = 2'd0;
  end

  // Q2: the first digit is 1.
  logic [27:0] moved;
  logic [25:0] rest_q2, divisor_q2;
  assign moved = {2'd0, once_q1} << places_q1;
  logic unused_moved;  // it lies below twice the divisor
  assign unused_moved = ^moved[27:26];

  // Q3 to Q6: a digit each.
  logic [26:0] twice_q3, twice_q4, twice_q5, twice_q6;
  logic digit_q3, digit_q4, digit_q5, digit_q6;
  logic [25:0] rest_q3, rest_q4, rest_q5, rest_q6, divisor_q3, divisor_q4, divisor_q5;
  logic [25:0] less_q3, less_q4, less_q5, less_q6;
  logic digits_q3;
  logic [1:0] digits_q4;
  logic [2:0] digits_q5;
  always_comb begin
    twice_q3 = {rest_q2, 1'b0};
    twice_q4 = {rest_q3, 1'b0};
    twice_q5 = {rest_q4, 1'b0};
    twice_q6 = {rest_q5, 1'b0};
    digit_q3 = twice_q3 >= {1'b0, divisor_q2};
    less_q3  = twice_q3[25:0] - divisor_q2;
    digit_q4 = twice_q4 >= {1'b0, divisor_q3};
    less_q4  = twice_q4[25:0] - divisor_q3;
    digit_q5 = twice_q5 >= {1'b0, divisor_q4};
    less_q5  = twice_q5[25:0] - divisor_q4;
    digit_q6 = twice_q6 >= {1'b0, divisor_q5};
    less_q6  = twice_q6[25:0] - divisor_q5;
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      places_q1  <= places;
      once_q1    <= once;
      divisor_q1 <= divisor_i;
      rest_q2    <= moved[25:0] - divisor_q1;
      divisor_q2 <= divisor_q1;
      rest_q3    <= digit_q3 ? less_q3 : twice_q3[25:0];
      divisor_q3 <= divisor_q2;
      digits_q3  <= digit_q3;
      rest_q4    <= digit_q4 ? less_q4 : twice_q4[25:0];
      divisor_q4 <= divisor_q3;
      digits_q4  <= {digits_q3, digit_q4};
      rest_q5    <= digit_q5 ? less_q5 : twice_q5[25:0];
      divisor_q5 <= divisor_q4;
      digits_q5  <= {digits_q4, digit_q5};
      rest_q6    <= digit_q6 ? less_q6 : twice_q6[25:0];
      digits_o   <= {digits_q5, digit_q6};
    end
  end
  assign sticky_o = |rest_q6;
  mx_delay #(
      .Width (2),
      .Cycles(5)
  ) u_places (
      .clk_i (clk_i),
      .en_i  (en_i),
      .data_i(places_q1),
      .data_o(places_o)
  );

endmodule

`default_nettype wire
