#include "sim/formal/stream_law.hpp"

#include <fmt/format.h>

#include <vector>

#include "golden/config_word/config_word.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::sim {
namespace {

/// A block of one word in every lane, its configuration, and the reference's answer.
struct Kind {
  std::uint32_t config_word = 0;
  std::uint32_t word = 0;
  std::uint64_t scale = 0;
  std::uint64_t code = 0;
};

Kind kind_of(std::uint32_t config_word, std::uint32_t word, int block_size) {
  const QuantizerConfig config = golden::config_of(config_word, {.block_size = block_size}).value();
  const Quantizer quantizer = Quantizer::make(config).value();
  const std::vector<std::uint64_t> words(static_cast<std::size_t>(block_size), word);
  std::vector<std::uint64_t> codes(words.size());
  const BlockResult result = quantizer.quantize_block(words, {}, codes);
  return {config_word, word, result.scale_code, codes[0]};
}

/// Blocks of two kinds: one, at any place in the stream, is marked, with tlast, and differs in its
/// words, in its configuration and in every part of its answer; all others are alike.
std::string stream_law(int lanes, Law law) {
  // e2m1fn, toward_negative, ceil; e5m2, ties_to_even, floor.
  const Kind marked = kind_of(1u << 7 | 5u << 3 | 4u, 0xBFC00001, lanes);
  const Kind other = kind_of(1u, 0x3FA00000, lanes);
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire valid,
    input wire mark,
    input wire ready,
    input wire [{0}*8-1:0] random
);
  reg started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;

  reg is_marked = 1'b0;
  wire tag = mark & ~is_marked;
  wire s_ready, m_valid, m_last;
  wire [{0}*8-1:0] m_data;
  wire [15:0] m_user;
  mx_quantizer #(.Lanes({0}), .BlockSize({0})) u_quantizer (
      .clk_i(clk_i), .rst_ni(started),
      .s_axis_tdata({{{0}{{tag ? 32'd{1} : 32'd{2}}}}}), .s_axis_tkeep({{{0}*4{{1'b1}}}}),
      .s_axis_tlast(tag), .s_axis_tuser(tag ? 32'd{3} : 32'd{4}), .s_axis_tvalid(valid),
      .s_axis_tready(s_ready), .rnd_i(random), .m_axis_tdata(m_data), .m_axis_tuser(m_user),
      .m_axis_tlast(m_last), .m_axis_tvalid(m_valid), .m_axis_tready(ready));

  // Blocks in flight; those of them before the marked one; cycles in which a receiver waits.
  reg is_gone = 1'b0;
  reg [3:0] held = 4'd0, ahead = 4'd0, waited = 4'd0, refused = 4'd0;
  reg was_stalled = 1'b0;
  wire in = started & valid & s_ready;
  wire out = started & m_valid & ready;
  wire leaves = is_marked & ~is_gone & (ahead == 4'd{5});
  always @(posedge clk_i) begin
    held <= held + in - out;
    if (in & tag) begin
      is_marked <= 1'b1;
      ahead <= held - out;
    end else if (is_marked & ~is_gone & out) begin
      if (ahead == 4'd0) is_gone <= 1'b1;
      else ahead <= ahead - 4'd1;
    end
    waited <= (out | ~ready | held == 4'd0) ? 4'd0 : waited + 4'd1;
    refused <= (~started | ~ready | s_ready) ? 4'd0 : refused + 4'd1;
    was_stalled <= started & m_valid & ~ready;
  end
  always @* if (started) begin
    assert (~m_valid | held != 4'd0);
    assert (held <= 4'd8);
    assert (~m_valid | m_last == leaves);
    assert (~m_valid | m_user[7:0] == (leaves ? 8'd{6} : 8'd{7}));
    assert (~m_valid | m_data == {{{0}{{leaves ? 8'd{8} : 8'd{9}}}}});
    assert (~was_stalled | m_valid);
    assert (waited <= 4'd7);
    assert (refused <= 4'd1);
  end
endmodule
)",
                     lanes, marked.word, other.word, marked.config_word, other.config_word,
                     law == Law::kBroken ? 1 : 0, marked.scale, other.scale, marked.code,
                     other.code);
}

}  // namespace

std::vector<Obligation> stream_obligations() {
  std::vector<Obligation> all;
  for (const int lanes : {16, 32}) {
    all.push_back(
        {fmt::format("P4.{0}x{0}", lanes),
         fmt::format(
             "of blocks of one beat of {} lanes, at most 8 are in flight, they leave in "
             "order, each once, with its own scale, codes and tlast, which hold under a "
             "stall; a receiver that is ready waits 7 cycles at most, and then every beat "
             "is taken; whatever valid and ready do in each cycle. One block, at any place, "
             "differs from all others",
             lanes),
         FormalEngine::kReachability, stream_law(lanes, Law::kRight),
         stream_law(lanes, Law::kBroken)});
  }
  return all;
}

}  // namespace mx::sim
