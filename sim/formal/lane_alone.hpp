// A lane outside the core, in Verilog, and what a block tells its lanes under a scale code.
#pragma once

#include <string_view>

namespace mx::sim {

/// mx_record: the bits of a block's record (rtl/mx_block_scale.sv, above status and configuration)
/// that lanes are given. A block of zeros gives the exponent of scale code 0 whatever its code is;
/// under a NaN scale any exponent, nan_base_i. mx_alone: a lane of the default build as the core
/// has it.
inline constexpr std::string_view kLaneAloneVerilog = R"(module mx_record (
    input wire [26:0] config_i,
    input wire [7:0] scale_i,
    input wire is_zero_block_i,
    input wire [8:0] nan_base_i,
    output wire [45:12] record_o
);
  wire [5:0] format;
  wire is_nan_scale = scale_i == 8'hFF;
  reg [3:0] abs_emin;
  integer f;
  always @* begin
    abs_emin = 4'd0;
    for (f = 0; f < 6; f = f + 1) abs_emin = abs_emin | ({4{format[f]}} & mx_pkg::abs_emin(f[2:0]));
  end
  wire [8:0] base = is_nan_scale ? nan_base_i :
                    {5'd0, abs_emin} + 9'd1 - (is_zero_block_i ? 9'd0 : {1'b0, scale_i});
  wire [2:0] shift_one;
  wire [3:0] man_bits;
  wire [6:0] nan_code, inf_code;
  wire nan_keep, nan_opposite, inf_min;
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_lane_control u_control (.format_i(format), .block_nan_i(is_nan_scale), .overflow_i(config_i[13:12]),
      .nan_scale_codes_i(config_i[17]), .nan_i(config_i[21:19]), .int_min_i(config_i[24]),
      .shift_one_o(shift_one), .man_bits_o(man_bits), .nan_code_o(nan_code), .nan_keep_o(nan_keep),
      .nan_opposite_o(nan_opposite), .inf_code_o(inf_code), .inf_min_o(inf_min));
  assign record_o = {is_nan_scale, base, shift_one, man_bits, nan_code, nan_keep, nan_opposite, inf_code, inf_min};
endmodule
module mx_alone (
    input wire clk_i,
    input wire [31:0] word_i,
    input wire keep_i,
    input wire [26:0] config_i,
    input wire [45:12] record_i,
    input wire [7:0] random_i,
    output wire [7:0] code_o,
    output wire underflow_o,
    output wire saturated_o
);
  wire [5:0] format;
  wire [2:0] source;
  wire [7:0] round, sign_mask, over_positive, over_negative;
  wire [6:0] max_code;
  wire top_nan, is_fixed, allow_min, enable, exact_too;
  wire [6:0] ones;
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_onehot #(.Count(3), .Width(2), .Mask(16'h0007)) u_source (.code_i(config_i[11:10]), .onehot_o(source));
  mx_pack_control u_pack (.format_i(format), .rounding_i(config_i[6:3]), .overflow_i(config_i[13:12]),
      .int_min_i(config_i[24]), .round_o(round), .max_code_o(max_code), .top_nan_o(top_nan),
      .is_fixed_o(is_fixed), .allow_min_o(allow_min), .sign_mask_o(sign_mask),
      .over_positive_o(over_positive), .over_negative_o(over_negative));
  mx_lane u_lane (.clk_i(clk_i), .front_en_i(1'b1), .back_en_i(1'b1), .word_i(word_i), .keep_i(keep_i),
      .source_i(source), .ftz_i(config_i[26]), .rule_enable_i(1'b0), .rule_exact_too_i(1'b0),
      .rule_ones_i(7'd0), .store_write_i(1'b0), .store_write_index_i(1'b0), .store_read_index_i(1'b0),
      .keep_s4_i(keep_i), .base_i(record_i[44:36]), .shift_one_i(record_i[35:33]),
      .man_bits_i(record_i[32:29]), .block_nan_i(record_i[45]), .nan_code_i(record_i[28:22]),
      .nan_keep_i(record_i[21]), .nan_opposite_i(record_i[20]), .inf_code_i(record_i[19:13]),
      .inf_min_i(record_i[12]), .flush_s4_i(config_i[25]), .random_i(random_i), .round_i(round),
      .max_code_i(max_code), .top_nan_i(top_nan), .is_fixed_i(is_fixed), .allow_min_i(allow_min),
      .flush_s6_i(config_i[25]), .sign_mask_i(sign_mask), .over_positive_i(over_positive),
      .over_negative_i(over_negative), .underflow_o(underflow_o), .saturated_o(saturated_o),
      .code_o(code_o));
endmodule
)";

}  // namespace mx::sim
