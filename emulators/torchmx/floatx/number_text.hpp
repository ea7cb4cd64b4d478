// Numbers in texts of calls: a decimal number or a pattern, as binary64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mx::emulators::torchmx {

/// "448", "7.5", "-1e3", "3.4028234663852886e38", or "0x7F7FFFFF" (binary32) or 16 digits
/// (binary64): the nearest binary64 number, ties to even. Nothing where the text is none.
[[nodiscard]] std::optional<std::uint64_t> read_binary64(std::string_view text);

/// The shortest of these forms that is exact: a whole number below 2^53, or the pattern.
[[nodiscard]] std::string binary64_text(std::uint64_t word);

}  // namespace mx::emulators::torchmx
