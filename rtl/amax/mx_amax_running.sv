// SPDX-License-Identifier: Apache-2.0
// The running maximum of a tensor, beat by beat. What its last beat makes of it is the result; the
// next beat begins another tensor.
//
// take_i: a beat is taken in this cycle. valid_o: a result is there, until ready_i takes it. A beat
// that is last waits where a result is there and does not leave: move_o is 0 then.
//
// Parameters: Width of a magnitude.
//
// Example: beats with 3, 9 (last), 4 (last): results 9 and 4.
`default_nettype none

module mx_amax_running #(
    parameter int Width = 31
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             last_i,
    input  logic [Width-1:0] magnitude_i,
    input  logic [      1:0] special_i,    // NaN, Inf
    output logic             move_o,
    output logic             valid_o,
    output logic [Width-1:0] amax_o,
    output logic [      1:0] special_o,
    input  logic             ready_i
);

  logic is_first_q, take;
  logic [Width-1:0] running_q, so_far, amax_d;
  logic [1:0] special_q, special_d;
  assign move_o = ~last_i | ~valid_o | ready_i;
  assign take   = valid_i & move_o;
  always_comb begin
    so_far    = running_q & {Width{~is_first_q}};
    special_d = special_i | (special_q & {2{~is_first_q}});
  end
  mx_amax_larger #(
      .Width(Width)
  ) u_larger (
      .a_i(magnitude_i),
      .b_i(so_far),
      .larger_o(amax_d)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_first_q <= 1'b1;
      valid_o    <= 1'b0;
    end else begin
      if (take) is_first_q <= last_i;
      if (~valid_o | ready_i) valid_o <= valid_i & last_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      running_q <= amax_d;
      special_q <= special_d;
    end
    if (take & last_i) begin
      amax_o    <= amax_d;
      special_o <= special_d;
    end
  end

endmodule

`default_nettype wire
