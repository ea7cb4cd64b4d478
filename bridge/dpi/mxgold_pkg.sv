// The reference model in a SystemVerilog bench, over DPI-C: handles made of one line of text answer
// records bit for bit. docs/bench-calls.md.
//
//   chandle model = mxgold_pkg::mxgold_open("format=mxfp4 source=bf16 profile=ocp-mx-1.0");
//   if (!mxgold_pkg::mxgold_ok(model)) $fatal(1, "%s", mxgold_pkg::mxgold_error(model));
//
// Library: libmxgold_dpi.so; `mxgold dpi --ldflags` prints how to link it. Types are the subset that
// all simulators share: packed bit vectors, integers, string, chandle; open arrays of longint and
// byte for what is too long. No call aborts: functions that return int return 1, or 0 and leave the
// reason in mxgold_error(handle). A handle serves one process; open one for each.
//
// A bus_t holds the words of a field, word i at bits [i*W +: W], W = mxgold_lane_bits(): the storage
// width of vector files (8 for codes of up to 8 bits, 16, 32, 64) until mxgold_set_lane_bits() says
// otherwise. Fields: "source" "random" "a_scale" "a" "b_scale" "b" "c"; "scale" "code" "flags".
// Imports named mxgold_raw_* are called mxgold_* below, with arguments of four states.
// Texts that a call returns live until the handle's next call: SystemVerilog copies them.
package mxgold_pkg;

  localparam int unsigned ABI_VERSION = 1;
  localparam int BUS_BITS = 2048;
  typedef bit [BUS_BITS-1:0] bus_t;

  import "DPI-C" mxgold_dpi_abi_version = function int unsigned mxgold_abi_version();
  import "DPI-C" mxgold_dpi_version = function string mxgold_version();

  // A handle of a text; never null unless memory is exhausted. mxgold_ok() says whether it can be
  // asked, and mxgold_error() which word of the text is wrong.
  import "DPI-C" mxgold_dpi_open = function chandle mxgold_open(input string text);
  // The same of a configuration word, s_axis_tuser of our RTL; `text` says what the word cannot, ""
  // for the default: block_size, random_bits, stochastic.
  import "DPI-C" mxgold_dpi_open_word = function chandle mxgold_raw_open_word(
      input int unsigned tuser, input string text);
  // A handle that is not open, for the reason.
  import "DPI-C" mxgold_dpi_refused = function chandle mxgold_refused(input string why);
  import "DPI-C" mxgold_dpi_close = function void mxgold_close(input chandle model);

  // 1 if the handle is open and its last call did what it should.
  import "DPI-C" mxgold_dpi_ok = function int mxgold_ok(input chandle model);
  // Why not; "" if it did.
  import "DPI-C" mxgold_dpi_error = function string mxgold_error(input chandle model);
  // A text that opens the same handle, defaults spelt out.
  import "DPI-C" mxgold_dpi_text = function string mxgold_text(input chandle model);
  // The configuration word of a model of blocks.
  import "DPI-C" mxgold_dpi_word = function int mxgold_word(
      input chandle model, output int unsigned tuser);

  // Lanes of a record, of dot products, casts, and blocks that reach along an axis.
  import "DPI-C" mxgold_dpi_set_lanes = function int mxgold_raw_set_lanes(
      input chandle model, input int unsigned lanes);
  // Bits from one word of a field to the next on a bus_t.
  import "DPI-C" mxgold_dpi_set_lane_bits = function int mxgold_raw_set_lane_bits(
      input chandle model, input string field, input int bits);
  import "DPI-C" mxgold_dpi_lane_bits = function int mxgold_lane_bits(
      input chandle model, input string field);
  // Words of a field and significant bits of each; 0 where the records have no such field.
  import "DPI-C" mxgold_dpi_words = function int unsigned mxgold_words(
      input chandle model, input string field);
  import "DPI-C" mxgold_dpi_bits = function int mxgold_bits(
      input chandle model, input string field);

  // -- records; `elements`: lanes that take part, 0 for all of them --

  // Refuses the call, or a record whose operand has its lowest X or Z in bit `unknown` (-1: none),
  // if a record of so many elements reads it.
  import "DPI-C" mxgold_dpi_refuse = function int mxgold_refuse(
      input chandle model, input string why);
  import "DPI-C" mxgold_dpi_known = function int mxgold_known(
      input chandle model, input string field, input int unsigned elements, input int unknown);

  // op=cvt: one value. `random` is R of a stochastic rounding.
  import "DPI-C" mxgold_dpi_cvt = function int mxgold_raw_cvt(
      input chandle model, input longint unsigned source, input int unsigned random,
      output longint unsigned code, output byte unsigned flags);
  // op=arith: an operation on a, b, c, as many as it has.
  import "DPI-C" mxgold_dpi_arith = function int mxgold_raw_arith(
      input chandle model, input longint unsigned a, input longint unsigned b,
      input longint unsigned c, output longint unsigned code, output byte unsigned flags);
  // op=block: a block of source codes to scale, codes and flags.
  import "DPI-C" mxgold_dpi_block = function int mxgold_raw_block(
      input chandle model, input int unsigned elements, input bit [2047:0] source,
      input bit [2047:0] random, output longint unsigned scale, output bit [2047:0] code,
      output byte unsigned flags);
  // op=dequantize: a scale and codes to values.
  import "DPI-C" mxgold_dpi_dequantize = function int mxgold_raw_dequantize(
      input chandle model, input int unsigned elements, input longint unsigned scale,
      input bit [2047:0] code, output bit [2047:0] value);
  // op=dot: a scale for each block of A and of B; `c` is the addend, where the model has one. op=mma:
  // the same on a matrix unit, which always adds C and raises no flags.
  import "DPI-C" mxgold_dpi_dot = function int mxgold_raw_dot(
      input chandle model, input int unsigned elements, input bit [2047:0] a_scale,
      input bit [2047:0] a, input bit [2047:0] b_scale, input bit [2047:0] b,
      input longint unsigned c, output longint unsigned code, output byte unsigned flags);
  // op=cast: a row of floats through a cast of an emulated system.
  import "DPI-C" mxgold_dpi_cast = function int mxgold_raw_cast(
      input chandle model, input bit [2047:0] source, input bit [2047:0] random,
      input longint unsigned given_scale, output bit [2047:0] scale, output bit [2047:0] code);
  // Any operation, any length: operand words one after the other in the order of the fields, the
  // results as scale, code, flags, and for each of them 1 where it is open. Unpacked arrays of
  // exactly these sizes; Verilator 5.006 takes arrays of fixed size only.
  import "DPI-C" mxgold_dpi_answer = function int mxgold_answer(
      input chandle model, input int unsigned elements, input longint unsigned operands[],
      output longint unsigned results[], output byte unsigned open[]);
  // A line of operands as `mxgold run` writes it to a device on a pipe, answered with the line of
  // results; "" and mxgold_error() where it is none.
  import "DPI-C" mxgold_dpi_line = function string mxgold_line(
      input chandle model, input string operands);
  // op=block: a tensor of lines x length, blocked along the lines, as `mxgold quantize` does it;
  // two-level formats find the tensor's scale (binary32), unless the handle was given one. `seed`
  // is that of the counter that stochastic roundings draw from.
  import "DPI-C" mxgold_dpi_tensor = function int mxgold_tensor(
      input chandle model, input int unsigned lines, input int unsigned length,
      input longint unsigned seed, input longint unsigned source[],
      output longint unsigned scale[], output longint unsigned code[],
      output longint unsigned tensor_scale);

  // -- of the last record --

  // Ones where a result ("scale", "code", "flags") is open: don't-care, or left open by the profile.
  // These bits must not be compared.
  import "DPI-C" mxgold_dpi_open_bits = function int mxgold_open_bits(
      input chandle model, input string field, output bit [2047:0] bits);
  // What `mxgold explain` prints for the same operands: op=block, cvt, dequantize.
  import "DPI-C" mxgold_dpi_explain = function string mxgold_explain(input chandle model);
  // The operands as a line of a vector file.
  import "DPI-C" mxgold_dpi_operands = function string mxgold_operands(input chandle model);
  // The value of a code of a field: "1.5", "inf".
  import "DPI-C" mxgold_dpi_value = function string mxgold_raw_value(
      input chandle model, input string field, input longint unsigned code);

  // -- scoreboards; mxgold_scoreboard_pkg has them as a class --

  import "DPI-C" mxgold_dpi_score_open = function chandle mxgold_score_open(input string text);
  import "DPI-C" mxgold_dpi_score_close = function void mxgold_score_close(input chandle score);
  import "DPI-C" mxgold_dpi_score_error = function string mxgold_score_error(input chandle score);
  import "DPI-C" mxgold_dpi_score_mask = function int mxgold_raw_score_mask(
      input chandle score, input string field, input longint unsigned mask);
  import "DPI-C" mxgold_dpi_score_refuse = function int mxgold_score_refuse(
      input chandle score, input string why);
  import "DPI-C" mxgold_dpi_score_expect = function int mxgold_score_expect(
      input chandle score, input chandle model, input string where);
  import "DPI-C" mxgold_dpi_score_observe = function int mxgold_score_observe(
      input chandle score, input longint unsigned scale, input longint unsigned scale_unknown,
      input bit [2047:0] code, input bit [2047:0] code_unknown, input byte unsigned flags,
      input byte unsigned flags_unknown);
  import "DPI-C" mxgold_dpi_score_message = function string mxgold_score_message(
      input chandle score);
  import "DPI-C" mxgold_dpi_score_count = function longint unsigned mxgold_score_count(
      input chandle score, input string what);
  import "DPI-C" mxgold_dpi_score_finish = function int mxgold_score_finish(input chandle score);
  import "DPI-C" mxgold_dpi_score_verdict = function string mxgold_score_verdict(
      input chandle score);

  // -- coverage: which bins of `mxgold cover` the records hit --

  // At most so many configurations are collected; records of others are left out and counted.
  import "DPI-C" mxgold_dpi_cover_open = function chandle mxgold_cover_open(
      input int unsigned configurations);
  import "DPI-C" mxgold_dpi_cover_close = function void mxgold_cover_close(
      input chandle coverage);
  // Why the last call did nothing; "" if it did.
  import "DPI-C" mxgold_dpi_cover_error = function string mxgold_cover_error(
      input chandle coverage);
  // Looks at the record that the model answered last.
  import "DPI-C" mxgold_dpi_cover_sample = function int mxgold_cover_sample(
      input chandle coverage, input chandle model);
  // "configurations", "samples", "left_out"; "bins" and "hit", without bins that are proved
  // unreachable; "unreachable"; "contradicted": of these, bins that were hit.
  import "DPI-C" mxgold_dpi_cover_count = function longint unsigned mxgold_cover_count(
      input chandle coverage, input string what);
  // How many bins there are now, unreachable ones too, and each of them as it is now.
  import "DPI-C" mxgold_dpi_cover_bins = function int unsigned mxgold_cover_bins(
      input chandle coverage);
  import "DPI-C" mxgold_dpi_cover_bin = function string mxgold_cover_bin(
      input chandle coverage, input int unsigned bin, output longint unsigned hits,
      output int is_reachable);
  // Writes a file that `mxgold cover` reads and merges.
  import "DPI-C" mxgold_dpi_cover_save = function int mxgold_cover_save(
      input chandle coverage, input string path);

  // -- the calls whose arguments have four states --

  // What a bench samples may be X or Z, which two states would turn into 0: it is refused by its
  // name ("operand source: bit 37 is X or Z"), and results are 0 then. Lanes that a record does not
  // read, and fields that it does not have, may be unknown.

  // Where the lowest X or Z is; -1 for none.
  function automatic int mxgold_first_unknown(input logic [BUS_BITS-1:0] value);
    if ($isunknown(value)) begin
      for (int i = 0; i < BUS_BITS; i++) if ($isunknown(value[i])) return i;
    end
    return -1;
  endfunction

  function automatic string mxgold_unknown_text(input string name, input logic [63:0] value);
    return $sformatf("operand %s: bit %0d is X or Z", name, mxgold_first_unknown(BUS_BITS'(value)));
  endfunction

  function automatic chandle mxgold_open_word(input logic [31:0] tuser, input string text);
    if ($isunknown(tuser)) return mxgold_refused(mxgold_unknown_text("tuser", 64'(tuser)));
    return mxgold_raw_open_word(tuser, text);
  endfunction

  function automatic int mxgold_set_lanes(input chandle model, input logic [31:0] lanes);
    if ($isunknown(lanes)) return mxgold_refuse(model, mxgold_unknown_text("lanes", 64'(lanes)));
    return mxgold_raw_set_lanes(model, lanes);
  endfunction

  function automatic int mxgold_set_lane_bits(
      input chandle model, input string field, input logic [31:0] bits);
    if ($isunknown(bits)) return mxgold_refuse(model, mxgold_unknown_text("bits", 64'(bits)));
    return mxgold_raw_set_lane_bits(model, field, bits);
  endfunction

  function automatic int mxgold_cvt(
      input chandle model, input logic [63:0] source, input logic [31:0] random,
      output longint unsigned code, output byte unsigned flags);
    code = 0;
    flags = 0;
    if ($isunknown(source)) begin
      if (mxgold_known(model, "source", 0, mxgold_first_unknown(BUS_BITS'(source))) == 0) return 0;
    end
    if ($isunknown(random)) begin
      if (mxgold_known(model, "random", 0, mxgold_first_unknown(BUS_BITS'(random))) == 0) return 0;
    end
    return mxgold_raw_cvt(model, source, random, code, flags);
  endfunction

  function automatic int mxgold_arith(
      input chandle model, input logic [63:0] a, input logic [63:0] b, input logic [63:0] c,
      output longint unsigned code, output byte unsigned flags);
    code = 0;
    flags = 0;
    if ($isunknown(a)) begin
      if (mxgold_known(model, "a", 0, mxgold_first_unknown(BUS_BITS'(a))) == 0) return 0;
    end
    if ($isunknown(b)) begin
      if (mxgold_known(model, "b", 0, mxgold_first_unknown(BUS_BITS'(b))) == 0) return 0;
    end
    if ($isunknown(c)) begin
      if (mxgold_known(model, "c", 0, mxgold_first_unknown(BUS_BITS'(c))) == 0) return 0;
    end
    return mxgold_raw_arith(model, a, b, c, code, flags);
  endfunction

  function automatic int mxgold_block(
      input chandle model, input logic [31:0] elements, input logic [2047:0] source,
      input logic [2047:0] random, output longint unsigned scale, output bit [2047:0] code,
      output byte unsigned flags);
    scale = 0;
    code = '0;
    flags = 0;
    if ($isunknown(elements)) begin
      return mxgold_refuse(model, mxgold_unknown_text("elements", 64'(elements)));
    end
    if ($isunknown(source)) begin
      if (mxgold_known(model, "source", elements, mxgold_first_unknown(source)) == 0) return 0;
    end
    if ($isunknown(random)) begin
      if (mxgold_known(model, "random", elements, mxgold_first_unknown(random)) == 0) return 0;
    end
    return mxgold_raw_block(model, elements, source, random, scale, code, flags);
  endfunction

  function automatic int mxgold_dequantize(
      input chandle model, input logic [31:0] elements, input logic [63:0] scale,
      input logic [2047:0] code, output bit [2047:0] value);
    value = '0;
    if ($isunknown(elements)) begin
      return mxgold_refuse(model, mxgold_unknown_text("elements", 64'(elements)));
    end
    if ($isunknown(scale)) begin
      if (mxgold_known(model, "a_scale", elements, mxgold_first_unknown(BUS_BITS'(scale))) == 0) begin
        return 0;
      end
    end
    if ($isunknown(code)) begin
      if (mxgold_known(model, "a", elements, mxgold_first_unknown(code)) == 0) return 0;
    end
    return mxgold_raw_dequantize(model, elements, scale, code, value);
  endfunction

  function automatic int mxgold_dot(
      input chandle model, input logic [31:0] elements, input logic [2047:0] a_scale,
      input logic [2047:0] a, input logic [2047:0] b_scale, input logic [2047:0] b,
      input logic [63:0] c, output longint unsigned code, output byte unsigned flags);
    code = 0;
    flags = 0;
    if ($isunknown(elements)) begin
      return mxgold_refuse(model, mxgold_unknown_text("elements", 64'(elements)));
    end
    if ($isunknown(a_scale)) begin
      if (mxgold_known(model, "a_scale", elements, mxgold_first_unknown(a_scale)) == 0) return 0;
    end
    if ($isunknown(a)) begin
      if (mxgold_known(model, "a", elements, mxgold_first_unknown(a)) == 0) return 0;
    end
    if ($isunknown(b_scale)) begin
      if (mxgold_known(model, "b_scale", elements, mxgold_first_unknown(b_scale)) == 0) return 0;
    end
    if ($isunknown(b)) begin
      if (mxgold_known(model, "b", elements, mxgold_first_unknown(b)) == 0) return 0;
    end
    if ($isunknown(c)) begin
      if (mxgold_known(model, "c", elements, mxgold_first_unknown(BUS_BITS'(c))) == 0) return 0;
    end
    return mxgold_raw_dot(model, elements, a_scale, a, b_scale, b, c, code, flags);
  endfunction

  function automatic int mxgold_cast(
      input chandle model, input logic [2047:0] source, input logic [2047:0] random,
      input logic [63:0] given_scale, output bit [2047:0] scale, output bit [2047:0] code);
    scale = '0;
    code = '0;
    if ($isunknown(source)) begin
      if (mxgold_known(model, "source", 0, mxgold_first_unknown(source)) == 0) return 0;
    end
    if ($isunknown(random)) begin
      if (mxgold_known(model, "random", 0, mxgold_first_unknown(random)) == 0) return 0;
    end
    if ($isunknown(given_scale)) begin
      if (mxgold_known(model, "a_scale", 0, mxgold_first_unknown(BUS_BITS'(given_scale))) == 0) begin
        return 0;
      end
    end
    return mxgold_raw_cast(model, source, random, given_scale, scale, code);
  endfunction

  function automatic string mxgold_value(
      input chandle model, input string field, input logic [63:0] code);
    if ($isunknown(code)) begin
      void'(mxgold_refuse(model, mxgold_unknown_text("code", code)));
      return "";
    end
    return mxgold_raw_value(model, field, code);
  endfunction

  function automatic int mxgold_score_mask(
      input chandle score, input string field, input logic [63:0] mask);
    if ($isunknown(mask)) return mxgold_score_refuse(score, mxgold_unknown_text("mask", mask));
    return mxgold_raw_score_mask(score, field, mask);
  endfunction

  // The package and the library have to be of one version; looked at before time 0.
  function automatic bit abi_is_right();
    if (mxgold_abi_version() != ABI_VERSION) begin
      $fatal(1, "mxgold_pkg is of ABI %0d, libmxgold_dpi.so %s of %0d: take both from one build",
             ABI_VERSION, mxgold_version(), mxgold_abi_version());
    end
    return 1'b1;
  endfunction
  bit abi_was_checked = abi_is_right();

endpackage
