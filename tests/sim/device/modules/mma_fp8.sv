// D = A * B + C of four e4m3fn elements a side, as matrix units of NVIDIA sum them: terms cut to
// FRACTION bits below the largest exponent, added exactly, the sum cut to BITS. 25 and 24 are a
// B200's unit, 13 and 14 a Hopper's wgmma. DEFECT: 1 the NaN is a
// host's, 2 a sum of zero has the sign of C.
`default_nettype none

module mma_fp8 #(
    parameter int FRACTION = 25,
    parameter int BITS = 24,
    parameter int DEFECT = 0
) (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    output logic [31:0] d_o
);
  localparam int Wide = 48;
  typedef logic [Wide-1:0] magnitude_t;
  typedef logic signed [11:0] exponent_t;
  localparam exponent_t ZeroExponent = -12'sd133;
  localparam exponent_t Fraction = 12'(FRACTION);

  typedef struct packed {
    logic negative;
    magnitude_t magnitude;  // times 2^last
    exponent_t last;
    exponent_t exponent;  // that it is aligned by
  } term_t;

  function automatic exponent_t field_of(input logic [7:0] code);
    return code[6:3] == 4'd0 ? -12'sd6 : 12'({8'd0, code[6:3]}) - 12'sd7;
  endfunction

  function automatic logic [3:0] significand_of(input logic [7:0] code);
    return {code[6:3] != 4'd0, code[2:0]};
  endfunction

  function automatic term_t product_of(input logic [7:0] a, input logic [7:0] b);
    term_t term;
    term.negative = a[7] ^ b[7];
    term.magnitude = Wide'(significand_of(a)) * Wide'(significand_of(b));
    term.exponent = term.magnitude == '0 ? ZeroExponent : field_of(a) + field_of(b);
    term.last = term.exponent - 12'sd6;
    return term;
  endfunction

  function automatic term_t carry_of(input logic [31:0] c);
    term_t term;
    term.negative = c[31];
    term.magnitude = Wide'({c[30:23] != 8'd0, c[22:0]});
    term.exponent = c[30:23] == 8'd0 ? -12'sd126 : 12'({4'd0, c[30:23]}) - 12'sd127;
    if (term.magnitude == '0) term.exponent = ZeroExponent;
    term.last = term.exponent - 12'sd23;
    return term;
  endfunction

  // The magnitude in multiples of 2^unit, what lies below them dropped.
  function automatic magnitude_t multiples(input magnitude_t magnitude, input exponent_t last,
                                           input exponent_t unit);
    exponent_t up;
    up = last - unit;
    return up < 12'sd0 ? magnitude >> -up : magnitude << up;
  endfunction

  // magnitude * 2^unit, cut to BITS bits; Inf beyond the range.
  function automatic logic [31:0] code_of(input logic negative, input magnitude_t magnitude,
                                          input exponent_t unit);
    exponent_t exponent;
    exponent_t last;
    magnitude_t cut;
    exponent = unit;
    for (int i = 0; i < Wide; i++) if (magnitude[i]) exponent = unit + 12'(i);
    last = (exponent < -12'sd126 ? -12'sd126 : exponent) - 12'sd23;
    cut = multiples(magnitude, unit, last);
    if (BITS < 24) cut &= ~Wide'((64'd1 << (24 - BITS)) - 64'd1);
    if (exponent > 12'sd127) return {negative, 31'h7F80_0000};
    if (cut[23:0] == '0) return DEFECT == 2 ? {c_i[31], 31'd0} : 32'd0;
    return {negative, cut[23] ? 8'(exponent + 12'sd127) : 8'd0, cut[22:0]};
  endfunction

  function automatic logic is_nan(input logic [7:0] code);
    return code[6:0] == 7'h7F;
  endfunction

  term_t terms[5];
  exponent_t highest;
  logic signed [Wide-1:0] sum;
  logic has_nan;
  always_comb begin
    has_nan = c_i[30:23] == 8'hFF && c_i[22:0] != 23'd0;
    terms[4] = carry_of(c_i);
    for (int i = 0; i < 4; i++) begin
      terms[i] = product_of(a_i[8*i+:8], b_i[8*i+:8]);
      if (is_nan(a_i[8*i+:8]) || is_nan(b_i[8*i+:8])) has_nan = 1'b1;
    end
    highest = ZeroExponent;
    for (int i = 0; i < 5; i++) if (terms[i].exponent > highest) highest = terms[i].exponent;
    sum = '0;
    for (int i = 0; i < 5; i++) begin
      sum += terms[i].negative
          ? -$signed(multiples(terms[i].magnitude, terms[i].last, highest - Fraction))
          : $signed(multiples(terms[i].magnitude, terms[i].last, highest - Fraction));
    end
    if (has_nan) d_o = DEFECT == 1 ? 32'h7FC0_0000 : 32'h7FFF_FFFF;
    else if (c_i[30:23] == 8'hFF) d_o = c_i;
    else
      d_o = code_of(sum < 0, sum < 0 ? $unsigned(-sum) : $unsigned(sum), highest - Fraction);
  end
endmodule

`default_nettype wire
