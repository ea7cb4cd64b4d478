// How much of a shrunk case is left.
#pragma once

#include <algorithm>

#include "sim/block/block.hpp"
#include "sim/shrink/case.hpp"

namespace mx::sim::test {

/// Lanes of any block whose source or random word is not at rest.
inline std::size_t lanes_in_use(const Case& failure) {
  std::size_t lanes = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lanes += std::ranges::any_of(failure.questions, [&](const Question& question) {
      return question.words[lane] != 0 || question.words[kLanes + lane] != 0;
    });
  }
  return lanes;
}

}  // namespace mx::sim::test
