#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "sim/formal/lane_thresholds.hpp"
#include "sim/formal/properties.hpp"

namespace mx::sim {
namespace {

/// Parameters of mx_quantizer_core, and the bits of the configuration word that are free.
struct Build {
  int in_formats = 7;
  int formats = 0x3F;
  int roundings = 0x3FF;
  int rules = 0x1F;
  int in_width = 32;
  std::uint32_t free = 0x7FFFFF8;  ///< all but the format
  std::uint32_t fixed = 0;         ///< what the others are
  LaneRounding rounding = LaneRounding::kDeterministic;
};

/// Words, kept lanes, random words and the number of the lane are free; the core takes a block in
/// every cycle, so that its registers are a pipeline and nothing else.
std::string comparison(const Build& build) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [32*{0}-1:0] words,
    input wire [31:0] keep,
    input wire [26:0] settings,
    input wire [255:0] random,
    input wire [4:0] lane
);
  wire [26:0] config_word = settings & 27'd{1} | 27'd{2};
  wire [255:0] codes;
  wire [15:0] status;
  wire is_meant;
  wire [7:0] law;
  wire [7:0] code = codes[lane*8 +: 8];
  wire is_kept = keep[lane];
  wire [31:0] word = words[lane*{0} +: {0}];
  mx_quantizer_core #(.Lanes(32), .BlockSize(32), .InFmtMask({3}), .FmtMask({4}), .RoundMask({5}),
                      .RuleMask({6}), .InWidth({0})) u_core (
      .clk_i(clk_i), .rst_ni(1'b1), .ready_i(1'b1), .valid_i(1'b1), .data_i(words), .keep_i(keep),
      .last_i(1'b0), .config_i(config_word), .rnd_i(random), .codes_o(codes), .status_o(status));
  mx_law u_law (.word_i(word), .config_i(config_word), .scale_i(status[7:0]),
                .random_i(random[lane*8 +: 8]), .is_meant_o(is_meant), .code_o(law));
  always @* begin
    assume (config_word[6:3] {11} {7});
    assume (config_word[11:10] < {8});
    assume (config_word[13:12] < {9});
    assume (config_word[21:19] < {10});
    assume (is_meant | ~is_kept);
    assert (code == (is_kept ? law : 8'd0));
  end
endmodule
)",
                     build.in_width, build.free, build.fixed, build.in_formats, build.formats,
                     build.roundings, build.rules, golden::kStochasticCode,
                     golden::kSourceCodes.size(), golden::kOverflowCodes.size(),
                     golden::kNanCodes.size(),
                     build.rounding == LaneRounding::kDeterministic ? "<" : "==");
}

/// A property is broken in one place, a threshold of its ladder.
Obligation obligation(std::string name, std::string statement, std::string_view format,
                      const Build& build) {
  const std::string proof = comparison(build);
  Obligation made{std::move(name), std::move(statement), FormalEngine::kSat,
                  lane_property(format, build.rounding, Property::kRight) + proof,
                  lane_property(format, build.rounding, Property::kBroken) + proof};
  made.free_settings = build.free;
  made.settings = build.fixed;
  return made;
}

}  // namespace

std::vector<Obligation> core_obligations() {
  std::vector<Obligation> all;
  for (std::size_t f = 0; f < golden::kFormatCodes.size(); ++f) {
    const std::string_view name = golden::kFormatCodes[f];
    all.push_back(obligation(
        fmt::format("P5.{}", name),
        fmt::format(
            "in mx_quantizer_core of 32 lanes, whichever lane: its code is that of the "
            "threshold certificate of {} under the scale code that the block gets, 0 where "
            "the lane is not kept, for every block of fp32, bf16 or fp16 words whose word in "
            "that lane lies below 2^(emax + 1) times the scale, nine roundings and every "
            "policy",
            name),
        name, {.fixed = static_cast<std::uint32_t>(f)}));
  }
  for (std::size_t f = 0; f < golden::kFormatCodes.size(); ++f) {
    const std::string_view name = golden::kFormatCodes[f];
    all.push_back(obligation(
        fmt::format("P5s.{}", name),
        fmt::format("the same of {} under stochastic rounding A of 8 bits, for "
                    "all random words of all lanes: the lane's own counts",
                    name),
        name, {.fixed = static_cast<std::uint32_t>(f), .rounding = LaneRounding::kStochastic}));
  }
  for (const std::string_view name : {"e2m1fn", "e4m3fn", "int8"}) {
    const auto f = static_cast<std::uint32_t>(std::ranges::find(golden::kFormatCodes, name) -
                                              golden::kFormatCodes.begin());
    all.push_back(obligation(
        fmt::format("P6.bf16_{}", name),
        fmt::format("the same of the build bf16_{} (rtl/synth_report): one source, one format, "
                    "ties_to_even, floor, default policies",
                    name),
        name,
        {.in_formats = 2,
         .formats = 1 << f,
         .roundings = 1,
         .rules = 1,
         .in_width = 16,
         .free = 0,
         .fixed = f | 1U << golden::config_word_field::kSource.lsb}));
  }
  return all;
}

}  // namespace mx::sim
