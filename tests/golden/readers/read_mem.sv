// Reads a .mem file of blocks with $readmemh and shows where each field lies in a word.
// Parameters: Digits = hex digits of a word, SourceBits = bits of a source word, ElementsBits = bits
// of the field elements, 0 without (gen --lengths full). Plusarg: +mem=FILE.
module read_mem;
  parameter int Digits = 204;
  parameter int SourceBits = 16;
  parameter int ElementsBits = 16;
  localparam int Lanes = 32;
  localparam int Width = 4 * Digits;
  localparam int SourceTop = Width - 33 - ElementsBits;

  reg [Width-1:0] mem[0:262143];
  reg [Width-1:0] word;
  reg [8*256-1:0] file;
  reg [Lanes*SourceBits-1:0] tdata;
  reg [31:0] tuser;
  reg [7:0] scale;
  reg [Lanes*8-1:0] codes;
  reg [7:0] flags;
  reg [31:0] sum;
  integer count, elements, i, lane;

  initial begin
    if ($value$plusargs("mem=%s", file) == 0) $fatal(1, "+mem=FILE is missing");
    $readmemh(file, mem);
    // A missing or truncated file leaves X behind, which no comparison with !== takes for a match.
    if (mem[0][127:64] !== 64'h4d58475600000002) $fatal(1, "word 0 is no head of schema 2");
    count = mem[0][31:0];
    if (mem[0][63:32] !== 0 || count < 1 || count > 262142) $fatal(1, "the count is not plausible");
    if (mem[count+1][127:0] !== {64'h4d58474500000002, 32'd0, count}) begin
      $fatal(1, "word %0d is no tail", count + 1);
    end
    sum = 0;
    for (i = 1; i <= count; i = i + 1) begin
      word = mem[i];
      if (^word === 1'bx) $fatal(1, "word %0d has an X", i);
      // The first field is the most significant; lane 0 of a field is its most significant word.
      tuser = word[Width-1-:32];
      elements = ElementsBits == 16 ? word[Width-33-:16] : Lanes;
      if (elements < 1 || elements > Lanes) $fatal(1, "word %0d: %0d elements", i, elements);
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        tdata[lane*SourceBits+:SourceBits] = word[SourceTop-lane*SourceBits-:SourceBits];
        codes[lane*8+:8] = word[8*(Lanes-lane)+:8];
      end
      scale = word[8*(Lanes+1)+:8];
      flags = word[7:0];
      sum = sum + tuser + elements + scale + flags + codes[31*8+:8] + tdata[SourceBits-1:0];
    end
    $display("PASS %0d records, sum %08h", count, sum);
    $finish;
  end
endmodule
