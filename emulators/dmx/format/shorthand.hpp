// Shorthands of dmx formats: "BFP[8|8]{64}(SN)". spec S5.2.
#pragma once

#include <string_view>

#include "emulators/common/interface.hpp"
#include "emulators/dmx/format/format.hpp"

namespace mx::emulators::dmx {

/// The format of a shorthand. compat takes and raises what the package does (ValueError, TypeError,
/// KeyError, AssertionError); strict takes the canonical spelling and the documented variants, and
/// every refusal is "ValueError: position N: ...".
///
/// Both also take MXFP<FP[...]>{size}: an element format that no shorthand of the package can say.
[[nodiscard]] Checked<Format> compat_shorthand(std::string_view text);
[[nodiscard]] Checked<Format> strict_shorthand(std::string_view text);

[[nodiscard]] inline Checked<Format> from_shorthand(std::string_view text, Mode mode) {
  return mode == Mode::kCompat ? compat_shorthand(text) : strict_shorthand(text);
}

}  // namespace mx::emulators::dmx
