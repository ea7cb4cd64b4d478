// A lane outside the core, in Verilog, and what a block tells its lanes under a scale code.
#pragma once

#include <string_view>

namespace mx::sim {

/// mx_record: what a block tells its lanes (the CTL_ constants of mx_pkg). A block of zeros gives
/// the exponent of scale code 0 whatever its code is;
/// under a NaN scale any exponent, nan_base_i. mx_alone: a lane of the default build as the core
/// has it.
inline constexpr std::string_view kLaneAloneVerilog = R"(module mx_record (
    input wire [26:0] config_i,
    input wire [7:0] scale_i,
    input wire is_zero_block_i,
    input wire [8:0] nan_base_i,
    output wire [mx_pkg::CTL_WIDTH-1:0] record_o
);
  wire [5:0] format;
  wire is_nan_scale = scale_i == 8'hFF;
  reg [3:0] abs_emin;
  reg [2:0] man_bits;
  integer f;
  always @* begin
    abs_emin = 4'd0;
    man_bits = 3'd0;
    for (f = 0; f < 6; f = f + 1) begin
      abs_emin = abs_emin | ({4{format[f]}} & mx_pkg::abs_emin(f[2:0]));
      man_bits = man_bits | ({3{format[f]}} & mx_pkg::man_bits(f[2:0]));
    end
  end
  wire [8:0] base = is_nan_scale ? nan_base_i :
                    {5'd0, abs_emin} + 9'd1 - (is_zero_block_i ? 9'd0 : {1'b0, scale_i});
  wire [5:0] shift_base = 6'd7 - {3'd0, man_bits} - base[5:0];
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_lane_control u_control (.format_i(format), .block_nan_i(is_nan_scale), .overflow_i(config_i[13:12]),
      .nan_scale_codes_i(config_i[17]), .nan_i(config_i[21:19]), .int_min_i(config_i[24]),
      .base_i(base), .shift_base_i(shift_base), .control_o(record_o));
endmodule
module mx_alone (
    input wire clk_i,
    input wire [31:0] word_i,
    input wire keep_i,
    input wire [26:0] config_i,
    input wire [mx_pkg::CTL_WIDTH-1:0] record_i,
    input wire [7:0] random_i,
    output wire [7:0] code_o,
    output wire underflow_o,
    output wire saturated_o
);
  wire [5:0] format;
  wire [2:0] source;
  wire [mx_pkg::PACK_WIDTH-1:0] pack;
  wire [mx_pkg::LANE_SIGNIFICAND_LSB+15:0] beat;
  mx_onehot #(.Count(6), .Width(3), .Mask(16'h003F)) u_format (.code_i(config_i[2:0]), .onehot_o(format));
  mx_onehot #(.Count(3), .Width(2), .Mask(16'h0007)) u_source (.code_i(config_i[11:10]), .onehot_o(source));
  mx_pack_control u_pack (.format_i(format), .rounding_i(config_i[6:3]), .overflow_i(config_i[13:12]),
      .int_min_i(config_i[24]), .flush_i(config_i[25]), .pack_o(pack));
  mx_lane_front u_front (.clk_i(clk_i), .take_i(3'b111), .word_i(word_i), .keep_i(keep_i), .source_i(source),
      .ftz_i(config_i[26]), .rule_enable_i(1'b0), .rule_exact_too_i(1'b0), .rule_ones_i(7'd0), .lane_o(beat));
  mx_lane_back u_back (.clk_i(clk_i), .take_i(3'b111), .lane_i(beat), .keep_i(keep_i), .flush_i(config_i[25]),
      .control_i(record_i), .random_i(random_i), .pack_i(pack), .underflow_o(underflow_o),
      .saturated_o(saturated_o), .code_o(code_o));
endmodule
)";

}  // namespace mx::sim
