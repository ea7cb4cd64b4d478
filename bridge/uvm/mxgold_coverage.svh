// SPDX-License-Identifier: Apache-2.0
// Coverage: the bins of `mxgold cover`, counted by the library from what was compared.

// A bin in the simulator's own database, under the name that it has here.
class mxgold_bin;
  covergroup of_name(string name) with function sample (bit is_hit);
    option.name = name;
    option.per_instance = 1;
    hit: coverpoint is_hit {bins hit = {1};}
  endgroup

  function new(string name, bit is_hit);
    of_name = new(name);
    of_name.sample(is_hit);
  endfunction
endclass

class mxgold_coverage extends uvm_subscriber #(mxgold_item);
  `uvm_component_utils(mxgold_coverage)

  // Configurations that are collected. Bins of one take the library up to a second.
  int unsigned configurations = 8;
  // Where the bins are written, for `mxgold cover`; "": nowhere.
  string path;
  chandle counts;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void start_of_simulation_phase(uvm_phase phase);
    super.start_of_simulation_phase(phase);
    counts = mxgold_pkg::mxgold_cover_open(configurations);
  endfunction

  virtual function void write(mxgold_item t);
    if (mxgold_pkg::mxgold_ok(t.model) != 0) void'(mxgold_pkg::mxgold_cover_sample(counts, t.model));
  endfunction

  virtual function void report_phase(uvm_phase phase);
    super.report_phase(phase);
    `uvm_info("COVERAGE", $sformatf("%0d of %0d bins hit by %0d records of %0d configurations; %0d records of others",
                                    count("hit"), count("bins"), count("samples"), count("configurations"),
                                    count("left_out")), UVM_NONE)
    if (count("contradicted") != 0) `uvm_error("COVERAGE", "bins that are proved unreachable were hit")
    mirror();
    if (path != "" && mxgold_pkg::mxgold_cover_save(counts, path) == 0) begin
      `uvm_error("COVERAGE", mxgold_pkg::mxgold_cover_error(counts))
    end
  endfunction

  function longint unsigned count(string what);
    return mxgold_pkg::mxgold_cover_count(counts, what);
  endfunction

  // Every reachable bin as a covergroup of its own: databases of several runs merge by name.
  protected function void mirror();
    int unsigned number;
    number = mxgold_pkg::mxgold_cover_bins(counts);
    for (int unsigned i = 0; i < number; i++) begin
      longint unsigned hits;
      int is_reachable;
      string name;
      name = mxgold_pkg::mxgold_cover_bin(counts, i, hits, is_reachable);
      if (is_reachable != 0) begin
        mxgold_bin one;
        one = new(name, hits != 0);
      end
    end
  endfunction
endclass
