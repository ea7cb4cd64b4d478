// SPDX-License-Identifier: Apache-2.0
// Six rows -> three rows with the same sum, modulo 2^Width. Combinational.
//
// Each bit of a column's count is a function of six inputs, a LUT. Every one pairs the inputs in
// its own way: what they shared would be mapped to LUTs of its own, twice as many in all.
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

  logic [Width-1:0] a, b, c, d, e, f, one, two, four;
  always_comb begin
    {f, e, d, c, b, a} = rows_i;
    one = (a ^ f) ^ (b ^ c) ^ (d ^ e);
    two = (a & b) ^ (c & d) ^ (e & f) ^ ((a ^ b) & (c ^ d)) ^ ((a ^ b ^ c ^ d) & (e ^ f));
    // Two pairs, or a pair and one of each other.
    four = (((a & d) | (b & e)) & c & f) | (a & d & b & e) | (a & d & (b | e) & (c | f)) |
        (b & e & (a | d) & (c | f)) | (c & f & (a | d) & (b | e));
    rows_o = {four << 2, two << 1, one};
  end

endmodule

`default_nettype wire
