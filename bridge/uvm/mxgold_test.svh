// SPDX-License-Identifier: Apache-2.0
// A test of a unit: random beats through the environment.
//   +blocks=N      beats (1000)
//   +resets=N      cycles between resets, about (500); 0: none
//   +stalls=0      the receiver is always ready
//   +covered=N     configurations whose bins are counted (8)
//   +coverage=FILE where the bins are written, for `mxgold cover`
//   +errors=N      it ends at this error (10); a plusarg of ours, since UVM_NO_DPI takes UVM's away
virtual class mxgold_test extends uvm_test;
  mxgold_env env;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  // The class of the unit, and a sequence for it.
  pure virtual function uvm_object_wrapper unit_type();
  pure virtual function mxgold_sequence make_sequence();

  virtual function void build_phase(uvm_phase phase);
    int errors = 10;
    super.build_phase(phase);
    void'($value$plusargs("errors=%d", errors));
    uvm_report_server::get_server().set_max_quit_count(errors);
    env = mxgold_env::type_id::create("env", this);
    env.unit_type = unit_type();
  endfunction

  virtual function void end_of_elaboration_phase(uvm_phase phase);
    int unsigned stalls;
    super.end_of_elaboration_phase(phase);
    void'($value$plusargs("resets=%d", env.resets.distance));
    void'($value$plusargs("covered=%d", env.coverage.configurations));
    void'($value$plusargs("coverage=%s", env.coverage.path));
    if ($value$plusargs("stalls=%d", stalls)) env.out_agent.sink.stalls = stalls != 0;
  endfunction

  virtual task run_phase(uvm_phase phase);
    mxgold_sequence traffic;
    traffic = make_sequence();
    void'($value$plusargs("blocks=%d", traffic.beats));
    phase.raise_objection(this);
    traffic.start(env.in_agent.sequencer);
    env.drain();
    phase.drop_objection(this);
  endtask
endclass
