// From a configuration of nvfp4_4over6 to what its two candidates leave of a number.
#pragma once

#include "fast/candidates/constants.hpp"
#include "fast/scaled/scaled_block_plan.hpp"

namespace mx::fast::candidates {

/// For a job that scaled::resolve() takes.
[[nodiscard]] Errors resolve_errors(const ScaledBlockJob& job);

}  // namespace mx::fast::candidates
