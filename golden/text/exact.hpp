// Values as text and text as values, exactly: integers only, no host floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {

/// "0x1.921fb6p+1", "0", "-0", "inf", "nan". x.sticky must be false.
[[nodiscard]] std::string hex_float(const Unpacked& x);

/// All digits: every dyadic rational has a finite decimal. "0.0009765625".
[[nodiscard]] std::string exact_decimal(const Unpacked& x);

/// exact_decimal where it is at most 40 characters long; otherwise its first 20 significant digits
/// in scientific notation, cut and marked "...": "1.1754943508222875079...e-38".
[[nodiscard]] std::string short_decimal(const Unpacked& x);

/// A number from text: decimal (1.0625, -3e-5), hexadecimal float (0x1.8p-3), inf, nan, each with
/// an optional sign. The value is exact up to 64 significant bits with the rest in `sticky`, so
/// that a following encode rounds once. Nothing if the text is no number, has over 4096 digits or
/// an exponent outside +-9999.
[[nodiscard]] std::optional<Unpacked> parse_number(std::string_view text);

/// "zero", "subnormal", "normal", "infinity" or "nan": what a value of a format is.
[[nodiscard]] std::string_view number_class(const ElementFormat& format, const Unpacked& x);

/// A code in as many uppercase hexadecimal digits as its format, or the number, has bits.
[[nodiscard]] std::string hex_code(int bits, std::uint64_t code);
[[nodiscard]] std::string hex_code(const ElementFormat& format, std::uint64_t code);

}  // namespace mx::golden
