// SPDX-License-Identifier: Apache-2.0
// A block of 32 through the arithmetic of iDMA's dequantizer. Its stream takes blocks of 33 bytes in whole beats only, so
// no single block can be sent; what computes is one function.
module idma_dequant_block (
    input  logic [ 255:0] codes_i,
    input  logic [   7:0] scale_i,
    output logic [1023:0] fp32_o
);
  idma_otf_mxdequant #(
      .StrbWidth(4)
  ) u_unit (
      .clk_i       (1'b0),
      .rst_ni      (1'b0),
      .clear_i     (1'b0),
      .dst_fmt_i   (idma_pkg::MX_FMT_FP32),
      .data_i      ('0),
      .valid_i     (1'b0),
      .ready_o     (),
      .data_o      (),
      .lane_valid_o(),
      .lane_ready_i('0),
      .busy_o      ()
  );
  always_comb begin
    for (int i = 0; i < 32; i++) fp32_o[i*32+:32] = u_unit.mx_dq(codes_i[i*8+:8], scale_i);
  end
endmodule
