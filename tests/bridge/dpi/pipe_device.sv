// A device of `mxgold run --dut process:'...' --pipe fifo` in SystemVerilog: reads records from the
// FIFO +in=, answers them by the model of +model=, or of each record's word where there is none,
// through the typed calls, block and dot by packed vectors, and writes the answers to +out=.
// +fault=flip answers one code wrongly, x one with a digit that is none, lost leaves one answer out,
// wide answers a word that is none, empty ends without an answer.
module pipe_device;
  import mxgold_pkg::*;

  chandle model;
  string model_text, in_path, out_path, fault;
  int in_file, out_file;
  int records;
  bit has_model, has_config, has_word, has_random, is_dot;
  chandle of_word[int unsigned];

  // The words of a line, one after the other.
  string rest;
  function automatic string next_word();
    int at;
    at = 0;
    while (at < rest.len() && rest.getc(at) != " " && rest.getc(at) != "\n") at++;
    next_word = rest.substr(0, at - 1);
    rest = at + 1 < rest.len() ? rest.substr(at + 1, rest.len() - 1) : "";
  endfunction
  function automatic bit [31:0] next_number();
    string word;
    word = next_word();
    next_number = word.atohex();
  endfunction
  // The words of a field on a bus.
  function automatic bus_t next_field(string field);
    int width;
    bus_t bus;
    width = mxgold_lane_bits(model, field);
    bus = '0;
    for (int i = 0; i < int'(mxgold_words(model, field)); i++) begin
      bus = bus | (bus_t'(next_number()) << (i * width));
    end
    next_field = bus;
  endfunction
  function automatic string hex(longint unsigned value, int bits);
    string text;
    text = $sformatf("%016h", value);
    hex = text.substr(16 - bits / 4, 15);
  endfunction

  task automatic must(input int status);
    if (status == 0) $fatal(1, "pipe_device: %s", mxgold_error(model));
  endtask

  // The model of a configuration word, opened when it comes first.
  task automatic choose(input int unsigned word);
    if (has_model) return;
    if (of_word.exists(word) == 0) of_word[word] = mxgold_open_word(word, "");
    model = of_word[word];
    must(mxgold_ok(model));
  endtask

  // Tasks: of two functions that set one variable, Verilator 5.006 calls both.
  task automatic block_answer(output string answer);
    int unsigned elements;
    bus_t source, random, codes;
    longint unsigned scale;
    byte unsigned flags;
    int width;
    string line;
    if (has_config) void'(next_number());
    if (has_word) choose(next_number());
    elements = next_number();
    source = next_field("source");
    random = '0;
    // A model whose rounding is not stochastic has no such field: the words are the last operands.
    if (has_random && mxgold_words(model, "random") != 0) random = next_field("random");
    must(mxgold_block(model, elements, source, random, scale, codes, flags));
    if (fault == "flip" && records == 100) codes[0] = !codes[0];
    width = mxgold_lane_bits(model, "code");
    line = hex(scale, mxgold_lane_bits(model, "scale"));
    for (int i = 0; i < int'(mxgold_words(model, "code")); i++) begin
      line = {line, " ", hex(codes[63:0] & ((64'd1 << width) - 1), width)};
      codes = codes >> width;
    end
    answer = {line, " ", hex({56'd0, flags}, 8)};
  endtask

  task automatic dot_answer(output string answer);
    int unsigned elements;
    bus_t a_scale, a, b_scale, b;
    longint unsigned code;
    byte unsigned flags;
    elements = next_number();
    a_scale = next_field("a_scale");
    a = next_field("a");
    b_scale = next_field("b_scale");
    b = next_field("b");
    must(mxgold_dot(model, elements, a_scale, a, b_scale, b, 0, code, flags));
    if (fault == "flip" && records == 100) code[0] = !code[0];
    answer = {hex(code, mxgold_lane_bits(model, "code")), " ", hex({56'd0, flags}, 8)};
  endtask

  // Does a line start with a text?
  function automatic bit starts(string line, string with_text);
    starts = line.len() >= with_text.len() && line.substr(0, with_text.len() - 1) == with_text;
  endfunction

  function automatic bit contains(string line, string text);
    contains = 1'b0;
    for (int i = 0; i + text.len() <= line.len(); i++) begin
      if (line.substr(i, i + text.len() - 1) == text) contains = 1'b1;
    end
  endfunction

  initial begin
    string line, answer;
    int lanes;
    if ($value$plusargs("in=%s", in_path) == 0 || $value$plusargs("out=%s", out_path) == 0) begin
      $fatal(1, "pipe_device: give +in= +out=");
    end
    if ($value$plusargs("fault=%s", fault) == 0) fault = "";
    if ($value$plusargs("model=%s", model_text) != 0) begin
      has_model = 1'b1;
      model = mxgold_open(model_text);
      must(mxgold_ok(model));
    end
    in_file = $fopen(in_path, "r");
    if (in_file == 0) $fatal(1, "pipe_device: +in=%s cannot be read", in_path);
    out_file = $fopen(out_path, "w");
    if (out_file == 0) $fatal(1, "pipe_device: +out=%s cannot be written", out_path);
    while ($fgets(line, in_file) > 0) begin
      if (starts(line, "# op dot")) is_dot = 1'b1;
      if (starts(line, "# fields ")) begin
        has_config = starts(line, "# fields config:");
        has_word = contains(line, " tuser:");
        has_random = contains(line, " random[");
      end
      if (starts(line, "# count ") && !has_model && !has_word) begin
        $fatal(1, "pipe_device: the records have no word: give +model=");
      end
      if (starts(line, "# count ") && fault == "empty") break;
      if (starts(line, "# lanes ")) begin
        line = line.substr(8, line.len() - 2);
        lanes = line.atoi();
        if (is_dot) must(mxgold_set_lanes(model, lanes));
        line = "#";
      end
      if (!starts(line, "#")) begin
        rest = line;
        if (is_dot) dot_answer(answer);
        else block_answer(answer);
        if (fault == "x" && records == 100) answer = {"x", answer.substr(1, answer.len() - 1)};
        if (fault == "wide" && records == 100) answer = {answer, "0"};
        if (!(fault == "lost" && records == 100)) $fwrite(out_file, "%s\n", answer);
        records++;
      end
    end
    $fclose(out_file);
    $display("pipe_device: %0d records", records);
    $finish;
  end
endmodule
