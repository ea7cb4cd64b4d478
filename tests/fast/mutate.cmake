# Writes wrong variants of the CUDA arithmetic, each in a namespace of its own, and mutants.inc, which
# lists them, for mutant_test.cpp.
# cmake -D SOURCE=fast/cuda -D OUTPUT=folder -P mutate.cmake
set(original "")
# The headers in the order of their includes, as one text that includes none of them.
foreach(header words random arithmetic run block units)
  file(READ "${SOURCE}/${header}.hpp" text)
  string(REGEX REPLACE "#include \"fast/cuda/[^\n]*\n" "" text "${text}")
  string(REPLACE "#pragma once\n" "" text "${text}")
  string(APPEND original "${text}")
endforeach()
set(includes "")
set(list "")

# The text to change must be there exactly once: a rewrite of the arithmetic must not turn a mutant
# into the original unnoticed.
function(mutate name from to)
  string(FIND "${original}" "${from}" first)
  string(FIND "${original}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: this text must be in ${SOURCE} exactly once:\n${from}")
  endif()
  string(REPLACE "${from}" "${to}" mutant "${original}")
  string(REPLACE "namespace mx::fast::cuda" "namespace mx::fast::mutant::${name}::cuda" mutant "${mutant}")
  file(WRITE "${OUTPUT}/mutant_${name}.hpp" "${mutant}")
  set(includes "${includes}#include \"mutant_${name}.hpp\"\n" PARENT_SCOPE)
  set(list "${list}MX_MUTANT(${name})\n" PARENT_SCOPE)
endfunction()

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

# What a change leaves unused is part of the change.
file(WRITE "${OUTPUT}/mutants.hpp" "#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Wunused-variable\"
#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"
#pragma GCC diagnostic ignored \"-Wunused-parameter\"
${includes}#pragma GCC diagnostic pop
")
file(WRITE "${OUTPUT}/mutants.inc" "${list}")
