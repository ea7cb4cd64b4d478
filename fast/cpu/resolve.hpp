// From a configuration to the constants of the kernels, or why there are none for it.
#pragma once

#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/constants.hpp"

namespace mx::fast::cpu {

/// Does a plan have random words?
enum class Drawing : std::uint8_t { kNone, kDrawn };

/// The problem of a configuration that the CPU path has no kernels for.
[[nodiscard]] Problem no_path(std::string_view why);

/// The problem of a build without the kernels.
[[nodiscard]] Problem no_highway();

/// What is missing for element codes of a format; "" where the kernels know them.
[[nodiscard]] std::string_view format_problem(const ElementFormat& format);

/// What is missing for blocks of a format, whatever their elements: one bare exponent for each
/// block of up to 1024 elements has kernels.
[[nodiscard]] std::string_view shape_problem(const BlockFormat& format);

/// A rounding that draws nothing.
[[nodiscard]] RoundingMasks masks_of(Rounding rounding);

/// fp32, bf16 or fp16.
[[nodiscard]] Checked<Source> source_of(const ElementFormat& format);

/// Signed floats and fixed-point formats of at most 8 bits under any rounding that draws nothing,
/// or, of a plan with random words, any that draws.
[[nodiscard]] Checked<ElementConstants> resolve_element(const ElementFormat& format,
                                                        const ElementPolicy& policy,
                                                        Drawing drawing = Drawing::kNone);

/// Such elements under exponent-only scales, chosen by a rule that adds a constant to the maximum.
[[nodiscard]] Checked<BlockConstants> resolve_block(const BlockJob& job,
                                                    Drawing drawing = Drawing::kNone);

}  // namespace mx::fast::cpu
