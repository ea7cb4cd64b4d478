// SPDX-License-Identifier: Apache-2.0
// A record on its way: what goes in, or what comes out. X and Z are kept: the model refuses them by
// name in what goes in, and they are mismatches in what comes out.
class mxgold_item extends uvm_sequence_item;
  `uvm_object_utils(mxgold_item)

  typedef logic [mxgold_pkg::BUS_BITS-1:0] bus_t;

  // Whom to ask, where it is not the scoreboard's model.
  chandle model;
  // What goes in.
  logic [31:0] elements = 0;
  bus_t source;
  bus_t random = '0;
  // What comes out; of a dequantizer `scale` goes in.
  logic [63:0] scale;
  bus_t code;
  logic [7:0] flags;

  function new(string name = "mxgold_item");
    super.new(name);
  endfunction

  // Asks the model: a block. What the model refuses is told by the scoreboard.
  virtual function void ask(chandle whom);
    longint unsigned answered_scale;
    mxgold_pkg::bus_t answered_code;
    byte unsigned answered_flags;
    void'(mxgold_pkg::mxgold_block(whom, elements, source, random, answered_scale, answered_code,
                                   answered_flags));
  endfunction

  virtual function string convert2string();
    return $sformatf("elements %0d scale %h flags %h", elements, scale, flags);
  endfunction
endclass
