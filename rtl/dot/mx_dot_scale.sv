// SPDX-License-Identifier: Apache-2.0
// The sum of a block of nvfp4 times the significands of both scales: two bits longer at the top.
//
// Where neither scale is UE4M3 the sum is what it was. Only the upper Used bits of a sum are ever
// not zero where one is: products of such formats have few bits, and none is cut.
// The significands' product goes along from S1; the sum comes from S9 and leaves in S10.
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: Width of the sum. FmtMask as mx_dot.
//
// Example: Width 30, significands 1.5 and 1.5, sum 2^29: 9 * 2^27 of 32 bits.
`default_nettype none

module mx_dot_scale #(
    parameter int Width = 31,
    parameter logic [6:0] FmtMask = 7'h7F
) (
    input  logic             clk_i,
    input  logic [     10:1] en_i,
    input  logic [      3:0] a_i,
    input  logic [      3:0] b_i,
    input  logic             is_scaled_i,
    input  logic [Width-1:0] magnitude_i,
    output logic [Width+1:0] scaled_o
);

  // Five bits of a sum of 32, those of a product above the point, and those below down to the last
  // bit of the smallest product.
  localparam int Above = FmtMask[mx_pkg::FMT_INT8] ? 3 : 2;
  localparam int Used = 5 + Above + (FmtMask[mx_pkg::FMT_E3M2FN] ? 11 :
      FmtMask[mx_pkg::FMT_INT8] ? 9 : FmtMask[mx_pkg::FMT_E2M3FN] ? 8 : 6);

  logic [3:0] a_s1, b_s1;
  logic [ 7:0] product_s3;
  logic [47:0] products;  // S4..S9
  logic [ 9:1] is_scaled;
  mx_dot_multiply #(
      .Bits(4)
  ) u_multiply (
      .clk_i(clk_i),
      .en_i(en_i[3:2]),
      .a_i(a_s1),
      .b_i(b_s1),
      .product_o(product_s3)
  );
  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      a_s1         <= a_i;
      b_s1         <= b_i;
      is_scaled[1] <= is_scaled_i;
    end
    for (int k = 2; k <= 9; k++) begin
      if (en_i[k]) is_scaled[k] <= is_scaled[k-1];
    end
    for (int k = 4; k <= 9; k++) begin
      if (en_i[k]) products[8*(k-4)+:8] <= k == 4 ? product_s3 : products[8*(k-5)+:8];
    end
  end

  logic [Used+7:0] scaled;
  assign scaled = {8'd0, magnitude_i[Width-1-:Used]} * {{Used{1'b0}}, products[47:40]};
  generate
    if (Used + 8 > Width + 2) begin : g_short
      always_ff @(posedge clk_i) begin
        if (en_i[10]) begin
          scaled_o <= is_scaled[9] ? scaled[Used+7-:Width+2] : {2'b00, magnitude_i};
        end
      end
      logic unused_low;
      assign unused_low = ^scaled[Used+5-Width:0];
    end else begin : g_long
      always_ff @(posedge clk_i) begin
        if (en_i[10]) begin
          scaled_o <= is_scaled[9] ? {scaled, {Width - 6 - Used{1'b0}}} : {2'b00, magnitude_i};
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
