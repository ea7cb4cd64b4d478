// SPDX-License-Identifier: Apache-2.0
// rtl/mx_quantizer with 32 lanes in the UVM environment. `+unit=NAME` chooses a bench where several
// stand in one simulation.
module mx_quantizer_bench;
  import uvm_pkg::*;
  import mxgold_uvm_pkg::*;

  mxgold_clock_if clock ();
  mxgold_axis_if in (
      .clk(clock.clk),
      .rst_n(clock.rst_n)
  );
  mxgold_axis_if out (
      .clk(clock.clk),
      .rst_n(clock.rst_n)
  );
  mxgold_axis_if words (
      .clk(clock.clk),
      .rst_n(clock.rst_n)
  );

  mx_quantizer dut (
      .clk_i(clock.clk),
      .rst_ni(clock.rst_n),
      .s_axis_tdata(in.tdata[1023:0]),
      .s_axis_tkeep(in.tkeep[127:0]),
      .s_axis_tlast(in.tlast),
      .s_axis_tuser(in.tuser[31:0]),
      .s_axis_tvalid(in.tvalid),
      .s_axis_tready(in.tready),
      .rnd_i(words.tdata[255:0]),
      .rnd_ready_o(words.tready),
      .m_axis_tdata(out.tdata[255:0]),
      .m_axis_tkeep(out.tkeep[31:0]),
      .m_axis_tlast(out.tlast),
      .m_axis_tuser(out.tuser[15:0]),
      .m_axis_tvalid(out.tvalid),
      .m_axis_tready(out.tready)
  );

  initial begin
    string unit;
    if ($value$plusargs("unit=%s", unit) == 0 || unit == "mx_quantizer") begin
      uvm_config_db#(virtual mxgold_clock_if)::set(null, "uvm_test_top.env", "clock", clock);
      uvm_config_db#(virtual mxgold_axis_if)::set(null, "uvm_test_top.env", "in", in);
      uvm_config_db#(virtual mxgold_axis_if)::set(null, "uvm_test_top.env", "out", out);
      uvm_config_db#(virtual mxgold_axis_if)::set(null, "uvm_test_top.env", "words", words);
      run_test("mxgold_quantizer_test");
    end
  end
endmodule
