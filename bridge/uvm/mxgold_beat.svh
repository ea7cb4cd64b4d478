// SPDX-License-Identifier: Apache-2.0
// One beat of an AXI4-Stream.
class mxgold_beat extends uvm_sequence_item;
  `uvm_object_utils(mxgold_beat)

  logic [2047:0] tdata = '0;
  logic [255:0] tkeep = '0;
  logic [63:0] tuser = '0;
  logic tlast = 1'b1;
  // Cycles without tvalid in front of it.
  int unsigned gap = 0;

  function new(string name = "mxgold_beat");
    super.new(name);
  endfunction

  virtual function string convert2string();
    return $sformatf("tuser %h tlast %b tkeep %h tdata %h", tuser, tlast, tkeep, tdata);
  endfunction
endclass

typedef uvm_sequencer #(mxgold_beat) mxgold_sequencer;

// Beats that a unit's own sequence fills in.
virtual class mxgold_sequence extends uvm_sequence #(mxgold_beat);
  // How many beats.
  int unsigned beats = 1000;

  function new(string name = "mxgold_sequence");
    super.new(name);
  endfunction

  pure virtual function void fill(mxgold_beat beat);

  virtual task body();
    int unsigned most_idle = 0;
    for (int unsigned n = 0; n < beats; n++) begin
      mxgold_beat beat;
      beat = mxgold_beat::type_id::create("beat");
      // Bursts of no gaps, of short ones, of long ones.
      if (n % 64 == 0) begin
        case ($urandom_range(7))
          0, 1, 2, 3: most_idle = 0;
          4, 5, 6: most_idle = 3;
          default: most_idle = 40;
        endcase
      end
      start_item(beat);
      beat.gap = $urandom_range(most_idle);
      fill(beat);
      finish_item(beat);
    end
  endtask
endclass
