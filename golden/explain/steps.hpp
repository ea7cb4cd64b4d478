// Why one encoding did what it did, in words that name the policy.
#pragma once

#include <cstdint>
#include <string>

#include "reference/element/encode.hpp"

namespace mx::golden {

/// The discarded part as a fraction of an ulp; `below` says that more lies under its 64 bits.
[[nodiscard]] std::string fraction_text(const Discarded& discarded);

/// The step that decided (spec F8): the value that came, the rounding, what the policies made of
/// it. `result` is the value of the code.
[[nodiscard]] std::string step_text(const ElementPolicy& policy, const ElementFormat& format,
                                    const Trace& trace, const Unpacked& x, std::uint32_t random,
                                    const Unpacked& result);

}  // namespace mx::golden
