// Every call of mxgold_pkg once, with answers that were computed by hand or stand in the
// specification, and once so that it is refused. Ends with PASS and the number of checks.
module calls;
  import mxgold_pkg::*;

  int checks;

  task automatic must(input bit is_right, input string what);
    checks++;
    if (!is_right) $fatal(1, "calls: %s", what);
  endtask

  task automatic refused(input chandle model, input int status, input string word);
    string message;
    message = mxgold_error(model);
    checks++;
    if (status != 0 || !contains(message, word)) begin
      $fatal(1, "calls: status %0d, \"%s\" does not name \"%s\"", status, message, word);
    end
  endtask

  function automatic bit contains(string text, string word);
    contains = 1'b0;
    for (int i = 0; i + word.len() <= text.len(); i++) begin
      if (text.substr(i, i + word.len() - 1) == word) contains = 1'b1;
    end
  endfunction

  chandle model;
  longint unsigned code, scale;
  byte unsigned flags;
  int unsigned tuser;
  bus_t source, codes, values, open;

  task automatic blocks();
    // spec style, section 13: e4m3fn, floor: 40490FDB BF400000 3C000000 3A83126F -> 78; 7D EC 38 20.
    model = mxgold_open("format=mxfp8_e4m3");
    must(mxgold_ok(model) == 1, mxgold_error(model));
    must(mxgold_words(model, "source") == 32 && mxgold_bits(model, "source") == 32, "source");
    must(mxgold_lane_bits(model, "code") == 8 && mxgold_bits(model, "flags") == 8, "lanes");
    source = '0;
    source[127:0] = 128'h3A83126F_3C000000_BF400000_40490FDB;
    must(mxgold_block(model, 0, source, '0, scale, codes, flags) == 1, mxgold_error(model));
    must(scale == 64'h78 && codes[31:0] == 32'h2038EC7D && codes[2047:32] == '0, "block of e4m3fn");
    must(mxgold_value(model, "code", 64'h7D) == "416", mxgold_value(model, "code", 64'h7D));
    must(contains(mxgold_explain(model), "result: scale 78 codes 7D EC 38 20"), "explanation");
    must(contains(mxgold_operands(model), "40490fdb bf400000"), mxgold_operands(model));
    must(mxgold_word(model, tuser) == 1 && tuser == 0, "word of the default");
    must(mxgold_open_bits(model, "code", open) == 1 && open == '0, "nothing is open");
    refused(model, mxgold_block(model, 33, source, '0, scale, codes, flags), "33 of 32 lanes");
    refused(model, mxgold_cvt(model, 0, 0, code, flags), "op=block");
    refused(model, mxgold_open_bits(model, "colour", open), "colour");
    refused(model, mxgold_set_lane_bits(model, "code", 7), "from 8 to 64");
    // What a simulator with four states finds unknown, in lanes that the record reads.
    refused(model, mxgold_known(model, "source", 0, 37), "operand source: bit 37 is X or Z");
    refused(model, mxgold_open_bits(model, "code", open), "answer");
    must(mxgold_known(model, "source", 1, 37) == 1, "an X beyond the elements");
    must(mxgold_known(model, "source", 0, -1) == 1, "no X");
    must(mxgold_known(model, "random", 0, 0) == 1, "a field that the records do not have");
    refused(model, mxgold_known(model, "colour", 0, 0), "colour");
    must(mxgold_block(model, 0, source, '0, scale, codes, flags) == 1, mxgold_error(model));
    refused(model, mxgold_refuse(model, "operand elements: bit 0 is X or Z"), "elements: bit 0");
    refused(model, mxgold_open_bits(model, "code", open), "answer");
    // A NaN: the scale is NaN, the codes are don't-care.
    source[31:0] = 32'h7FC00000;
    must(mxgold_block(model, 0, source, '0, scale, codes, flags) == 1 && scale == 64'hFF, "NaN");
    must(mxgold_open_bits(model, "code", open) == 1 && open[255:0] == '1, "codes are open");
    must(mxgold_open_bits(model, "scale", open) == 1 && open == '0, "the scale is not");
    mxgold_close(model);
    model = mxgold_refused("operand tuser: bit 3 is X or Z");
    refused(model, mxgold_ok(model), "tuser: bit 3");
    refused(model, mxgold_known(model, "source", 0, -1), "tuser: bit 3");
    mxgold_close(model);
    // Dense lanes of four bits; the same by its word: e2m1fn is format 4, bf16 source 1.
    model = mxgold_open_word(32'h0000_0404, "");
    must(mxgold_ok(model) == 1, mxgold_error(model));
    must(mxgold_set_lane_bits(model, "code", 4) == 1, mxgold_error(model));
    source = '0;
    source[31:0] = 32'hBF80_4040;  // 3, -1
    must(mxgold_block(model, 2, source, '0, scale, codes, flags) == 1, mxgold_error(model));
    must(scale == 64'h7E && codes == 2048'hC7, "dense codes of 6 and -2");
    mxgold_close(model);
  endtask

  task automatic scalars();
    model = mxgold_open("op=cvt destination=e4m3fn");
    must(mxgold_cvt(model, 64'h3F88_0000, 0, code, flags) == 1, mxgold_error(model));
    must(code == 64'h38 && flags == 8'h01, "1.0625 is a tie: 1, inexact");
    refused(model, mxgold_cvt(model, 64'h1_0000_0000, 0, code, flags), "source");
    mxgold_close(model);
    model = mxgold_open("op=arith operation=fma format=fp16");
    must(mxgold_arith(model, 64'h4000, 64'h4200, 64'h3C00, code, flags) == 1, mxgold_error(model));
    must(code == 64'h4700 && flags == 0, "2 * 3 + 1");
    mxgold_close(model);
    model = mxgold_open("op=arith operation=divide preset=riscv");
    must(mxgold_arith(model, 64'h3F80_0000, 0, 0, code, flags) == 1, mxgold_error(model));
    must(code == 64'h7F80_0000 && flags == 8'h08, "1 / 0 sets DZ of fflags");
    must(mxgold_arith(model, 64'hFFC1_2345, 64'h3F80_0000, 0, code, flags) == 1, "NaN / 1");
    must(code == 64'h7FC0_0000 && flags == 0, "the canonical NaN");
    mxgold_close(model);
  endtask

  task automatic rows();
    bus_t ones, scales;
    model = mxgold_open("op=dequantize format=mxfp4 result=bf16");
    must(mxgold_dequantize(model, 2, 64'h80, 2048'h0902, values) == 1, mxgold_error(model));
    must(values == 2048'hBF80_4000, "2 * 1 and 2 * -0.5");
    mxgold_close(model);
    model = mxgold_open("op=dot a=mxfp4");
    ones = '0;
    for (int i = 0; i < 32; i++) ones[8*i+:8] = 8'h02;
    must(mxgold_dot(model, 0, 2048'h7F, ones, 2048'h80, ones, 0, code, flags) == 1,
         mxgold_error(model));
    must(code == 64'h4280_0000, "32 times 1 * 2");
    must(mxgold_set_lanes(model, 64) == 1, mxgold_error(model));
    must(mxgold_words(model, "a_scale") == 2, "two blocks");
    refused(model, mxgold_set_lanes(model, 0), "0 lanes");
    mxgold_close(model);
    model = mxgold_open("op=mma unit=h100_wgmma_fp8 a=e4m3fn");
    ones = '0;
    for (int i = 0; i < 32; i++) ones[8*i+:8] = 8'h38;
    must(mxgold_dot(model, 32, 0, ones, 0, ones, 64'h4180_0000, code, flags) == 1, mxgold_error(model));
    must(code == 64'h4240_0000 && flags == 0, "32 times 1 * 1, and 16");
    mxgold_close(model);
    model = mxgold_open("op=cast cast=dmx:MXFP8[E4M3]{32}");
    must(mxgold_ok(model) == 1, mxgold_error(model));
    source = '0;
    source[31:0] = 32'h3F88_0000;
    must(mxgold_cast(model, source, '0, 0, scales, codes) == 1, mxgold_error(model));
    must(codes[31:0] == 32'h3F80_0000, "1.0625 becomes 1");
    mxgold_close(model);
  endtask

  task automatic arrays();
    longint unsigned operands[1], results[2], tensor[64], scales[4], all[64], level;
    byte unsigned open_words[2];
    model = mxgold_open("op=cvt destination=e4m3fn");
    operands[0] = 64'h3F88_0000;
    must(mxgold_answer(model, 0, operands, results, open_words) == 1, mxgold_error(model));
    must(results[0] == 64'h38 && results[1] == 64'h01 && open_words[0] == 0, "an array's answer");
    refused(model, mxgold_answer(model, 0, tensor, results, open_words), "operands: 64 words");
    mxgold_close(model);
    // 2688 is the largest magnitude of which nvfp4_exact makes the tensor scale 1.
    model = mxgold_open("format=nvfp4");
    foreach (tensor[i]) tensor[i] = 64'h0;
    tensor[0] = 64'h4528_0000;
    must(mxgold_tensor(model, 2, 32, 0, tensor, scales, all, level) == 1, mxgold_error(model));
    must(level == 64'h3F80_0000 && scales[0] == 64'h7E && all[0] == 64'h07, "a tensor of NVFP4");
    refused(model, mxgold_tensor(model, 2, 31, 0, tensor, scales, all, level), "62 elements");
    mxgold_close(model);
    model = mxgold_open("op=cvt source=bf16 destination=e2m1fn");
    must(mxgold_line(model, "3f80") == "02 00", mxgold_error(model));
    must(mxgold_line(model, "3f8") == "", "a short line");
    refused(model, 0, "source");
    mxgold_close(model);
  endtask

  task automatic coverage();
    chandle counted;
    longint unsigned hits;
    int is_reachable;
    string name;
    model = mxgold_open("op=cvt source=bf16 destination=e4m3fn");
    counted = mxgold_cover_open(1);
    must(mxgold_cover_sample(counted, model) == 0, "coverage of a model without an answer");
    must(contains(mxgold_cover_error(counted), "no answer"), mxgold_cover_error(counted));
    must(mxgold_cvt(model, 64'h3F80, 0, code, flags) == 1, mxgold_error(model));
    must(mxgold_cover_sample(counted, model) == 1, mxgold_cover_error(counted));
    must(mxgold_cover_count(counted, "samples") == 1 && mxgold_cover_count(counted, "hit") > 0, "counts");
    name = mxgold_cover_bin(counted, mxgold_cover_bins(counted) - 1, hits, is_reachable);
    must(name != "" && mxgold_cover_bin(counted, mxgold_cover_bins(counted), hits, is_reachable) == "", "bins");
    must(mxgold_cover_save(counted, "coverage.json") == 1, mxgold_cover_error(counted));
    must(mxgold_cover_save(counted, "no/folder.json") == 0, "a file in no folder");
    mxgold_cover_close(counted);
    must(mxgold_cover_sample(null, model) == 0, "no coverage");
    mxgold_close(model);
  endtask

  task automatic wrong_handles();
    model = mxgold_open("format=mxfp5");
    must(mxgold_ok(model) == 0, "mxfp5 opens");
    refused(model, mxgold_block(model, 0, '0, '0, scale, codes, flags), "format=mxfp5");
    mxgold_close(model);
    model = mxgold_open("format=mxfp4 preset=riscv");
    refused(model, mxgold_ok(model), "preset");
    mxgold_close(model);
    model = mxgold_open_word(32'hFFFF_FFFF, "");
    refused(model, mxgold_ok(model), "ffffffff");
    mxgold_close(model);
    refused(null, mxgold_block(null, 0, '0, '0, scale, codes, flags), "no handle");
    mxgold_close(null);
  endtask

  initial begin
    must(mxgold_abi_version() == ABI_VERSION && mxgold_version() != "", "version");
    blocks();
    scalars();
    rows();
    arrays();
    coverage();
    wrong_handles();
    $display("PASS calls: %0d checks", checks);
    $finish;
  end
endmodule
