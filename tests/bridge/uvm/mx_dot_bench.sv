// SPDX-License-Identifier: Apache-2.0
// rtl/dot with 32 lanes in the UVM environment. `+unit=NAME` chooses a bench where several
// stand in one simulation.
module mx_dot_bench;
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
  mx_dot dut (
      .clk_i(clock.clk),
      .rst_ni(clock.rst_n),
      .s_axis_tdata(in.tdata[511:0]),
      .s_axis_tkeep(in.tkeep[63:0]),
      .s_axis_tlast(in.tlast),
      .s_axis_tuser(in.tuser[63:0]),
      .s_axis_tvalid(in.tvalid),
      .s_axis_tready(in.tready),
      .m_axis_tdata(out.tdata[31:0]),
      .m_axis_tvalid(out.tvalid),
      .m_axis_tready(out.tready)
  );

  initial begin
    string unit;
    if ($value$plusargs("unit=%s", unit) == 0 || unit == "mx_dot") begin
      uvm_config_db#(virtual mxgold_clock_if)::set(null, "uvm_test_top.env", "clock", clock);
      uvm_config_db#(virtual mxgold_axis_if)::set(null, "uvm_test_top.env", "in", in);
      uvm_config_db#(virtual mxgold_axis_if)::set(null, "uvm_test_top.env", "out", out);
      run_test("mxgold_dot_test");
    end
  end
endmodule
