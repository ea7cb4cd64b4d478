// SPDX-License-Identifier: Apache-2.0
// The back of one lane: its part of a beat and the block's controls in, element code out.
//
//   S5      exponent field and shift amount
//   S6      shifted significand, random word
//   S7      code
//
// PipeLane says how many of S5, S6, S7 are registers: 3 all, 2 without S5, 1 only S7, 0 none. A
// register takes what is before it where its bit of take_i is 1. control_i is laid out by the CTL_
// constants of mx_pkg, pack_i by the PACK_ constants, lane_i by the LANE_ constants.
//
// Parameters: see mx_quantizer; the derived ones come from mx_quantizer_core.
//
// Example: bf16 3F88 (1.0625), e4m3fn, ties_to_even, S = 77h: code 38h three cycles after lane_i.
`default_nettype none

module mx_lane_back #(
    parameter int SigFrac = 15,
    parameter int MaxMan = 6,
    parameter logic [6:0] MagMask = 7'h7F,
    parameter int HasFixed = 1,
    parameter int HasTopNan = 1,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int HasStochastic = 1,
    parameter int KeptBits = 8,
    parameter int ShiftWidth = 4,
    parameter int PipeLane = 3
) (
    input  logic                                          clk_i,
    input  logic [                                   7:5] take_i,
    // Before S5.
    input  logic [mx_pkg::LANE_SIGNIFICAND_LSB+SigFrac:0] lane_i,
    input  logic                                          keep_i,
    input  logic                                          flush_i,
    input  logic [                 mx_pkg::CTL_WIDTH-1:0] control_i,
    // Before S6.
    input  logic [                            SrBits-1:0] random_i,
    // Before S7.
    input  logic [                mx_pkg::PACK_WIDTH-1:0] pack_i,
    output logic                                          underflow_o,
    output logic                                          saturated_o,
    // After S7.
    output logic [                                   7:0] code_o
);

  localparam int MaxShift = 1 + MaxMan + KeptBits;

  // S5: align.
  logic sign_a, hidden_a, nonzero_a, force_up_a;
  logic [           6:0] field_a;
  logic [ShiftWidth-1:0] right_a;
  logic [     SigFrac:0] significand;
  assign significand = lane_i[mx_pkg::LANE_SIGNIFICAND_LSB+:SigFrac+1];
  mx_lane_align #(
      .MaxShift(MaxShift),
      .ShiftWidth(ShiftWidth),
      .MagMask(MagMask)
  ) u_align (
      .sign_i(lane_i[mx_pkg::LANE_SIGN_LSB]),
      .exponent_i(lane_i[mx_pkg::LANE_EXPONENT_LSB+:mx_pkg::LANE_EXPONENT_WIDTH]),
      .hidden_i(significand[SigFrac]),
      .is_nan_i(lane_i[mx_pkg::LANE_NAN_LSB]),
      .is_inf_i(lane_i[mx_pkg::LANE_INF_LSB]),
      .nonzero_i(lane_i[mx_pkg::LANE_NONZERO_LSB]),
      .keep_i(keep_i),
      .control_i(control_i),
      .flush_i(flush_i),
      .sign_o(sign_a),
      .hidden_o(hidden_a),
      .nonzero_o(nonzero_a),
      .force_up_o(force_up_a),
      .field_o(field_a),
      .right_o(right_a)
  );

  logic sign_s5, nonzero_s5, force_up_s5;
  logic [           6:0] field_s5;
  logic [ShiftWidth-1:0] right_s5;
  logic [     SigFrac:0] significand_s5;
  mx_register #(
      .Width(SigFrac + 1 + ShiftWidth + 10),
      .Registered(PipeLane >= 3 ? 1 : 0)
  ) u_s5 (
      .clk_i(clk_i),
      .take_i(take_i[5]),
      .data_i({
        sign_a, nonzero_a, force_up_a, field_a, right_a, hidden_a, significand[SigFrac-1:0]
      }),
      .data_o({sign_s5, nonzero_s5, force_up_s5, field_s5, right_s5, significand_s5})
  );

  // S6: shift; the random word is registered here, never fed to the rounder from the port.
  logic [         6:0] magnitude;
  logic [KeptBits-1:0] kept;
  logic                sticky;
  mx_lane_shift #(
      .SigFrac(SigFrac),
      .MaxMan(MaxMan),
      .KeptBits(KeptBits),
      .ShiftWidth(ShiftWidth)
  ) u_shift (
      .significand_i(significand_s5),
      .nonzero_i(nonzero_s5),
      .field_i(field_s5),
      .right_i(right_s5),
      .magnitude_o(magnitude),
      .fraction_o(kept),
      .sticky_o(sticky)
  );

  logic sign_s6, nonzero_s6, force_up_s6, sticky_s6;
  logic [         6:0] magnitude_s6;
  logic [KeptBits-1:0] kept_s6;
  logic [  SrBits-1:0] random_s6;
  mx_register #(
      .Width(KeptBits + SrBits + 11),
      .Registered(PipeLane >= 2 ? 1 : 0)
  ) u_s6 (
      .clk_i (clk_i),
      .take_i(take_i[6]),
      .data_i({sign_s5, nonzero_s5, force_up_s5, magnitude, kept, sticky, random_i}),
      .data_o({sign_s6, nonzero_s6, force_up_s6, magnitude_s6, kept_s6, sticky_s6, random_s6})
  );

  // S7: round and pack.
  logic [7:0] code;
  mx_lane_pack #(
      .KeptBits(KeptBits),
      .SrBits(SrBits),
      .SrVariant(SrVariant),
      .HasStochastic(HasStochastic),
      .HasFixed(HasFixed),
      .HasTopNan(HasTopNan)
  ) u_pack (
      .sign_i(sign_s6),
      .nonzero_i(nonzero_s6),
      .force_up_i(force_up_s6),
      .magnitude_i(magnitude_s6),
      .fraction_i(kept_s6),
      .sticky_i(sticky_s6),
      .random_i(random_s6),
      .pack_i(pack_i),
      .code_o(code),
      .underflow_o(underflow_o),
      .saturated_o(saturated_o)
  );

  mx_register #(
      .Width(8),
      .Registered(PipeLane >= 1 ? 1 : 0)
  ) u_s7 (
      .clk_i (clk_i),
      .take_i(take_i[7]),
      .data_i(code),
      .data_o(code_o)
  );

endmodule

`default_nettype wire
