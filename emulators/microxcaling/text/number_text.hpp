// Numbers of the binary64 as text, without rounding: hexadecimal as Python's float.hex() writes
// them, or decimal where that is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mx::emulators::microxcaling {

/// "0x1.cp+8", "448", "448.0", "0.875", "inf": the pattern of a number that is not negative.
[[nodiscard]] std::optional<std::uint64_t> read_binary64(std::string_view text);

/// "0x1.cp+8"; "inf" for infinity.
[[nodiscard]] std::string write_binary64(std::uint64_t pattern);

}  // namespace mx::emulators::microxcaling
