// SPDX-License-Identifier: Apache-2.0
// Magnitude -> code of e2m1fn: how many thresholds it reaches. Two registers.
//
// The middle one of seven halves the codes, one of two the halves, one of four the quarters.
//
// Parameters: Width of a magnitude.
//
// Example: scale * g = 1.0, 0.75 (a tie that goes up): it reaches two thresholds, code 2.
`default_nettype none

module mx_nvfp4_lane #(
    parameter int Width = 31
) (
    input  logic               clk_i,
    input  logic               en_i,
    input  logic [  Width-1:0] magnitude_i,
    input  logic               sign_i,
    input  logic               is_number_i,  // kept, and its scale neither 0 nor NaN
    // Of the block, in their order; a magnitude reaches one at the least number and above.
    input  logic [8*Width-1:0] least_i,
    output logic [        3:0] code_o,
    output logic               underflow_o,  // a nonzero element got a zero code
    output logic               saturated_o   // its magnitude rounds beyond the largest code
);

  // Three thresholds of a half are left: 1, 0 and 2, or 5, 4 and 6.
  logic upper, second, third;
  logic upper_q, beyond_q, sign_q, is_number_q, is_nonzero_q;
  logic [3*Width-1:0] left, left_q;
  logic [Width-1:0] magnitude_q;
  always_comb begin
    upper  = magnitude_i >= least_i[3*Width+:Width];
    left   = upper ? least_i[4*Width+:3*Width] : least_i[0+:3*Width];
    second = magnitude_q >= left_q[Width+:Width];
    third  = magnitude_q >= (second ? left_q[2*Width+:Width] : left_q[0+:Width]);
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      upper_q      <= upper;
      left_q       <= left;
      magnitude_q  <= magnitude_i;
      beyond_q     <= magnitude_i >= least_i[7*Width+:Width];
      sign_q       <= sign_i;
      is_number_q  <= is_number_i;
      is_nonzero_q <= |magnitude_i;
      code_o       <= {sign_q, {upper_q, second, third} & {3{is_number_q}}};
      underflow_o  <= is_number_q & ~upper_q & ~second & ~third & is_nonzero_q;
      saturated_o  <= is_number_q & beyond_q;
    end
  end

endmodule

`default_nettype wire
