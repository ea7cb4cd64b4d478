// A scoreboard in plain SystemVerilog: no UVM, no randomization, no coverage.
//
//   mxgold_scoreboard_pkg::mxgold_scoreboard board = new("name=quantizer");
//   ... a block goes in: the model is asked, its answer is what is expected next
//   void'(mxgold_pkg::mxgold_block(model, 0, source, 0, scale, code, flags));
//   board.expected(model, "tuser 00000000");
//   ... an answer comes out
//   board.observed(m_scale, m_code, m_flags);
//   ... at the end
//   board.finish();        // prints the verdict; $fatal unless it is PASS
//
// X or Z in what is compared is a mismatch of its own kind. What the model leaves open, and the bits
// that the mask leaves out, are not compared. A run in which nothing was compared, or in which
// answers are missing, fails. Simulators exit with 0 in many failures: look for the PASS line.
package mxgold_scoreboard_pkg;

  class mxgold_scoreboard;
    protected chandle score;
    protected bit is_finished;

    // Words NAME=VALUE: name=TEXT (mxgold); nan=exact, or nan=any: any NaN code of the result format
    // stands for another; errors=N, how many mismatches have a message (10).
    function new(string text = "");
      score = mxgold_pkg::mxgold_score_open(text);
      if (mxgold_pkg::mxgold_score_error(score) != "") begin
        $fatal(1, "mxgold_scoreboard: %s", mxgold_pkg::mxgold_score_error(score));
      end
    endfunction

    // Which bits of each word of a result field ("scale", "code", "flags") the device gives; 0 for a
    // field that it has not.
    function void observes(string field, logic [63:0] mask);
      if (mxgold_pkg::mxgold_score_mask(score, field, mask) == 0) begin
        $fatal(1, "mxgold_scoreboard: %s", mxgold_pkg::mxgold_score_error(score));
      end
    endfunction

    // What the model was asked last is expected next. `where` is said of it when it is not met.
    function void expected(chandle model, string where = "");
      if (mxgold_pkg::mxgold_score_expect(score, model, where) == 0) told();
    endfunction

    // What came out, in the lanes of the model's buses. 1 if it is what was expected.
    function bit observed(logic [63:0] scale, logic [mxgold_pkg::BUS_BITS-1:0] code,
                          logic [7:0] flags);
      mxgold_pkg::bus_t code_unknown;
      bit [63:0] scale_unknown;
      bit [7:0] flags_unknown;
      code_unknown = '0;
      scale_unknown = '0;
      flags_unknown = '0;
      if ($isunknown(code)) begin
        for (int i = 0; i < mxgold_pkg::BUS_BITS; i++) code_unknown[i] = $isunknown(code[i]);
      end
      if ($isunknown(scale)) begin
        for (int i = 0; i < 64; i++) scale_unknown[i] = $isunknown(scale[i]);
      end
      if ($isunknown(flags)) begin
        for (int i = 0; i < 8; i++) flags_unknown[i] = $isunknown(flags[i]);
      end
      return observed_bits(scale, scale_unknown, code, code_unknown, flags, flags_unknown);
    endfunction

    // The same for benches with two states that know which bits are unknown.
    function bit observed_bits(bit [63:0] scale, bit [63:0] scale_unknown,
                               mxgold_pkg::bus_t code, mxgold_pkg::bus_t code_unknown,
                               bit [7:0] flags, bit [7:0] flags_unknown);
      if (mxgold_pkg::mxgold_score_observe(score, scale, scale_unknown, code, code_unknown, flags,
                                           flags_unknown) != 0) begin
        return 1'b1;
      end
      told();
      return 1'b0;
    endfunction

    // Counts of the verdict: expected, observed, wrong, unknown (records); compared, open,
    // unobserved (words).
    function longint unsigned count(string what);
      return mxgold_pkg::mxgold_score_count(score, what);
    endfunction

    // Looks for answers that never came and gives the verdict; 1 for a pass.
    function bit passes();
      is_finished = 1'b1;
      return mxgold_pkg::mxgold_score_finish(score) != 0;
    endfunction

    // A line that begins with PASS or FAIL; after passes().
    function string verdict();
      return mxgold_pkg::mxgold_score_verdict(score);
    endfunction

    // The end of a bench: prints the verdict, and ends with $fatal unless it is PASS.
    function void finish();
      bit is_right;
      is_right = passes();
      $display("%s", verdict());
      if (!is_right) $fatal(1, "mxgold_scoreboard: FAIL");
    endfunction

    // One mismatch; a bench may override it.
    virtual function void report(string message);
      $display("%s", message);
    endfunction

    local function void told();
      string message;
      message = mxgold_pkg::mxgold_score_message(score);
      if (message != "") report(message);
    endfunction
  endclass

endpackage
