// SPDX-License-Identifier: Apache-2.0
// Six rows -> three rows with the same sum, modulo 2^Width. Combinational.
//
// Parameters: Width; row i at [i*Width +: Width].
//
// Example: Width 4, six rows of 1: rows 0, 2 and 4.
`default_nettype none

module mx_dot_count6 #(
    parameter int Width = 32
) (
    input  logic [6*Width-1:0] rows_i,
    output logic [3*Width-1:0] rows_o
);

  logic [Width-1:0] a, b, c, d, e, f, one_abc, two_abc, one_def, two_def, carry, two, four;
  always_comb begin
    {f, e, d, c, b, a} = rows_i;
    one_abc = a ^ b ^ c;
    two_abc = (a & b) | (a & c) | (b & c);
    one_def = d ^ e ^ f;
    two_def = (d & e) | (d & f) | (e & f);
    carry   = one_abc & one_def;
    two     = two_abc ^ two_def ^ carry;
    four    = (two_abc & two_def) | (two_abc & carry) | (two_def & carry);
    rows_o  = {four << 2, two << 1, one_abc ^ one_def};
  end

endmodule

`default_nettype wire
