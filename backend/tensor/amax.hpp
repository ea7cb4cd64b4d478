// The largest finite magnitude of a tensor, by the fastest path.
#pragma once

#include <cstddef>
#include <span>

#include "backend/tensor/choice.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/policy.hpp"

namespace mx::backend {

/// tensor_amax(), by vectors unless the reference is asked for, the policy changes source values,
/// or the vectors find another maximum than the reference in structured words.
[[nodiscard]] Unpacked find_amax(const ElementFormat& source, const ElementPolicy& policy,
                                 std::span<const std::byte> words, Choice choice, int threads = 1);

/// Is any word an infinity or a NaN? What a system makes of such a tensor's level is its own.
[[nodiscard]] bool has_specials(const ElementFormat& source, std::span<const std::byte> words);

}  // namespace mx::backend
