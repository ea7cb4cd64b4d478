// SPDX-License-Identifier: Apache-2.0
// Drives a stream's sending side. While it has nothing to send, and in gaps, the payload is noise:
// a device that looks at it without tvalid is found out. A beat that a reset meets is offered on.
class mxgold_source extends uvm_driver #(mxgold_beat);
  `uvm_component_utils(mxgold_source)

  virtual mxgold_axis_if pins;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual task run_phase(uvm_phase phase);
    forever begin
      mxgold_beat beat;
      seq_item_port.try_next_item(beat);
      if (beat == null) begin
        idle();
      end else begin
        repeat (beat.gap) idle();
        show(beat, 1'b1);
        do @(posedge pins.clk); while (pins.rst_n !== 1'b1 || pins.tready !== 1'b1);
        seq_item_port.item_done();
      end
    end
  endtask

  // A cycle without a beat.
  protected virtual task idle();
    mxgold_beat noise;
    noise = mxgold_beat::type_id::create("noise");
    for (int i = 0; i < 64; i++) noise.tdata[32*i+:32] = $urandom();
    for (int i = 0; i < 8; i++) noise.tkeep[32*i+:32] = $urandom();
    noise.tuser = {$urandom(), $urandom()};
    noise.tlast = 1'($urandom());
    show(noise, 1'b0);
    @(posedge pins.clk);
  endtask

  protected function void show(mxgold_beat beat, bit is_valid);
    pins.tdata <= beat.tdata;
    pins.tkeep <= beat.tkeep;
    pins.tuser <= beat.tuser;
    pins.tlast <= beat.tlast;
    pins.tvalid <= is_valid;
  endfunction
endclass
