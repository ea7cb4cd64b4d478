// SPDX-License-Identifier: Apache-2.0
// The units of rtl/, each in a source of its own.
#pragma once

#include "sim/parameters/parameters.hpp"

namespace mx::sim {

[[nodiscard]] RtlUnit quantizer_unit();
[[nodiscard]] RtlUnit dequantizer_unit();
[[nodiscard]] RtlUnit nvfp4_quantizer_unit();
[[nodiscard]] RtlUnit dot_unit();

}  // namespace mx::sim
