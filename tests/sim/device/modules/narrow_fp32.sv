// Four fp32 codes to bf16 in two beats of two, rounded as round_i says; the answer is one beat. Valid on
// both sides and no ready; synchronous reset, active high.
`default_nettype none

module narrow_fp32 #(
    parameter int DEFECT = 0
) (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic        valid_i,
    input  logic        round_i,
    input  logic [63:0] x_i,
    output logic        valid_o,
    output logic [63:0] y_o
);
  function automatic logic [15:0] narrow(input logic [31:0] x, input logic nearest);
    logic [15:0] y;
    if (x[30:0] > 31'h7F800000) return 16'h7FC0;
    y = x[31:16] + 16'(nearest && (x[15:0] > 16'h8000 || (x[15:0] == 16'h8000 && x[16])));
    if (y[14:0] == 15'h7F80 && x[30:23] != 8'hFF) y = {x[31], 15'h7F7F};
    return y;
  endfunction

  logic second_q, valid_q;
  logic [31:0] first_q;
  logic [63:0] y_q;
  assign valid_o = valid_q;
  assign y_o = y_q;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i && second_q;
    if (valid_i) second_q <= !second_q;
    if (rst_i) begin
      valid_q <= 1'b0;
      // A reset between the two beats of a block.
      if (DEFECT == 0) second_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && !second_q) first_q <= {narrow(x_i[63:32], round_i), narrow(x_i[31:0], round_i)};
    if (valid_i) y_q <= {narrow(x_i[63:32], round_i), narrow(x_i[31:0], round_i), first_q};
  end
endmodule

`default_nettype wire
