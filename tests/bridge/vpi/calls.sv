// Every system function of mxgold.vpi once, with the answers of tests/bridge/dpi/calls.sv, and once
// so that it is refused: X and Z by the operand's name. Ends with PASS and the number of checks.
module calls;

  integer checks = 0;
  integer model, board, status, i;
  reg [8*400:1] message;
  reg [1023:0] source, source16;
  reg [255:0] codes, open, ones;
  reg [63:0] code, scale;
  reg [7:0] flags;
  reg [511:0] values;
  reg [1023:0] floats;
  reg [31:0] word;
  string said;
  real of_array[0:1];

  task must(input is_right, input [8*40:1] what);
    begin
      checks = checks + 1;
      if (is_right !== 1'b1) begin
        status = $mxgold_error(model, message);
        $display("calls: %0s: %0s", what, message);
        $fatal(1, "calls");
      end
    end
  endtask

  // The call failed, its result is X, and the message contains the text.
  task refused(input integer with_status, input [8*80:1] text);
    integer at, is_there, length;
    begin
      checks = checks + 1;
      status = $mxgold_error(model, message);
      length = 0;
      for (at = 0; at < 80; at = at + 1) if (text[8*at+1+:8] != 0) length = at + 1;
      is_there = 0;
      for (at = 0; at + length <= 400; at = at + 1) begin
        if (((message >> (8 * at)) & ((640'd1 << (8 * length)) - 1)) == text) is_there = 1;
      end
      if (with_status !== 0 || is_there == 0) begin
        $display("calls: status %0d, \"%0s\" does not name \"%0s\"", with_status, message, text);
        $fatal(1, "calls");
      end
    end
  endtask

  initial begin
    // Blocks.
    model = $mxgold_open("format=mxfp8_e4m3");
    must($mxgold_ok(model) == 1, "open");
    must($mxgold_words(model, "source") == 32 && $mxgold_bits(model, "source") == 32, "source");
    must($mxgold_lane_bits(model, "code") == 8, "lanes");
    source = 0;
    source[127:0] = 128'h3A83126F_3C000000_BF400000_40490FDB;
    must($mxgold_block(model, 0, source, 0, scale, codes, flags) == 1, "block");
    must(scale === 64'h78 && codes === 256'h2038EC7D, "block of e4m3fn");
    must($mxgold_value(model, "code", 8'h7D, message) == 1 && message == "416", "value");
    must($mxgold_explain(model) == 1, "explanation");
    must($mxgold_word(model, word) == 1 && word === 0, "word of the default");
    must($mxgold_open_bits(model, "code", open) == 1 && open === 0, "nothing is open");
    refused($mxgold_block(model, 33, source, 0, scale, codes, flags), "33 of 32 lanes");
    must(codes === {256{1'bx}} && scale === {64{1'bx}}, "no answer is X");
    refused($mxgold_cvt(model, 0, 0, code, flags), "op=block");
    refused($mxgold_open_bits(model, "colour", open), "colour");
    refused($mxgold_set_lane_bits(model, "code", 7), "from 8 to 64");
    refused($mxgold_block(model, 0, source[511:0], 0, scale, codes, flags), "operand source: 512");
    refused($mxgold_block(model, 0, source, 0, scale, codes[7:0], flags), "result code: 8 bits");
    source[37] = 1'bx;
    refused($mxgold_block(model, 0, source, 0, scale, codes, flags), "operand source: bit 37 is X");
    must($mxgold_block(model, 1, source, 0, scale, codes, flags) == 1, "an X beyond the elements");
    source[37] = 1'bz;
    refused($mxgold_block(model, 0, source, 0, scale, codes, flags), "operand source: bit 37 is X");
    refused($mxgold_block(model, 32'bx, source, 0, scale, codes, flags), "operand elements: bit 0");
    source[63:0] = 64'h3F800000_7FC00000;
    must($mxgold_block(model, 0, source, 0, scale, codes, flags) == 1 && scale === 64'hFF, "NaN");
    must($mxgold_open_bits(model, "code", open) == 1 && open === {256{1'b1}}, "codes are open");
    must($mxgold_close(model) == 1, "close");
    refused($mxgold_block(model, 0, source, 0, scale, codes, flags), "no handle");
    model = $mxgold_open_word(32'h404, "");
    must($mxgold_ok(model) == 1, "word");
    must($mxgold_set_lane_bits(model, "code", 4) == 1, "dense lanes");
    source = 1024'hBF80_4040;
    must($mxgold_block(model, 2, source, 0, scale, codes, flags) == 1, "dense block");
    must(scale === 64'h7E && codes === 256'hC7, "dense codes of 6 and -2");
    // Numbers that are no operands: an X is none of them, nor is what does not fit.
    refused($mxgold_set_lanes(model, 32'bx), "operand lanes: bit 0 is X");
    refused($mxgold_set_lane_bits(model, "code", 8'bz), "operand bits: bit 0 is X");
    refused($mxgold_value(model, "code", 8'b0000_x000, message), "operand code: bit 3 is X");
    must($mxgold_ok(32'b1x) == 0 && $mxgold_close(32'b1x) == 0, "a handle with an X");
    must($mxgold_text(0, said) == 0 && said == "", "no text");
    must($mxgold_text(model, said) == 1 && said != "", "a string");
    must($mxgold_text(32'bx, said) == 0 && said == "", "no text any more");
    model = $mxgold_open_word(32'b100_0000_x100, "");
    refused($mxgold_ok(model), "operand tuser: bit 3 is X");
    model = $mxgold_open_word(64'h1_0000_0404, "");
    refused($mxgold_ok(model), "operand tuser: more than 32 bits");
    // Scalars.
    model = $mxgold_open("op=cvt destination=e4m3fn");
    must($mxgold_cvt(model, 32'h3F880000, 0, code, flags) == 1, "cvt");
    must(code === 64'h38 && flags === 8'h01, "1.0625 is a tie");
    refused($mxgold_cvt(model, 32'hx, 0, code, flags), "operand source: bit 0 is X");
    refused($mxgold_cvt(model, 128'h1 << 64, 0, code, flags), "operand source: more than 64 bits");
    of_array[1] = 1.5;
    must($mxgold_cvt(model, of_array[1], 0, code, flags) == 0 && code === {64{1'bx}}, "a real number");
    model = $mxgold_open("op=arith operation=fma format=fp16");
    must($mxgold_arith(model, 16'h4000, 16'h4200, 16'h3C00, code, flags) == 1, "fma");
    must(code === 64'h4700 && flags === 8'h00, "2 * 3 + 1");
    refused($mxgold_arith(model, 0, 16'hz, 0, code, flags), "operand b: bit 0 is X");
    model = $mxgold_open("op=arith operation=divide preset=riscv");
    must($mxgold_arith(model, 32'h3F800000, 0, 0, code, flags) == 1, "divide");
    must(code === 64'h7F800000 && flags === 8'h08, "1 / 0 sets DZ of fflags");
    // Rows.
    model = $mxgold_open("op=dequantize format=mxfp4 result=bf16");
    must($mxgold_dequantize(model, 2, 8'h80, 256'h0902, values) == 1, "dequantize");
    must(values === 512'hBF80_4000, "2 * 1 and 2 * -0.5");
    model = $mxgold_open("op=dot a=mxfp4");
    for (i = 0; i < 32; i = i + 1) ones[8*i+:8] = 8'h02;
    must($mxgold_dot(model, 0, 8'h7F, ones, 8'h80, ones, 0, code, flags) == 1, "dot");
    must(code === 64'h42800000, "32 times 1 * 2");
    refused($mxgold_dot(model, 0, 8'h7F, ones, 8'h8x, ones, 0, code, flags), "operand b_scale: bit 0");
    must($mxgold_set_lanes(model, 64) == 1 && $mxgold_words(model, "a_scale") == 2, "two blocks");
    model = $mxgold_open("op=mma unit=h100_wgmma_fp8 a=e4m3fn");
    for (i = 0; i < 32; i = i + 1) ones[8*i+:8] = 8'h38;
    must($mxgold_dot(model, 32, 8'hx, ones, 8'hx, ones, 32'h41800000, code, flags) == 1, "mma");
    must(code === 64'h42400000 && flags === 8'h00, "32 times 1 * 1, and 16");
    refused($mxgold_dot(model, 32, 0, ones, 0, ones, 32'bx, code, flags), "operand c: bit 0");
    model = $mxgold_open("op=cast cast=dmx:MXFP8[E4M3]{32}");
    must($mxgold_cast(model, 1024'h3F880000, 0, 0, word, floats) == 1, "cast");
    must(floats === 1024'h3F800000, "1.0625 becomes 1");
    model = $mxgold_open("op=cvt source=bf16 destination=e2m1fn");
    must($mxgold_line(model, "3f80", message) == 1 && message == "02 00", "line");
    refused($mxgold_line(model, "3f8", message), "source");
    must($mxgold_text(model, message) == 1, "text");
    // A scoreboard: right, wrong, and a vector that is too narrow.
    board = $mxgold_score_open("name=calls nan=any errors=9");
    must($mxgold_score_mask(board, "flags", 8'h01) == 1, "mask");
    must($mxgold_score_mask(board, "flags", 8'h0x) == 0, "a mask with an X");
    model = $mxgold_open("op=cvt destination=e4m3fn");
    status = $mxgold_cvt(model, 32'h3F880000, 0, code, flags);
    must($mxgold_score_expect(board, model, "here") == 1, "expect");
    must($mxgold_score_observe(board, 0, 8'h38, 8'hFF) == 1, "observe");
    must($mxgold_score_expect(board, model, "here") == 1, "expect");
    must($mxgold_score_observe(board, 0, 8'h38, 8'hFE) == 0, "a wrong flag");
    must($mxgold_score_expect(board, model, "here") == 1, "expect");
    must($mxgold_score_observe(board, 0, 4'h8, 8'h01) == 0, "a narrow code");
    must($mxgold_score_count(board, "wrong") == 2, "two wrong");
    must($mxgold_score_count(board, "unknown") == 1, "one unknown");
    must($mxgold_score_finish(board) == 0, "no pass");
    must($mxgold_score_finish(0) == 0, "no scoreboard");
    // Wrong handles.
    model = $mxgold_open("format=mxfp5");
    refused($mxgold_ok(model), "format=mxfp5");
    model = $mxgold_open_word(32'hFFFFFFFF, "");
    refused($mxgold_ok(model), "ffffffff");
    $display("PASS calls: %0d checks", checks);
    $finish;
  end
endmodule
