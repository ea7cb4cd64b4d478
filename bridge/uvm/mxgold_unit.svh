// SPDX-License-Identifier: Apache-2.0
// What a unit computes: beats at its pins become records for the scoreboard, and the pins beside
// the numbers are compared here. A unit of yours is a class that extends this one.

`uvm_analysis_imp_decl(_sent)
`uvm_analysis_imp_decl(_word)
`uvm_analysis_imp_decl(_came)

// The beats that make one answer, and the random word that was taken for it.
class mxgold_record;
  mxgold_beat beats[$];
  mxgold_beat word;
  mxgold_item question;  // null: the model is not asked
endclass

virtual class mxgold_unit extends uvm_component;
  virtual mxgold_clock_if clock;
  // The scoreboard of this unit, which a reset empties.
  mxgold_uvm_scoreboard scoreboard;
  // Does each answer take a random word?
  bit has_words = 1'b0;
  uvm_analysis_imp_sent #(mxgold_beat, mxgold_unit) sent;
  uvm_analysis_imp_word #(mxgold_beat, mxgold_unit) word;
  uvm_analysis_imp_came #(mxgold_beat, mxgold_unit) came;
  uvm_analysis_port #(mxgold_item) questions;
  uvm_analysis_port #(mxgold_item) answers;

  protected mxgold_record open_record;  // its last beat has not come yet; null: none
  protected mxgold_record awaiting[$];  // a random word
  protected mxgold_record owed[$];      // an answer
  protected chandle models[longint unsigned];

  function new(string name, uvm_component parent);
    super.new(name, parent);
    sent = new("sent", this);
    word = new("word", this);
    came = new("came", this);
    questions = new("questions", this);
    answers = new("answers", this);
  endfunction

  // -- what a unit of yours says --

  // Is this the last beat of a record?
  virtual function bit ends(mxgold_beat beat);
    return 1'b1;
  endfunction
  // What is asked of the model, whose handle comes from model_of(). null: nothing is asked, and
  // problem_of() alone judges the answer.
  pure virtual function mxgold_item question_of(mxgold_record asked);
  // What the device said.
  pure virtual function mxgold_item answer_of(mxgold_record asked, mxgold_beat answer);
  // "" or what is wrong with the pins beside the numbers.
  virtual function string problem_of(mxgold_record asked, mxgold_beat answer);
    return "";
  endfunction
  // Opens the model of a configuration.
  pure virtual function chandle open_model(longint unsigned configuration);

  // -- the rest --

  // The model of a configuration, opened once.
  function chandle model_of(longint unsigned configuration);
    if (!models.exists(configuration)) begin
      models[configuration] = open_model(configuration);
      if (mxgold_pkg::mxgold_ok(models[configuration]) == 0) begin
        `uvm_fatal("MXGOLD", $sformatf("configuration %h: %s", configuration,
                                       mxgold_pkg::mxgold_error(models[configuration])))
      end
    end
    return models[configuration];
  endfunction

  // Answers that have not come yet.
  function int unsigned in_flight();
    return owed.size();
  endfunction

  function void write_sent(mxgold_beat beat);
    if (open_record == null) open_record = new;
    open_record.beats.push_back(beat);
    if (!ends(beat)) return;
    owed.push_back(open_record);
    if (has_words) awaiting.push_back(open_record);
    else ask(open_record);
    open_record = null;
  endfunction

  function void write_word(mxgold_beat beat);
    mxgold_record asked;
    if (awaiting.size() == 0) begin
      `uvm_error("MXGOLD", "a random word is taken, and no record awaits one")
      return;
    end
    asked = awaiting.pop_front();
    asked.word = beat;
    ask(asked);
  endfunction

  function void write_came(mxgold_beat beat);
    mxgold_record asked;
    string problem;
    if (owed.size() == 0) begin
      `uvm_error("MXGOLD", {"an answer to no question: ", beat.convert2string()})
      return;
    end
    asked = owed.pop_front();
    problem = problem_of(asked, beat);
    if (problem != "") `uvm_error("MXGOLD", problem)
    if (!has_words || asked.question != null) begin
      if (asked.question != null) answers.write(answer_of(asked, beat));
    end else begin
      `uvm_error("MXGOLD", "an answer before its random word was taken")
    end
  endfunction

  protected function void ask(mxgold_record asked);
    asked.question = question_of(asked);
    if (asked.question != null) questions.write(asked.question);
  endfunction

  virtual task run_phase(uvm_phase phase);
    forever begin
      @(negedge clock.rst_n);
      open_record = null;
      awaiting.delete();
      owed.delete();
      scoreboard.forget();
    end
  endtask

  virtual function void check_phase(uvm_phase phase);
    super.check_phase(phase);
    if (awaiting.size() != 0) begin
      `uvm_error("MXGOLD", $sformatf("%0d records took no random word", awaiting.size()))
    end
  endfunction
endclass
