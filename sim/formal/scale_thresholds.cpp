#include <fmt/format.h>

#include <string>
#include <string_view>

#include "golden/certificates/scale.hpp"
#include "golden/config_word/table.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/formal/front.hpp"
#include "sim/formal/properties.hpp"
#include "sim/formal/verilog.hpp"
#include "sim/formal/word.hpp"

namespace mx::sim {
namespace {

/// The magnitude of a word that counts in a maximum as a binary32 pattern; 0 for what does not.
constexpr std::string_view kMagnitude =
    R"(  wire [30:0] magnitude = is_nan | is_inf | is_zero ? 31'd0 :
                          source == 2'd0 ? word_i[30:0] :
                          source == 2'd1 ? {word_i[14:0], 16'd0} : {field_32[7:0], significand};
)";

std::string chain_of(ScaleRule rule, const ElementFormat& element, Property property) {
  const golden::ScaleCertificate certificate =
      golden::make_scale_certificate(rule, formats::fp32, element);
  std::vector<std::uint64_t> thresholds(certificate.thresholds.begin(),
                                        certificate.thresholds.end());
  if (property == Property::kBroken) ++thresholds[thresholds.size() / 2];
  return verilog_of({"step", "magnitude", 8, 31}, thresholds) +
         fmt::format("  wire carries = even_carry & (magnitude >= 31'd{});\n",
                     certificate.first_carry);
}

