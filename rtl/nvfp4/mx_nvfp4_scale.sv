// SPDX-License-Identifier: Apache-2.0
// Quotient amax / (6 g) -> UE4M3 scale code, rounded to nearest even, saturating. Combinational.
//
// The quotient is 1.digits * 2^exponent, sticky where it does not end there: three digits of a
// normal scale and one behind them. Below 2^-6 the scale is subnormal, below 2^-10 zero.
//
// Example: exponent 0, digits 1000b, no sticky (1.5): code 3Ch.
`default_nettype none

module mx_nvfp4_scale (
    input  logic [9:0] exponent_i,   // two's complement
    input  logic [3:0] digits_i,
    input  logic       sticky_i,
    input  logic       is_zero_i,    // amax is 0
    output logic [6:0] code_o,
    output logic       is_clamped_o  // the quotient lies above 448 once rounded
);

  logic is_low, is_high, lost, up;
  logic [9:0] below;
  logic [4:0] moved;
  logic [7:0] code;
  always_comb begin
    is_low  = $signed(exponent_i) < -10'sd6;
    is_high = $signed(exponent_i) > 10'sd8;
    below   = -10'd6 - exponent_i;  // places that a subnormal scale moves
    moved   = {1'b1, digits_i};
    lost    = sticky_i;
    if (is_low) begin
      moved = below > 10'd5 ? 5'd0 : {1'b1, digits_i} >> below[2:0];
      lost  = sticky_i | (({1'b1, digits_i} & ~(5'h1F << below[2:0])) != 5'd0);
    end
    up   = moved[0] & (lost | moved[1]);
    code = {4'd0, moved[4:1]} + {7'd0, up};
    if (!is_low) begin
      code = code + {1'b0, exponent_i[3:0] + 4'd6, 3'd0};
    end
    is_clamped_o = ~is_zero_i & ~is_low & (is_high | (code > 8'h7E));
    code_o = is_zero_i ? 7'd0 : is_clamped_o ? 7'h7E : code[6:0];
  end

endmodule

`default_nettype wire
