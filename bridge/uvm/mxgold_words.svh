// SPDX-License-Identifier: Apache-2.0
// Drives random words beside a stream: in tdata, always there, each held until tready takes it.
// What they are is nobody's choice: the monitor sees which word was taken for which record.
class mxgold_words extends uvm_component;
  `uvm_component_utils(mxgold_words)

  virtual mxgold_axis_if pins;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual task run_phase(uvm_phase phase);
    pins.tvalid <= 1'b1;
    pins.tlast <= 1'b1;
    pins.tkeep <= '0;
    pins.tuser <= '0;
    forever begin
      logic [2047:0] word;
      for (int i = 0; i < 64; i++) word[32*i+:32] = $urandom();
      case ($urandom_range(7))
        0: word = '0;
        1: word = '1;
        default: ;
      endcase
      pins.tdata <= word;
      do @(posedge pins.clk); while (pins.rst_n !== 1'b1 || pins.tready !== 1'b1);
    end
  endtask
endclass
