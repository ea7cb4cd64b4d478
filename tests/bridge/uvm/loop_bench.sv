// A UVM test around mxgold_uvm_scoreboard: blocks in, answers of the model out; +fault=flip spoils one,
// +fault=lost leaves one out.
module loop_bench;
  import uvm_pkg::*;
  import mxgold_uvm_pkg::*;

  class bench_env extends uvm_env;
    mxgold_uvm_scoreboard board;
    uvm_analysis_port #(mxgold_item) in_port, out_port;
    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction
    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      board = new("board", this);
      board.words = "errors=3";
      board.model = mxgold_pkg::mxgold_open("format=mxfp4 source=bf16");
      in_port = new("in_port", this);
      out_port = new("out_port", this);
    endfunction
    virtual function void connect_phase(uvm_phase phase);
      in_port.connect(board.asked.analysis_export);
      out_port.connect(board.answered.analysis_export);
    endfunction
  endclass

  class bench_test extends uvm_test;
    typedef uvm_component_registry #(bench_test, "bench_test") type_id;
    bench_env env;
    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction
    static function type_id get_type();
      return type_id::get();
    endfunction
    virtual function void build_phase(uvm_phase phase);
      super.build_phase(phase);
      env = new("env", this);
    endfunction
    virtual task run_phase(uvm_phase phase);
      string fault;
      chandle device;
      fault = "none";
      void'($value$plusargs("fault=%s", fault));
      device = mxgold_pkg::mxgold_open("format=mxfp4 source=bf16");
      phase.raise_objection(this);
      for (int n = 0; n < 200; n++) begin
        mxgold_item question, answer;
        longint unsigned scale;
        mxgold_pkg::bus_t code;
        byte unsigned flags;
        question = new("question");
        answer = new("answer");
        question.source = '0;
        for (int i = 0; i < 16; i++) question.source[32*i+:32] = $urandom();
        void'(mxgold_pkg::mxgold_block(device, 0, question.source, 0, scale, code, flags));
        if (n == 77 && fault == "flip") code[9] = !code[9];
        answer.scale = scale;
        answer.code = code;
        answer.flags = flags;
        env.in_port.write(question);
        if (!(n == 77 && fault == "lost")) env.out_port.write(answer);
        #10;
      end
      phase.drop_objection(this);
    endtask
  endclass

  initial begin
    string unit;
    if ($value$plusargs("unit=%s", unit) == 0 || unit == "loop") run_test("bench_test");
  end
endmodule
