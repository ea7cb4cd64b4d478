// Our quantizer under the scoreboard: blocks from vector files and generated ones, MXFP4 and MXFP8
// from bf16 and fp32, with stalls on both sides. The model is asked for every block; where a file
// says what the answer is, the model has to say the same.
//
//   +file0= ... +file3=  .tv files of e2m1fn/bf16, e4m3fn/bf16, e2m1fn/fp32, e4m3fn/fp32
//   +blocks=N            blocks in all, the rest of them generated (10000)
//   +fault=flip | x | lost | extra | empty | handle   what the bench then does wrong
module score_rtl;
  import mxgold_pkg::*;
  import mxgold_scoreboard_pkg::*;

  localparam int MODELS = 4;

  chandle models[MODELS];
  int unsigned words[MODELS];
  string names[MODELS];
  mxgold_scoreboard board;
  string fault;
  int blocks, offered, answered, idle, file, model_of_file;

  // The device.
  bit clk, rst_n;
  bit [1023:0] tdata;
  bit [127:0] tkeep;
  bit [31:0] tuser;
  bit tvalid, take;
  logic tready, m_valid, rnd_ready, m_last;
  logic [255:0] m_data;
  logic [31:0] m_keep;
  logic [15:0] m_user;
  mx_quantizer dut (
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tdata(tdata),
      .s_axis_tkeep(tkeep),
      .s_axis_tlast(1'b1),
      .s_axis_tuser(tuser),
      .s_axis_tvalid(tvalid),
      .s_axis_tready(tready),
      .rnd_i(256'd0),
      .rnd_ready_o(rnd_ready),
      .m_axis_tdata(m_data),
      .m_axis_tkeep(m_keep),
      .m_axis_tlast(m_last),
      .m_axis_tuser(m_user),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(take)
  );

  initial forever #5 clk = !clk;

  // A block: which model, how many elements, their codes in lanes of 32 bits.
  int block_model;
  int unsigned elements;
  bit [1023:0] source;
  // What the file says of it.
  bit has_golden;
  bit [7:0] golden_scale, golden_flags;
  bit [255:0] golden_code;

  function automatic bit starts(string line, string text);
    starts = line.len() >= text.len() && line.substr(0, text.len() - 1) == text;
  endfunction

  // The next record of the files; 0 at the end of the last.
  function automatic bit next_of_file();
    string path, line;
    bit [31:0] number;
    bit is_there;
    next_of_file = 1'b0;
    while (!next_of_file && model_of_file < MODELS) begin
      if (file == 0) begin
        if ($value$plusargs($sformatf("file%0d=%%s", model_of_file), path) != 0) begin
          file = $fopen(path, "r");
          if (file == 0) $fatal(1, "score_rtl: %s cannot be read", path);
        end else begin
          model_of_file++;
        end
      end else begin
        is_there = 1'b0;
        if ($fscanf(file, "%h", number) == 1) is_there = 1'b1;
        else if ($fgets(line, file) > 0) is_there = 1'b0;
        else begin
          $fclose(file);
          file = 0;
          model_of_file++;
        end
        if (is_there) begin
          if (number != words[model_of_file]) begin
            $fatal(1, "score_rtl: file %0d is of word %h, not %h", model_of_file, number,
                   words[model_of_file]);
          end
          void'($fscanf(file, "%h", elements));
          for (int i = 0; i < 32; i++) begin
            void'($fscanf(file, "%h", number));
            source[32*i+:32] = number;
          end
          void'($fscanf(file, "%h", golden_scale));
          for (int i = 0; i < 32; i++) begin
            void'($fscanf(file, "%h", number));
            golden_code[8*i+:8] = number[7:0];
          end
          if ($fscanf(file, "%h", golden_flags) != 1) $fatal(1, "score_rtl: a short record");
          block_model = model_of_file;
          has_golden = 1'b1;
          next_of_file = 1'b1;
        end
      end
    end
  endfunction

  // Random codes whose exponents lie together, with zeros and a special now and then.
  function automatic void generated();
    bit [31:0] word;
    bit [7:0] top;
    block_model = int'($urandom_range(MODELS - 1));
    elements = $urandom_range(7) == 0 ? $urandom_range(32, 1) : 32;
    top = 8'($urandom_range(254));
    for (int i = 0; i < 32; i++) begin
      word = $urandom;
      word[30:23] = top - 8'($urandom_range(9));
      if ($urandom_range(15) == 0) word[30:0] = '0;
      if ($urandom_range(255) == 0) word[30:23] = '1;
      source[32*i+:32] = block_model < 2 ? {16'd0, word[31:16]} : word;
      if (i >= int'(elements)) source[32*i+:32] = '0;
    end
    has_golden = 1'b0;
  endfunction

  // Asks the model and tells the scoreboard.
  task automatic ask();
    longint unsigned scale;
    bus_t code, open;
    byte unsigned flags;
    chandle model;
    model = models[block_model];
    if (mxgold_block(model, elements, {1024'd0, source}, '0, scale, code, flags) == 0) begin
      $fatal(1, "score_rtl: %s", mxgold_error(model));
    end
    void'(mxgold_open_bits(model, "code", open));
    if (has_golden && (scale != {56'd0, golden_scale} || flags != golden_flags ||
                       ((code[255:0] ^ golden_code) & ~open[255:0]) != '0)) begin
      $fatal(1, "score_rtl: block %0d: the model and the golden disagree", offered);
    end
    board.expected(model, names[block_model]);
  endtask

  always @(posedge clk) begin
    if (rst_n && (!tvalid || tready)) begin
      if (offered < blocks && $urandom_range(7) != 0) begin
        if (!next_of_file()) generated();
        ask();
        offered <= offered + 1;
        tvalid <= 1'b1;
        tdata <= source;
        tuser <= words[block_model];
        tkeep <= elements == 32 ? '1 : (128'd1 << (4 * elements)) - 128'd1;
      end else begin
        tvalid <= 1'b0;
        for (int i = 0; i < 32; i++) tdata[32*i+:32] <= $urandom;
      end
    end
    take <= $urandom_range(7) != 0;
  end

  // What the scoreboard gets to see.
  task automatic look();
    logic [2047:0] code;
    bus_t code_unknown;
    code = {1792'd0, m_data};
    code_unknown = '0;
    if (fault == "flip" && answered == 77) code[0] = !code[0];
    // Two states have no X: the bench says which bits are unknown.
    if (fault == "x" && answered == 77) code_unknown[9] = 1'b1;
    if (fault == "lost" && answered == 77) return;
    void'(board.observed_bits({56'd0, m_user[7:0]}, '0, code, code_unknown, m_user[15:8], '0));
    if (fault == "extra" && answered == blocks - 1) begin
      void'(board.observed({56'd0, m_user[7:0]}, code, m_user[15:8]));
    end
  endtask

  always @(posedge clk) begin
    if (rst_n) begin
      idle <= idle + 1;
      if (m_valid && take) begin
        look();
        answered <= answered + 1;
        idle <= 0;
      end
      if (answered == blocks || idle == 1000) begin
        board.finish();
        $finish;
      end
    end
  end

  initial begin
    if ($value$plusargs("fault=%s", fault) == 0) fault = "";
    if ($value$plusargs("blocks=%d", blocks) == 0) blocks = 10000;
    if (fault == "empty") blocks = 0;
    words = '{32'h404, 32'h400, 32'h004, 32'h000};
    names = '{"MXFP4 from bf16", "MXFP8 from bf16", "MXFP4 from fp32", "MXFP8 from fp32"};
    board = new("name=mx_quantizer errors=3");
    for (int i = 0; i < MODELS; i++) begin
      models[i] = mxgold_open_word(words[i], "");
      if (fault == "handle" && i == 2) models[i] = mxgold_open("format=mxfp4 rounding=up");
      if (mxgold_ok(models[i]) == 0) $fatal(1, "score_rtl: %s", mxgold_error(models[i]));
      // The RTL has a slot of 32 bits for each element.
      if (mxgold_set_lane_bits(models[i], "source", 32) == 0) $fatal(1, mxgold_error(models[i]));
    end
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end
endmodule
