// A block of mxfp4 to bf16, without a clock. DEFECT: 0 none, 1 the sign of zeros is lost, 2 a NaN
// scale is a number, 3 subnormal results are flushed, 4 results beyond the range saturate.
`default_nettype none

module dequantize_fp4 #(
    parameter int DEFECT = 0
) (
    input  logic [  7:0] scale_i,
    input  logic [127:0] codes_i,
    output logic [511:0] values_o
);
  function automatic logic [15:0] value_of(input logic [3:0] code, input logic [7:0] scale);
    logic signed [9:0] field;
    logic [7:0] significand;
    if (scale == 8'hFF && DEFECT != 2) return 16'h7FC0;
    if (code[2:0] == 3'd0) return {code[3] && DEFECT != 1, 15'd0};
    // 0.5 is 1.0 a binade lower than the exponent field says.
    field = $signed({2'b0, scale}) + $signed({8'b0, code[2:1]}) - 10'sd1;
    significand = {1'b1, code[0] && code[2:1] != 2'd0, 6'd0};
    if (field >= 10'sd255) return DEFECT == 4 ? {code[3], 15'h7F7F} : {code[3], 15'h7F80};
    if (field > 10'sd0) return {code[3], field[7:0], significand[6:0]};
    if (DEFECT == 3) return {code[3], 15'd0};
    return {code[3], 8'd0, 7'(significand >> (field == 10'sd0 ? 1 : 2))};
  endfunction

  for (genvar i = 0; i < 32; i++) begin : gen_lane
    assign values_o[16*i+:16] = value_of(codes_i[4*i+:4], scale_i);
  end
endmodule

`default_nettype wire
