#include <iostream>

#include "mxgold_systemc.h"

int sc_main(int, char**) {
  const mxgold::VectorFile vectors =
      mxgold::read_vectors("|mxgold gen --suite rnd --count 1000 --format mxfp4");
  sc_core::sc_clock clock("clk_i", 10, sc_core::SC_NS);
  mxgold::QuantizerWires<> wires;
  mxgold::mx_quantizer<> dut("dut");  // or your own, or Verilator's
  mxgold::QuantizerSource<> source("source", vectors, {1, 20, 20});
  mxgold::QuantizerChecker checker("dut", vectors.build(32));
  mxgold::QuantizerMonitor<> monitor("monitor", checker);
  checker.expect(vectors);
  wires.bind(dut, clock);
  wires.bind(source, clock);
  wires.bind(monitor, clock);
  sc_core::sc_start();
  checker.finish();
  std::cout << checker.report();
  return checker.passed() ? 0 : 1;
}
