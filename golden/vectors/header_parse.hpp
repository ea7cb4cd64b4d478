// The text header of a vector file, back to a VectorHeader.
#pragma once

#include <string>
#include <vector>

#include "golden/vectors/header.hpp"

namespace mx::golden {

/// Longest header line and most header lines that are looked at.
inline constexpr std::size_t kMaxHeaderLine = 8192;
inline constexpr std::size_t kMaxHeaderLines = 65536 + 512;

/// Parses header lines (without prefix and line feed). Accepts only the text that
/// VectorHeader::text writes. `casts` makes those that the lines name. Throws VectorError: "LINE:
/// what, and the remedy" after `where`.
[[nodiscard]] VectorHeader parse_header(const std::vector<std::string>& lines,
                                        const std::string& where,
                                        casts::CastMaker casts = casts::no_casts);

/// A decimal number without sign, leading zero or overflow.
[[nodiscard]] bool parse_decimal(std::string_view text, std::uint64_t& value);

}  // namespace mx::golden
