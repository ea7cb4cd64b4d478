// SPDX-License-Identifier: Apache-2.0
// UVM for devices that mxgold judges: a scoreboard over the model, and a whole environment at the
// pins of a unit between two AXI4-Streams. docs/howto/uvm.md.
//
// Compile uvm_pkg, mxgold_pkg, mxgold_scoreboard_pkg and the two interfaces first; the folder of
// this file, and UVM's, are include folders.
`include "uvm_macros.svh"

package mxgold_uvm_pkg;

  import uvm_pkg::*;

  // Records and what compares them: no pins.
  `include "mxgold_item.svh"
  `include "mxgold_uvm_scoreboard.svh"
  `include "mxgold_coverage.svh"

  // An AXI4-Stream.
  `include "mxgold_beat.svh"
  `include "mxgold_source.svh"
  `include "mxgold_words.svh"
  `include "mxgold_sink.svh"
  `include "mxgold_monitor.svh"
  `include "mxgold_agent.svh"

  // A unit between two of them.
  `include "mxgold_unit.svh"
  `include "mxgold_flow.svh"
  `include "mxgold_resets.svh"
  `include "mxgold_env.svh"
  `include "mxgold_test.svh"

  // The units of rtl/.
  `include "mxgold_quantizer.svh"
  `include "mxgold_dequantizer.svh"
  `include "mxgold_dot.svh"

endpackage
