// The exact-rational oracle as a judge of golden files.
#pragma once

#include <memory>

#include "golden/answers/judge.hpp"

namespace mx::cli {

/// Computes the answers of a golden file by exact rationals, sharing no rounding code with the
/// reference. Throws std::invalid_argument where a configuration word is illegal.
[[nodiscard]] std::unique_ptr<golden::Judge> oracle_judge();

}  // namespace mx::cli
