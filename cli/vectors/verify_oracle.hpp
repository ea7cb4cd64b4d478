// The exact-rational oracle as a judge of golden files.
#pragma once

#include <memory>

#include "golden/answers/verify.hpp"

namespace mx::cli {

/// Computes the answers of a golden file by exact rationals, sharing no rounding code with the
/// reference. Throws golden::VectorError for a configuration that the oracle does not compute.
/// Requires oracle_problem() == "".
[[nodiscard]] golden::AnswererFactory oracle_answerer();

/// Why the oracle cannot answer the vectors of a file, or "".
[[nodiscard]] std::string oracle_problem(const golden::VectorHeader& header);

}  // namespace mx::cli
