// Integers and truth values as formats, so that records, reports and coverage carry them as they
// carry codes. No row of the tables: a block has no such elements, and no conversion makes them.
#pragma once

#include <array>
#include <cstddef>

#include "reference/format/format.hpp"
#include "reference/policy/integer.hpp"

namespace mx::formats {

/// Two's complement or unsigned, every code a whole number; 0 has one code.
[[nodiscard]] constexpr ElementFormat whole(std::string_view name, int bits, IntegerSign sign) {
  const bool is_signed = sign == IntegerSign::kSigned;
  return {.name = name,
          .bits = bits,
          .storage_bits = bits < 8 ? 8 : bits,
          .kind = FormatKind::kTwosComplement,
          .is_signed = is_signed,
          .zero = ZeroKind::kPosOnly,
          .max_code = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0))};
}

#define MX_INTEGER_FORMAT(name, text, bits, sign) whole(text, bits, IntegerSign::sign),
inline constexpr std::array kIntegers = {MX_INTEGER_TYPE(MX_INTEGER_FORMAT)};
static_assert(kIntegers.size() == tokens<IntegerType>().size());

[[nodiscard]] constexpr const ElementFormat& integer(IntegerType type) {
  return kIntegers[static_cast<std::size_t>(type)];
}

/// What a comparison gives: 1 where it holds.
inline constexpr ElementFormat truth = whole("truth", 1, IntegerSign::kUnsigned);

}  // namespace mx::formats
