// SPDX-License-Identifier: Apache-2.0
// The environment of a unit between two streams. Set before build_phase: unit_type. The interfaces
// come from uvm_config_db under "clock", "in", "out", and "words" where the device takes random
// words.
class mxgold_env extends uvm_env;
  `uvm_component_utils(mxgold_env)

  // The class that extends mxgold_unit: mxgold_quantizer::get_type().
  uvm_object_wrapper unit_type;

  mxgold_agent in_agent;
  mxgold_agent out_agent;
  mxgold_agent words_agent;  // null where the device takes no random words
  mxgold_unit unit;
  mxgold_uvm_scoreboard scoreboard;
  mxgold_flow flow;
  mxgold_resets resets;
  mxgold_coverage coverage;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void build_phase(uvm_phase phase);
    virtual mxgold_clock_if clock;
    uvm_factory factory;
    super.build_phase(phase);
    factory = uvm_coreservice_t::get().get_factory();
    if (!uvm_config_db#(virtual mxgold_clock_if)::get(this, "", "clock", clock)) begin
      `uvm_fatal("ENV", "no interface \"clock\" in uvm_config_db")
    end
    in_agent = agent("in", mxgold_agent::SOURCE);
    out_agent = agent("out", mxgold_agent::SINK);
    if (uvm_config_db#(virtual mxgold_axis_if)::exists(this, "", "words")) begin
      words_agent = agent("words", mxgold_agent::WORDS);
    end
    scoreboard = mxgold_uvm_scoreboard::type_id::create("scoreboard", this);
    flow = mxgold_flow::type_id::create("flow", this);
    resets = mxgold_resets::type_id::create("resets", this);
    coverage = mxgold_coverage::type_id::create("coverage", this);
    if (!$cast(unit, factory.create_component_by_type(unit_type, get_full_name(), "unit", this))) begin
      `uvm_fatal("ENV", "unit_type is no mxgold_unit")
    end
    resets.clock = clock;
    unit.clock = clock;
    unit.scoreboard = scoreboard;
    unit.has_words = words_agent != null;
    flow.unit = unit;
    flow.in_pins = in_agent.pins;
    flow.out_pins = out_agent.pins;
  endfunction

  virtual function void connect_phase(uvm_phase phase);
    super.connect_phase(phase);
    in_agent.monitor.beats.connect(unit.sent);
    out_agent.monitor.beats.connect(unit.came);
    if (words_agent != null) words_agent.monitor.beats.connect(unit.word);
    unit.questions.connect(scoreboard.asked.analysis_export);
    unit.answers.connect(scoreboard.answered.analysis_export);
    scoreboard.compared.connect(coverage.analysis_export);
  endfunction

  // Waits until every answer has come, and longer: none may follow. A device that does not answer
  // is an error of `flow`.
  task drain();
    for (int unsigned i = 0; i < 8 && unit.in_flight() != 0; i++) begin
      repeat (flow.patience) @(posedge flow.in_pins.clk);
    end
    repeat (flow.patience) @(posedge flow.in_pins.clk);
  endtask

  protected function mxgold_agent agent(string name, mxgold_agent::part_t part);
    agent = mxgold_agent::type_id::create(name, this);
    agent.part = part;
    if (!uvm_config_db#(virtual mxgold_axis_if)::get(this, "", name, agent.pins)) begin
      `uvm_fatal("ENV", $sformatf("no interface \"%s\" in uvm_config_db", name))
    end
  endfunction
endclass
