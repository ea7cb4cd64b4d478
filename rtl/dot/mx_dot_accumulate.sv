// SPDX-License-Identifier: Apache-2.0
// Running sum + a number -> running sum, FP32, rounded once to nearest even. Six registers.
//
//   A1  which has the larger exponent, and by how much
//   A2  the other one moved right, what falls off as one sticky bit
//   A3  sum or difference, as a magnitude
//   A4  leading zeros, at most as many as the exponent allows
//   A5  normalized
//   A6  rounded and packed: sum_o
// The number is (-1)^sign * 1.xxx * 2^(exponent - 127), its exponent without ends; all bits count.
// An exact sum of zero is +0. plus_i and minus_i bring infinities, both NaN.
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: Bits 24..61 of the number.
//
// Example: sum 3F800000 (1.0), number -1.0 * 2^-24 (exponent 103): 3F7FFFFF, whatever lies below.
`default_nettype none

module mx_dot_accumulate #(
    parameter int Bits = 31
) (
    input  logic            clk_i,
    input  logic [     6:1] en_i,
    input  logic [    31:0] start_i,     // the running sum, FP32
    input  logic            sign_i,
    input  logic [     9:0] exponent_i,  // two's complement
    input  logic [Bits-1:0] number_i,
    input  logic            is_zero_i,
    input  logic            plus_i,
    input  logic            minus_i,
    output logic [    31:0] sum_o
);

  localparam int Wide = Bits + 3;

  // A1. Both are on one scale of exponents: that of FP32, 1 for subnormal sums.
  logic [ 7:0] start_field;
  logic [23:0] start_bits;
  logic start_high, start_nan, start_inf, start_less;
  logic [10:0] more;
  logic [9:0] less, distance;
  always_comb begin
    start_high  = &start_i[30:23];
    start_nan   = start_high & (|start_i[22:0]);
    start_inf   = start_high & ~(|start_i[22:0]);
    start_bits  = {|start_i[30:23], start_i[22:0]};
    start_field = {start_i[30:24], start_i[23] | ~start_bits[23]};
    less        = exponent_i - {2'd0, start_field};
    more        = {3'd0, start_field} - {exponent_i[9], exponent_i};
    start_less  = ~is_zero_i & more[10];
    distance    = more[10] ? less : more[9:0];
  end

  logic sign_s1, is_difference_s1, plus_s1, minus_s1;
  logic [9:0] field_s1;
  logic [5:0] distance_s1;
  logic [Bits-1:0] big_s1, small_s1;
  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      sign_s1          <= start_less ? sign_i : start_i[31];
      is_difference_s1 <= sign_i ^ start_i[31];
      plus_s1          <= plus_i | start_nan | (start_inf & ~start_i[31]);
      minus_s1         <= minus_i | start_nan | (start_inf & start_i[31]);
      field_s1         <= start_less ? exponent_i : {2'b00, start_field};
      distance_s1      <= distance[5:0] | {6{|distance[9:6]}};
      big_s1           <= start_less ? number_i : {start_bits, {Bits - 24{1'b0}}};
      small_s1         <= start_less ? {start_bits, {Bits - 24{1'b0}}} : number_i;
    end
  end

  // A2.
  logic [Wide-1:0] moved, moved_s2;
  logic rest;
  always_comb begin
    moved = {small_s1, 3'b000};
    rest  = 1'b0;
    for (int k = 0; k < 6; k++) begin
      if (distance_s1[k]) begin
        rest  = rest | (|(moved & ~({Wide{1'b1}} << (1 << k))));
        moved = moved >> (1 << k);
      end
    end
    moved[0] = moved[0] | rest;
  end
  logic sign_s2, is_difference_s2, plus_s2, minus_s2;
  logic [9:0] field_s2;
  logic [Bits-1:0] big_s2;
  always_ff @(posedge clk_i) begin
    if (en_i[2]) begin
      sign_s2          <= sign_s1;
      is_difference_s2 <= is_difference_s1;
      plus_s2          <= plus_s1;
      minus_s2         <= minus_s1;
      field_s2         <= field_s1;
      big_s2           <= big_s1;
      moved_s2         <= moved;
    end
  end

  // A3. What has the smaller exponent is larger after all where exponents are equal or the sum is
  // subnormal.
  // Both carries of each half are tried: 0 for a sum and for what is turned, 1 for a difference.
  localparam int Half = Wide / 2;
  logic [Wide-1:0] big, other;
  logic [Half:0] low0, low1;
  logic [Wide-Half:0] high0, high1, high_of0, high_of1;
  logic [Wide:0] magnitude_s3;
  logic sign_s3, plus_s3, minus_s3;
  logic [8:0] field_s3;
  logic turned;
  always_comb begin
    big      = {big_s2, 3'b000};
    other    = moved_s2 ^ {Wide{is_difference_s2}};
    low0     = {1'b0, big[Half-1:0]} + {1'b0, other[Half-1:0]};
    low1     = {1'b0, big[Half-1:0]} + {1'b0, other[Half-1:0]} + {{Half{1'b0}}, 1'b1};
    high0    = {1'b0, big[Wide-1:Half]} + {1'b0, other[Wide-1:Half]};
    high1    = {1'b0, big[Wide-1:Half]} + {1'b0, other[Wide-1:Half]} + {{Wide - Half{1'b0}}, 1'b1};
    high_of0 = low0[Half] ? high1 : high0;
    high_of1 = low1[Half] ? high1 : high0;
    turned   = is_difference_s2 & ~high_of1[Wide-Half];
  end
  always_ff @(posedge clk_i) begin
    if (en_i[3]) begin
      sign_s3  <= sign_s2 ^ turned;
      plus_s3  <= plus_s2;
      minus_s3 <= minus_s2;
      field_s3 <= field_s2[8:0];
      if (!is_difference_s2) magnitude_s3 <= {high_of0, low0[Half-1:0]};
      else if (turned) magnitude_s3 <= ~{1'b1, high_of0[Wide-Half-1:0], low0[Half-1:0]};
      else magnitude_s3 <= {1'b0, high_of1[Wide-Half-1:0], low1[Half-1:0]};
    end
  end
  logic unused_field;  // neither is negative: the running sum's exponent is at least 1
  assign unused_field = field_s2[9];

  // A4.
  logic [5:0] zeros, places;
  logic is_zero;
  mx_dot_zeros #(
      .Width(Wide + 1)
  ) u_zeros (
      .number_i (magnitude_s3),
      .zeros_o  (zeros),
      .is_zero_o(is_zero)
  );
  assign places = {3'b000, zeros} < field_s3 ? zeros : field_s3[5:0];
  logic sign_s4, plus_s4, minus_s4, is_zero_s4;
  logic [8:0] field_s4;
  logic [5:0] places_s4;
  logic [Wide:0] magnitude_s4;
  always_ff @(posedge clk_i) begin
    if (en_i[4]) begin
      sign_s4      <= sign_s3 & ~is_zero;
      is_zero_s4   <= is_zero;
      plus_s4      <= plus_s3;
      minus_s4     <= minus_s3;
      field_s4     <= field_s3;
      places_s4    <= places;
      magnitude_s4 <= magnitude_s3;
    end
  end

  // A5.
  logic sign_s5, plus_s5, minus_s5;
  logic [8:0] field_s5;
  logic [Wide:0] normal_s5;
  always_ff @(posedge clk_i) begin
    if (en_i[5]) begin
      sign_s5   <= sign_s4;
      plus_s5   <= plus_s4;
      minus_s5  <= minus_s4;
      field_s5  <= field_s4 - {3'b000, places_s4};
      normal_s5 <= magnitude_s4 << places_s4;
      if (is_zero_s4) field_s5 <= 9'd0;
    end
  end

  // A6. The hidden bit counts up the exponent field, and so does a carry out of the fraction.
  logic up, beyond;
  logic [32:0] packed_sum;
  always_comb begin
    up = normal_s5[Wide-24] & ((|normal_s5[Wide-25:0]) | normal_s5[Wide-23]);
    packed_sum = {1'b0, field_s5, 23'd0} + {9'd0, normal_s5[Wide-:24]} + {32'd0, up};
    beyond = packed_sum[31] | (&packed_sum[30:23]);
  end
  always_ff @(posedge clk_i) begin
    if (en_i[6]) begin
      sum_o <= {sign_s5, packed_sum[30:0]};
      if (beyond) sum_o <= {sign_s5, 8'hFF, 23'd0};
      if (plus_s5 | minus_s5) sum_o <= {~plus_s5, 8'hFF, plus_s5 & minus_s5, 22'd0};
    end
  end
  logic unused_top;
  assign unused_top = packed_sum[32];

endmodule

`default_nettype wire
