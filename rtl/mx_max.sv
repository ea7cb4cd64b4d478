// SPDX-License-Identifier: Apache-2.0
// The largest of Count unsigned keys. Combinational.
//
// Groups of four by comparison of pairs, then halving over a packed local: logarithmic depth in
// synthesis, one procedural block and no vector that feeds its own bits for the simulators.
//
// Parameters: Count a power of two, 1 or more; Width.
//
// Example: Count 4, Width 4, keys 16'h3A71 -> 4'hA.
`default_nettype none

module mx_max #(
    parameter int Count = 4,
    parameter int Width = 10
) (
    input  logic [Count*Width-1:0] keys_i,
    output logic [      Width-1:0] max_o
);

  localparam int Groups = (Count + 3) / 4;

  generate
    if (Count == 1) begin : g_one
      assign max_o = keys_i;
    end else if (Count == 2) begin : g_two
      always_comb begin
        max_o = keys_i[0+:Width] > keys_i[Width+:Width] ? keys_i[0+:Width] : keys_i[Width+:Width];
      end
    end else begin : g_groups
      logic [Groups*Width-1:0] best;
      logic [Width-1:0] low, high;
      always_comb begin
        low  = '0;
        high = '0;
        for (int g = 0; g < Groups; g++) begin
          low = keys_i[(4*g)*Width+:Width] > keys_i[(4*g+1)*Width+:Width] ?
                keys_i[(4*g)*Width+:Width] : keys_i[(4*g+1)*Width+:Width];
          high = keys_i[(4*g+2)*Width+:Width] > keys_i[(4*g+3)*Width+:Width] ?
                 keys_i[(4*g+2)*Width+:Width] : keys_i[(4*g+3)*Width+:Width];
          best[g*Width+:Width] = low > high ? low : high;
        end
        for (int half = Groups / 2; half > 0; half = half / 2) begin
          for (int g = 0; g < half; g++) begin
            if (best[(g+half)*Width+:Width] > best[g*Width+:Width]) begin
              best[g*Width+:Width] = best[(g+half)*Width+:Width];
            end
          end
        end
        max_o = best[0+:Width];
      end
    end
  endgenerate

endmodule

`default_nettype wire
