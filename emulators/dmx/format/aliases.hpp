// The named formats of dmx.compressor.format. spec S5.3.
#pragma once

#include <span>
#include <string_view>

#include "emulators/common/interface.hpp"

namespace mx::emulators::dmx {

struct Alias {
  std::string_view name;
  std::string_view shorthand;  ///< what the name is documented to mean
  /// What the package's table says where that is something else.
  std::string_view compat = {};

  [[nodiscard]] constexpr std::string_view in(Mode mode) const {
    return mode == Mode::kCompat && !compat.empty() ? compat : shorthand;
  }
};

[[nodiscard]] std::span<const Alias> aliases();

/// The shorthand of a name, empty where there is none.
[[nodiscard]] std::string_view shorthand_of(std::string_view name, Mode mode);

}  // namespace mx::emulators::dmx
