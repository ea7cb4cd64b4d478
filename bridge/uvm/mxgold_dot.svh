// SPDX-License-Identifier: Apache-2.0
// rtl/dot: beats of pairs up to tlast, added to the C of the first beat.

// A dot product with an addend.
class mxgold_dot_item extends mxgold_item;
  `uvm_object_utils(mxgold_dot_item)

  bus_t a_scale = '0;
  bus_t b_scale = '0;
  bus_t b = '0;  // A is `source`
  logic [63:0] c = '0;

  function new(string name = "mxgold_dot_item");
    super.new(name);
  endfunction

  virtual function void ask(chandle whom);
    longint unsigned sum;
    byte unsigned raised;
    void'(mxgold_pkg::mxgold_dot(whom, elements, a_scale, source, b_scale, b, c, sum, raised));
  endfunction
endclass

class mxgold_dot extends mxgold_unit;
  `uvm_component_utils(mxgold_dot)

  localparam int LANES = 32;
  localparam int NVFP4 = 6;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function void connect_phase(uvm_phase phase);
    super.connect_phase(phase);
    scoreboard.flags_mask = '0;
  endfunction

  virtual function bit ends(mxgold_beat beat);
    return beat.tlast === 1'b1;
  endfunction

  // Pairs of a beat: blocks of nvfp4 have 16.
  static function int pairs(bit [5:0] formats);
    return formats[2:0] == NVFP4 || formats[5:3] == NVFP4 ? 16 : LANES;
  endfunction

  // 5:0 formats, 15:8 beats.
  virtual function chandle open_model(longint unsigned configuration);
    string names[7] = '{"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8", "nvfp4"};
    int size;
    size = pairs(configuration[5:0]);
    open_model = mxgold_pkg::mxgold_open($sformatf(
        {"op=dot a=%s b=%s a_block_size=%0d b_block_size=%0d mode=accumulator acc_group=%0d ",
         "acc_carry=afterwards acc_align=exponent_sum addend=given addend_format=fp32"},
        names[configuration[2:0]], names[configuration[5:3]], size, size, size));
    if (mxgold_pkg::mxgold_ok(open_model) != 0) begin
      void'(mxgold_pkg::mxgold_set_lanes(open_model, 32'(size * configuration[15:8])));
    end
  endfunction

  // Lanes that are not kept are zeros times zeros. After a reset what is left of a product is one
  // of its own.
  virtual function mxgold_item question_of(mxgold_record asked);
    mxgold_dot_item item;
    mxgold_beat first;
    int size;
    first = asked.beats[0];
    size = pairs(first.tuser[21:16]);
    item = mxgold_dot_item::type_id::create("question");
    item.model = model_of({48'd0, 8'(asked.beats.size()), 2'd0, first.tuser[21:16]});
    item.source = '0;
    item.c = 64'(first.tuser[63:32]);
    foreach (asked.beats[n]) begin
      item.a_scale[8*n+:8] = asked.beats[n].tuser[7:0];
      item.b_scale[8*n+:8] = asked.beats[n].tuser[15:8];
      for (int i = 0; i < size; i++) begin
        if (asked.beats[n].tkeep[i] === 1'b1) begin
          item.source[8*(size*n+i)+:8] = asked.beats[n].tdata[8*i+:8];
          item.b[8*(size*n+i)+:8] = asked.beats[n].tdata[8*(LANES+i)+:8];
        end
      end
    end
    return item;
  endfunction

  virtual function mxgold_item answer_of(mxgold_record asked, mxgold_beat answer);
    mxgold_item item;
    item = mxgold_item::type_id::create("answer");
    item.scale = '0;
    item.flags = '0;
    item.code = 2048'(answer.tdata[31:0]);
    return item;
  endfunction
endclass

// Random dot products of up to four beats.
class mxgold_dot_sequence extends mxgold_sequence;
  `uvm_object_utils(mxgold_dot_sequence)

  // Of the product at hand.
  protected int unsigned beats_left = 0;
  protected bit [5:0] formats;
  protected int unsigned kind;
  protected int sum_of_scales;  // E8M0 codes of A and of B
  protected bit [31:0] c;

  function new(string name = "mxgold_dot_sequence");
    super.new(name);
  endfunction

  // nvfp4 does not go with e4m3fn and e5m2.
  protected function void begin_product();
    int unsigned a, b;
    a = $urandom_range(6);
    b = $urandom_range(6);
    if (a == 6 && b < 2) b = 4;
    if (b == 6 && a < 2) a = 6;
    formats = {3'(b), 3'(a)};
    beats_left = $urandom_range(1) == 0 ? 1 : $urandom_range(4, 2);
    kind = $urandom_range(7);
    case ($urandom_range(5))
      0: sum_of_scales = 254 - 149 + $urandom_range(30);
      1: sum_of_scales = 254 + 108 + $urandom_range(22);
      2: sum_of_scales = $urandom_range(510);
      default: sum_of_scales = 254 + int'($urandom_range(10)) - 5;
    endcase
    c = addend();
  endfunction

  // C beside the products: near, anywhere, zero, special.
  protected function bit [31:0] addend();
    int exponent;
    exponent = sum_of_scales - 127 + int'($urandom_range(24)) - 12;
    if (exponent < 0) exponent = 0;
    if (exponent > 254) exponent = 254;
    case ($urandom_range(9))
      0: return 32'h80000000 & $urandom();
      1: return $urandom();
      2: return 32'h7F800000 | $urandom_range(1) << 31 | ($urandom_range(1) == 0 ? 0 : $urandom() & 32'h7FFFFF);
      3: return $urandom_range(1) << 31 | exponent << 23;
      default: return $urandom_range(1) << 31 | exponent << 23 | $urandom() & 32'h7FFFFF;
    endcase
  endfunction

  virtual function void fill(mxgold_beat beat);
    bit [7:0] a_scale, b_scale;
    if (beats_left == 0) begin_product();
    beats_left--;
    scales(a_scale, b_scale);
    beat.tuser = {c, 10'($urandom()), formats, b_scale, a_scale};
    beat.tlast = beats_left == 0;
    fill_lanes(beat);
    beat.tkeep = '0;
    case ($urandom_range(5))
      0: beat.tkeep[31:0] = $urandom();
      1: beat.tkeep[31:0] = 32'hFFFFFFFF >> $urandom_range(31);
      default: beat.tkeep[31:0] = '1;
    endcase
    if (mxgold_dot::pairs(formats) == 16) beat.tkeep[31:16] = '0;
    beat.tkeep[63:32] = beat.tkeep[31:0];
  endfunction

  // Scales whose sum lies near that of the product; NaN now and then.
  protected function void scales(output bit [7:0] a, output bit [7:0] b);
    int sum, part;
    sum = sum_of_scales + int'($urandom_range(4)) - 2;
    part = sum / 2 + int'($urandom_range(40)) - 20;
    if (part < 0 || part > 254 || sum - part < 0 || sum - part > 254) part = sum / 2;
    if (sum - part > 254) part = sum - 254;
    if (part < 0) part = 0;
    if (part > 254) part = 254;
    a = 8'(part);
    b = sum - part < 0 ? 8'd0 : 8'(sum - part);
    if (formats[2:0] == mxgold_dot::NVFP4) a = ue4m3();
    if (formats[5:3] == mxgold_dot::NVFP4) b = ue4m3();
    if ($urandom_range(39) == 0) a = formats[2:0] == mxgold_dot::NVFP4 ? 8'h7F : 8'hFF;
    if ($urandom_range(39) == 0) b = formats[5:3] == mxgold_dot::NVFP4 ? 8'h7F : 8'hFF;
  endfunction

  protected function bit [7:0] ue4m3();
    return $urandom_range(3) == 0 ? 8'($urandom_range(8)) : 8'($urandom_range(126));
  endfunction

  // Any codes; finite ones; few lanes; pairs that cancel; small ones beside large ones.
  protected function void fill_lanes(mxgold_beat beat);
    beat.tdata = '0;
    for (int i = 0; i < 32; i++) begin
      bit [7:0] a, b;
      a = code(formats[2:0]);
      b = code(formats[5:3]);
      if (kind == 2 && $urandom_range(7) != 0) a = 8'd0;
      if ((kind == 3 || kind == 4) && i % 2 == 1) begin
        b = beat.tdata[8*(32+i-1)+:8];
        a = negated(formats[2:0], beat.tdata[8*(i-1)+:8]);
        if (kind == 4 && $urandom_range(15) == 0) b = code(formats[5:3]);
      end
      beat.tdata[8*i+:8] = a;
      beat.tdata[8*(32+i)+:8] = b;
    end
  endfunction

  // Specials only where `kind` is 0 or 1; of 1 infinities and many zeros, and no NaN.
  protected function bit [7:0] code(bit [2:0] format);
    bit [7:0] any;
    bit is_special;
    any = 8'($urandom()) & mxgold_dequantizer_sequence::element_mask(32'(format));
    if (kind == 1 && $urandom_range(1) == 0) any &= 8'h80;
    if (kind == 5 && $urandom_range(1) == 0) any &= 8'h87;
    is_special = (format == 0 && any[6:0] == 7'h7F) || (format == 1 && any[6:2] == 5'h1F);
    if (!is_special || (kind == 0 && $urandom_range(3) == 0)) return any;
    if (format == 1 && kind == 1) return any & 8'hFC;
    return any & 8'hFB;  // a finite one
  endfunction

  protected function bit [7:0] negated(bit [2:0] format, bit [7:0] element);
    case (format)
      5: return element == 8'h80 ? 8'h80 : -element;
      0, 1: return element ^ 8'h80;
      2, 3: return element ^ 8'h20;
      default: return element ^ 8'h08;
    endcase
  endfunction
endclass

class mxgold_dot_test extends mxgold_test;
  `uvm_component_utils(mxgold_dot_test)

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  // Beats of one product wait for the sum before them.
  virtual function void end_of_elaboration_phase(uvm_phase phase);
    super.end_of_elaboration_phase(phase);
    env.flow.is_full_rate = 1'b0;
  endfunction

  virtual function uvm_object_wrapper unit_type();
    return mxgold_dot::get_type();
  endfunction

  virtual function mxgold_sequence make_sequence();
    return mxgold_dot_sequence::type_id::create("traffic");
  endfunction
endclass
