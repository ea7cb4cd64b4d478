// SPDX-License-Identifier: Apache-2.0
// Starts the clock, resets the device, and resets it again now and then: asynchronously, with none
// to three clock edges, whatever is on its way.
class mxgold_resets extends uvm_component;
  `uvm_component_utils(mxgold_resets)

  virtual mxgold_clock_if clock;
  // Cycles from one reset to the next, about; 0: only the first.
  int unsigned distance = 500;
  // Resets behind the first.
  int unsigned count = 0;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual task run_phase(uvm_phase phase);
    clock.rst_n = 1'b0;
    clock.is_on = 1'b1;
    repeat (4) @(posedge clock.clk);
    #2 clock.rst_n = 1'b1;
    while (distance != 0) begin
      int unsigned edges;
      repeat ($urandom_range(2 * distance, 1)) @(posedge clock.clk);
      edges = $urandom_range(3);
      if ($urandom_range(1) == 0) #2 clock.rst_n = 1'b0;  // while the clock is high
      else #7 clock.rst_n = 1'b0;  // while it is low
      repeat (edges) @(posedge clock.clk);
      #2 clock.rst_n = 1'b1;
      count++;
    end
  endtask

  virtual function void report_phase(uvm_phase phase);
    super.report_phase(phase);
    `uvm_info("RESETS", $sformatf("%0d resets behind the first", count), UVM_NONE)
  endfunction
endclass
