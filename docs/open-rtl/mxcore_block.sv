// SPDX-License-Identifier: Apache-2.0
// A block of 32 through MXCore's modules, as its mxcore_hwpe_result_quantizer puts them together, without the streams.
module mxcore_block #(
    parameter bit Encoding = 1  // 0 E5M2, 1 E4M3
) (
    input  logic [1023:0] fp32_i,
    output logic [ 255:0] codes_o,
    output logic [   7:0] scale_o
);
  logic poison;
  logic [255:0] codes;
  block_scale #(
      .Encoding(Encoding)
  ) u_scale (
      .clk_i         (1'b0),
      .rst_ni        (1'b1),
      .fp32_block_i  (fp32_i),
      .block_scale_o (scale_o),
      .block_poison_o(poison)
  );
  for (genvar i = 0; i < 32; i++) begin : g_lane
    fp32_to_mxfp8_quantizer #(
        .Encoding(Encoding),
        .Saturate(1'b1)
    ) u_lane (
        .clk_i  (1'b0),
        .rst_ni (1'b1),
        .scale_i(scale_o),
        .fp32_i (fp32_i[i*32+:32]),
        .mxfp8_o(codes[i*8+:8])
    );
    assign codes_o[i*8+:8] = !poison ? codes[i*8+:8] : Encoding ? 8'h7F : 8'h7D;
  end
endmodule
