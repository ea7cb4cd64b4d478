// Vectors from a .mem file, whose words the package of `mxgold gen --sv mx_vectors.sv` describes:
//   mxgold gen --format mxfp4,mxfp8_e4m3 --random-bits 8 -o blocks.mem --sv mx_vectors.sv
// Plusarg: +mem=FILE.
module mem_bench;
  import mx_vectors::*;
  localparam int Lanes = mx_vectors::CodeWords;
  localparam int SourceBits = mx_vectors::SourceBits;
  localparam int SrBits = 8;

  reg [mx_vectors::Width-1:0] mem[mx_vectors::Count+2];
  record_t record;
  reg [8*1024-1:0] file;
  logic [Lanes*SourceBits-1:0] source;
  logic [Lanes*SrBits-1:0] random;
  logic [Lanes*8-1:0] codes;
  integer n, lane, elements;

  quantizer_check #(
      .Lanes(Lanes),
      .SourceBits(SourceBits),
      .SrBits(SrBits)
  ) check ();

  initial begin
    if ($value$plusargs("mem=%s", file) == 0) $fatal(1, "+mem=FILE is missing");
    $readmemh(file, mem);
    // A missing or short file leaves X behind.
    if (mem[0][127:0] !== mx_vectors::Head) $fatal(1, "word 0 is no head of these vectors");
    if (mem[mx_vectors::Count+1][127:0] !== mx_vectors::Tail) $fatal(1, "the last word is no tail");
    for (n = 1; n <= mx_vectors::Count; n = n + 1) begin
      record = mem[n];
      if (^record === 1'bx) $fatal(1, "word %0d has an X", n);
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        source[lane*SourceBits+:SourceBits] =
            mem[n][mx_vectors::SourceMsb-lane*SourceBits-:SourceBits];
        codes[lane*8+:8] = mem[n][mx_vectors::CodeMsb-lane*8-:8];
`ifdef MX_RANDOM
        random[lane*SrBits+:SrBits] =
            mem[n][mx_vectors::RandomMsb-lane*mx_vectors::RandomBits-:mx_vectors::RandomBits];
`else
        random[lane*SrBits+:SrBits] = $random;
`endif
      end
      elements = Lanes;
`ifdef MX_ELEMENTS
      elements = {16'd0, record.elements};
`endif
      check.ask(record.tuser, elements, source, random, record.scale, codes, record.flags);
    end
    check.finish(mx_vectors::Count);
  end
endmodule
