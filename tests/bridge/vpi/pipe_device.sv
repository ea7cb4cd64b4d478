// A device of `mxgold run --dut process:'vvp ...' --pipe fifo` for Icarus: reads records from the
// FIFO +in=, answers them by the model of +model=, or of each record's word where there is none,
// through $mxgold_block and $mxgold_dot, and writes the answers to +out=. +fault=flip answers one code
// wrongly, x one with an X, lost leaves one out, empty ends without an answer.
module pipe_device;

  integer model, in_file, out_file, status, i, lanes, count, record, elements, width, scale_width;
  reg [8*512:1] text, path;
  reg [8*16:1] fault;
  reg [8*8192:1] line;
  reg has_model, has_config, has_word, has_random, is_dot;
  reg [63:0] number;
  reg [4095:0] a_scale, a, b_scale, b;
  // Models by configuration words: open addressing from a hash of the word.
  localparam SLOTS = 4096;
  integer slot, of_slot[0:SLOTS-1];
  reg [31:0] word_of_slot[0:SLOTS-1];
  reg [8*16:1] field[0:4];
  reg [63:0] scale, code;
  reg [2047:0] codes;
  reg [7:0] flags;

  task must(input integer is_right);
    if (is_right == 0) begin
      status = $mxgold_error(model, text);
      $display("pipe_device: %0s", text);
      $fatal(1, "pipe_device");
    end
  endtask

  // The model of a configuration word, opened when it comes first.
  task choose(input [31:0] tuser);
    begin
      slot = (tuser ^ tuser >> 7 ^ tuser >> 17) % SLOTS;
      while (of_slot[slot] != 0 && word_of_slot[slot] != tuser) slot = (slot + 1) % SLOTS;
      if (of_slot[slot] == 0) begin
        word_of_slot[slot] = tuser;
        of_slot[slot] = $mxgold_open_word(tuser, "");
      end
      model = of_slot[slot];
      must($mxgold_ok(model));
      width = $mxgold_lane_bits(model, "code");
      scale_width = $mxgold_lane_bits(model, "scale");
    end
  endtask

  // The words of a field into `a`, least significant first.
  task next_field(input integer words, input integer bits);
    begin
      a = 0;
      for (i = 0; i < words; i = i + 1) begin
        status = $fscanf(in_file, "%h", number);
        a = a | ({4032'd0, number} << (i * bits));
      end
    end
  endtask

  // A word of a result in as many digits as its lane has bits.
  task write_word(input [63:0] word, input integer bits);
    case (bits)
      8: $fwrite(out_file, "%02h", word[7:0]);
      16: $fwrite(out_file, "%04h", word[15:0]);
      32: $fwrite(out_file, "%08h", word[31:0]);
      default: $fwrite(out_file, "%016h", word);
    endcase
  endtask

  task answer_block;
    begin
      next_field($mxgold_words(model, "source"), $mxgold_lane_bits(model, "source"));
      b = a;
      // Where another configuration draws, every record has random words.
      if (has_random) next_field(lanes, 8);
      must($mxgold_block(model, elements, b, has_random ? a : 0, scale, codes, flags));
      if (fault == "flip" && record == 100) codes[0] = !codes[0];
      if (fault == "x" && record == 100) codes[0] = 1'bx;
    end
  endtask

  task write_answer;
    begin
      if (is_dot) begin
        write_word(code, width);
      end else begin
        write_word(scale, scale_width);
        for (i = 0; i < $mxgold_words(model, "code"); i = i + 1) begin
          $fwrite(out_file, " ");
          write_word(codes >> (i * width), width);
        end
      end
      $fwrite(out_file, " ");
      write_word({56'd0, flags}, 8);
      $fwrite(out_file, "\n");
    end
  endtask

  task answer_dot;
    begin
      next_field($mxgold_words(model, "a_scale"), $mxgold_lane_bits(model, "a_scale"));
      a_scale = a;
      next_field($mxgold_words(model, "a"), $mxgold_lane_bits(model, "a"));
      b = a;
      next_field($mxgold_words(model, "b_scale"), $mxgold_lane_bits(model, "b_scale"));
      b_scale = a;
      next_field($mxgold_words(model, "b"), $mxgold_lane_bits(model, "b"));
      must($mxgold_dot(model, elements, a_scale, b, b_scale, a, 0, code, flags));
      if (fault == "flip" && record == 100) code[0] = !code[0];
      if (fault == "x" && record == 100) code[0] = 1'bx;
    end
  endtask

  initial begin
    has_model = 0;
    has_config = 0;
    has_word = 0;
    has_random = 0;
    is_dot = 0;
    fault = "";
    for (i = 0; i < SLOTS; i = i + 1) of_slot[i] = 0;
    if ($value$plusargs("model=%s", text)) begin
      has_model = 1;
      model = $mxgold_open(text);
      must($mxgold_ok(model));
    end
    if (!$value$plusargs("in=%s", path)) $fatal(1, "pipe_device: give +in=");
    in_file = $fopen(path, "r");
    if (!$value$plusargs("out=%s", path)) $fatal(1, "pipe_device: give +out=");
    out_file = $fopen(path, "w");
    if (in_file == 0 || out_file == 0) $fatal(1, "pipe_device: a FIFO cannot be opened");
    status = $value$plusargs("fault=%s", fault);
    // The header, up to "# count N". Icarus evaluates both sides of &&.
    count = -1;
    while (count < 0) begin
      if ($fgets(line, in_file) == 0) $fatal(1, "pipe_device: the header ends early");
      if ($sscanf(line, "# op %s", text) == 1 && text == "dot") is_dot = 1;
      status = $sscanf(line, "# fields %s %s %s %s %s", field[0], field[1], field[2], field[3], field[4]);
      for (i = 0; i < status; i = i + 1) begin
        if (field[i] == "config:2") has_config = 1;
        if (field[i] == "tuser:8") has_word = 1;
        if (field[i] == "random[32]:2") has_random = 1;
      end
      if ($sscanf(line, "# lanes %d", lanes) == 1 && is_dot) begin
        must($mxgold_set_lanes(model, lanes));
      end
      status = $sscanf(line, "# count %d", count);
    end
    if (fault == "empty") count = 0;
    if (has_model) begin
      width = $mxgold_lane_bits(model, "code");
      scale_width = $mxgold_lane_bits(model, "scale");
    end else if (!has_word) begin
      $fatal(1, "pipe_device: the records have no word: give +model=");
    end
    for (record = 0; record < count; record = record + 1) begin
      if (has_config) status = $fscanf(in_file, "%h", number);
      if (has_word) status = $fscanf(in_file, "%h", number);
      if (!has_model) choose(number[31:0]);
      status = $fscanf(in_file, "%h", elements);
      if (is_dot) answer_dot;
      else answer_block;
      if (!(fault == "lost" && record == 100)) write_answer;
    end
    $fclose(out_file);
    $display("pipe_device: %0d records", count);
    $finish;
  end
endmodule
