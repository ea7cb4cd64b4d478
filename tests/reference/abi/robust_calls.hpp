// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface that robust_test.cpp lets fail in every way.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mxgold.h"

namespace mx::test {

/// A call of a function that returns a status.
struct Call {
  const char* name;
  std::function<mxgold_status(char* message, std::size_t size)> run;
  bool has_message = false;
  bool allocates = false;
  std::uint64_t step = 1;  ///< of a call that allocates very often, each so many fails
};

/// What questions about arrays work on: from binary32 to e4m3fn, and to mxfp8_e4m3.
struct ArrayObjects {
  mxgold_conversion* conversion;
  mxgold_quantizer* quantizer;
};

[[nodiscard]] std::vector<Call> questions();
[[nodiscard]] std::vector<Call> questions_about_arrays(const ArrayObjects& o);

}  // namespace mx::test
