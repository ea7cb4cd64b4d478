// The front of a lane alone, in Verilog: what the properties of scales look at.
#pragma once

#include <string_view>

namespace mx::sim {

/// The front of a lane, up to its key, under the configuration of a block.
inline constexpr std::string_view kFrontVerilog = R"(module mx_front (
    input wire clk_i,
    input wire [31:0] word_i,
    input wire [26:0] config_i,
    input wire keep_i,
    output wire [9:0] key_o,
    output wire is_nan_o,
    output wire is_inf_o
);
  wire [5:0] format;
  wire [2:0] source;
  wire enable, exact_too;
  wire [6:0] ones;
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_onehot #(.Count(3), .Width(2), .Mask(16'h0007)) u_source (.code_i(config_i[11:10]), .onehot_o(source));
  mx_rule u_rule (.format_i(format), .rule_i(config_i[9:7]), .enable_o(enable), .exact_too_o(exact_too),
                  .ones_o(ones));
  mx_lane u_lane (.clk_i(clk_i), .front_en_i(1'b1), .back_en_i(1'b1), .word_i(word_i), .keep_i(keep_i),
                  .source_i(source), .ftz_i(config_i[26]), .rule_enable_i(enable),
                  .rule_exact_too_i(exact_too), .rule_ones_i(ones), .key_o(key_o), .is_nan_o(is_nan_o),
                  .is_inf_o(is_inf_o));
endmodule
)";

}  // namespace mx::sim
