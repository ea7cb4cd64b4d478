// SPDX-License-Identifier: Apache-2.0
// A stream's agent: the side that it plays, and a monitor.
class mxgold_agent extends uvm_agent;
  `uvm_component_utils(mxgold_agent)

  typedef enum bit [1:0] {
    SOURCE,  // drives beats into the device
    SINK,    // takes beats of the device
    WORDS    // drives random words: valid in every cycle
  } part_t;

  virtual mxgold_axis_if pins;
  part_t part = SOURCE;
  // As mxgold_monitor has it.
  bit may_follow = 1'b0;
  mxgold_monitor monitor;
  // Those that its part has; in a passive agent none.
  mxgold_sequencer sequencer;
  mxgold_source source;
  mxgold_sink sink;
  mxgold_words words;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void build_phase(uvm_phase phase);
    super.build_phase(phase);
    monitor = mxgold_monitor::type_id::create("monitor", this);
    monitor.pins = pins;
    monitor.side = part == SINK ? mxgold_monitor::COMES_FROM_DEVICE : mxgold_monitor::SENDS_TO_DEVICE;
    monitor.may_follow = may_follow || part == WORDS;
    if (get_is_active() == UVM_PASSIVE) return;
    case (part)
      SOURCE: begin
        sequencer = mxgold_sequencer::type_id::create("sequencer", this);
        source = mxgold_source::type_id::create("source", this);
        source.pins = pins;
      end
      WORDS: begin
        words = mxgold_words::type_id::create("words", this);
        words.pins = pins;
      end
      default: begin
        sink = mxgold_sink::type_id::create("sink", this);
        sink.pins = pins;
      end
    endcase
  endfunction

  virtual function void connect_phase(uvm_phase phase);
    super.connect_phase(phase);
    if (sequencer != null) source.seq_item_port.connect(sequencer.seq_item_export);
  endfunction
endclass
