// P1f, P1fs: code, underflow and saturated of a lane, kept or not.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "sim/formal/lane_alone.hpp"
#include "sim/formal/lane_thresholds.hpp"
#include "sim/formal/properties.hpp"

namespace mx::sim {
namespace {

/// In a block of zeros no kept word is a number but 0. The broken property exchanges the flags.
std::string comparison(std::size_t format, LaneRounding rounding, Property property) {
  const int first = property == Property::kBroken ? 1 : 0;
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [31:0] word,
    input wire keep,
    input wire [26:0] settings,
    input wire [7:0] scale,
    input wire [8:0] nan_base,
    input wire is_zero_block,
    input wire [7:0] random
);
  wire [26:0] config_word = {{settings[26:3], 3'd{}}};
  wire [mx_pkg::CTL_WIDTH-1:0] record;
  wire [7:0] code, law;
  wire [1:0] flags, law_flags;
  wire is_meant, is_rounded;
  mx_record u_record (.config_i(config_word), .scale_i(scale), .is_zero_block_i(is_zero_block),
                      .nan_base_i(nan_base), .record_o(record));
  mx_alone u_alone (.clk_i(clk_i), .word_i(word), .keep_i(keep), .config_i(config_word), .record_i(record),
      .random_i(random), .code_o(code), .underflow_o(flags[0]), .saturated_o(flags[1]));
  mx_law u_law (.word_i(word), .config_i(config_word), .scale_i(scale), .random_i(random), .is_meant_o(is_meant),
      .is_rounded_o(is_rounded), .code_o(law), .underflow_o(law_flags[{}]), .saturated_o(law_flags[{}]));
  always @* begin
    assume (config_word[6:3] {} {});
    assume (config_word[11:10] < {});
    assume (config_word[13:12] < {});
    assume (config_word[21:19] < {});
    assume (~keep | is_meant);
    assume (~keep | ~is_zero_block | ~is_rounded);
    assert (code == (keep ? law : 8'd0));
    assert (flags == (law_flags & {{2{{keep}}}}));
  end
endmodule
)",
                     format, first, 1 - first,
                     rounding == LaneRounding::kDeterministic ? "<" : "==", golden::kStochasticCode,
                     golden::kSourceCodes.size(), golden::kOverflowCodes.size(),
                     golden::kNanCodes.size());
}

Obligation obligation(std::size_t format, LaneRounding rounding) {
  const std::string_view name = golden::kFormatCodes[format];
  const bool is_drawn = rounding == LaneRounding::kStochastic;
  const auto text = [&](Property property) {
    return lane_property(name, rounding, Property::kRight) + std::string(kLaneAloneVerilog) +
           comparison(format, rounding, property);
  };
  Obligation made{
      fmt::format("P1f{}.{}", is_drawn ? "s" : "", name),
      fmt::format(
          "a kept lane adds to underflow where the certificate of {} has 0 for a number "
          "that is not 0, and to saturated where it has a value beyond the largest, and "
          "nowhere else, and its code is that of the certificate, for {} and all that "
          "P1 has free; a lane that is not kept adds to neither and has code 0",
          name,
          is_drawn ? "stochastic rounding A with every random word of 8 bits" : "nine roundings"),
      FormalEngine::kSat, text(Property::kRight), text(Property::kBroken)};
  made.free_settings = 0x7FFFFF8;
  made.settings = static_cast<std::uint32_t>(format);
  return made;
}

}  // namespace

std::vector<Obligation> lane_flag_obligations() {
  std::vector<Obligation> all;
  for (const LaneRounding rounding : {LaneRounding::kDeterministic, LaneRounding::kStochastic}) {
    for (std::size_t f = 0; f < golden::kFormatCodes.size(); ++f) {
      all.push_back(obligation(f, rounding));
    }
  }
  return all;
}

}  // namespace mx::sim
