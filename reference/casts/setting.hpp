// SPDX-License-Identifier: Apache-2.0
// Whose answer a cast gives: its mode and its platform.
#pragma once

#include "reference/policy/token.hpp"

namespace mx {

/// Whose answer: `compat` is bit for bit that of the named version, faults included; `strict` what
/// its documentation or the standard says (spec S2).
#define MX_MODE(X)     \
  X(kStrict, "strict") \
  X(kCompat, "compat")
MX_POLICY(SystemMode, MX_MODE);

/// Whose bits: what a NaN made by an operation looks like, and which of a package's code paths runs
/// (spec S3.5).
#define MX_PLATFORM(X)   \
  X(kX86, "x86")         \
  X(kAarch64, "aarch64") \
  X(kCuda, "cuda")
MX_POLICY(Platform, MX_PLATFORM);

}  // namespace mx

namespace mx::casts {

using Mode = SystemMode;

struct Setting {
  Mode mode = Mode::kStrict;
  Platform platform = Platform::kX86;  ///< read by compat only
};

}  // namespace mx::casts
