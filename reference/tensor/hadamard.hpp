// Random Hadamard transforms of tensors: spec F25.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "reference/arithmetic/hadamard.hpp"
#include "reference/policy/checked.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx {

/// Why elements of a source along an axis of `length` are not transformed; "" if they are: fp32,
/// bf16 and fp16, which binary32 holds, in whole groups of 16.
[[nodiscard]] std::string hadamard_problem(const ElementFormat& source, std::uint64_t length);

/// Transforms the words of `source` into binary32 words, group by group of 16 along the axis of
/// `shape`, whose block size is 16. Sizes: words = elements * storage_bytes(source), values = 4 *
/// elements; they may be the same memory where the source is fp32. hadamard_problem() is "".
void transform_tensor(const Hadamard& hadamard, const BlockedShape& shape,
                      const ElementFormat& source, std::span<const std::byte> words,
                      std::span<std::byte> values, int threads = 1);

}  // namespace mx
