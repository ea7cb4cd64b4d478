// Every two profiles on every surface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "golden/identify/surface.hpp"

namespace mx::cli {

/// What is known of an ordered pair of profiles.
struct MatrixCell {
  std::size_t common = 0;  ///< surfaces both speak of
  std::size_t differ = 0;
  std::size_t searched = 0;  ///< surfaces that agree without proof
  std::size_t masked = 0;    ///< surfaces that part only where one is left open
  /// The first differing surface's name and input, in the order of the surfaces.
  std::optional<golden::Surface> surface;
  std::optional<golden::Difference> difference;
};

struct Matrix {
  std::vector<std::string> profiles;
  std::vector<MatrixCell> cells;  ///< row by row: A, then B
  [[nodiscard]] const MatrixCell& at(std::size_t a, std::size_t b) const {
    return cells[a * profiles.size() + b];
  }
};

/// Profiles by their defaults. Pairs of equal configurations are compared once a surface.
[[nodiscard]] Matrix compare_all(const std::vector<golden::Surface>& surfaces, int threads);

/// "3/17", "=", "~" or "." as the table's legend says.
[[nodiscard]] std::string cell_text(const MatrixCell& cell);

/// Exit kPass: every pair was answered.
Exit print_matrix(const Matrix& matrix, bool is_json);

}  // namespace mx::cli
