// A yardstick for simulation speed: 32 fp32 words to a block of mxfp8_e4m3 (rule floor,
// ties_to_even, saturating) in one combinational block of loops over packed buses, without clock,
// handshake or configuration. Infinities and NaNs are outside it. Not part of the product's RTL.
`default_nettype none

module loop_block (
    input  logic [1023:0] words_i,
    output logic [ 255:0] codes_o,
    output logic [   7:0] scale_o
);

  logic [ 7:0] exponent;
  logic [ 7:0] largest;
  logic [23:0] significand;
  logic [ 8:0] below;  // binades from the smallest normal code's down to the element
  logic [ 5:0] drop;
  logic [24:0] kept;
  logic [24:0] half;
  logic [24:0] rest;
  logic [ 9:0] code;

  always_comb begin
    largest = 8'd1;
    for (int lane = 0; lane < 32; lane++) begin
      exponent = words_i[32*lane+23+:8];
      if (exponent > largest) largest = exponent;
    end
    scale_o = largest > 8'd8 ? largest - 8'd8 : 8'd0;
    codes_o = '0;
    for (int lane = 0; lane < 32; lane++) begin
      exponent = words_i[32*lane+23+:8];
      significand = {exponent != 8'd0, words_i[32*lane+:23]};
      if (exponent == 8'd0) exponent = 8'd1;
      // Exponent under the scale: exponent - scale, at least -6 in normal codes.
      below = {1'b0, scale_o} > {1'b0, exponent} + 9'd6 ?
          {1'b0, scale_o} - {1'b0, exponent} - 9'd6 : 9'd0;
      drop = below > 9'd5 ? 6'd25 : 6'd20 + below[5:0];
      kept = {1'b0, significand} >> drop;
      rest = {1'b0, significand} & ((25'd1 << drop) - 25'd1);
      half = 25'd1 << (drop - 6'd1);
      if (rest > half || (rest == half && kept[0])) kept = kept + 25'd1;
      code = kept[9:0];
      if (below == 9'd0) begin
        code = code + ((10'({1'b0, exponent} + 9'd6) - 10'(scale_o)) << 3);
      end
      if (code > 10'h7E) code = 10'h7E;
      codes_o[8*lane+:8] = {words_i[32*lane+31], code[6:0]};
    end
  end

endmodule

`default_nettype wire
