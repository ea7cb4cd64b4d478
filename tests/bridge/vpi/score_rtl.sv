// Our quantizer under the scoreboard of mxgold.vpi: blocks from vector files and generated ones,
// MXFP4 and MXFP8 from bf16 and fp32, with stalls on both sides.
//
//   +file0= ... +file3=  .tv files of e2m1fn/bf16, e4m3fn/bf16, e2m1fn/fp32, e4m3fn/fp32
//   +blocks=N            blocks in all, the rest of them generated (10000)
//   +fault=flip | x | z | operand | lost | extra | empty | handle   what the bench then does wrong
module score_rtl;

  reg clk = 0;
  reg rst_n = 0;
  reg [1023:0] tdata = 0;
  reg [127:0] tkeep = 0;
  reg [31:0] tuser = 0;
  reg tvalid = 0;
  reg take = 0;
  wire tready, m_valid, rnd_ready, m_last;
  wire [255:0] m_data;
  wire [31:0] m_keep;
  wire [15:0] m_user;
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
  always #5 clk = !clk;

  integer models[0:3];
  reg [31:0] words[0:3];
  integer board, status, i;
  integer blocks = 10000, offered = 0, answered = 0, idle = 0, seed = 1;
  integer file = 0, file_of = 0;
  reg [8*16:1] fault = "";
  reg [8*256:1] path;
  reg [8*400:1] message;

  // A block: which model, how many elements, their codes in lanes of 32 bits.
  integer which, elements;
  reg [1023:0] source;
  reg is_there;
  reg [31:0] number;
  reg [63:0] scale;
  reg [255:0] code;
  reg [7:0] flags;

  // The next record of the files into the variables of the block, if there is one.
  task next_of_file;
    begin
      is_there = 0;
      while (!is_there && file_of < 4) begin
        if (file == 0) begin
          case (file_of)
            0: status = $value$plusargs("file0=%s", path);
            1: status = $value$plusargs("file1=%s", path);
            2: status = $value$plusargs("file2=%s", path);
            3: status = $value$plusargs("file3=%s", path);
          endcase
          if (status != 0) begin
            file = $fopen(path, "r");
            if (file == 0) $fatal(1, "score_rtl: %0s cannot be read", path);
          end else begin
            file_of = file_of + 1;
          end
        end else if ($fscanf(file, "%h", number) == 1) begin
          if (number !== words[file_of]) $fatal(1, "score_rtl: a file of another word");
          status = $fscanf(file, "%h", elements);
          for (i = 0; i < 32; i = i + 1) begin
            status = $fscanf(file, "%h", number);
            source[32*i+:32] = number;
          end
          // What the file says of the answer is the device's to meet, too: here it is left out.
          for (i = 0; i < 34; i = i + 1) status = $fscanf(file, "%h", number);
          if (status != 1) $fatal(1, "score_rtl: a short record");
          which = file_of;
          is_there = 1;
        end else if ($fgets(message, file) == 0) begin
          $fclose(file);
          file = 0;
          file_of = file_of + 1;
        end
      end
    end
  endtask

  // Random codes whose exponents lie together, with zeros and a special now and then.
  task generated;
    reg [7:0] top;
    begin
      which = $unsigned($random(seed)) % 4;
      elements = $unsigned($random(seed)) % 8 == 0 ? 1 + $unsigned($random(seed)) % 32 : 32;
      top = $random(seed);
      for (i = 0; i < 32; i = i + 1) begin
        number = $random(seed);
        number[30:23] = top - $unsigned($random(seed)) % 10;
        if ($unsigned($random(seed)) % 16 == 0) number[30:0] = 0;
        if ($unsigned($random(seed)) % 256 == 0) number[30:23] = 8'hFF;
        if (which < 2) number = {16'd0, number[31:16]};
        source[32*i+:32] = i < elements ? number : 32'd0;
      end
    end
  endtask

  // Asks the model and tells the scoreboard.
  task ask;
    begin
      if (fault == "operand" && offered == 77) source[5] = 1'bx;
      if ($mxgold_block(models[which], elements, source, 0, scale, code, flags) == 0) begin
        status = $mxgold_error(models[which], message);
        $display("score_rtl: block %0d: %0s", offered, message);
        $fatal(1, "score_rtl");
      end
      status = $mxgold_score_expect(board, models[which], "mx_quantizer");
    end
  endtask

  always @(posedge clk) begin
    if (rst_n && (!tvalid || tready)) begin
      if (offered < blocks && $unsigned($random(seed)) % 8 != 0) begin
        next_of_file;
        if (!is_there) generated;
        ask;
        offered = offered + 1;
        tvalid <= 1;
        tdata <= source;
        tuser <= words[which];
        tkeep <= elements == 32 ? {128{1'b1}} : (128'd1 << (4 * elements)) - 128'd1;
      end else begin
        // What is not valid is unknown: a device that looks at it shows X.
        tvalid <= 0;
        tdata <= {1024{1'bx}};
      end
    end
    take <= $unsigned($random(seed)) % 8 != 0;
  end

  reg [255:0] seen;
  always @(posedge clk) begin
    if (rst_n) begin
      idle = idle + 1;
      if (m_valid && take) begin
        seen = m_data;
        if (fault == "flip" && answered == 77) seen[0] = !seen[0];
        if (fault == "x" && answered == 77) seen[9] = 1'bx;
        if (fault == "z" && answered == 77) seen[9] = 1'bz;
        if (!(fault == "lost" && answered == 77)) begin
          status = $mxgold_score_observe(board, m_user[7:0], seen, m_user[15:8]);
        end
        if (fault == "extra" && answered == blocks - 1) begin
          status = $mxgold_score_observe(board, m_user[7:0], seen, m_user[15:8]);
        end
        answered = answered + 1;
        idle = 0;
      end
      if (answered == blocks || idle == 1000) begin
        if ($mxgold_score_finish(board) == 0) $fatal(1, "score_rtl: FAIL");
        $finish;
      end
    end
  end

  initial begin
    status = $value$plusargs("fault=%s", fault);
    status = $value$plusargs("blocks=%d", blocks);
    if (fault == "empty") blocks = 0;
    words[0] = 32'h404;
    words[1] = 32'h400;
    words[2] = 32'h004;
    words[3] = 32'h000;
    board = $mxgold_score_open("name=mx_quantizer errors=3");
    for (i = 0; i < 4; i = i + 1) begin
      models[i] = $mxgold_open_word(words[i], "");
      if (fault == "handle" && i == 2) models[i] = $mxgold_open("format=mxfp4 rounding=up");
      if ($mxgold_ok(models[i]) == 0) begin
        status = $mxgold_error(models[i], message);
        $display("score_rtl: %0s", message);
        $fatal(1, "score_rtl");
      end
      // The RTL has a slot of 32 bits for each element.
      status = $mxgold_set_lane_bits(models[i], "source", 32);
    end
    repeat (4) @(posedge clk);
    #1 rst_n = 1;
  end
endmodule
