// SPDX-License-Identifier: Apache-2.0
// What neither side alone shows: answers that do not come, a device that refuses beats though
// nothing holds it up.
class mxgold_flow extends uvm_component;
  `uvm_component_utils(mxgold_flow)

  virtual mxgold_axis_if in_pins;
  virtual mxgold_axis_if out_pins;
  mxgold_unit unit;
  // Cycles that an answer, or tready, may take while nothing holds the device up.
  int unsigned patience = 100;
  // The device takes a beat in each cycle, as long as its answers are taken.
  bit is_full_rate = 1'b1;
  // Beats inside, at the most.
  int unsigned depth = 32;

  protected int unsigned silent, free, refused;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual task run_phase(uvm_phase phase);
    fork
      forever begin
        @(posedge in_pins.clk);
        if (in_pins.rst_n === 1'b1) cycle();
      end
      forever begin
        @(negedge in_pins.rst_n);
        silent = 0;
        free = 0;
        refused = 0;
      end
    join
  endtask

  protected function void cycle();
    silent = unit.in_flight() != 0 && out_pins.tvalid !== 1'b1 ? silent + 1 : 0;
    refused = out_pins.tready === 1'b1 && in_pins.tready !== 1'b1 ? refused + 1 : 0;
    if (silent > patience) begin
      `uvm_error("FLOW", $sformatf("%0d answers have not come for %0d cycles", unit.in_flight(), silent))
      silent = 0;
    end
    if (refused > patience) begin
      `uvm_error("FLOW", $sformatf("tready is low for %0d cycles, though answers are taken", refused))
      refused = 0;
    end
    if (is_full_rate && free > depth && in_pins.tready !== 1'b1) begin
      `uvm_error("FLOW", $sformatf("a beat is refused, though answers were taken for %0d cycles", free))
    end
    free = out_pins.tready === 1'b1 ? free + 1 : 0;
  endfunction
endclass
