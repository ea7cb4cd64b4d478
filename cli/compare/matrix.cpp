#include "cli/compare/matrix.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/base/chunks.hpp"
#include "golden/questions/surface_text.hpp"

namespace mx::cli {
namespace {

using golden::Subject;
using golden::Surface;
using golden::SurfaceComparison;
using golden::Tree;

/// The comparisons of one surface: distinct subjects, and for two of them what was found.
struct SurfaceResult {
  std::vector<int> subject_of;  ///< by profile; -1: it does not speak of the surface
  std::size_t subjects = 0;
  std::vector<SurfaceComparison> found;  ///< row by row over distinct subjects
};

SurfaceResult compare_surface(const Surface& surface) {
  SurfaceResult result;
  std::vector<Subject> subjects;
  for (const Profile& profile : all_profiles()) {
    const auto subject = golden::subject_of({&profile, ""}, surface);
    int index = -1;
    for (std::size_t i = 0; subject && i < subjects.size() && index < 0; ++i) {
      if (golden::same_by_definition(surface, subjects[i], *subject)) index = static_cast<int>(i);
    }
    if (subject && index < 0) {
      index = static_cast<int>(subjects.size());
      subjects.push_back(*subject);
    }
    result.subject_of.push_back(index);
  }
  const std::size_t n = result.subjects = subjects.size();
  result.found.resize(n * n);
  if (n < 2) return result;
  golden::SurfaceComparer comparer(surface);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      result.found[a * n + b] = comparer.compare(subjects[a], subjects[b], golden::Detail::kFirst);
    }
  }
  return result;
}

void add_to(MatrixCell& cell, const Surface& surface, const SurfaceComparison& found) {
  ++cell.common;
  if (found.agree()) {
    cell.searched += found.basis == golden::Basis::kSearched ? 1U : 0U;
    cell.masked += found.masked.empty() ? 0U : 1U;
    return;
  }
  if (cell.differ++ == 0) {
    cell.surface = surface;
    cell.difference = found.differences.front();
  }
}

void print_table(const Matrix& matrix) {
  const std::size_t n = matrix.profiles.size();
  fmt::print(
      "Rows A, columns B. d/c: they differ on d of c common surfaces; =: they agree on all, "
      "proved; "
      "~: no difference\nfound, some surfaces searched only; .: nothing in common\n\n");
  for (std::size_t i = 0; i < n; ++i) fmt::print("{:3} {}\n", i, matrix.profiles[i]);
  fmt::print("\n    ");
  for (std::size_t b = 0; b < n; ++b) fmt::print(" {:>8}", b);
  fmt::print("\n");
  for (std::size_t a = 0; a < n; ++a) {
    fmt::print("{:3} ", a);
    for (std::size_t b = 0; b < n; ++b) fmt::print(" {:>8}", cell_text(matrix.at(a, b)));
    fmt::print("\n");
  }
}

Tree matrix_json(const Matrix& matrix) {
  Tree json = {{"profiles", matrix.profiles}, {"pairs", Tree::list()}};
  const std::size_t n = matrix.profiles.size();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const MatrixCell& cell = matrix.at(a, b);
      Tree pair = {{"a", matrix.profiles[a]},
                   {"b", matrix.profiles[b]},
                   {"common_surfaces", cell.common},
                   {"differing_surfaces", cell.differ},
                   {"searched_surfaces", cell.searched},
                   {"masked_surfaces", cell.masked}};
      if (cell.difference) {
        pair["first"] = golden::difference_json(*cell.surface, *cell.difference);
        pair["first"]["surface"] = cell.surface->name();
      }
      json["pairs"].push_back(std::move(pair));
    }
  }
  return json;
}

}  // namespace

std::string cell_text(const MatrixCell& cell) {
  if (cell.common == 0) return ".";
  if (cell.differ != 0) return fmt::format("{}/{}", cell.differ, cell.common);
  return cell.searched != 0 ? "~" : "=";
}

Matrix compare_all(const std::vector<Surface>& surfaces, int threads) {
  std::vector<SurfaceResult> results(surfaces.size());
  for_each_chunk(surfaces.size(), 1, threads, [&](std::uint64_t first, std::uint64_t) {
    results[first] = compare_surface(surfaces[first]);
  });
  Matrix matrix;
  for (const Profile& profile : all_profiles()) matrix.profiles.emplace_back(profile.name);
  const std::size_t n = matrix.profiles.size();
  matrix.cells.resize(n * n);
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    const SurfaceResult& r = results[s];
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (r.subject_of[a] < 0 || r.subject_of[b] < 0) continue;
        const auto row = static_cast<std::size_t>(r.subject_of[a]) * r.subjects;
        add_to(matrix.cells[a * n + b], surfaces[s],
               r.found[row + static_cast<std::size_t>(r.subject_of[b])]);
      }
    }
  }
  return matrix;
}

Exit print_matrix(const Matrix& matrix, bool is_json) {
  if (is_json) {
    fmt::print("{}\n", matrix_json(matrix).indented_json());
  } else {
    print_table(matrix);
  }
  return Exit::kPass;
}

}  // namespace mx::cli
