// Texts put together from parts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace mx::emulators::dmx {

[[nodiscard]] inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

}  // namespace mx::emulators::dmx