std::string scale_property(ScaleRule rule, const ElementFormat& element, Property property) {
  return fmt::format(R"(module mx_law (
    input wire [31:0] word_i,
    input wire [26:0] config_i,
    input wire [7:0] scale_i,
    input wire other_nan_i,
    input wire other_inf_i,
    output wire is_in_range_o,
    output wire is_zero_block_o,
    output wire is_clamped_o,
    output reg [7:0] scale_o
);
{}{}  wire [1:0] amax_over = config_i[15:14];
  wire inf_block = config_i[16];
  wire even_carry = config_i[18];
  wire zero_block_scale = config_i[22];
  wire scale_sat = config_i[23];
{}  wire is_nan_block = (is_nan | other_nan_i) & (amax_over == 2'd0);
  wire is_inf_block = (is_inf | other_inf_i) & (amax_over != 2'd2);
  assign is_zero_block_o = (magnitude == 31'd0) & ~is_nan_block & ~is_inf_block;
  assign is_in_range_o = (magnitude == 31'd0) | (exponent < 10'd{});
  assign is_clamped_o = ~is_nan_block & ~is_inf_block & ~is_zero_block_o &
                        ((magnitude < 31'd{}) | carries | (step == 8'd255));
  always @* begin
    if (is_nan_block) scale_o = 8'hFF;
    else if (is_inf_block) scale_o = inf_block ? 8'hFE : 8'hFF;
    else if (is_zero_block_o) scale_o = zero_block_scale ? 8'h7F : 8'h00;
    else if (carries) scale_o = 8'hFF;
    else if (step == 8'd255) scale_o = scale_sat ? 8'hFF : 8'hFE;
    else scale_o = step;
  end
endmodule
)",
                     kWordVerilog, kMagnitude, chain_of(rule, element, property),
                     scaled_limit(element), golden::first_unclamped(rule, formats::fp32, element));
}

/// The lanes of a zero block are given the exponent of scale code 0, whatever its code: nothing in
/// them depends on it.
std::string scale_comparison(std::size_t rule, std::size_t format, const ElementFormat& element) {
  return fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [31:0] word,
    input wire other_nan,
    input wire other_inf,
    input wire [26:0] settings
);
  wire [26:0] config_word = {{settings[26:10], 3'd{}, settings[6:3], 3'd{}}};
  wire [9:0] key;
  wire is_nan, is_inf, is_in_range, is_zero_block, is_clamped;
  wire [mx_pkg::CTL_WIDTH-1:0] control;
  wire [11:0] status;
  wire [7:0] law;
  wire [7:0] scale = status[7:0];
  wire [8:0] base = control[mx_pkg::CTL_BASE_LSB +: 9];
  wire [7:0] of_base = is_zero_block ? 8'd0 : law;
  mx_front u_front (.clk_i(clk_i), .word_i(word), .config_i(config_word), .keep_i(1'b1), .key_o(key),
                    .is_nan_o(is_nan), .is_inf_o(is_inf));
  mx_keyed u_block (.clk_i(clk_i), .keys_i(key), .is_nan_i(is_nan | other_nan),
                    .is_inf_i(is_inf | other_inf), .config_i(config_word), .control_o(control),
                    .status_o(status));
  mx_law u_law (.word_i(word), .config_i(config_word), .scale_i(scale),
                .other_nan_i(other_nan), .other_inf_i(other_inf), .is_in_range_o(is_in_range),
                .is_zero_block_o(is_zero_block), .is_clamped_o(is_clamped), .scale_o(law));
  always @* begin
    assume (config_word[11:10] < {});
    assume (config_word[15:14] < {});
    assert (scale == law);
    assert (control[mx_pkg::CTL_BLOCK_NAN_LSB] == (law == 8'hFF));
    assert (status[mx_pkg::STATUS_ZERO_BLOCK] == is_zero_block);
    assert (status[mx_pkg::STATUS_SCALE_CLAMPED] == is_clamped);
    assert (status[11:10] == {{is_nan | other_nan, is_inf | other_inf}});
    assert (law == 8'hFF || base == 9'd{} - {{1'b0, of_base}});
    assert (law == 8'hFF || is_in_range);
  end
endmodule
)",
                     rule, format, golden::kSourceCodes.size(), golden::kAmaxOverCodes.size(),
                     1 - (element.is_fixed() ? 0 : element.emin()));
}

constexpr std::string_view kOrder = R"(module mx_value (
    input wire [31:0] word_i,
    input wire [26:0] config_i,
    output wire [30:0] magnitude_o
);
  wire [7:0] scale_i = 8'd0;
{}{}  assign magnitude_o = magnitude;
endmodule
module mx_proof (
    input wire clk_i,
    input wire [31:0] word,
    input wire [31:0] other,
    input wire [26:0] settings
);
  wire [9:0] key, other_key;
  wire [30:0] magnitude, other_magnitude;
  mx_front u_front (.clk_i(clk_i), .word_i(word), .config_i(settings), .keep_i(1'b1), .key_o(key));
  mx_front u_other (.clk_i(clk_i), .word_i(other), .config_i(settings), .keep_i(1'b1), .key_o(other_key));
  mx_value u_value (.word_i(word), .config_i(settings), .magnitude_o(magnitude));
  mx_value u_other_value (.word_i(other), .config_i(settings), .magnitude_o(other_magnitude));
  always @* begin
    assume (settings[2:0] < 6);
    assume (settings[9:7] < 5);
    assume (settings[11:10] < 3);
    assume (magnitude {} other_magnitude);
    assert (key >= other_key);
    assert (key == 10'd0 | key[9:2] == 8'd0 | key[1]);
  end
endmodule
)";

std::string maximum(int lanes, Property property) {
  return std::string(kFrontVerilog) + fmt::format(R"(module mx_proof (
    input wire clk_i,
    input wire [{0}*10-1:0] keys,
    input wire [{0}-1:0] nans,
    input wire [{0}-1:0] infs,
    input wire [9:0] largest,
    input wire [4:0] where,
    input wire [26:0] settings
);
  wire [mx_pkg::CTL_WIDTH+11:0] record, expected;
  mx_keyed #(.Lanes({0})) u_block (.clk_i(clk_i), .keys_i(keys), .is_nan_i(nans), .is_inf_i(infs),
      .config_i(settings), .control_o(record[mx_pkg::CTL_WIDTH+11:12]), .status_o(record[11:0]));
  mx_keyed u_one (.clk_i(clk_i), .keys_i(largest), .is_nan_i(|nans), .is_inf_i(|infs),
      .config_i(settings), .control_o(expected[mx_pkg::CTL_WIDTH+11:12]), .status_o(expected[11:0]));
  reg is_bound;
  reg [9:0] there;
  integer i;
  always @* begin
    is_bound = 1'b1;
    there = 10'd0;
    for (i = 0; i < {0}; i = i + 1) begin
      if (keys[10*i +: 10] > largest) is_bound = 1'b0;
      assume (keys[10*i +: 10] == 10'd0 | keys[10*i+2 +: 8] == 8'd0 | keys[10*i+1]);
      if (where == i) there = keys[10*i +: 10];
    end
    assume (is_bound);
    assume ({1}there == largest);
    assert (record == expected);
  end
endmodule
)",
                                                  lanes,
                                                  property == Property::kBroken ? "1'b1 || " : "");
}

}  // namespace

std::vector<Obligation> scale_obligations() {
  std::vector<Obligation> all;
  for (std::size_t r = 0; r < golden::kRuleCodes.size(); ++r) {
    const ScaleRule rule = golden::kRuleCodes[r];
    for (std::size_t f = 0; f < golden::kFormatCodes.size(); ++f) {
      const ElementFormat& element = *find_format(golden::kFormatCodes[f]);
      const std::string proof = std::string(kFrontVerilog) + scale_comparison(r, f, element);
      all.push_back(
          {fmt::format("P2.{}.{}", token_of(rule), element.name),
           fmt::format("the scale code of a block whose largest element is a word, with or without "
                       "NaN and infinities beside it, is that of the scale certificate of {} and "
                       "{}, for every word of fp32, bf16 and fp16 and every policy of blocks; the "
                       "word lies below 2^(emax + 1) times the scale, and the lanes are given its "
                       "exponent",
                       token_of(rule), element.name),
           FormalEngine::kSat, scale_property(rule, element, Property::kRight) + proof,
           scale_property(rule, element, Property::kBroken) + proof});
      all.back().free_settings = 0x7FFFC78;
      all.back().settings = static_cast<std::uint32_t>(r << 7 | f);
    }
  }
  return all;
}

std::vector<Obligation> order_obligations() {
  const auto text = [](std::string_view relation) {
    std::string made(kOrder);
    for (const std::string_view part : {kWordVerilog, kMagnitude, relation}) {
      made.replace(made.find("{}"), 2, part);
    }
    return std::string(kFrontVerilog) + made;
  };
  return {{"P2.order",
           "of two words of one source, the one with the larger magnitude has no smaller key, for "
           "every format, rule and source subnormal policy; a word that is no number counts as 0",
           FormalEngine::kSat, text(">="), text("<=")}};
}

std::vector<Obligation> maximum_obligations() {
  std::vector<Obligation> all;
  for (const int lanes : {2, 8, 32}) {
    all.push_back(
        {fmt::format("P3.lanes{}", lanes),
         fmt::format(
             "what a block says of {} keys is what it says of the largest of them, with NaN "
             "and infinity where any lane has one, for every configuration word and "
             "all keys that P2.order finds",
             lanes),
         FormalEngine::kSat, maximum(lanes, Property::kRight), maximum(lanes, Property::kBroken)});
  }
  return all;
}

}  // namespace mx::sim
