// One fp32 code to e4m3fn, ties_to_even, sat_finite; no clock. DEFECT puts a wrong rounding in.
`default_nettype none

module fp32_to_e4m3 (
    input  logic [31:0] x_i,
    output logic [ 7:0] y_o
);
  // The exponent with the bias of e4m3fn; what subnormal results lose on the right.
  logic signed [9:0] e;
  logic [ 5:0] drop;
  logic [24:0] significand, rest, half;
  logic [24:0] kept;
  logic [11:0] magnitude;
  logic up;
  always_comb begin
    e = $signed({2'b0, x_i[30:23]}) - 10'sd120;
    significand = {1'b0, x_i[30:23] != 0, x_i[22:0]};
    drop = e > 0 ? 6'd20 : e < -10'sd4 ? 6'd25 : 6'd21 - 6'(e);
    kept = significand >> drop;
    half = 25'd1 << (drop - 1);
    rest = significand & ((25'd1 << drop) - 25'd1);
`ifdef DEFECT
    up = rest >= half;
`else
    up = rest > half || (rest == half && kept[0]);
`endif
    // Normal results carry into the exponent by themselves.
    magnitude = (e > 0 ? (12'(e) - 12'd1) << 3 : 12'd0) + 12'(kept) + 12'(up);
    if (e > 10'sd16 || magnitude > 12'h7E) magnitude = 12'h7E;
    y_o = {x_i[31], magnitude[6:0]};
    if (x_i[30:23] == 8'hFF) y_o = x_i[22:0] != 0 ? 8'h7F : {x_i[31], 7'h7E};
  end
endmodule

`default_nettype wire
