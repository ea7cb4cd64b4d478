// What follows from a descriptor: the derived facts that listings and documentation show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::golden {

/// Codes from first to last, both included.
struct CodeRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const CodeRange&) const = default;
};

/// The codes of NaN and of infinities, ascending.
[[nodiscard]] std::vector<CodeRange> nan_codes(const ElementFormat& format);
[[nodiscard]] std::vector<CodeRange> inf_codes(const ElementFormat& format);
/// "7D-7F, FD-FF", "-" for none.
[[nodiscard]] std::string ranges_text(const ElementFormat& format,
                                      const std::vector<CodeRange>& ranges);

/// The code of -0, of 1 and of the zero; nothing where the format has none.
[[nodiscard]] std::optional<std::uint64_t> negative_zero_code(const ElementFormat& format);
[[nodiscard]] std::optional<std::uint64_t> one_code(const ElementFormat& format);

[[nodiscard]] Unpacked largest_value(const ElementFormat& format);
[[nodiscard]] Unpacked smallest_positive(const ElementFormat& format);
/// The smallest value with a full significand; nothing for fixed and tapered formats and for
/// formats of subnormals only.
[[nodiscard]] std::optional<Unpacked> smallest_normal(const ElementFormat& format);
/// The smallest positive value where it is a subnormal.
[[nodiscard]] std::optional<Unpacked> smallest_subnormal(const ElementFormat& format);

/// A value in few characters: "448", "2^-9", "1.75 * 2^127", else cut decimal.
[[nodiscard]] std::string brief(const Unpacked& x);

/// "1/4/3", or "int * 2^-6", "sign + int * 2^-2", "tapered".
[[nodiscard]] std::string fields_text(const ElementFormat& format);

}  // namespace mx::golden
