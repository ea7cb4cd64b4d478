// A fast path beside the reference on a few thousand structured values, before it is trusted.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// Quantizes the source words of a shape; "" or what went wrong.
using FastQuantize =
    std::function<std::string(const BlockedShape& shape, std::span<const std::byte> source,
                              std::span<std::byte> codes, std::span<std::byte> scales)>;

/// Source words that break quantizers, in whole blocks: zeros, subnormals, the largest values,
/// infinities and NaN; every exponent with significands at, below and above ties; narrow windows of
/// exponents around one large element; random bits. The same for every call.
[[nodiscard]] std::vector<std::byte> structured_words(const ElementFormat& source,
                                                      std::uint64_t block_size);

/// Compares codes and scales, blocks along rows and along columns, tiles of several lines too,
/// the last ones short. One line that names the first difference, or "".
[[nodiscard]] std::string self_check(const Quantizer& reference, const FastQuantize& quantize);

}  // namespace mx::backend
