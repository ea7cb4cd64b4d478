# Writes wrong variants of the CUDA arithmetic, each in a namespace of its own, and mutants.inc, which
# lists them, for mutant_test.cpp.
# cmake -D SOURCE=arithmetic.hpp -D OUTPUT=folder -P mutate.cmake
file(READ "${SOURCE}" original)
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
  string(REPLACE "namespace mx::fast" "namespace mx::fast::mutant::${name}" mutant "${mutant}")
  file(WRITE "${OUTPUT}/mutant_${name}.hpp" "${mutant}")
  set(includes "${includes}#include \"mutant_${name}.hpp\"\n" PARENT_SCOPE)
  set(list "${list}MX_MUTANT(${name})\n" PARENT_SCOPE)
endfunction()

# Rounding and alignment.
mutate(ties_down "= (x.significand >> shift) & 1u" "= 0u")
mutate(ties_away "= (x.significand >> shift) & 1u" "= 1u")
mutate(ties_to_odd "= (x.significand >> shift) & 1u" "= ((x.significand >> shift) & 1u) ^ 1u")
mutate(half_rounds_up_far_below "wanted > 31 ? 31 : wanted" "wanted > 30 ? 30 : wanted")
mutate(grid_without_emin "exponent < Element::kEmin ? Element::kEmin : exponent" "exponent")
mutate(source_subnormals_not_normalized "leading_zeros(significand | 1u)"
       "leading_zeros(Source::kHiddenBit)")
mutate(source_subnormals_flushed "field == 0 ? trailing" "field == 0 ? 0u")
# Packing.
mutate(saturates_past_the_largest "? Element::kLargest : magnitude_code"
       "? Element::kLargest + 1 : magnitude_code")
mutate(negative_zero_lost "if (!negative)" "if (!negative || magnitude_code == 0)")
# Scale and special blocks.
mutate(scale_one_up "+ kScaleBias - Element::kEmax" "+ kScaleBias + 1 - Element::kEmax")
mutate(inf_as_number "if (amax >= Source::kInf)" "if (amax > Source::kInf)")
mutate(codes_left_in_nan_blocks "codes[lane] = 0;" "codes[lane] = 1;")
# Status bits.
mutate(clamp_not_reported "return {0, true};" "return {0, false};")
mutate(inf_reported_as_nan "amax > Source::kInf ? kStatusHasNan" "amax >= Source::kInf ? kStatusHasNan")
mutate(inf_report_inverted "lanes.any(flag) ? kStatusHasInf" "!lanes.any(flag) ? kStatusHasInf")
mutate(zero_block_not_reported "(is_zero ? kStatusZeroBlock : 0u)" "0u")
mutate(zeros_reported_as_underflow "rounded == 0 && magnitude != 0" "rounded == 0")
mutate(largest_reported_as_saturated "rounded > Element::kLargest;" "rounded >= Element::kLargest;")

file(WRITE "${OUTPUT}/mutants.hpp" "${includes}")
file(WRITE "${OUTPUT}/mutants.inc" "${list}")
