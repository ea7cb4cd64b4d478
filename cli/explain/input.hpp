// Inputs of `explain` as they are typed.
#pragma once

#include <cstdint>
#include <string>

#include "golden/explain/model.hpp"

namespace mx::cli {

/// What the text of a number or of bits means in a source format. With `bits_first` a text of
/// exactly as many hexadecimal digits as the source has is bits; otherwise such a text is refused
/// where it could be a decimal too. Throws Error kUsage.
enum class BitsFirst : std::uint8_t { kNo, kYes };
[[nodiscard]] golden::ExplainInput parse_input(const ElementFormat& source, const std::string& text,
                                               BitsFirst bits_first);

}  // namespace mx::cli
