// The front of a lane alone, and the scale of a block from the keys of its lanes, in Verilog: what
// the properties of scales look at.
#pragma once

#include <string_view>

namespace mx::sim {

/// mx_front: the front of a lane, up to its key {exponent field, in range, carry}, under the
/// configuration of a block; a lane below the range has the key 1, one that does not count 0.
/// mx_keyed: the scale of a block of one beat from such keys.
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
  wire [7:0] exponent;
  wire nonzero, in_range, carry;
  mx_lane_front u_front (.clk_i(clk_i), .take_i(3'b111), .word_i(word_i), .keep_i(keep_i),
                         .source_i(source), .ftz_i(config_i[26]), .rule_enable_i(enable),
                         .rule_exact_too_i(exact_too), .rule_ones_i(ones), .exponent_o(exponent),
                         .nonzero_o(nonzero), .in_range_o(in_range), .carry_o(carry),
                         .is_nan_o(is_nan_o), .is_inf_o(is_inf_o));
  assign key_o = nonzero ? {exponent, in_range, carry | ~in_range} : 10'd0;
endmodule
module mx_keyed #(parameter Lanes = 1) (
    input wire clk_i,
    input wire [Lanes*10-1:0] keys_i,
    input wire [Lanes-1:0] is_nan_i,
    input wire [Lanes-1:0] is_inf_i,
    input wire [26:0] config_i,
    output wire [mx_pkg::CTL_WIDTH-1:0] control_o,
    output wire [11:0] status_o
);
  wire [5:0] format;
  reg [Lanes*8-1:0] exponents;
  reg [Lanes-1:0] nonzero, in_range, carry;
  integer i;
  always @* for (i = 0; i < Lanes; i = i + 1) begin
    exponents[8*i +: 8] = keys_i[10*i+2 +: 8];
    nonzero[i] = |keys_i[10*i +: 10];
    in_range[i] = keys_i[10*i+1];
    carry[i] = &keys_i[10*i +: 2];
  end
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_block_scale #(.Lanes(Lanes)) u_block (.clk_i(clk_i), .take_i(3'b111), .exponents_i(exponents),
      .nonzero_i(nonzero), .in_range_i(in_range), .carry_i(carry), .is_nan_i(is_nan_i), .is_inf_i(is_inf_i),
      .format_s2_i(format), .config_i(config_i), .first_s3_i(1'b1), .control_o(control_o), .status_o(status_o));
endmodule
)";

}  // namespace mx::sim
