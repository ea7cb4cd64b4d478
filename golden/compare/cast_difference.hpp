// Where two settings of a cast part, compat and strict above all: the kinds of differences, each
// with its smallest example.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/configuration/cast_case.hpp"

namespace mx::golden {

struct CastDifference {
  std::string kind;        ///< "NaN: number | NaN": the input, A's answer, B's answer
  std::uint64_t rows = 0;  ///< how many of the rows show it first
  std::vector<std::uint64_t> row;
  std::vector<std::uint32_t> random;
  std::uint32_t scale = 0;
  std::size_t lane = 0;  ///< the first that differs
  RowAnswer a;
  RowAnswer b;
};

struct CastComparison {
  std::uint64_t rows = 0;     ///< rows that at least one of them answers
  std::uint64_t refused = 0;  ///< rows that both refuse in the same words: nothing is compared
  std::string refusal = {};   ///< the words of the first
  std::uint64_t different = 0;
  std::vector<CastDifference> differences;  ///< of each kind the simplest
};

/// Compares two settings of one cast on rows of 1 element (every pattern of a 16-bit type, the
/// bfloat16 patterns of wider ones), of 2 (each beside 1.0) and of `elements` (the directed suite).
/// Throws std::invalid_argument with the problem where one of them is no cast.
[[nodiscard]] CastComparison compare_casts(const CastCase& a, const CastCase& b,
                                           std::size_t elements);

}  // namespace mx::golden
