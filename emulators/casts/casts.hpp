// SPDX-License-Identifier: Apache-2.0
// The casts of the emulated packages by their texts: what a program hands to those who read
// configurations (reference/casts/maker.hpp).
#pragma once

#include <cstddef>
#include <string_view>

#include "reference/casts/maker.hpp"

namespace mx::emulators {

/// The name of the package at an index ("dmx", "qtorch"), NUL-terminated; empty beyond the last.
[[nodiscard]] std::string_view package_name(std::size_t index);

/// The cast of a text "package:body"; a casts::CastMaker.
[[nodiscard]] Checked<casts::CastPointer> make_cast(std::string_view text,
                                                    const casts::Setting& setting);

}  // namespace mx::emulators
