// SPDX-License-Identifier: Apache-2.0
// Clock and reset of a bench: the clock runs from `is_on`, the reset is a mxgold_resets' affair.
interface mxgold_clock_if;
  bit clk;
  bit rst_n;
  bit is_on;

  initial begin
    wait (is_on);
    forever #5 clk = !clk;
  end
endinterface
