// The scoreboard as a UVM component, without UVM's macros: an example to take over, for simulators
// that have UVM. Compile uvm_pkg, mxgold_pkg and mxgold_scoreboard_pkg first.
//
// A monitor in front of the device writes a mxgold_item with the block that went in to `asked`, one
// behind it writes an item with the answer to `answered`; both in the order of the device. The
// component asks the model, compares, and reports errors; check_phase fails where answers are
// missing or nothing was compared.
package mxgold_uvm_pkg;

  import uvm_pkg::*;

  // A block on its way: what goes in, or what comes out.
  class mxgold_item extends uvm_sequence_item;
    typedef uvm_object_registry #(mxgold_item, "mxgold_item") type_id;

    // What goes in, X and Z included: in lanes of the block, the model refuses them by name.
    logic [31:0] elements = 0;
    logic [mxgold_pkg::BUS_BITS-1:0] source;
    logic [mxgold_pkg::BUS_BITS-1:0] random = '0;
    // What comes out, X and Z included.
    logic [63:0] scale;
    logic [mxgold_pkg::BUS_BITS-1:0] code;
    logic [7:0] flags;

    function new(string name = "mxgold_item");
      super.new(name);
    endfunction

    static function type_id get_type();
      return type_id::get();
    endfunction

    virtual function string get_type_name();
      return "mxgold_item";
    endfunction

    virtual function string convert2string();
      return $sformatf("elements %0d scale %h flags %h", elements, scale, flags);
    endfunction
  endclass

  // The plain scoreboard, with its messages as UVM errors.
  class mxgold_reporting_scoreboard extends mxgold_scoreboard_pkg::mxgold_scoreboard;
    local uvm_component owner;

    function new(string text, uvm_component owner);
      super.new(text);
      this.owner = owner;
    endfunction

    virtual function void report(string message);
      owner.uvm_report_error("MXGOLD", message);
    endfunction
  endclass

  class mxgold_uvm_scoreboard extends uvm_component;
    typedef uvm_component_registry #(mxgold_uvm_scoreboard, "mxgold_uvm_scoreboard") type_id;

    // The model, set before run_phase: mxgold_pkg::mxgold_open("format=mxfp4 source=bf16").
    chandle model;
    // Words of the plain scoreboard: "nan=any errors=5".
    string words;
    uvm_tlm_analysis_fifo #(mxgold_item) asked;
    uvm_tlm_analysis_fifo #(mxgold_item) answered;
    protected mxgold_reporting_scoreboard board;

    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction

    static function type_id get_type();
      return type_id::get();
    endfunction

    virtual function string get_type_name();
      return "mxgold_uvm_scoreboard";
    endfunction

    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      asked = new("asked", this);
      answered = new("answered", this);
    endfunction

    virtual function void end_of_elaboration_phase(uvm_phase phase);
      super.end_of_elaboration_phase(phase);
      board = new({"name=", get_name(), " ", words}, this);
      if (mxgold_pkg::mxgold_ok(model) == 0) begin
        uvm_report_fatal("MXGOLD", mxgold_pkg::mxgold_error(model));
      end
    endfunction

    virtual task run_phase(uvm_phase phase);
      mxgold_item answer;
      forever begin
        answered.get(answer);
        void'(ask());
        void'(board.observed(answer.scale, answer.code, answer.flags));
      end
    endtask

    virtual function void check_phase(uvm_phase phase);
      bit is_right;
      super.check_phase(phase);
      // What was asked and never answered.
      while (ask()) begin
      end
      is_right = board.passes();
      if (is_right) uvm_report_info("MXGOLD", board.verdict(), UVM_NONE);
      else uvm_report_error("MXGOLD", board.verdict());
    endfunction

    // Asks the model the next block, if there is one.
    protected function bit ask();
      mxgold_item question;
      longint unsigned scale;
      mxgold_pkg::bus_t code;
      byte unsigned flags;
      if (!asked.try_get(question)) return 1'b0;
      // What the model refuses is told by the scoreboard.
      void'(mxgold_pkg::mxgold_block(model, question.elements, question.source, question.random,
                                     scale, code, flags));
      board.expected(model, question.convert2string());
      return 1'b1;
    endfunction
  endclass

endpackage
