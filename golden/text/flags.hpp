// Flags of answers by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mx::golden {

/// Names of the flags set in a block result (elements' and block's), in order of their bits.
[[nodiscard]] std::vector<std::string_view> flag_names(std::uint16_t flags);

}  // namespace mx::golden
