// SPDX-License-Identifier: Apache-2.0
// One lane of a dot product: two element codes in, one row of the sum out.
//
//   S1      both elements, and the sum of their places; 0 where the product is zero
//   S2, S3  the product, waiting for the largest place of all lanes
//   S4      moved right by the last two bits of the distance to it
//   row_o   moved by the rest of the distance and cut, combinational: its Width bits begin with the
//           highest that a product at the largest place has. Inverted where it is negative.
// A register takes what is before it where its bit of en_i is 1.
//
// Parameters: FmtMask and SigBits as mx_dot_element. ProdBits 8, with int8 15. Width of the row.
//
// Example: 38 times B8, e4m3fn (1 * -1), beside nothing larger: product 64, row 01000..0 inverted.
`default_nettype none

module mx_dot_lane #(
    parameter logic [6:0] FmtMask = 7'h7F,
    parameter int SigBits = 4,
    parameter int ProdBits = 8,
    parameter int Width = 26
) (
    input  logic             clk_i,
    input  logic [      4:1] en_i,
    input  logic [      7:0] a_i,
    input  logic [      7:0] b_i,
    input  logic             keep_i,
    input  logic [      7:0] a_layout_i,
    input  logic [      7:0] b_layout_i,
    output logic             plus_o,      // before S1: the product is +Inf, or NaN
    output logic             minus_o,     // -Inf, or NaN
    output logic [      5:0] place_s1_o,
    output logic             sign_s1_o,
    input  logic [      5:0] largest_i,   // beside S3
    output logic [Width-1:0] row_o
);

  logic a_sign, b_sign, a_zero, b_zero, a_nan, b_nan, a_inf, b_inf;
  logic [SigBits-1:0] a_sig, b_sig;
  logic [4:0] a_place, b_place;
  mx_dot_element #(
      .FmtMask(FmtMask),
      .SigBits(SigBits)
  ) u_a (
      .code_i(a_i),
      .layout_i(a_layout_i),
      .sign_o(a_sign),
      .significand_o(a_sig),
      .place_o(a_place),
      .is_zero_o(a_zero),
      .is_nan_o(a_nan),
      .is_inf_o(a_inf)
  );
  mx_dot_element #(
      .FmtMask(FmtMask),
      .SigBits(SigBits)
  ) u_b (
      .code_i(b_i),
      .layout_i(b_layout_i),
      .sign_o(b_sign),
      .significand_o(b_sig),
      .place_o(b_place),
      .is_zero_o(b_zero),
      .is_nan_o(b_nan),
      .is_inf_o(b_inf)
  );

  logic sign, is_nan, is_inf;
  always_comb begin
    sign    = a_sign ^ b_sign;
    is_nan  = a_nan | b_nan | (a_inf & b_zero) | (a_zero & b_inf);
    is_inf  = a_inf | b_inf;
    plus_o  = keep_i & (is_nan | (is_inf & ~sign));
    minus_o = keep_i & (is_nan | (is_inf & sign));
  end

  // S1.
  logic [SigBits-1:0] a_sig_s1, b_sig_s1;
  logic [5:0] place_s1;
  logic sign_s1;
  always_ff @(posedge clk_i) begin
    if (en_i[1]) begin
      a_sig_s1 <= a_sig;
      b_sig_s1 <= b_sig;
      place_s1 <= {1'b0, a_place} + {1'b0, b_place};
      sign_s1  <= sign;
      if (!keep_i) a_sig_s1 <= '0;
      if (!keep_i || a_zero || b_zero) place_s1 <= 6'd0;
    end
  end
  assign place_s1_o = place_s1;
  assign sign_s1_o  = sign_s1;

  // S2, S3.
  logic [2*SigBits-1:0] product_s3;
  logic [5:0] place_s2, place_s3;
  logic sign_s2, sign_s3;
  mx_dot_multiply #(
      .Bits(SigBits)
  ) u_multiply (
      .clk_i(clk_i),
      .en_i(en_i[3:2]),
      .a_i(a_sig_s1),
      .b_i(b_sig_s1),
      .product_o(product_s3)
  );
  always_ff @(posedge clk_i) begin
    if (en_i[2]) begin
      place_s2 <= place_s1;
      sign_s2  <= sign_s1;
    end
    if (en_i[3]) begin
      place_s3 <= place_s2;
      sign_s3  <= sign_s2;
    end
  end
  generate
    if (ProdBits < 2 * SigBits) begin : g_top
      logic unused_top;  // 128 times 128 is 2^14
      assign unused_top = product_s3[2*SigBits-1];
    end
  endgenerate

  // S4: in groups of four bits from the top, the last one filled up with zeros.
  localparam int Groups = (ProdBits + 3 + 3) / 4;
  localparam int Columns = (Width + 3) / 4;
  localparam int Near = (Groups + 1) / 2;
  logic [5:0] distance;
  logic [4*Groups-1:0] fine, fine_s4;
  logic [Columns-1:0] near, near_s4;
  logic sign_s4;
  always_comb begin
    distance = largest_i - place_s3;
    fine = {product_s3[ProdBits-1:0], {4 * Groups - ProdBits{1'b0}}} >> distance[1:0];
    for (int q = 0; q < Columns; q++) begin
      near[q] = 1'b0;
      for (int n = 0; n < Near; n++) begin
        if (n <= q) near[q] = near[q] | (distance[5:2] == 4'(q - n));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (en_i[4]) begin
      fine_s4 <= fine;
      near_s4 <= near;
      sign_s4 <= sign_s3;
    end
  end

  // Column q of the row, from the top too, takes group g of a lane that moves by q - g groups.
  // near[q] says that it moves by q groups or up to Near - 1 fewer. So near[q], near[q-1], .. name
  // g as a Johnson counter does: with two of them 10, 11, 01 for 0, 1, 2, and 00 for none.
  localparam int Ones = ((1 << Near) - 1) << 2 * Near;
  logic [4*Columns-1:0] row;
  logic [3:0] column;
  logic [Columns+Near-2:0] near_from;
  assign near_from = {near_s4, {Near - 1{1'b0}}};
  always_comb begin
    for (int q = 0; q < Columns; q++) begin
      column = 4'd0;
      for (int g = 0; g < Groups; g++) begin
        if (g <= q && near_from[q+:Near] == Near'(Ones >> (Near + 1 + g))) begin
          column = fine_s4[4*(Groups-1-g)+:4];
        end
      end
      row[4*(Columns-1-q)+:4] = column ^ {4{sign_s4}};
    end
  end
  assign row_o = row[4*Columns-1-:Width];
  generate
    if (4 * Columns > Width) begin : g_cut
      logic unused_row;
      assign unused_row = ^row[4*Columns-1-Width:0];
    end
  endgenerate

endmodule

`default_nettype wire
