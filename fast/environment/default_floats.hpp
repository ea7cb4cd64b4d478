// The floating-point environment of kernels that compute with the machine's binary32.
#pragma once

#include <cfenv>

namespace mx::fast {

/// The default environment of this thread's floating point while it lives: nearest, ties to even,
/// no flushing of subnormals (glibc clears FTZ and DAZ with it), no traps.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&caller_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&caller_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t caller_{};
};

}  // namespace mx::fast
