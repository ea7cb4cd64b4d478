// SPDX-License-Identifier: Apache-2.0
// The largest of the two-bit numbers of some lanes, and which of them have it. Combinational.
//
// Parameters: Lanes.
//
// Example: lanes 3, 2 and 1, of which all but the first are asked: 2, and the second has it.
`default_nettype none

module mx_max2 #(
    parameter int Lanes = 32
) (
    input  logic [2*Lanes-1:0] pairs_i,
    input  logic [  Lanes-1:0] asked_i,
    output logic [        1:0] largest_o,
    output logic [  Lanes-1:0] have_it_o
);

  logic some, two, three;
  always_comb begin
    some  = 1'b0;
    two   = 1'b0;
    three = 1'b0;
    for (int i = 0; i < Lanes; i++) begin
      some  = some | (asked_i[i] & (|pairs_i[2*i+:2]));
      two   = two | (asked_i[i] & pairs_i[2*i+1]);
      three = three | (asked_i[i] & (&pairs_i[2*i+:2]));
    end
    largest_o = {two, two ? three : some};
    for (int i = 0; i < Lanes; i++) begin
      have_it_o[i] = asked_i[i] & (pairs_i[2*i+:2] == largest_o);
    end
  end

endmodule

`default_nettype wire
