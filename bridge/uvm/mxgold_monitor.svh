// SPDX-License-Identifier: Apache-2.0
// Watches a stream: hands on every beat, and keeps AXI4-Stream's rules for its sending side.
// Of a side that the device drives it also asks that a reset clears tvalid at once, and that
// nothing moves between two clock edges: all outputs come from registers, or from inputs that keep
// still until the edge.
class mxgold_monitor extends uvm_component;
  `uvm_component_utils(mxgold_monitor)

  typedef enum bit {
    SENDS_TO_DEVICE,
    COMES_FROM_DEVICE
  } side_t;

  virtual mxgold_axis_if pins;
  side_t side = SENDS_TO_DEVICE;
  // The device has outputs that follow its inputs without a clock edge, and may.
  bit may_follow = 1'b0;
  uvm_analysis_port #(mxgold_beat) beats;
  protected mxgold_beat held;  // offered in the last cycle and not taken; null: none
  protected bit is_settled;
  protected logic settled_valid, settled_ready;

  function new(string name, uvm_component parent);
    super.new(name, parent);
    beats = new("beats", this);
  endfunction

  virtual task run_phase(uvm_phase phase);
    fork
      watch_cycles();
      watch_resets();
      watch_settling();
    join
  endtask

  protected task watch_cycles();
    forever begin
      @(posedge pins.clk);
      if (pins.rst_n === 1'b1) cycle();
      is_settled = 1'b0;
    end
  endtask

  protected function void cycle();
    if ($isunknown(pins.tvalid)) `uvm_error("AXIS", "tvalid is X or Z")
    if (held != null) begin
      if (pins.tvalid !== 1'b1) `uvm_error("AXIS", "tvalid falls before the beat is taken")
      else if (!is_shown(held)) `uvm_error("AXIS", "the payload changes before the beat is taken")
    end
    check_settled();
    held = null;
    if (pins.tvalid === 1'b1) begin
      mxgold_beat beat;
      beat = mxgold_beat::type_id::create("beat");
      beat.tdata = pins.tdata;
      beat.tkeep = pins.tkeep;
      beat.tuser = pins.tuser;
      beat.tlast = pins.tlast;
      if (pins.tready === 1'b1) beats.write(beat);
      else held = beat;
    end
  endfunction

  protected function bit is_shown(mxgold_beat beat);
    return pins.tdata === beat.tdata && pins.tkeep === beat.tkeep && pins.tuser === beat.tuser &&
        pins.tlast === beat.tlast;
  endfunction

  // What the device drives, half a cycle before the edge and at the edge.
  protected function void check_settled();
    if (!is_settled || may_follow) return;
    if (side == COMES_FROM_DEVICE) begin
      if (pins.tvalid !== settled_valid) `uvm_error("AXIS", "tvalid follows another pin in a cycle")
    end else if (pins.tready !== settled_ready) begin
      `uvm_error("AXIS", "tready follows another pin in a cycle")
    end
  endfunction

  protected task watch_settling();
    forever begin
      @(negedge pins.clk);
      settled_valid = pins.tvalid;
      settled_ready = pins.tready;
      is_settled = pins.rst_n === 1'b1;
    end
  endtask

  protected task watch_resets();
    forever begin
      @(negedge pins.rst_n);
      held = null;
      is_settled = 1'b0;
      #1;
      while (pins.rst_n === 1'b0) begin
        if (side == COMES_FROM_DEVICE && pins.tvalid !== 1'b0) begin
          `uvm_error("AXIS", "tvalid is not low in reset")
          break;
        end
        @(pins.clk or pins.rst_n);
        #1;
      end
      is_settled = 1'b0;
    end
  endtask
endclass
