// SPDX-License-Identifier: Apache-2.0
// The largest place of all lanes, in two steps: of groups of eight (S2), of all (S3).
//
// Places come from registers; a register takes what is before it where its bit of en_i is 1.
//
// Parameters: Lanes 8, 16 or 32.
//
// Example: places 0 but for lane 7 with 13: largest_o 13 two cycles later.
`default_nettype none

module mx_dot_max #(
    parameter int Lanes = 32
) (
    input  logic               clk_i,
    input  logic [        3:2] en_i,
    input  logic [Lanes*6-1:0] places_i,
    output logic [        5:0] largest_o
);

  localparam int Groups = Lanes / 8;
  logic [Groups*6-1:0] of_groups, of_groups_s2;
  logic [47:0] v;
  always_comb begin
    for (int g = 0; g < Groups; g++) begin
      v = places_i[48*g+:48];
      for (int h = 4; h > 0; h = h / 2) begin
        for (int k = 0; k < h; k++) begin
          if (v[6*(k+h)+:6] > v[6*k+:6]) v[6*k+:6] = v[6*(k+h)+:6];
        end
      end
      of_groups[6*g+:6] = v[5:0];
    end
  end

  logic [Groups*6-1:0] w;
  always_comb begin
    w = of_groups_s2;
    for (int h = Groups / 2; h > 0; h = h / 2) begin
      for (int k = 0; k < h; k++) begin
        if (w[6*(k+h)+:6] > w[6*k+:6]) w[6*k+:6] = w[6*(k+h)+:6];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i[2]) of_groups_s2 <= of_groups;
    if (en_i[3]) largest_o <= w[5:0];
  end

endmodule

`default_nettype wire
