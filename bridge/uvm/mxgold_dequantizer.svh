// SPDX-License-Identifier: Apache-2.0
// rtl/dequantizer: a beat of codes under one scale, which stands in tuser with the configuration.

// Codes under a scale.
class mxgold_dequantize_item extends mxgold_item;
  `uvm_object_utils(mxgold_dequantize_item)

  function new(string name = "mxgold_dequantize_item");
    super.new(name);
  endfunction

  virtual function void ask(chandle whom);
    mxgold_pkg::bus_t value;
    void'(mxgold_pkg::mxgold_dequantize(whom, elements, scale, source, value));
  endfunction
endclass

class mxgold_dequantizer extends mxgold_unit;
  `uvm_component_utils(mxgold_dequantizer)

  localparam int LANES = 32;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void connect_phase(uvm_phase phase);
    super.connect_phase(phase);
    scoreboard.scale_mask = '0;
    scoreboard.flags_mask = '0;
  endfunction

  virtual function chandle open_model(longint unsigned configuration);
    string formats[7] = '{"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8", "nvfp4"};
    string results[3] = '{"fp32", "bf16", "fp16"};
    string overflows[3] = '{"inf", "saturate", "nan"};
    return mxgold_pkg::mxgold_open($sformatf(
        "op=dequantize format=%s block_size=32 result=%s dequant_overflow=%s", formats[configuration[2:0]],
        results[configuration[4:3]], overflows[configuration[6:5]]));
  endfunction

  // Lanes that are not kept are no part of the record: those that are move together.
  virtual function mxgold_item question_of(mxgold_record asked);
    mxgold_beat beat;
    mxgold_dequantize_item item;
    int kept;
    beat = asked.beats[0];
    item = mxgold_dequantize_item::type_id::create("question");
    item.model = model_of(64'(beat.tuser[14:8]));
    item.scale = 64'(beat.tuser[7:0]);
    item.source = '0;
    kept = 0;
    for (int i = 0; i < LANES; i++) begin
      if (beat.tkeep[i] === 1'b1) begin
        item.source[8*kept+:8] = beat.tdata[8*i+:8];
        kept++;
      end
    end
    item.elements = kept;
    return kept == 0 ? null : item;
  endfunction

  virtual function mxgold_item answer_of(mxgold_record asked, mxgold_beat answer);
    mxgold_item item;
    bit is_wide;
    int kept;
    item = mxgold_item::type_id::create("answer");
    item.scale = '0;
    item.flags = '0;
    item.code = '0;
    is_wide = asked.beats[0].tuser[12:11] == 2'd0;
    kept = 0;
    for (int i = 0; i < LANES; i++) begin
      if (asked.beats[0].tkeep[i] === 1'b1) begin
        if (is_wide) item.code[32*kept+:32] = answer.tdata[32*i+:32];
        else item.code[16*kept+:16] = answer.tdata[32*i+:16];
        kept++;
      end
    end
    return item;
  endfunction

  virtual function string problem_of(mxgold_record asked, mxgold_beat answer);
    mxgold_beat beat;
    beat = asked.beats[0];
    if (answer.tlast !== beat.tlast) return "m_axis_tlast is not that of the beat";
    for (int i = 0; i < LANES; i++) begin
      if (answer.tkeep[4*i+:4] !== {4{beat.tkeep[i]}}) begin
        return $sformatf("m_axis_tkeep of lane %0d is not that of the beat", i);
      end
      if (beat.tkeep[i] === 1'b0 && answer.tdata[32*i+:32] !== 32'd0) begin
        return $sformatf("lane %0d is not kept, and its value is not 0", i);
      end
    end
    return "";
  endfunction
endclass

// Random codes under random scales, formats, results and overflow policies.
class mxgold_dequantizer_sequence extends mxgold_sequence;
  `uvm_object_utils(mxgold_dequantizer_sequence)

  function new(string name = "mxgold_dequantizer_sequence");
    super.new(name);
  endfunction

  virtual function void fill(mxgold_beat beat);
    int unsigned format;
    bit [7:0] mask;
    format = $urandom_range(6);
    mask = element_mask(format);
    beat.tdata = '0;
    for (int i = 0; i < 32; i++) beat.tdata[8*i+:8] = 8'($urandom()) & mask;
    beat.tkeep = $urandom_range(3) == 0 ? 256'($urandom()) : 256'hFFFFFFFF;
    beat.tlast = 1'($urandom());
    beat.tuser = '0;
    beat.tuser[7:0] = scale(format);
    beat.tuser[14:8] = {2'($urandom_range(2)), 2'($urandom_range(2)), 3'(format)};
  endfunction

  static function bit [7:0] element_mask(int unsigned format);
    case (format)
      2, 3: return 8'h3F;
      4, 6: return 8'h0F;
      default: return 8'hFF;
    endcase
  endfunction

  // Any scale; often one where results of 16 bits, or all, begin to overflow or to be subnormal.
  protected function bit [7:0] scale(int unsigned format);
    if (format == 6) return 8'($urandom_range(127));
    case ($urandom_range(4))
      0: return 8'($urandom_range(16));
      1: return 8'(255 - $urandom_range(18));
      2: return 8'(100 + $urandom_range(16));
      3: return 8'(128 + $urandom_range(16));
      default: return 8'($urandom());
    endcase
  endfunction
endclass

class mxgold_dequantizer_test extends mxgold_test;
  `uvm_component_utils(mxgold_dequantizer_test)

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function uvm_object_wrapper unit_type();
    return mxgold_dequantizer::get_type();
  endfunction

  virtual function mxgold_sequence make_sequence();
    return mxgold_dequantizer_sequence::type_id::create("traffic");
  endfunction
endclass
