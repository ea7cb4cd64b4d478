# Writes wrong variants of the CUDA arithmetic, each in a namespace of its own, and mutants.inc, which
# lists them, for mutant_test.cpp; decode_mutants.* are those of the way back.
# cmake -D SOURCE=fast -D OUTPUT=folder -P mutate.cmake

# Headers of a room in the order of their includes, as one text that includes none of them.
function(read_room name)
  set(original "")
  foreach(header ${ARGN})
    file(READ "${SOURCE}/${name}/${header}.hpp" text)
    string(REGEX REPLACE "#include \"fast/${name}/[^\n]*\n" "" text "${text}")
    string(REPLACE "#pragma once\n" "" text "${text}")
    string(APPEND original "${text}")
  endforeach()
  set(original "${original}" PARENT_SCOPE)
  set(room "${name}" PARENT_SCOPE)
  set(includes "" PARENT_SCOPE)
  set(list "" PARENT_SCOPE)
endfunction()

# The variants of a room, as headers and as a list.
function(write_room prefix)
  # What a change leaves unused is part of the change.
  file(WRITE "${OUTPUT}/${prefix}mutants.hpp" "#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
${includes}#pragma GCC diagnostic pop
")
  file(WRITE "${OUTPUT}/${prefix}mutants.inc" "${list}")
endfunction()

# The text to change must be there exactly once: a rewrite of the arithmetic must not turn a mutant
# into the original unnoticed.
function(mutate name from to)
  string(FIND "${original}" "${from}" first)
  string(FIND "${original}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: this text must be in ${SOURCE}/${room} exactly once:\n${from}")
  endif()
  string(REPLACE "${from}" "${to}" mutant "${original}")
  string(REPLACE "namespace mx::fast::${room}" "namespace mx::fast::mutant::${name}::${room}" mutant "${mutant}")
  file(WRITE "${OUTPUT}/mutant_${name}.hpp" "${mutant}")
  set(includes "${includes}#include \"mutant_${name}.hpp\"\n" PARENT_SCOPE)
  set(list "${list}MX_MUTANT(${name})\n" PARENT_SCOPE)
endfunction()

read_room(cuda words random arithmetic run block units)
# Rounding and alignment.
mutate(parity_lost "((base + (x.significand >> shift)) & 1u) != 0" "false")
mutate(sign_lost_in_rounding "r.by_negative != 0 && negative" "r.by_negative != 0")
mutate(directed_up_ignored "(up ? ones : 0)" "0")
mutate(half_rounds_up_far_below "wanted > 31 ? 31 : wanted" "wanted > 29 ? 29 : wanted")
mutate(grid_without_emin "exponent < c.emin ? c.emin : exponent" "exponent")
mutate(source_subnormals_not_normalized "leading_zeros(significand | 1u)"
       "leading_zeros(Source::kHiddenBit)")
mutate(source_subnormals_flushed "field == 0 ? trailing" "field == 0 ? 0u")
# Random words.
mutate(draw_one_too_many "top + (half && (more || tie_up) ? 1 : 0) + random >= one"
       "top + (half && (more || tie_up) ? 1 : 0) + random > one")
mutate(draw_truncates "(half && (more || tie_up) ? 1 : 0)" "0")
mutate(draw_of_the_neighbour "index & 3" "(index + 1) & 3")
mutate(philox_key "k1 += 0xBB67AE85" "k1 += 0xBB67AE86")
# Packing and places.
mutate(overflow_kept "if (magnitude > limit)" "if (magnitude > limit + 1)")
mutate(negative_zero_lost "if (!negative || drops)" "if (!negative || drops || magnitude == 0)")
mutate(code_of_the_neighbour "codes[i] = encoded.code;\n      report" "codes[i ^ 1] = encoded.code;\n      report")
mutate(tiles_swapped "line % 32 * 16 + line / 32 % 4 * 4" "line % 32 * 4 + line / 32 % 4 * 128")
# Scale and special blocks.
mutate(rule_ignored "+ c.rule_addend)" ")")
mutate(sticky_of_the_maximum_lost "+ kRebias + (sticky ? 1 : 0)" "+ kRebias")
mutate(small_maximum_off "x.exponent + cpu::kKeyBias)" "x.exponent + cpu::kKeyBias + 1)")
mutate(inf_as_number "if (amax >= Source::kInf)" "if (amax > Source::kInf)")
mutate(scale_not_clamped "wanted < c.lowest_scale ? c.lowest_scale : wanted" "wanted")
# Status bits.
mutate(clamp_not_reported "code != wanted ? kScaleClamped : 0u" "0u")
mutate(inf_reported_as_nan "amax > Source::kInf ? kHasNan" "amax >= Source::kInf ? kHasNan")
mutate(zero_block_not_reported "0, false, kZeroBlock" "0, false, 0u")
mutate(zeros_reported_as_underflow "magnitude == 0 && !is_zero ?" "magnitude == 0 ?")
mutate(inf_not_reported "if (magnitude == Source::kInf) report |= kHasInf;" "")
# The short encoder.
mutate(plain_grid_off "offset_ = (std::uint32_t{kLift} << 23)" "offset_ = (std::uint32_t{kLift + 1} << 23)")
mutate(plain_without_grid "own > grid_ ? own : grid_" "own")
mutate(plain_range_unchecked "field >= 1 && (field > top ? field : top) + kLift <= 254" "true")
mutate(plain_not_saturated "signed_code(magnitude < largest_ ? magnitude : largest_, word)"
       "signed_code(magnitude, word)")
mutate(plain_underflow_lost "magnitude == 0 && x != 0 ?" "false ?")

write_room("")

read_room(cuda_decode arithmetic run units)
# Codes.
mutate(d_sign_of_the_neighbour "c.sign_shift & 0x8000u) != 0" "c.sign_shift & 0x4000u) != 0")
mutate(d_complement_lost "negative ? c.twos_complement : 0u" "0u")
mutate(d_nan_as_number "|| x.magnitude >= code.nan_from" "|| x.magnitude > code.nan_from")
mutate(d_inf_as_number "if (x.magnitude == code.inf_magnitude)" "if (false)")
mutate(d_nibbles_swapped "codes[index / 2] >> (index % 2 * 4)" "codes[index / 2] >> ((index + 1) % 2 * 4)")
mutate(d_sixes_cut "if (bit > 2) bits |=" "if (bit > 4) bits |=")
# Scales.
mutate(d_nan_scale_as_number "scale >= mode.scale_nan_from ||" "scale > mode.scale_nan_from ||")
mutate(d_scale_off "static_cast<int>(scale) - mode.scale_bias);" "static_cast<int>(scale) - mode.scale_bias + 1);")
mutate(d_scale_of_the_neighbour "outer * blocks + block) * run.inner + inner" "outer * blocks + block) * run.inner")
mutate(d_tiles_by_word "cuda::swizzled_place(line, block, blocks)" "cuda::swizzled_place(block, line, blocks)")
# Rounding and the ends of the range.
mutate(d_parity_lost "significand} >> shift)) & 1) != 0" "significand} >> shift)) & 2) != 0")
mutate(d_sign_lost_in_rounding "r.by_negative != 0 && x.negative" "r.by_negative != 0")
mutate(d_directed_ignored "(up ? ones : 0)" "0")
mutate(d_grid_without_emin "top < kEmin ? kEmin : top" "top")
mutate(d_subnormal_codes_doubled "field > 1 ? field - 1 : 0" "field > 1 ? field - 1 : field")
mutate(d_overflow_kept "rounded.magnitude >= Words::kInf" "rounded.magnitude > Words::kInf")
mutate(d_flush_before_ignored "rounded.below_normal && word.flushes_before != 0" "false")
mutate(d_negative_zero_lost "sign_word<Words>(x.negative && !drops)" "sign_word<Words>(x.negative && magnitude != 0)")
# The short decoder.
mutate(d_short_everywhere "exponent >= mode.low && exponent <= mode.high" "true")
mutate(d_short_with_specials "magnitude < special && bits != c.nan_code" "true")
mutate(d_short_complement_lost "if (sign != 0) magnitude =" "if (false) magnitude =")
mutate(d_short_fp16_grid "value + 0.5f" "value + 0.25f")
mutate(d_short_neighbour "codes.part[i / 4] >> (i % 4 * 8)" "codes.part[i / 4] >> ((i ^ 1) % 4 * 8)")
write_room("decode_")

read_room(cuda_nvfp4 arithmetic block whole)
# Scales.
mutate(n_encode_scale "2688.0f / number" "2687.0f / number")
mutate(n_sixth_by_division "encode * (1.0f / 6.0f)" "encode / 6.0f")
mutate(n_floor_of_torchao "quotient < 0x1p-6f ? 0x1p-6f" "quotient < 0x1p-7f ? 0x1p-7f")
mutate(n_scale_parity "{1} << (shift - 1)) - 1) + odd) >> shift);\n}\n\n/// amax" "{1} << (shift - 1)) - 1)) >> shift);\n}\n\n/// amax")
mutate(n_scale_not_saturated "if (code > kLargestScale) return {kLargestScale, status | cuda::kScaleClamped};" "")
mutate(n_sticky_lost "(lost != 0 ? 1 : 0) | sticky" "0")
mutate(n_ratio_off "a.exponent - d.exponent - 34 + 29 + spare" "a.exponent - d.exponent - 33 + 29 + spare")
mutate(n_inf_as_nan "amax > kInfBits ? cuda::kHasNan" "amax >= kInfBits ? cuda::kHasNan")
mutate(n_zero_block_not_reported "amax == 0 ? cuda::kZeroBlock : 0u" "0u")
mutate(n_clamp_not_reported "if (quotient != value) moved" "if (false) moved")
mutate(n_nan_ratio_as_number "if (quotient != quotient) return" "if (false) return")
# Elements.
mutate(n_multiplier_unbounded "at_most(1.0f / (value * level.decode), kLargest)" "1.0f / (value * level.decode)")
mutate(n_torchao_order "elements.factor = level.decode / value" "elements.factor = 1.0f / (level.to_scale * value)")
mutate(n_zero_times_infinity "elements.zero_stays = true" "elements.zero_stays = false")
mutate(n_nan_product "if (y > kInfBits) return {mode.nan_code, 0}" "if (y > kInfBits) return {0, 0}")
mutate(n_ties_away "exponent, i % 2 == 0)" "exponent, false)")
mutate(n_ties_of_chains "0x3E800001, 0x3F400000" "0x3E800000, 0x3F400000")
mutate(n_threshold_cut "is_between || strict ? 1 : 0" "strict ? 1 : 0")
mutate(n_threshold_grid "top + exponent - 23 < -149 ? -149" "top + exponent - 23 < -150 ? -150")
mutate(n_sign_lost "negative ? 8u : 0u" "0u")
mutate(n_infinity_reported "&& y != kInfBits" "")
mutate(n_zero_underflows ": code == 0 && y != 0" ": code == 0")
mutate(n_fp16_infinity "magnitude > Source::kInf ? kInfBits + 1 : kInfBits" "kInfBits")
# Back.
mutate(n_back_parity "(std::uint64_t{1} << (shift - 1)) - 1) + odd)" "(std::uint64_t{1} << (shift - 1)) - 1) + 1)")
mutate(n_back_nan_scale "if (scale >= kNanScale) return kQuiet" "if (scale > kNanScale) return kQuiet")
mutate(n_back_values "(4u | (low & 1u) << 1)" "(4u | (low & 1u))")
mutate(n_back_overflow "if (magnitude > Words::kInf)" "if (false)")
mutate(n_back_subnormals "top + exponent < kEmin ? kEmin : top + exponent" "top + exponent")
# Blocks.
mutate(n_inf_not_seen "if (magnitude == kInfBits) report |= cuda::kHasInf" "")
mutate(n_nan_block_encoded "const bool fills = scale.code == kNanScale" "const bool fills = false")
mutate(n_number_of_the_plan "on_device != nullptr ? *on_device : mode.tensor" "mode.tensor")
# Whole blocks.
mutate(n_whole_sign_lost "cuda::is_negative<Source>(word) ? 0x80000000u : 0u);" "0u);")
mutate(n_whole_inf_not_seen "if (magnitude == kInfBits) report = cuda::kHasInf" "")
mutate(n_whole_nan_block_encoded "if (scale.code != kNanScale)" "if (true)")
mutate(n_whole_neighbour "i % 8 * 4);\n      report" "(i ^ 1) % 8 * 4);\n      report")
mutate(n_whole_halves_swapped "{{low.word[0], low.word[1], high.word[0], high.word[1]}}"
       "{{high.word[0], high.word[1], low.word[0], low.word[1]}}")
mutate(n_whole_spread "(codes >> (i * 4) & 0xFu) << (i % 4 * 8)" "(codes >> (i * 4) & 0x7u) << (i % 4 * 8)")
# Transforms.
mutate(n_turn_signs_backwards "mask << (31 - i) & 0x80000000u" "mask << (16 + i) & 0x80000000u")
mutate(n_turn_signs_ignored "if (!mode.signs_last) change_signs" "if (false) change_signs")
mutate(n_turn_last_ignored "if (mode.signs_last) change_signs" "if (false) change_signs")
mutate(n_turn_first_always "if (!mode.signs_last) change_signs" "if (true) change_signs")
mutate(n_turn_order "for (int step = 1; step < 16; step *= 2)" "for (int step = 8; step > 0; step /= 2)")
mutate(n_turn_stage_lost "step < 16; step *= 2" "step < 8; step *= 2")
mutate(n_turn_difference "v[i + step] = a - b" "v[i + step] = b - a")
mutate(n_turn_quarter "cuda::as_bits(v[i] * 0.25f)" "cuda::as_bits(v[i])")
mutate(n_turn_forgotten "if (mode.transforms) transform(mode, block)" "")
mutate(n_turn_quads "out.codes[quad / 8] >> (quad % 8 * 4)" "out.codes[quad / 8] >> ((quad ^ 4) % 8 * 4)")
write_room("nvfp4_")
