// SPDX-License-Identifier: Apache-2.0
// Bench top: lanes of the quantizer under a scale code that is told and not found, for sweeps over
// every source word.
//
// Through mx_quantizer the scale follows the largest element of a block; here any code stands beside
// any word. A lane needs no more of its block than the scale: a word above 2^(emax + 1) times the
// scale, which no block under that scale has, is out of its contract, and what it answers then means
// nothing. Lanes, controls and their parameters are those of mx_quantizer with no parameter changed.
//
// Words are taken in every cycle where valid_i is 1; their codes come eight cycles later with
// valid_o, in order. Nothing is reset: eight cycles of valid_i = 0 empty it. Configuration, scale and
// random word hold still while words are in flight.
//
// Parameters: Lanes.
//
// Example: words of bf16 3F88 (1.0625), config_i of e4m3fn and ties_to_even, scale_i 7Fh: codes 38h.
`default_nettype none

module lane_sweep #(
    parameter int Lanes = 32
) (
    input  logic                         clk_i,
    input  logic                         valid_i,
    input  logic [         Lanes*32-1:0] words_i,   // lane i at [i*32 +: 32]
    input  logic [mx_pkg::CFG_WIDTH-1:0] config_i,
    input  logic [                  7:0] scale_i,
    input  logic [                  7:0] random_i,  // of every lane
    output logic                         valid_o,
    output logic [          Lanes*8-1:0] codes_o
);

  localparam int Latency = 8;  // words_q, S1 to S7
  localparam int SigFrac = 15;

  // What the configuration says of every lane.
  logic [5:0] format;
  logic [2:0] source;
  mx_onehot #(
      .Count(mx_pkg::NUM_FORMATS),
      .Width(mx_pkg::FORMAT_WIDTH),
      .Mask (16'h003F)
  ) u_format (
      .code_i  (config_i[mx_pkg::FORMAT_LSB+:mx_pkg::FORMAT_WIDTH]),
      .onehot_o(format)
  );
  mx_onehot #(
      .Count(3),
      .Width(mx_pkg::SOURCE_WIDTH),
      .Mask (16'h0007)
  ) u_source (
      .code_i  (config_i[mx_pkg::SOURCE_LSB+:mx_pkg::SOURCE_WIDTH]),
      .onehot_o(source)
  );

  // As mx_shared_scale has it for the scale code that it finds.
  logic [3:0] abs_emin;
  logic [2:0] man_bits;
  logic       block_nan;
  logic [8:0] base;
  logic [5:0] shift_base;
  always_comb begin
    abs_emin = '0;
    man_bits = '0;
    for (int f = 0; f < mx_pkg::NUM_FORMATS; f++) begin
      abs_emin |= {4{format[f]}} & mx_pkg::abs_emin(f[2:0]);
      man_bits |= {3{format[f]}} & mx_pkg::man_bits(f[2:0]);
    end
    block_nan = scale_i == 8'hFF;
    base = {5'd0, abs_emin} + 9'd1 - {1'b0, scale_i};
    shift_base = 6'd7 - {3'd0, man_bits} - base[5:0];
  end

  logic [mx_pkg::CTL_WIDTH-1:0] control;
  mx_lane_control u_control (
      .format_i(format),
      .block_nan_i(block_nan),
      .overflow_i(config_i[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .nan_scale_codes_i(config_i[mx_pkg::NAN_SCALE_CODES_LSB]),
      .nan_i(config_i[mx_pkg::NAN_LSB+:mx_pkg::NAN_WIDTH]),
      .int_min_i(config_i[mx_pkg::INT_MIN_LSB]),
      .base_i(base),
      .shift_base_i(shift_base),
      .control_o(control)
  );

  logic [mx_pkg::PACK_WIDTH-1:0] pack;
  mx_pack_control u_pack_control (
      .format_i(format),
      .rounding_i(config_i[mx_pkg::ROUNDING_LSB+:mx_pkg::ROUNDING_WIDTH]),
      .overflow_i(config_i[mx_pkg::OVERFLOW_LSB+:mx_pkg::OVERFLOW_WIDTH]),
      .int_min_i(config_i[mx_pkg::INT_MIN_LSB]),
      .flush_i(config_i[mx_pkg::ZERO_SIGN_LSB]),
      .pack_o(pack)
  );

  logic [Lanes*32-1:0] words_q;
  logic [ Latency-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    words_q <= words_i;
    valid_q <= {valid_q[Latency-2:0], valid_i};
  end
  assign valid_o = valid_q[Latency-1];

  generate
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      logic [mx_pkg::LANE_SIGNIFICAND_LSB+SigFrac:0] lane_s3, lane_s4_q;
      mx_lane_front u_front (
          .clk_i(clk_i),
          .take_i(3'b111),
          .word_i(words_q[i*32+:32]),
          .keep_i(1'b1),
          .source_i(source),
          .ftz_i(config_i[mx_pkg::SRC_FTZ_LSB]),
          .rule_enable_i(1'b0),
          .rule_exact_too_i(1'b0),
          .rule_ones_i(7'd0),
          .exponent_o(),
          .nonzero_o(),
          .in_range_o(),
          .carry_o(),
          .is_nan_o(),
          .is_inf_o(),
          .lane_o(lane_s3)
      );
      always_ff @(posedge clk_i) lane_s4_q <= lane_s3;
      mx_lane_back u_back (
          .clk_i(clk_i),
          .take_i(3'b111),
          .lane_i(lane_s4_q),
          .keep_i(1'b1),
          .flush_i(config_i[mx_pkg::ZERO_SIGN_LSB]),
          .control_i(control),
          .random_i(random_i),
          .pack_i(pack),
          .underflow_o(),
          .saturated_o(),
          .code_o(codes_o[i*8+:8])
      );
    end
  endgenerate

endmodule

`default_nettype wire
