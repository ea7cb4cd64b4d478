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

}  // namespace mx::backend
