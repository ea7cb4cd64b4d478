// SPDX-License-Identifier: Apache-2.0
// Drives tready of a stream's receiving side: always, often, seldom, or not for long. Now and then
// tready moves in the middle of a cycle, which no output but a combinational one can follow.
class mxgold_sink extends uvm_component;
  `uvm_component_utils(mxgold_sink)

  virtual mxgold_axis_if pins;
  // Never 0: tready stays.
  bit stalls = 1'b1;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual task run_phase(uvm_phase phase);
    int unsigned percent, cycles;
    percent = 100;
    cycles = 0;
    pins.tready <= 1'b0;
    forever begin
      @(posedge pins.clk);
      if (cycles == 0) begin
        cycles = $urandom_range(100, 20);
        case ($urandom_range(7))
          0, 1, 2: percent = 100;
          3, 4: percent = 90;
          5: percent = 50;
          6: begin
            percent = 10;
            cycles = 30;
          end
          default: begin
            percent = 0;
            cycles = $urandom_range(40, 1);
          end
        endcase
        if (!stalls) percent = 100;
      end
      cycles--;
      pins.tready <= $urandom_range(99) < percent;
      if (stalls && $urandom_range(7) == 0) begin
        @(negedge pins.clk);
        #1;
        pins.tready <= $urandom_range(99) < percent;
      end
    end
  endtask
endclass
