// SPDX-License-Identifier: Apache-2.0
// The largest place of all lanes, two bits at a time from the top, in two steps (S2, S3).
//
// Of two bits the largest is known from three questions to all lanes: is there a 1 or more, a 2 or
// more, a 3. Only lanes whose upper bits are the largest are asked. That takes half the LUTs of a
// tree that compares.
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: Lanes.
//
// Example: places 0 but for lane 7 with 13: largest_o 13 two cycles later.
`default_nettype none

module mx_dot_max #(
    parameter int Lanes = 32
) (
    input  logic               clk_i,
    input  logic [        3:2] en_i,
    input  logic [Lanes*6-1:0] places_i,  // S1
    output logic [        5:0] largest_o  // S3
);

  logic [1:0] high, middle, low;
  logic [2*Lanes-1:0] pairs_high, pairs_middle, pairs_low_s2;
  logic [Lanes-1:0] in_high;
  mx_max2 #(
      .Lanes(Lanes)
  ) u_high (
      .pairs_i  (pairs_high),
      .asked_i  ({Lanes{1'b1}}),
      .largest_o(high),
      .have_it_o(in_high)
  );
  logic [Lanes-1:0] in_middle, in_middle_s2;
  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      pairs_high[2*i+:2]   = places_i[6*i+4+:2];
      pairs_middle[2*i+:2] = places_i[6*i+2+:2];
    end
  end
  mx_max2 #(
      .Lanes(Lanes)
  ) u_middle (
      .pairs_i  (pairs_middle),
      .asked_i  (in_high),
      .largest_o(middle),
      .have_it_o(in_middle)
  );
  logic [3:0] upper_s2;
  always_ff @(posedge clk_i) begin
    if (en_i[2]) begin
      upper_s2     <= {high, middle};
      in_middle_s2 <= in_middle;
      for (int i = 0; i < Lanes; i++) pairs_low_s2[2*i+:2] <= places_i[6*i+:2];
    end
  end

  logic [Lanes-1:0] unused_in_low;
  mx_max2 #(
      .Lanes(Lanes)
  ) u_low (
      .pairs_i  (pairs_low_s2),
      .asked_i  (in_middle_s2),
      .largest_o(low),
      .have_it_o(unused_in_low)
  );
  always_ff @(posedge clk_i) begin
    if (en_i[3]) largest_o <= {upper_s2, low};
  end

endmodule

`default_nettype wire
