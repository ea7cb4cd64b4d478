#include "sim/stream/queue_invariants.hpp"

#include <fmt/format.h>

#include <string_view>

#include "sim/stream/text.hpp"

namespace mx::sim {
namespace {

/// A lane's part of a beat in the default build: 13 bits (LANE_ of mx_pkg) and the significand.
constexpr int kLaneBits = 29;

/// A wire of the quantizer under a name of its own.
std::string wire(std::string_view name, std::string_view path, int width = 1) {
  return fmt::format(
      "  (* hierconn *) wire [{0}:0] \\u_quantizer.{2} ;\n"
      "  wire [{0}:0] {1} = \\u_quantizer.{2} ;\n",
      width - 1, name, path);
}

/// Valid bits, which registers load, and what travels with a beat, stage by stage; the queue's
/// registers.
std::string wires(const Shape& shape, int beat_bits) {
  std::string text = wire("stage_valid", "u_core.valid", 7) + wire("take", "u_core.take", 7) +
                     wire("write", "u_core.taken_behind_s3") + wire("vk", "u_skid.full_q") +
                     wire("front_beat", "u_core.g_beats.beat_q", beat_bits);
  for (const int s : {1, 2, 3, 4}) {
    text += wire(fmt::format("keep_{}", s), fmt::format("u_core.keep_s{}", s), shape.lanes) +
            wire(fmt::format("last_{}", s), fmt::format("u_core.last_s{}", s));
  }
  for (const int s : {1, 2, 3}) {
    text += wire(fmt::format("end_of_{}", s), fmt::format("u_core.end_s{}", s));
  }
  for (const int s : {5, 6}) {  // status, kept lanes, last, first
    text += wire(fmt::format("back_{}", s), fmt::format("u_core.rest_s{}", s), 14 + shape.lanes);
  }
  const int out = 9 * shape.lanes + 17;
  text += wire("out_7", "out_s7", out) + wire("out_k", "u_skid.spare_q", out);
  const auto queue = [&](std::string_view name, int width) {
    text += wire(name, fmt::format("u_core.g_queue.u_queue.{}_q", name), width);
  };
  for (const std::string_view name : {"write_half", "read_half"}) queue(name, 1);
  for (const std::string_view name : {"write_place", "read_place", "end_place_0", "end_place_1"}) {
    queue(name, beat_bits);
  }
  queue("full", 2);
  std::string flags;
  const int beat = shape.lanes * kLaneBits + shape.lanes + 1;
  for (int i = 0; i < 2 * shape.beats; ++i) {
    text +=
        wire(fmt::format("beat_{}", i), fmt::format("u_core.g_queue.u_queue.store[{}]", i), beat);
    flags = fmt::format("beat_{}[{}:0]{}{}", i, shape.lanes, flags.empty() ? "" : ", ", flags);
  }
  return text + fmt::format("  wire [{}:0] flags = {{{}}};\n",
                            2 * shape.beats * (shape.lanes + 1) - 1, flags);
}

/// Beside each beat: whether its block is before the marked one (0), it (1) or after it (2), its
/// place in the block and whether it is the last there. They move with the stages' own enables.
constexpr std::string_view kColours = R"(
  reg [1:0] c1, c2, c3, c4, c5, c6, c7, ck, half_0, half_1;
  reg [4:0] i1, i2, i3, i4, i5, i6, i7, ik;
  reg e1, e2, e3, e4, e5, e6, e7, ek;
  wire v1 = stage_valid[0], v2 = stage_valid[1], v3 = stage_valid[2], v4 = stage_valid[3];
  wire v5 = stage_valid[4], v6 = stage_valid[5], v7 = stage_valid[6];
  wire [4:0] end_0 = end_place_0;
  wire [4:0] end_1 = end_place_1;
  wire [4:0] end_read = read_half ? end_1 : end_0;
  wire [4:0] end_other = read_half ? end_0 : end_1;
  wire [1:0] c_read = read_half ? half_1 : half_0;
  wire [1:0] c_other = read_half ? half_0 : half_1;
  wire [1:0] c_write = write_half ? half_1 : half_0;
  wire is_full = full[read_half];
  wire are_full = &full;
  always @(posedge clk_i) begin
    if (take[0]) {c1, i1, e1} <= {tag ? 2'd1 : is_marked ? 2'd2 : 2'd0, beat, ends};
    if (take[1]) {c2, i2, e2} <= {c1, i1, e1};
    if (take[2]) {c3, i3, e3} <= {c2, i2, e2};
    if (write & ~write_half) half_0 <= c3;
    if (write & write_half) half_1 <= c3;
    if (take[3]) begin
      c4 <= c_read;
      i4 <= read_place;
      e4 <= read_place == end_read;
    end
    if (take[4]) {c5, i5, e5} <= {c4, i4, e4};
    if (take[5]) {c6, i6, e6} <= {c5, i5, e5};
    if (take[6]) {c7, i7, e7} <= {c6, i6, e6};
    if (~vk & v7) {ck, ik, ek} <= {c7, i7, e7};
  end
  function [4:0] last_of(input [1:0] colour);
    last_of = colour == 2'd1 ? MARKED_LAST : LAST;
  endfunction
  function [8:0] flags_of(input [1:0] colour, input [4:0] place);
    flags_of = {colour == 2'd1 & place == MARKED_LAST, colour == 2'd1, colour != 2'd1, place[1:0],
                4'hF};
  endfunction
  function [8:0] turned(input [8:0] kept_and_last);
    turned = {kept_and_last[0], kept_and_last[8:1]};
  endfunction
)";

/// From the way out to the way in, every beat follows the one before it. `place` is that of the
/// next beat, `colour` that of the one before; of the first beat, which colour it has is known.
constexpr std::string_view kBeatOrder = R"(
  reg is_ordered, is_first;
  reg [4:0] place;
  reg [1:0] colour;
  task follow(input is_there, input [1:0] its_colour, input [4:0] its_place, input its_end);
    if (is_there) begin
      if (its_place != place) is_ordered = 1'b0;
      if (is_first | place != 5'd0) is_ordered = is_ordered & its_colour == colour;
      else is_ordered = is_ordered & (colour == 2'd0 ? ~its_colour[1] : its_colour == 2'd2);
      place = its_end ? 5'd0 : its_place + 5'd1;
      colour = its_colour;
      is_first = 1'b0;
    end
  endtask
  always @* begin
    is_ordered = 1'b1;
    is_first = 1'b1;
    place = leaves ? marked_out : others_out;
    colour = ~is_marked ? 2'd0 : is_gone ? 2'd2 : leaves ? 2'd1 : 2'd0;
    follow(vk, ck, ik, ek);
    follow(v7, c7, i7, e7);
    follow(v6, c6, i6, e6);
    follow(v5, c5, i5, e5);
    follow(v4, c4, i4, e4);
    if (~is_full & (place != 5'd0 | read_place != 0)) is_ordered = 1'b0;
    follow(is_full, c_read, read_place, 1'b1);
    follow(are_full, c_other, 5'd0, 1'b1);
    if (write_place != 0) begin
      follow(1'b1, c_write, 5'd0, 1'b0);
      place = write_place;
    end
    follow(v3, c3, i3, e3);
    follow(v2, c2, i2, e2);
    follow(v1, c1, i1, e1);
    assert (~rst_n | is_ordered);
    assert (~rst_n | beat == place);
    assert (~rst_n | beat == 5'd0 | was_tag == (colour == 2'd1));
    assert (~rst_n | is_marked == (colour != 2'd0));
    assert (~rst_n | ~(leaves & is_first));
  end
)";

/// Where blocks end; the halves of the queue.
constexpr std::string_view kPlaces = R"(
  function is_end(input is_there, input [1:0] its_colour, input [4:0] its_place, input its_end);
    is_end = ~is_there | its_end == (its_place == last_of(its_colour));
  endfunction
  always @* begin
    assert (~rst_n | is_end(v1, c1, i1, e1) & is_end(v2, c2, i2, e2) & is_end(v3, c3, i3, e3));
    assert (~rst_n | is_end(v4, c4, i4, e4) & is_end(v5, c5, i5, e5) & is_end(v6, c6, i6, e6));
    assert (~rst_n | is_end(v7, c7, i7, e7) & is_end(vk, ck, ik, ek));
    assert (~rst_n | ~v1 | end_of_1 == e1);
    assert (~rst_n | ~v2 | end_of_2 == e2);
    assert (~rst_n | ~v3 | end_of_3 == e3);
    assert (~rst_n | front_beat == beat);
    assert (~rst_n | ~full[0] | end_0 == last_of(half_0));
    assert (~rst_n | ~full[1] | end_1 == last_of(half_1));
    assert (~rst_n | ~is_full | read_place <= end_read);
    assert (~rst_n | (^full ? is_full & write_half != read_half : write_half == read_half));
    assert (~rst_n | write_place == 0 | ~are_full & write_place <= last_of(c_write));
    assert (~rst_n | is_marked | ~is_gone);
    assert (~rst_n | is_gone | leaves | marked_out == 5'd0);
    assert (~rst_n | others_out <= LAST & (~leaves | others_out == 5'd0));
  end
)";

/// What the property counts is what stands in the stages; how far the next beat is from the way
/// out.
constexpr std::string_view kCounts = R"(
  wire [5:0] left = is_full ? end_read - read_place + 5'd1 : 5'd0;
  wire [5:0] other = are_full ? end_other + 5'd1 : 5'd0;
  wire [5:0] undrawn_there = left + other + write_place + v1 + v2 + v3 + v4 + v5;
  wire [5:0] before_there = (c_read == 2'd0 ? left : 6'd0) + (c_other == 2'd0 ? other : 6'd0) +
                            (c_write == 2'd0 ? write_place : 6'd0) + (v1 & c1 == 2'd0) +
                            (v2 & c2 == 2'd0) + (v3 & c3 == 2'd0) + (v4 & c4 == 2'd0) +
                            (v5 & c5 == 2'd0) + (v6 & c6 == 2'd0) + (v7 & c7 == 2'd0) +
                            (vk & ck == 2'd0);
  wire [5:0] whole_there = (v1 & e1) + (v2 & e2) + (v3 & e3) + full[0] + full[1] + (v4 & e4) +
                           (v5 & e5) + (v6 & e6) + (v7 & e7) + (vk & ek);
  wire [5:0] way = vk | v7 ? 6'd0 : v6 ? 6'd1 : v5 ? 6'd2 : v4 ? 6'd3 : |full ? 6'd4 :
                   v3 & e3 ? 6'd5 : v2 & e2 ? 6'd6 : 6'd7;
  always @* begin
    assert (~rst_n | undrawn == undrawn_there);
    assert (~rst_n | held == undrawn_there + v6 + v7 + vk);
    assert (~rst_n | ~is_marked | is_gone | ahead == before_there);
    assert (~rst_n | whole == whole_there);
    assert (~rst_n | (whole == 6'd0 ? waited == 6'd0 : waited + way <= WAITS));
    assert (~rst_n | ~(v3 & full[write_half]) | refused + left + vk <= LAST + 6'd2);
  end
)";

/// Kept lanes and last of each beat are those that were offered.
constexpr std::string_view kTags = R"(
  reg is_right;
  integer h, b;
  always @* begin
    is_right = 1'b1;
    for (h = 0; h < 2; h = h + 1)
      for (b = 0; b <= LAST; b = b + 1)
        if (full[h] ? b <= (h == 0 ? end_0 : end_1) : write_half == h & b < write_place)
          if (turned(flags[((LAST + 1)*h + b)*9 +: 9]) != flags_of(h == 0 ? half_0 : half_1, b))
            is_right = 1'b0;
    assert (~rst_n | is_right);
    assert (~rst_n | ~v1 | {last_1, keep_1} == flags_of(c1, i1));
    assert (~rst_n | ~v2 | {last_2, keep_2} == flags_of(c2, i2));
    assert (~rst_n | ~v3 | {last_3, keep_3} == flags_of(c3, i3));
    assert (~rst_n | ~v4 | {last_4, keep_4} == flags_of(c4, i4));
    assert (~rst_n | ~v5 | turned(back_5[9:1]) == flags_of(c5, i5));
    assert (~rst_n | ~v6 | turned(back_6[9:1]) == flags_of(c6, i6));
    assert (~rst_n | ~v7 | turned(out_7[24:16]) == flags_of(c7, i7));
    assert (~rst_n | ~vk | turned(out_k[24:16]) == flags_of(ck, ik));
  end
)";

}  // namespace

std::string queue_invariants(const Shape& shape) {
  int beat_bits = 1;
  while (1 << beat_bits < shape.beats) ++beat_bits;
  return fmt::format(
             "  localparam [4:0] LAST = {}, MARKED_LAST = {};\n  localparam [5:0] WAITS = {};\n",
             shape.beats - 1, shape.marked_beats() - 1, waits(shape)) +
         wires(shape, beat_bits) + std::string(kColours) + std::string(kBeatOrder) +
         std::string(kPlaces) + std::string(kCounts) + std::string(kTags);
}

}  // namespace mx::sim
