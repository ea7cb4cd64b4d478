// SPDX-License-Identifier: Apache-2.0
// Blocks through the quantizer while the receiver stalls: what docs/pictures/pipeline.svg shows. A line a cycle:
// cycle, s_axis_tvalid, s_axis_tready, block offered, m_axis_tvalid, m_axis_tready, block given. Block n is 2^n in
// every lane, so that the scale code names it.
`timescale 1ns / 1ps

module mx_pipeline_tb;
  localparam int Cycles = 17;
  localparam int Blocks = 12;
  localparam int StallFrom = 9;
  localparam int StallTo = 12;
  localparam int FirstScale = 119;  // 2^0 over e4m3fn, rule floor: 127 - 8

  logic clk = 1'b0, rst_n = 1'b0;
  logic s_valid = 1'b0, m_ready = 1'b1;
  logic s_ready, m_valid;
  logic [15:0] m_user;
  logic [7:0] block = 8'd0;
  wire [1023:0] s_data = {32{1'b0, 8'd127 + block, 23'd0}};
  integer cycle;
  logic is_taken;

  always #5 clk = ~clk;

  mx_quantizer dut (
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tdata(s_data),
      .s_axis_tkeep({128{1'b1}}),
      .s_axis_tlast(1'b1),
      .s_axis_tuser(32'd0),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .rnd_i(256'd0),
      .rnd_ready_o(),
      .m_axis_tdata(),
      .m_axis_tkeep(),
      .m_axis_tlast(),
      .m_axis_tuser(m_user),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready)
  );

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    for (cycle = 0; cycle < Cycles; cycle = cycle + 1) begin
      @(negedge clk);
      s_valid = cycle >= 1 && block < Blocks;
      m_ready = cycle < StallFrom || cycle >= StallTo;
      #4;
      $display("%0d %0d%0d %0d %0d%0d %0d", cycle, s_valid, s_ready, block, m_valid, m_ready, m_user[7:0] - FirstScale);
      is_taken = s_valid && s_ready;
      @(posedge clk) #1;
      if (is_taken) block = block + 8'd1;
    end
    $finish;
  end
endmodule
