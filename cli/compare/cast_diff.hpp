// mxgold diff-profile compat strict --format 'dmx:...': where two settings of a cast part.
#pragma once

#include <string>

#include "cli/base/error.hpp"
#include "cli/options/common.hpp"

namespace mx::cli {

struct CastDiff {
  std::string a;  ///< "strict", "compat" or "compat/cuda"
  std::string b;
  Names casts;
  Names sources;     ///< none: fp32
  int elements = 0;  ///< of the longer rows
  bool is_json = false;
};

/// Prints every kind of difference with its smallest example. kMismatch where there is one,
/// kBadInput where both settings refuse every row of a cast: nothing is compared then.
[[nodiscard]] Exit diff_casts(const CastDiff& diff);

/// The section of docs/known-differences.md about strict and compat of known_casts().
[[nodiscard]] std::string cast_differences(int threads);

}  // namespace mx::cli
