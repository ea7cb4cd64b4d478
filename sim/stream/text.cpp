#include "sim/stream/text.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace mx::sim {
namespace {

/// A constant of so many lanes, each of which has `width` bits, a multiple of 4.
std::string constant(int lanes, int width, const std::array<std::uint64_t, kStreamWords>& values) {
  std::string text = fmt::format("{}'h", lanes * width);
  for (int i = lanes - 1; i >= 0; --i) {
    text += fmt::format("{:0{}x}", values[static_cast<std::size_t>(i) % kStreamWords], width / 4);
  }
  return text;
}

/// The constants that the property offers and compares with: words_NAME, codes_NAME, and so on.
std::string constants_of(const char* name, const Kind& kind, int lanes) {
  return fmt::format(
      "  wire [{0}*32-1:0] words_{1} = {2};\n  wire [{0}*8-1:0] codes_{1} = {3};\n"
      "  wire [15:0] status_{1} = 16'd{4};\n  wire [31:0] config_{1} = 32'd{5};\n"
      "  wire [7:0] random_{1} = 8'd{6};\n",
      lanes, name, constant(lanes, 32, kind.words), constant(lanes, 8, kind.codes), kind.status,
      kind.config_word, kind.random);
}

/// What the bench drives: beats of blocks, one of which is marked, and noise where nothing is
/// valid or read.
constexpr std::string_view kDriver = R"(module mx_proof (
    input wire clk_i,
    input wire reset,
    input wire valid,
    input wire mark,
    input wire ready,
    input wire [{lanes}*8-1:0] free
);
{constants}  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  wire rst_n = started & ~reset;

  reg is_marked = 1'b0, is_gone = 1'b0, is_drawn = 1'b0, was_stalled = 1'b0, was_tag = 1'b0;
  reg [4:0] beat = 5'd0, marked_out = 5'd0, marked_drawn = 5'd0;
  reg [5:0] held = 6'd0, ahead = 6'd0, undrawn = 6'd0, drawn_ahead = 6'd0, whole = 6'd0;
  reg [5:0] waited = 6'd0, refused = 6'd0;
  wire begins = beat == 5'd0;
  wire tag = begins ? mark & ~is_marked : was_tag;
  wire ends = beat == (tag ? 5'd{marked_last} : 5'd{last});
  wire draws = is_marked & ~is_drawn & (drawn_ahead == 6'd0);
  wire is_marked_config = tag ^ ~begins;
  wire s_ready, m_valid, m_last, random_ready;
  wire [{lanes}*8-1:0] m_data;
  wire [{lanes}-1:0] m_keep;
  wire [15:0] m_user;
  mx_quantizer #(.Lanes({lanes}), .BlockSize({lanes}*{beats})) u_quantizer (
      .clk_i(clk_i), .rst_ni(rst_n),
      .s_axis_tdata(~valid ? {{{lanes}{{32'h7F7FFFFF}}}} : tag ? words_marked : words_other),
      .s_axis_tkeep({keep}), .s_axis_tlast(tag & ends),
      .s_axis_tuser(is_marked_config ? config_marked : config_other), .s_axis_tvalid(valid),
      .s_axis_tready(s_ready), .rnd_i({random}), .rnd_ready_o(random_ready), .m_axis_tdata(m_data),
      .m_axis_tkeep(m_keep), .m_axis_tlast(m_last), .m_axis_tuser(m_user),
      .m_axis_tvalid(m_valid), .m_axis_tready(ready));
)";

/// Beats in flight, and those that wait for their random words; of both, those before the marked
/// block; whole blocks in flight; cycles in which a receiver waits for one, and a sender. A reset
/// loses what is in flight.
constexpr std::string_view kLaw = R"(  wire in = rst_n & valid & s_ready;
  wire out = rst_n & m_valid & ready;
  wire draw = rst_n & random_ready;
  wire leaves = is_marked & ~is_gone & (ahead == 6'd{broken});
  wire leaves_last = leaves & (marked_out == 5'd{marked_last});
  wire out_end = out & (leaves ? leaves_last : others_out == 5'd{last});
  reg [4:0] others_out = 5'd0;
  always @(posedge clk_i) begin
    if (~rst_n) begin
      {{held, ahead, undrawn, drawn_ahead, whole, waited, refused}} <= 42'd0;
      {{beat, marked_out, marked_drawn, others_out, was_stalled, was_tag}} <= 22'd0;
      is_gone <= is_marked;
      is_drawn <= is_marked;
    end else begin
      held <= held + in - out;
      undrawn <= undrawn + in - draw;
      whole <= whole + (in & ends) - out_end;
      if (in) begin
        beat <= ends ? 5'd0 : beat + 5'd1;
        was_tag <= tag;
      end
      if (in & tag & begins) begin
        is_marked <= 1'b1;
        ahead <= held - out;
        drawn_ahead <= undrawn - draw;
      end else if (is_marked) begin
        if (~is_gone & out & ahead != 6'd0) ahead <= ahead - 6'd1;
        if (~is_drawn & draw & drawn_ahead != 6'd0) drawn_ahead <= drawn_ahead - 6'd1;
      end
      if (out & leaves) begin
        marked_out <= marked_out + 5'd1;
        is_gone <= leaves_last;
      end
      if (out & ~leaves) others_out <= others_out == 5'd{last} ? 5'd0 : others_out + 5'd1;
      if (draw & draws) begin
        marked_drawn <= marked_drawn + 5'd1;
        is_drawn <= marked_drawn == 5'd{marked_last};
      end
      waited <= (out | ~ready | whole == 6'd0) ? 6'd0 : waited + 6'd1;
      refused <= (~ready | s_ready) ? 6'd0 : refused + 6'd1;
      was_stalled <= m_valid & ~ready;
    end
  end
  always @* begin
    assert (rst_n | ~m_valid);
    assert (~m_valid | held != 6'd0);
    assert (~draw | undrawn != 6'd0);
    assert (held <= 6'd{in_flight});
    assert (~m_valid | m_last == leaves_last);
{answers}    assert (~was_stalled | m_valid | ~rst_n);
    assert (waited <= 6'd{waits});
    assert (refused <= 6'd{refused});
  end
)";

}  // namespace

int in_flight(const Shape& shape) { return shape.beats == 1 ? 8 : 8 + 2 * shape.beats; }

int waits(const Shape& shape) { return shape.beats == 1 ? 7 : 8; }

int refused(const Shape& shape) { return shape.beats == 1 ? 1 : 1 + shape.beats; }

std::string stream_text(const StreamQuestion& question) {
  using fmt::arg;
  const Shape& shape = question.shape;
  const std::string random =
      question.rounding == LaneRounding::kDeterministic
          ? "free"
          : fmt::format("{{{}{{draws ? random_marked : random_other}}}}", shape.lanes);
  const std::string constants = constants_of("marked", question.kinds.marked, shape.lanes) +
                                constants_of("other", question.kinds.other, shape.lanes);
  return fmt::format(fmt::runtime(std::string(kDriver) + std::string(kLaw)),
                     arg("lanes", shape.lanes), arg("beats", shape.beats),
                     arg("last", shape.beats - 1), arg("marked_last", shape.marked_beats() - 1),
                     arg("constants", constants), arg("random", random), arg("keep", question.keep),
                     arg("answers", question.answers), arg("in_flight", in_flight(shape)),
                     arg("refused", refused(shape)), arg("waits", waits(shape)),
                     arg("broken", question.property == Property::kBroken ? 1 : 0));
}

}  // namespace mx::sim
