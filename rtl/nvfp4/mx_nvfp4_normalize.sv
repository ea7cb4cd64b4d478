// SPDX-License-Identifier: Apache-2.0
// Magnitude of a binary32-like word -> significand with its hidden bit, and exponent field.
// Combinational.
//
// A subnormal moves left until its hidden bit is set, and its exponent field is 1 - places. Zero
// gives a significand without a hidden bit.
//
// Parameters: FracWidth, 23 for fp32, 7 for bf16.
//
// Example: FracWidth 7, magnitude 0020h (2^-128): exponent -1, significand 80h.
`default_nettype none

module mx_nvfp4_normalize #(
    parameter int FracWidth = 23
) (
    input  logic [FracWidth+7:0] magnitude_i,
    output logic [          9:0] exponent_o,    // two's complement
    output logic [  FracWidth:0] significand_o
);

  logic [4:0] places;
  logic is_normal;
  always_comb begin
    is_normal     = |magnitude_i[FracWidth+:8];
    significand_o = {is_normal, magnitude_i[FracWidth-1:0]};
    places        = 5'd0;
    for (int k = 4; k >= 0; k--) begin
      if ((1 << k) <= FracWidth) begin
        if ((significand_o >> (FracWidth + 1 - (1 << k))) == '0) begin
          significand_o = significand_o << (1 << k);
          places[k]     = 1'b1;
        end
      end
    end
    exponent_o = is_normal ? {2'd0, magnitude_i[FracWidth+:8]} : 10'd1 - {5'd0, places};
  end

endmodule

`default_nettype wire
