// The parts in which TestFloat asks for a function.
#pragma once

#include <string>
#include <vector>

#include "tests/external/testfloat/functions.hpp"
#include "tests/external/testfloat/options.hpp"

namespace mx::external {

/// A function in one rounding, under one rule of tininess.
struct TestfloatShard {
  const TestfloatFunction& function;
  TestfloatMode mode;
  Tininess tininess;

  /// "odd before", or "any" where neither has a say.
  [[nodiscard]] std::string text() const;
};

/// What there is of a function, as far as the options ask for it.
[[nodiscard]] std::vector<TestfloatShard> testfloat_shards(const TestfloatFunction& function,
                                                           const Options& options);

}  // namespace mx::external
