// The one exception of this floor.
#pragma once

#include <stdexcept>

namespace mx::golden {

/// Bad, missing or truncated vectors: the message names file, line or byte, field and remedy.
/// Programs end with exit code 3.
class VectorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mx::golden
