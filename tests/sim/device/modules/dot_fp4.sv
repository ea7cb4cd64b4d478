// A dot product of eight e2m1fn elements a side under e8m0 scales, exact, rounded once to fp32. Two
// registers behind the inputs; no handshake. DEFECT leaves the last product out.
`default_nettype none

module dot_fp4 #(
    parameter int DEFECT = 0
) (
    input  logic        clk_i,
    input  logic        en_i,
    input  logic [ 7:0] a_scale_i,
    input  logic [ 7:0] b_scale_i,
    input  logic [31:0] a_i,
    input  logic [ 3:0] b_i [8],
    output logic [31:0] y_o
);
  // Twice the magnitude of a code.
  function automatic logic [3:0] twice(input logic [2:0] code);
    case (code)
      3'd5: return 4'd6;
      3'd6: return 4'd8;
      3'd7: return 4'd12;
      default: return code == 3'd4 ? 4'd4 : {1'b0, code};
    endcase
  endfunction

  // Four times the sum; its magnitude is at most 8 * 144.
  logic signed [12:0] sum_d, sum_q;
  logic signed [9:0] exponent_q;
  logic nan_q;
  always_comb begin
    sum_d = '0;
    for (int i = 0; i < 8; i++) begin
      logic [7:0] product;
      logic sign;
      sign = a_i[4*i+3] ^ b_i[i][3];
      product = twice(a_i[4*i+:3]) * twice(b_i[i][2:0]);
      if (DEFECT == 0 || i != 7) sum_d += sign ? -13'(product) : 13'(product);
    end
  end
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      sum_q <= sum_d;
      nan_q <= a_scale_i == 8'hFF || b_scale_i == 8'hFF;
      exponent_q <= $signed({2'b0, a_scale_i} + {2'b0, b_scale_i}) - 10'sd256;
    end
  end

  logic [11:0] magnitude;
  logic [3:0] top;
  logic signed [10:0] field;
  logic [35:0] shifted;
  logic [23:0] kept;
  logic [11:0] drop;
  logic [31:0] y_d;
  always_comb begin
    magnitude = sum_q < 0 ? 12'(-sum_q) : 12'(sum_q);
    top = '0;
    for (int i = 0; i < 12; i++) if (magnitude[i]) top = 4'(i);
    field = 11'(exponent_q) + 11'(top) + 11'sd127;
    shifted = '0;
    kept = '0;
    drop = '0;
    if (field >= 1) begin
      shifted = {24'b0, magnitude} << (5'd23 - {1'b0, top});
      y_d = {sum_q < 0, field[7:0], shifted[22:0]};
      if (field > 11'sd254) y_d = {sum_q < 0, 8'hFF, 23'h0};
    end else begin
      // In units of 2^-149, with 12 bits below; far below, the sticky bit is all that is left.
      if (11'(exponent_q) < -11'sd161) begin
        shifted = 36'(magnitude != 0);
      end else begin
        shifted = {24'b0, magnitude} << (11'(exponent_q) + 11'sd161);
      end
      kept = shifted[35:12];
      drop = shifted[11:0];
      if (drop > 12'h800 || (drop == 12'h800 && kept[0])) kept = kept + 24'd1;
      y_d = {sum_q < 0, 7'b0, kept};
    end
    if (magnitude == 0) y_d = '0;
    if (nan_q) y_d = 32'h7FC00000;
  end
  always_ff @(posedge clk_i) y_o <= y_d;
endmodule

`default_nettype wire
