// SPDX-License-Identifier: Apache-2.0
// Code -> one-hot over the enabled codes. Combinational.
//
// A disabled code is constant 0, and where a single code is enabled its bit is constant 1, so that
// everything selected by it folds away in synthesis.
//
// Parameters: Count, Width; Mask bit n enables code n.
//
// Example: Count 3, Mask 101: code 2 -> 100; Mask 010: any code -> 010.
`default_nettype none

module mx_onehot #(
    parameter int Count = 6,
    parameter int Width = 3,
    parameter logic [15:0] Mask = 16'h003F
) (
    input  logic [Width-1:0] code_i,
    output logic [Count-1:0] onehot_o
);

  generate
    for (genvar k = 0; k < Count; k++) begin : g_code
      if (!Mask[k]) begin : g_disabled
        assign onehot_o[k] = 1'b0;
      end else if (Mask == 16'd1 << k) begin : g_only
        assign onehot_o[k] = 1'b1;
      end else begin : g_compare
        assign onehot_o[k] = code_i == k[Width-1:0];
      end
    end
  endgenerate

  logic unused_code;  // no compare is left where a single code is enabled
  assign unused_code = ^code_i;

endmodule

`default_nettype wire
