// From a configuration to the thresholds of the kernels, or why there are none for it.
#pragma once

#include "fast/scaled/constants.hpp"
#include "fast/scaled/scaled_block_plan.hpp"

namespace mx::fast::scaled {

/// What is missing for blocks of a format, under whatever rule; "" where nothing is.
[[nodiscard]] std::string_view shape_problem(const BlockFormat& format);

/// e2m1fn elements in blocks and tiles, under the rules of fast/scaled/scaled_block_plan.hpp and
/// any rounding that draws nothing; of nvfp4_4over6 the candidate that brings the maximum to 6.
[[nodiscard]] Checked<Constants> resolve(const ScaledBlockJob& job);

/// How a maximum becomes the scale code of the other candidate of nvfp4_4over6; resolve() has to
/// take the job.
[[nodiscard]] ScaleConstants resolve_four(const ScaledBlockJob& job);

}  // namespace mx::fast::scaled
