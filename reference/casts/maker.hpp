// SPDX-License-Identifier: Apache-2.0
// How a program's casts are made of their texts. Emulated packages are a layer above the reference:
// the program hands their maker to what reads configurations, or has none.
#pragma once

#include <memory>
#include <string_view>

#include "reference/casts/setting.hpp"
#include "reference/policy/checked.hpp"

namespace mx::casts {

class Cast;
using CastPointer = std::shared_ptr<const Cast>;

/// The cast of a text "package:body" ("dmx:MXFP8[E4M3]{32}") under a setting, or why there is none.
using CastMaker = Checked<CastPointer> (*)(std::string_view text, const Setting& setting);

/// The maker of a program without emulated packages: it refuses every text.
[[nodiscard]] inline Checked<CastPointer> no_casts(std::string_view /*text*/,
                                                   const Setting& /*setting*/) {
  return Problem{"RuntimeError: this program has no emulated packages"};
}

}  // namespace mx::casts
