// Vectors from a .tv file by $fscanf: blocks from fp32, bf16 or fp16 that have the field tuser. Its
// header says which fields a record has. Plusarg: +vec=FILE. The parameters are those of the device; vectors of
// other blocks or random words are refused.
module tv_bench #(
    parameter int Lanes = 32,  // of a block, which is one beat
    parameter int SrBits = 8   // of a random word
);
  reg [8*1024-1:0] file;
  reg [8*8192-1:0] line;
  reg [8*64-1:0] key;
  reg [8*64-1:0] taken_lanes, taken_random_bits;
  reg [8*64-1:0] value;
  reg [8*64-1:0] other_bits;
  reg [31:0] tuser;
  reg [63:0] word;
  reg [7:0] scale, flags;
  logic [Lanes*32-1:0] source;
  logic [Lanes*SrBits-1:0] random;
  logic [Lanes*8-1:0] codes;
  integer fd, count, elements, ended, n, lane, got;
  integer has_elements, has_random, has_config;

  quantizer_check #(
      .Lanes(Lanes),
      .SourceBits(32),
      .SrBits(SrBits)
  ) check ();

  // One word; the end of the file and a word with unknown bits are errors.
  task automatic next_word(output reg [63:0] w);
    begin
      if ($fscanf(fd, "%h", w) != 1) $fatal(1, "record %0d of %0d is not whole", n, count);
      if ((^w) === 1'bx) $fatal(1, "record %0d of %0d has an X", n, count);
    end
  endtask

  // What this bench cannot judge it says, rather than reading words for others.
  task want(input reg [8*64-1:0] wanted);
    if (value != wanted) $fatal(1, "# %0s %0s: this bench takes %0s", key, value, wanted);
  endtask

  initial begin
    if ($value$plusargs("vec=%s", file) == 0) $fatal(1, "+vec=FILE is missing");
    fd = $fopen(file, "r");
    if (fd == 0) $fatal(1, "the file cannot be opened");
    other_bits = 0;
    $sformat(taken_lanes, "%0d", Lanes);
    $sformat(taken_random_bits, "%0d", SrBits);
    has_elements = 0;
    has_random = 0;
    has_config = 0;
    count = -1;
    while (count < 0) begin
      if ($fscanf(fd, " # %s", key) != 1) $fatal(1, "no header");
      if (key == "count") begin
        got = $fscanf(fd, "%d", count);
      end else if (key == "op" || key == "lanes" || key == "open" || key == "block_size" ||
                   key == "extent" || key == "tensor_scale" || key == "random_bits") begin
        got = $fscanf(fd, "%s", value);
        if (key == "op") want("block");
        if (key == "lanes" || key == "block_size") want(taken_lanes);
        if (key == "open" || key == "tensor_scale") want("none");
        if (key == "extent") want("elements");
        if (key == "random_bits" && value != taken_random_bits) other_bits = value;
        got = $fgets(line, fd);
      end else if (key == "lengths" || key == "random" || key == "configurations") begin
        got = $fscanf(fd, "%s", value);
        if (key == "lengths") has_elements = value == "vary" ? 1 : 0;
        if (key == "random") has_random = value == "direct" ? 1 : 0;
        if (has_random != 0 && other_bits != 0) begin
          $fatal(1, "# random_bits %0s: this bench takes %0d", other_bits, SrBits);
        end
        if (key == "configurations") has_config = value == "1" ? 0 : 1;
        got = $fgets(line, fd);
      end else if ($fgets(line, fd) == 0) $fatal(1, "no header");
    end
    for (n = 0; n < count; n = n + 1) begin
      if (has_config != 0) next_word(word);
      next_word(word);
      tuser = word[31:0];
      elements = Lanes;
      if (has_elements != 0) begin
        next_word(word);
        elements = word[31:0];
      end
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        next_word(word);
        source[lane*32+:32] = word[31:0];
      end
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        word[31:0] = $random;
        if (has_random != 0) next_word(word);
        random[lane*SrBits+:SrBits] = word[SrBits-1:0];
      end
      next_word(word);
      scale = word[7:0];
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        next_word(word);
        codes[lane*8+:8] = word[7:0];
      end
      next_word(word);
      flags = word[7:0];
      check.ask(tuser, elements, source, random, scale, codes, flags);
    end
    ended = 0;
    if ($fscanf(fd, " # end %d", ended) != 1 || ended != count) $fatal(1, "no trailer");
    check.finish(count);
  end
endmodule
