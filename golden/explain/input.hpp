// Inputs as they are typed: bits of the source format, or numbers rounded into it once.
#pragma once

#include <cstdint>
#include <string>

#include "golden/explain/model.hpp"
#include "golden/names/asking.hpp"

namespace mx::golden {

/// What the text of a number or of bits means in a source format. With `bits_first` a text of
/// exactly as many hexadecimal digits as the source has is bits; otherwise such a text is refused
/// where it could be a decimal too. Throws Refusal.
enum class BitsFirst : std::uint8_t { kNo, kYes };
[[nodiscard]] ExplainInput parse_input(const ElementFormat& source, const std::string& text,
                                       BitsFirst bits_first, Spelling spelling);

/// Bits of `mask` in hexadecimal digits, with or without 0x; `argument` is for messages.
[[nodiscard]] std::uint64_t parse_bits(std::string_view argument, const std::string& text,
                                       std::uint64_t mask);

}  // namespace mx::golden
