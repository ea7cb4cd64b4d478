// Is a descriptor a format? The conditions of spec F6.2, each with the field that
// breaks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/format/format.hpp"

namespace mx {

/// What is wrong with a descriptor: the field of spec F6.1 to look at, the condition
/// that does not hold, and what would mend it. An empty reason: nothing is wrong.
struct FormatFault {
  std::string_view field = {};
  std::string_view reason = {};
  std::string_view remedy = {};
  [[nodiscard]] explicit operator bool() const { return !reason.empty(); }
};

/// The first condition on the fields that does not hold: widths, special codes that overlap finite
/// ones or each other, zeros without room, a largest code that is not the largest. Cheap.
[[nodiscard]] FormatFault find_fault(const ElementFormat& format);

/// The first code that breaks spec F6.2 (b) or (c): it does not come back from encode(decode(c))
/// in some deterministic rounding, or its value does not lie above that of the code before. All
/// codes of a format of at most 16 bits; of wider ones up to some 1000 exponent fields, the first
/// and last among them, with the trailing significands next to 0, the middle and the top. The
/// descriptor must have no fault.
[[nodiscard]] std::optional<std::uint64_t> find_unstable_code(const ElementFormat& format);

}  // namespace mx
