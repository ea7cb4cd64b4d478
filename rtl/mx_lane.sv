// SPDX-License-Identifier: Apache-2.0
// One lane: source word in, sort key out at stage S1, element code out at stage S7.
//
// The lane owns its data registers, so that every signal in it is narrow:
//   S1      unpacked word and key            (front_en_i)
//   S2, S3  normalized significand, waiting for the maximum
//   S4      waiting for the scale; where a block takes several beats, a store of two blocks
//   S5      exponent field and shift amount  (back_en_i)
//   S6      shifted significand, random word
//   S7      code
// PipeLane says how many of S5, S6, S7 are registers: 3 all, 2 without S5, 1 only S7, 0 none. Data
// registers have no reset; valid bits live in mx_quantizer_core.
//
// Parameters: see mx_quantizer; the derived ones come from mx_quantizer_core. Beats 1, or the beats
// of a whole block.
//
// Example: bf16 3F88 (1.0625), e4m3fn, ties_to_even, S = 77h: code 38h six cycles after S1.
`default_nettype none

module mx_lane #(
    parameter logic [2:0] InFmtMask = 3'b111,
    parameter int InWidth = 32,
    parameter int FracWidth = 23,
    parameter int SigFrac = 15,
    parameter int MaxMan = 6,
    parameter logic [6:0] MagMask = 7'h7F,
    parameter int HasFixed = 1,
    parameter int HasTopNan = 1,
    parameter int Subnormals = 1,
    parameter int NormDepth = 15,
    parameter int SrBits = 8,
    parameter int SrVariant = 0,
    parameter int HasStochastic = 1,
    parameter int KeptBits = 8,
    parameter int ShiftWidth = 4,
    parameter int PipeLane = 3,
    parameter int Beats = 1,
    parameter int IndexWidth = 1
) (
    input  logic                  clk_i,
    input  logic                  front_en_i,
    input  logic                  back_en_i,
    // Before S1.
    input  logic [   InWidth-1:0] word_i,
    input  logic                  keep_i,
    input  logic [           2:0] source_i,
    input  logic                  ftz_i,
    input  logic                  rule_enable_i,
    input  logic                  rule_exact_too_i,
    input  logic [           6:0] rule_ones_i,
    // After S1.
    output logic [           9:0] key_o,
    output logic                  is_nan_o,
    output logic                  is_inf_o,
    // The store, where Beats > 1.
    input  logic                  store_write_i,
    input  logic [IndexWidth-1:0] store_write_index_i,
    input  logic [IndexWidth-1:0] store_read_index_i,
    // Before S5.
    input  logic                  keep_s4_i,
    input  logic [           8:0] base_i,
    input  logic [           2:0] shift_one_i,
    input  logic [           3:0] man_bits_i,
    input  logic                  block_nan_i,
    input  logic [           6:0] nan_code_i,
    input  logic                  nan_keep_i,
    input  logic                  nan_opposite_i,
    input  logic [           6:0] inf_code_i,
    input  logic                  inf_min_i,
    input  logic                  flush_s4_i,
    // Before S6.
    input  logic [    SrBits-1:0] random_i,
    // Before S7.
    input  logic [           7:0] round_i,
    input  logic [           6:0] max_code_i,
    input  logic                  top_nan_i,
    input  logic                  is_fixed_i,
    input  logic                  allow_min_i,
    input  logic                  flush_s6_i,
    input  logic [           7:0] sign_mask_i,
    input  logic [           7:0] over_positive_i,
    input  logic [           7:0] over_negative_i,
    output logic                  underflow_o,
    output logic                  saturated_o,
    // After S7.
    output logic [           7:0] code_o
);

  localparam int MaxShift = 1 + MaxMan + KeptBits;

  // S1: unpack and key.
  logic sign_d, is_nan_d, is_inf_d, nonzero_d;
  logic [          7:0] exponent_d;
  logic [FracWidth-1:0] fraction_d;
  logic [          9:0] key_d;

  mx_unpack #(
      .InFmtMask(InFmtMask),
      .InWidth(InWidth),
      .FracWidth(FracWidth),
      .Subnormals(Subnormals)
  ) u_unpack (
      .word_i(word_i),
      .keep_i(keep_i),
      .source_i(source_i),
      .ftz_i(ftz_i),
      .sign_o(sign_d),
      .exponent_o(exponent_d),
      .fraction_o(fraction_d),
      .is_nan_o(is_nan_d),
      .is_inf_o(is_inf_d),
      .nonzero_o(nonzero_d)
  );

  mx_key #(
      .FracWidth (FracWidth),
      .HasFixed  (HasFixed),
      .Subnormals(Subnormals)
  ) u_key (
      .exponent_i(exponent_d),
      .fraction_i(fraction_d),
      .nonzero_i(nonzero_d),
      .enable_i(rule_enable_i),
      .exact_too_i(rule_exact_too_i),
      .ones_i(rule_ones_i),
      .key_o(key_d)
  );

  logic sign_s1_q, is_nan_s1_q, is_inf_s1_q, nonzero_s1_q;
  logic [          7:0] exponent_s1_q;
  logic [FracWidth-1:0] fraction_s1_q;
  logic [          9:0] key_s1_q;
  always_ff @(posedge clk_i) begin
    if (front_en_i) begin
      sign_s1_q     <= sign_d;
      is_nan_s1_q   <= is_nan_d;
      is_inf_s1_q   <= is_inf_d;
      nonzero_s1_q  <= nonzero_d;
      exponent_s1_q <= exponent_d;
      fraction_s1_q <= fraction_d;
      key_s1_q      <= key_d;
    end
  end
  assign key_o    = key_s1_q;
  assign is_nan_o = is_nan_s1_q;
  assign is_inf_o = is_inf_s1_q;

  // S2, S3: normalize, then wait for the maximum.
  logic [      8:0] exponent_n;
  logic [SigFrac:0] significand_n;
  mx_normalize #(
      .FracWidth(FracWidth),
      .SigFrac(SigFrac),
      .Depth(NormDepth)
  ) u_normalize (
      .exponent_i(exponent_s1_q),
      .fraction_i(fraction_s1_q),
      .exponent_o(exponent_n),
      .significand_o(significand_n)
  );

  logic [3:0] class_s2_q, class_s3_q, class_s4;  // sign, NaN, Inf, nonzero
  logic [8:0] exponent_s2_q, exponent_s3_q, exponent_s4;
  logic [SigFrac:0] significand_s2_q, significand_s3_q, significand_s4;
  always_ff @(posedge clk_i) begin
    if (front_en_i) begin
      class_s2_q       <= {sign_s1_q, is_nan_s1_q, is_inf_s1_q, nonzero_s1_q};
      exponent_s2_q    <= exponent_n;
      significand_s2_q <= significand_n;
      class_s3_q       <= class_s2_q;
      exponent_s3_q    <= exponent_s2_q;
      significand_s3_q <= significand_s2_q;
    end
  end

  // S4: wait for the scale.
  generate
    if (Beats == 1) begin : g_one_beat
      logic [      3:0] class_s4_q;
      logic [      8:0] exponent_s4_q;
      logic [SigFrac:0] significand_s4_q;
      always_ff @(posedge clk_i) begin
        if (back_en_i) begin
          class_s4_q       <= class_s3_q;
          exponent_s4_q    <= exponent_s3_q;
          significand_s4_q <= significand_s3_q;
        end
      end
      assign class_s4       = class_s4_q;
      assign exponent_s4    = exponent_s4_q;
      assign significand_s4 = significand_s4_q;
      logic unused_store;
      assign unused_store = ^{store_write_i, store_write_index_i, store_read_index_i};
    end else begin : g_store
      localparam int WordWidth = 4 + 9 + SigFrac + 1;
      logic [WordWidth-1:0] store[2*Beats];
      always_ff @(posedge clk_i) begin
        if (store_write_i) begin
          store[store_write_index_i] <= {class_s3_q, exponent_s3_q, significand_s3_q};
        end
      end
      assign {class_s4, exponent_s4, significand_s4} = store[store_read_index_i];
      logic unused_enable;  // without registers behind the store
      assign unused_enable = back_en_i;
    end
  endgenerate

  // S5: align.
  logic sign_a, hidden_a, nonzero_a, force_up_a;
  logic [           6:0] field_a;
  logic [ShiftWidth-1:0] right_a;
  mx_lane_align #(
      .MaxShift(MaxShift),
      .ShiftWidth(ShiftWidth),
      .MagMask(MagMask)
  ) u_align (
      .sign_i(class_s4[3]),
      .exponent_i(exponent_s4),
      .hidden_i(significand_s4[SigFrac]),
      .is_nan_i(class_s4[2]),
      .is_inf_i(class_s4[1]),
      .nonzero_i(class_s4[0]),
      .keep_i(keep_s4_i),
      .base_i(base_i),
      .shift_one_i(shift_one_i),
      .man_bits_i(man_bits_i),
      .block_nan_i(block_nan_i),
      .nan_code_i(nan_code_i),
      .nan_keep_i(nan_keep_i),
      .nan_opposite_i(nan_opposite_i),
      .inf_code_i(inf_code_i),
      .inf_min_i(inf_min_i),
      .flush_i(flush_s4_i),
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
  generate
    if (PipeLane >= 3) begin : g_s5
      logic sign_q, nonzero_q, force_up_q;
      logic [           6:0] field_q;
      logic [ShiftWidth-1:0] right_q;
      logic [     SigFrac:0] significand_q;
      always_ff @(posedge clk_i) begin
        if (back_en_i) begin
          sign_q        <= sign_a;
          nonzero_q     <= nonzero_a;
          force_up_q    <= force_up_a;
          field_q       <= field_a;
          right_q       <= right_a;
          significand_q <= {hidden_a, significand_s4[SigFrac-1:0]};
        end
      end
      assign sign_s5        = sign_q;
      assign nonzero_s5     = nonzero_q;
      assign force_up_s5    = force_up_q;
      assign field_s5       = field_q;
      assign right_s5       = right_q;
      assign significand_s5 = significand_q;
    end else begin : g_no_s5
      assign sign_s5        = sign_a;
      assign nonzero_s5     = nonzero_a;
      assign force_up_s5    = force_up_a;
      assign field_s5       = field_a;
      assign right_s5       = right_a;
      assign significand_s5 = {hidden_a, significand_s4[SigFrac-1:0]};
    end
  endgenerate

  // S6: shift; the random word is registered here, never fed to the rounder from the port.
  logic [         6:0] magnitude_d;
  logic [KeptBits-1:0] kept_d;
  logic                sticky_d;
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
      .magnitude_o(magnitude_d),
      .fraction_o(kept_d),
      .sticky_o(sticky_d)
  );

  logic sign_s6, nonzero_s6, force_up_s6, sticky_s6;
  logic [         6:0] magnitude_s6;
  logic [KeptBits-1:0] kept_s6;
  logic [  SrBits-1:0] random_s6;
  generate
    if (PipeLane >= 2) begin : g_s6
      logic sign_q, nonzero_q, force_up_q, sticky_q;
      logic [         6:0] magnitude_q;
      logic [KeptBits-1:0] kept_q;
      logic [  SrBits-1:0] random_q;
      always_ff @(posedge clk_i) begin
        if (back_en_i) begin
          sign_q      <= sign_s5;
          nonzero_q   <= nonzero_s5;
          force_up_q  <= force_up_s5;
          sticky_q    <= sticky_d;
          magnitude_q <= magnitude_d;
          kept_q      <= kept_d;
          random_q    <= random_i;
        end
      end
      assign sign_s6      = sign_q;
      assign nonzero_s6   = nonzero_q;
      assign force_up_s6  = force_up_q;
      assign sticky_s6    = sticky_q;
      assign magnitude_s6 = magnitude_q;
      assign kept_s6      = kept_q;
      assign random_s6    = random_q;
    end else begin : g_no_s6
      assign sign_s6      = sign_s5;
      assign nonzero_s6   = nonzero_s5;
      assign force_up_s6  = force_up_s5;
      assign sticky_s6    = sticky_d;
      assign magnitude_s6 = magnitude_d;
      assign kept_s6      = kept_d;
      assign random_s6    = random_i;
    end
  endgenerate

  // S7: round and pack.
  logic [7:0] code_d;
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
      .round_i(round_i),
      .max_code_i(max_code_i),
      .top_nan_i(top_nan_i),
      .is_fixed_i(is_fixed_i),
      .allow_min_i(allow_min_i),
      .flush_i(flush_s6_i),
      .sign_mask_i(sign_mask_i),
      .over_positive_i(over_positive_i),
      .over_negative_i(over_negative_i),
      .code_o(code_d),
      .underflow_o(underflow_o),
      .saturated_o(saturated_o)
  );

  generate
    if (PipeLane >= 1) begin : g_s7
      logic [7:0] code_q;
      always_ff @(posedge clk_i) begin
        if (back_en_i) begin
          code_q <= code_d;
        end
      end
      assign code_o = code_q;
    end else begin : g_no_s7
      assign code_o = code_d;
    end
  endgenerate

endmodule

`default_nettype wire
