// SPDX-License-Identifier: Apache-2.0
// The largest exponent field of all lanes, two bits at a time from the top (S2, S3).
//
// Of two bits the largest is known from three questions to all lanes: is there a 1 or more, a 2 or
// more, a 3. Only lanes whose upper bits are the largest are asked. That takes half the LUTs of a
// tree that compares. carry_o of a lane: it has the largest exponent field, and a carry.
// A register takes what is before it where its bit of take_i is 1.
//
// Parameters: Lanes.
//
// Example: exponent fields 0 but for lane 7 with 7Fh: exponent_o 7Fh two cycles later.
`default_nettype none

module mx_block_max #(
    parameter int Lanes = 32
) (
    input  logic               clk_i,
    input  logic [        3:2] take_i,
    // S1.
    input  logic [Lanes*8-1:0] exponents_i,
    input  logic [  Lanes-1:0] nonzero_i,    // lanes that count
    input  logic [  Lanes-1:0] carry_i,
    // S3.
    output logic [        7:0] exponent_o,
    output logic [  Lanes-1:0] carry_o
);

  // pairs[k]: bits 2k + 1 and 2k of the exponent field of every lane.
  logic [2*Lanes-1:0] pairs_3, pairs_2, pairs_1, pairs_0, pairs_1_s2, pairs_0_s2;
  always_comb begin
    for (int i = 0; i < Lanes; i++) begin
      pairs_3[2*i+:2] = exponents_i[8*i+6+:2];
      pairs_2[2*i+:2] = exponents_i[8*i+4+:2];
      pairs_1[2*i+:2] = exponents_i[8*i+2+:2];
      pairs_0[2*i+:2] = exponents_i[8*i+:2];
    end
  end

  logic [1:0] largest_3, largest_2, largest_1, largest_0;
  logic [Lanes-1:0] have_3, have_2, have_2_s2, have_1, have_0, carry_s2;
  mx_max2 #(
      .Lanes(Lanes)
  ) u_pair_3 (
      .pairs_i  (pairs_3),
      .asked_i  (nonzero_i),
      .largest_o(largest_3),
      .have_it_o(have_3)
  );
  mx_max2 #(
      .Lanes(Lanes)
  ) u_pair_2 (
      .pairs_i  (pairs_2),
      .asked_i  (have_3),
      .largest_o(largest_2),
      .have_it_o(have_2)
  );

  logic [3:0] upper_s2;
  always_ff @(posedge clk_i) begin
    if (take_i[2]) begin
      upper_s2   <= {largest_3, largest_2};
      have_2_s2  <= have_2;
      pairs_1_s2 <= pairs_1;
      pairs_0_s2 <= pairs_0;
      carry_s2   <= carry_i;
    end
  end

  mx_max2 #(
      .Lanes(Lanes)
  ) u_pair_1 (
      .pairs_i  (pairs_1_s2),
      .asked_i  (have_2_s2),
      .largest_o(largest_1),
      .have_it_o(have_1)
  );
  mx_max2 #(
      .Lanes(Lanes)
  ) u_pair_0 (
      .pairs_i  (pairs_0_s2),
      .asked_i  (have_1),
      .largest_o(largest_0),
      .have_it_o(have_0)
  );
  always_ff @(posedge clk_i) begin
    if (take_i[3]) begin
      exponent_o <= {upper_s2, largest_1, largest_0};
      carry_o    <= have_0 & carry_s2;
    end
  end

endmodule

`default_nettype wire
