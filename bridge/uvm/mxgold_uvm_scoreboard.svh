// SPDX-License-Identifier: Apache-2.0
// The scoreboard as a component. A monitor in front of the device writes a mxgold_item with what
// went in to `asked`, one behind it writes an item with the answer to `answered`; both in the order
// of the device. The component asks the model and compares; check_phase fails where answers are
// missing or nothing was compared.

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
  `uvm_component_utils(mxgold_uvm_scoreboard)

  // The model, set before run_phase: mxgold_pkg::mxgold_open("format=mxfp4 source=bf16"). Items that
  // bring their own need none.
  chandle model;
  // Words of the plain scoreboard: "nan=any errors=5".
  string words;
  // The bits of each result that the device gives.
  bit [63:0] scale_mask = '1;
  bit [63:0] flags_mask = '1;
  uvm_tlm_analysis_fifo #(mxgold_item) asked;
  uvm_tlm_analysis_fifo #(mxgold_item) answered;
  // Handles that were asked, one for each answer that was compared.
  uvm_analysis_port #(mxgold_item) compared;
  protected mxgold_reporting_scoreboard board;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void build_phase(uvm_phase phase);
    super.build_phase(phase);
    asked = new("asked", this);
    answered = new("answered", this);
    compared = new("compared", this);
  endfunction

  virtual function void end_of_elaboration_phase(uvm_phase phase);
    super.end_of_elaboration_phase(phase);
    board = new({"name=", get_name(), " ", words}, this);
    board.observes("scale", scale_mask);
    board.observes("flags", flags_mask);
    if (model != null && mxgold_pkg::mxgold_ok(model) == 0) begin
      `uvm_fatal("MXGOLD", mxgold_pkg::mxgold_error(model))
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

  // A reset: what was asked will not be answered.
  function void forget();
    asked.flush();
  endfunction

  virtual function void check_phase(uvm_phase phase);
    bit is_right;
    super.check_phase(phase);
    // What was asked and never answered.
    while (ask()) begin
    end
    is_right = board.passes();
    if (is_right) `uvm_info("MXGOLD", board.verdict(), UVM_NONE)
    else `uvm_error("MXGOLD", board.verdict())
  endfunction

  // Asks the model the next record, if there is one.
  protected function bit ask();
    mxgold_item question;
    if (!asked.try_get(question)) return 1'b0;
    if (question.model == null) question.model = model;
    question.ask(question.model);
    board.expected(question.model, question.convert2string());
    compared.write(question);
    return 1'b1;
  endfunction
endclass
