// SPDX-License-Identifier: Apache-2.0
// The pins of an AXI4-Stream, as wide as the widest unit has them: connect the bits that yours has.
//
//   mxgold_axis_if in (.clk(clock.clk), .rst_n(clock.rst_n));
//   ... .s_axis_tdata(in.tdata[1023:0]), .s_axis_tvalid(in.tvalid), .s_axis_tready(in.tready)
interface mxgold_axis_if (
    input logic clk,
    input logic rst_n
);
  logic [2047:0] tdata;
  logic [ 255:0] tkeep;
  logic [  63:0] tuser;
  logic          tlast;
  logic          tvalid;
  logic          tready;
endinterface
