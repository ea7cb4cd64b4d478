// SPDX-License-Identifier: Apache-2.0
// rtl/mx_quantizer: a block a beat, its configuration in tuser, a random word each.
class mxgold_quantizer extends mxgold_unit;
  `uvm_component_utils(mxgold_quantizer)

  localparam int LANES = 32;

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function chandle open_model(longint unsigned configuration);
    return mxgold_pkg::mxgold_open_word(configuration[31:0], "random_bits=8");
  endfunction

  // Lanes that are not kept are no part of the block: those that are move together.
  virtual function mxgold_item question_of(mxgold_record asked);
    mxgold_beat beat;
    mxgold_item item;
    int source_bits, random_bits, kept;
    beat = asked.beats[0];
    item = mxgold_item::type_id::create("question");
    item.model = model_of(64'(beat.tuser[31:0]));
    item.source = '0;
    source_bits = mxgold_pkg::mxgold_lane_bits(item.model, "source");
    random_bits = mxgold_pkg::mxgold_lane_bits(item.model, "random");
    kept = 0;
    for (int i = 0; i < LANES; i++) begin
      if (beat.tkeep[4*i] === 1'b1) begin
        logic [31:0] slot;
        slot = beat.tdata[32*i+:32];
        for (int b = 0; b < source_bits; b++) item.source[kept*source_bits+b] = slot[b];
        if (asked.word != null) begin
          for (int b = 0; b < 8; b++) item.random[kept*random_bits+b] = asked.word.tdata[8*i+b];
        end
        kept++;
      end
    end
    item.elements = kept;
    return item;
  endfunction

  virtual function mxgold_item answer_of(mxgold_record asked, mxgold_beat answer);
    mxgold_item item;
    int kept;
    item = mxgold_item::type_id::create("answer");
    item.scale = 64'(answer.tuser[7:0]);
    item.flags = answer.tuser[15:8];
    item.code = '0;
    kept = 0;
    for (int i = 0; i < LANES; i++) begin
      if (asked.beats[0].tkeep[4*i] === 1'b1) begin
        item.code[8*kept+:8] = answer.tdata[8*i+:8];
        kept++;
      end
    end
    return item;
  endfunction

  virtual function string problem_of(mxgold_record asked, mxgold_beat answer);
    mxgold_beat beat;
    beat = asked.beats[0];
    if (answer.tlast !== beat.tlast) return "m_axis_tlast is not that of the block";
    for (int i = 0; i < LANES; i++) begin
      if (answer.tkeep[i] !== beat.tkeep[4*i]) begin
        return $sformatf("m_axis_tkeep[%0d] is not that of the block", i);
      end
      if (beat.tkeep[4*i] === 1'b0 && answer.tdata[8*i+:8] !== 8'd0) begin
        return $sformatf("lane %0d is not kept, and its code is not 0", i);
      end
    end
    return "";
  endfunction
endclass

// Random blocks under some configurations.
class mxgold_quantizer_sequence extends mxgold_sequence;
  `uvm_object_utils(mxgold_quantizer_sequence)

  // How many configurations take turns. Now and then one is replaced; a new one costs the model a
  // quarter of a millisecond.
  int unsigned configurations = 32;
  protected bit [31:0] words[$];
  protected int unsigned policies;  // of the configuration at hand: 0 defaults, 1 any, 2 others

  function new(string name = "mxgold_quantizer_sequence");
    super.new(name);
  endfunction

  // A code of a field; 0 is the default.
  protected function bit [31:0] policy(int unsigned codes);
    return policies == 0 ? 0 : $urandom_range(codes - 1, policies - 1);
  endfunction

  protected virtual function bit [31:0] configuration();
    bit [31:0] word;
    int unsigned format;
    policies = $urandom_range(2);
    // Of int8, more: its scales alone reach both ends of their range.
    format = $urandom_range(7);
    if (format > 5) format = 5;
    word = format | $urandom_range(9) << 3 | $urandom_range(4) << 7 | $urandom_range(2) << 10;
    word |= policy(3) << 12 | policy(3) << 14 | policy(2) << 16 | policy(2) << 17 | policy(2) << 18;
    word |= policy(5) << 19 | policy(2) << 22 | policy(2) << 23 | policy(2) << 24 | policy(2) << 25;
    return word | policy(2) << 26;
  endfunction

  virtual function void fill(mxgold_beat beat);
    bit [31:0] word;
    while (words.size() < configurations) words.push_back(configuration());
    if ($urandom_range(7) == 0) words[$urandom_range(configurations - 1)] = configuration();
    word = words[$urandom_range(configurations - 1)];
    beat.tuser = {$urandom(), word};
    beat.tlast = 1'($urandom());
    beat.tdata = '0;
    fill_lanes(beat, word[11:10]);
    fill_keep(beat);
  endfunction

  // All lanes, those up to one, or any.
  protected function void fill_keep(mxgold_beat beat);
    bit [31:0] kept;
    case ($urandom_range(7))
      0: kept = 32'hFFFFFFFF >> $urandom_range(31);
      1: kept = $urandom();
      2: kept = $urandom() & $urandom() & $urandom();
      default: kept = '1;
    endcase
    beat.tkeep = '0;
    for (int i = 0; i < 32; i++) beat.tkeep[4*i+:4] = {4{kept[i]}};
  endfunction

  // Lanes whose exponents lie together, below one that leads or not, above one that trails or not.
  protected function void fill_lanes(mxgold_beat beat, bit [1:0] source);
    int unsigned exponent_bits, fraction_bits, top, spread, leader, trailer, specials, shift;
    exponent_bits = source == 2 ? 5 : 8;
    fraction_bits = source == 0 ? 23 : source == 1 ? 7 : 10;
    case ($urandom_range(7))
      0: top = $urandom_range(3) == 0 ? $urandom_range(12) : 0;
      1, 2: top = (1 << exponent_bits) - 2 - ($urandom_range(3) == 0 ? $urandom_range(8) : 0);
      default: top = $urandom_range((1 << exponent_bits) - 2);
    endcase
    case ($urandom_range(3))
      0: spread = 2;
      1: spread = 5;
      2: spread = 12;
      default: spread = 30;
    endcase
    leader = $urandom_range(3) == 0 ? $urandom_range(31) : 32;
    trailer = $urandom_range(7) == 0 ? $urandom_range(31) : 32;
    if (trailer != 32) spread = 1;
    shift = top == 0 ? $urandom_range(3) : 0;  // subnormals below a half, a quarter, ...
    specials = $urandom_range(2) == 0 ? $urandom_range(7, 1) : 0;
    for (int i = 0; i < 32; i++) begin
      int exponent;
      bit [31:0] magnitude, slot;
      exponent = int'(top) - int'($urandom_range(spread));
      if (i == int'(leader) && top != 0) exponent = int'(top) + 1;
      if (i == int'(trailer)) exponent = int'(top) - 4 - int'($urandom_range(30));
      if (exponent < 0) exponent = 0;
      if (exponent > (1 << exponent_bits) - 2) exponent = (1 << exponent_bits) - 2;
      magnitude = exponent << fraction_bits | fraction(fraction_bits) >> shift;
      if (specials != 0 && $urandom_range(7) == 0) begin
        magnitude = special(specials, exponent_bits, fraction_bits);
      end
      slot = $urandom_range(1) << (exponent_bits + fraction_bits) | magnitude;
      if (source != 0) slot[31:16] = 16'($urandom());  // not part of the number
      beat.tdata[32*i+:32] = slot;
    end
  endfunction

  // Few bits set, few clear, next to a half of some place, or any.
  protected function bit [31:0] fraction(int unsigned bits);
    bit [31:0] mask, value;
    int unsigned place;
    mask = (1 << bits) - 1;
    place = $urandom_range(bits);
    value = $urandom();
    case ($urandom_range(7))
      0: value = 0;
      1: value = mask;
      2: value = (value >> place) << place;
      3: value = (value >> place) << place | 1;
      4: value = value | ((1 << place) - 1);
      5: value = ~((1 << (bits - $urandom_range(5, 1))) - 1);  // ties at the top of a binade
      6: value = 1 << place | 1 << $urandom_range(bits - 1);
      default: ;
    endcase
    return value & mask;
  endfunction

  // Zeros, infinities, NaN and subnormals, as the bits of `kinds` have them; zeros where none has.
  protected function bit [31:0] special(int unsigned kinds, int unsigned exponent_bits,
                                        int unsigned fraction_bits);
    bit [31:0] infinity, fraction_mask;
    infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    fraction_mask = (1 << fraction_bits) - 1;
    if (kinds[0] && $urandom_range(1) == 0) return infinity;
    if (kinds[1] && $urandom_range(1) == 0) begin
      return infinity | ($urandom_range(1) == 0 ? 1 : ($urandom() & fraction_mask) | 1 << (fraction_bits - 1));
    end
    return kinds[2] ? $urandom() & fraction_mask : 0;
  endfunction
endclass

class mxgold_quantizer_test extends mxgold_test;
  `uvm_component_utils(mxgold_quantizer_test)

  function new(string name, uvm_component parent);
    super.new(name, parent);
  endfunction

  virtual function uvm_object_wrapper unit_type();
    return mxgold_quantizer::get_type();
  endfunction

  virtual function mxgold_sequence make_sequence();
    return mxgold_quantizer_sequence::type_id::create("traffic");
  endfunction
endclass
